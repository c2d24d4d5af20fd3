//! The voice of the operating system, as a separate program. Nearly every machine has one, so it is the fallback.
//!
//! Linux: espeak-ng, or the older espeak. macOS: `say`. Windows: System.Speech through PowerShell. The commands for all
//! three are built and tested on every system; those of macOS and Windows follow the documentation and were not run yet.

mod command; // what each system is asked

use std::time::Duration;

use tokio_util::sync::CancellationToken;
use vocabulary::Language;

use self::command::{Program, VoiceCommand};
use crate::program::run;
use crate::trim::trim_silence;
use crate::wav_stream::read_wav_stream;
use crate::{Speech, TextToSpeech, VoiceError};

/// The limit for one sentence. System voices take about 10 to 500 ms.
const LIMIT: Duration = Duration::from_secs(20);

/// The voice of the operating system.
#[derive(Debug, Clone)]
pub struct SystemVoice {
    language: String,
}

impl SystemVoice {
    /// The voice for a language such as `en` or `en-GB`.
    pub fn new(language: impl Into<String>) -> Self {
        Self { language: language.into() }
    }

    /// Returns `true` if its program is installed and works.
    pub fn is_installed(&self) -> bool {
        self.synthesise("a", 1.0, &CancellationToken::new()).is_ok()
    }
}

impl TextToSpeech for SystemVoice {
    fn name(&self) -> String {
        "the system's voice".into()
    }

    fn language(&self) -> Option<Language> {
        Language::new(&self.language)
    }

    fn synthesise(&self, text: &str, speed: f32, stop: &CancellationToken) -> Result<Speech, VoiceError> {
        if !text.chars().any(char::is_alphanumeric) {
            return Ok(Speech::default());
        }
        let program = Program::for_this_system();
        let wav = match speak(program, &self.language, text, speed, stop) {
            // The error contains the newer program, because the user should install that one.
            Err(VoiceError::ProgramMissing { program: missing }) if program == Program::EspeakNg => {
                speak(Program::Espeak, &self.language, text, speed, stop)
                    .map_err(|_| VoiceError::ProgramMissing { program: missing })?
            }
            spoken => spoken?,
        };
        let speech =
            read_wav_stream(&wav).ok_or_else(|| failed(program, "its output is not a WAV file".into()))?;
        Ok(trim_silence(speech))
    }
}

/// The WAV file that the program makes of `text`.
fn speak(
    program: Program,
    language: &str,
    text: &str,
    speed: f32,
    stop: &CancellationToken,
) -> Result<Vec<u8>, VoiceError> {
    if !program.writes_a_file() {
        let VoiceCommand { command, input } = program.command(language, text, speed, None);
        return run(command, &input, LIMIT, stop);
    }
    let folder = tempfile::tempdir().map_err(|error| failed(program, error.into()))?;
    let file = folder.path().join("speech.wav");
    let VoiceCommand { command, input } = program.command(language, text, speed, Some(&file));
    run(command, &input, LIMIT, stop)?;
    std::fs::read(&file).map_err(|error| failed(program, error.into()))
}

fn failed(program: Program, source: Box<dyn std::error::Error + Send + Sync>) -> VoiceError {
    VoiceError::Program { program: program.name().into(), source }
}
