//! The voice of the operating system, as a separate program. Nearly every machine has one, so it is the fallback.
//!
//! Linux: espeak-ng, or the older espeak. macOS: `say`. Windows: System.Speech through PowerShell. The code for macOS
//! and Windows follows the documentation and is not tested yet.

use std::process::Command;
use std::time::Duration;

use tokio_util::sync::CancellationToken;
use vocabulary::Language;

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

    /// Whether its program is installed and works.
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
        let wav = platform::speak(&self.language, text, speed, stop)?;
        let speech = read_wav_stream(&wav).ok_or_else(|| VoiceError::Program {
            program: platform::PROGRAM.into(),
            source: "its output is not a WAV file".into(),
        })?;
        Ok(trim_silence(speech))
    }
}

/// The rate in words per minute for a speed factor.
#[cfg(not(windows))]
fn words_per_minute(default_rate: f32, speed: f32) -> String {
    format!("{:.0}", default_rate * speed.clamp(0.25, 4.0))
}

#[cfg(not(any(target_os = "macos", windows)))]
mod platform {
    use super::*;
    use crate::normalisation::normalise_english;

    pub(super) const PROGRAM: &str = "espeak-ng";
    /// Source: the manual of espeak-ng, option `-s`.
    const DEFAULT_WORDS_PER_MINUTE: f32 = 175.0;

    pub(super) fn speak(
        language: &str,
        text: &str,
        speed: f32,
        stop: &CancellationToken,
    ) -> Result<Vec<u8>, VoiceError> {
        let text =
            if language.to_lowercase().starts_with("en") { normalise_english(text) } else { text.to_owned() };
        let run_program = |program: &str| {
            let mut command = Command::new(program);
            command.args(["--stdin", "--stdout", "-b", "1", "-v", &language.to_lowercase()]);
            command.args(["-s", &words_per_minute(DEFAULT_WORDS_PER_MINUTE, speed)]);
            // espeak-ng reads `[[` as the start of phonemes.
            run(command, &text.replace("[[", "[ ["), LIMIT, stop)
        };
        match run_program(PROGRAM) {
            // The error contains the newer program, because the user should install that one.
            Err(VoiceError::ProgramMissing { program }) => {
                run_program("espeak").map_err(|_| VoiceError::ProgramMissing { program })
            }
            spoken => spoken,
        }
    }
}

#[cfg(target_os = "macos")]
mod platform {
    use super::*;

    pub(super) const PROGRAM: &str = "say";
    /// Source: `man say`, option `-r`, and the usual rate of its voices.
    const DEFAULT_WORDS_PER_MINUTE: f32 = 180.0;

    /// `say` speaks the language of the voice in the settings of the system.
    pub(super) fn speak(
        _language: &str,
        text: &str,
        speed: f32,
        stop: &CancellationToken,
    ) -> Result<Vec<u8>, VoiceError> {
        super::run_with_file(|file| {
            let mut command = Command::new(PROGRAM);
            command.args(["-f", "-", "--file-format=WAVE", "--data-format=LEI16@22050", "-o"]).arg(file);
            command.args(["-r", &words_per_minute(DEFAULT_WORDS_PER_MINUTE, speed)]);
            run(command, text, LIMIT, stop)
        })
    }
}

#[cfg(windows)]
mod platform {
    use super::*;

    pub(super) const PROGRAM: &str = "powershell";
    /// Reads the text as UTF-8 from standard input. The file is an environment variable, so that no path can end a
    /// quoted string of the script.
    const SCRIPT: &str = "$ErrorActionPreference = 'Stop'; Add-Type -AssemblyName System.Speech; \
        $reader = New-Object System.IO.StreamReader([Console]::OpenStandardInput(), [Text.Encoding]::UTF8); \
        $voice = New-Object System.Speech.Synthesis.SpeechSynthesizer; $voice.Rate = [int]$env:JARVIS_RATE; \
        $voice.SetOutputToWaveFile($env:JARVIS_WAV); $voice.Speak($reader.ReadToEnd()); $voice.Dispose()";

    /// System.Speech speaks the language of the voice in the settings of the system.
    pub(super) fn speak(
        _language: &str,
        text: &str,
        speed: f32,
        stop: &CancellationToken,
    ) -> Result<Vec<u8>, VoiceError> {
        super::run_with_file(|file| {
            let mut command = Command::new(PROGRAM);
            command.args(["-NoProfile", "-NonInteractive", "-Command", SCRIPT]);
            command.env("JARVIS_WAV", file).env("JARVIS_RATE", rate(speed));
            run(command, text, LIMIT, stop)
        })
    }

    /// The rate of System.Speech, -10 to 10. Each step changes the speed by about a ninth: 10 is three times as fast.
    fn rate(speed: f32) -> String {
        format!("{:.0}", (10.0 * speed.clamp(0.25, 4.0).log(3.0)).clamp(-10.0, 10.0))
    }
}

/// Runs a program that can only write to a file, with the path of a new file. Returns the content of the file.
#[cfg(any(target_os = "macos", windows))]
fn run_with_file(
    speak: impl FnOnce(&std::path::Path) -> Result<Vec<u8>, VoiceError>,
) -> Result<Vec<u8>, VoiceError> {
    let failed = |error: std::io::Error| VoiceError::Program {
        program: platform::PROGRAM.into(),
        source: error.into(),
    };
    let folder = tempfile::tempdir().map_err(failed)?;
    let file = folder.path().join("speech.wav");
    speak(&file)?;
    std::fs::read(&file).map_err(failed)
}
