//! The operating system's voice, as a program of its own: there is one on nearly every machine, so it is what we
//! fall back to.
//!
//! Linux: espeak-ng, or its older sister espeak. macOS: `say`. Windows: System.Speech through PowerShell. Those of
//! macOS and Windows are written from their documentation and have not been heard by us yet.

use std::process::Command;
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use crate::program::run;
use crate::trim::trim_silence;
use crate::wav_stream::read_wav_stream;
use crate::{Speech, TextToSpeech, VoiceError};

/// The longest a system voice may take for one sentence; they take some 10 to 500 ms.
const LIMIT: Duration = Duration::from_secs(20);

/// The operating system's voice.
#[derive(Debug, Clone)]
pub struct SystemVoice {
    language: String,
}

impl SystemVoice {
    /// The system's voice for a language such as `en` or `en-GB`.
    pub fn new(language: impl Into<String>) -> Self {
        Self { language: language.into() }
    }

    /// Is there a program for it on this machine?
    pub fn is_installed(&self) -> bool {
        self.synthesise("a", 1.0, &CancellationToken::new()).is_ok()
    }
}

impl TextToSpeech for SystemVoice {
    fn name(&self) -> String {
        "the system's voice".into()
    }

    fn synthesise(&self, text: &str, speed: f32, stop: &CancellationToken) -> Result<Speech, VoiceError> {
        if !text.chars().any(char::is_alphanumeric) {
            return Ok(Speech::default());
        }
        let wav = platform::speak(&self.language, text, speed, stop)?;
        let speech = read_wav_stream(&wav).ok_or_else(|| VoiceError::Program {
            program: platform::PROGRAM.into(),
            source: "it made no sound that we can read".into(),
        })?;
        Ok(trim_silence(speech))
    }
}

/// Turns a factor into the system's own scale of words a minute.
#[cfg(not(windows))]
fn words_a_minute(usual: f32, speed: f32) -> String {
    format!("{:.0}", usual * speed.clamp(0.25, 4.0))
}

#[cfg(not(any(target_os = "macos", windows)))]
mod platform {
    use super::*;
    use crate::wording::read_aloud;

    pub(super) const PROGRAM: &str = "espeak-ng";
    /// Source: espeak-ng's manual, option `-s`.
    const USUAL_WORDS_A_MINUTE: f32 = 175.0;

    pub(super) fn speak(
        language: &str,
        text: &str,
        speed: f32,
        stop: &CancellationToken,
    ) -> Result<Vec<u8>, VoiceError> {
        let text = if language.to_lowercase().starts_with("en") { read_aloud(text) } else { text.to_owned() };
        let with = |program: &str| {
            let mut command = Command::new(program);
            command.args(["--stdin", "--stdout", "-b", "1", "-v", &language.to_lowercase()]);
            command.args(["-s", &words_a_minute(USUAL_WORDS_A_MINUTE, speed)]);
            // `[[` would begin phonemes.
            run(command, &text.replace("[[", "[ ["), LIMIT, stop)
        };
        match with(PROGRAM) {
            // The message names the newer program, since that is the one to install.
            Err(VoiceError::ProgramMissing { program }) => {
                with("espeak").map_err(|_| VoiceError::ProgramMissing { program })
            }
            spoken => spoken,
        }
    }
}

#[cfg(target_os = "macos")]
mod platform {
    use super::*;

    pub(super) const PROGRAM: &str = "say";
    /// Source: `man say`, option `-r`, and the usual pace of its voices.
    const USUAL_WORDS_A_MINUTE: f32 = 180.0;

    /// `say` speaks the language of the voice chosen in the system's settings.
    pub(super) fn speak(
        _language: &str,
        text: &str,
        speed: f32,
        stop: &CancellationToken,
    ) -> Result<Vec<u8>, VoiceError> {
        super::through_file(|file| {
            let mut command = Command::new(PROGRAM);
            command.args(["-f", "-", "--file-format=WAVE", "--data-format=LEI16@22050", "-o"]).arg(file);
            command.args(["-r", &words_a_minute(USUAL_WORDS_A_MINUTE, speed)]);
            run(command, text, LIMIT, stop)
        })
    }
}

#[cfg(windows)]
mod platform {
    use super::*;

    pub(super) const PROGRAM: &str = "powershell";
    /// Reads the text as UTF-8 from standard input; the file comes as an environment variable, so that no path can
    /// end the quotation.
    const SCRIPT: &str = "$ErrorActionPreference = 'Stop'; Add-Type -AssemblyName System.Speech; \
        $reader = New-Object System.IO.StreamReader([Console]::OpenStandardInput(), [Text.Encoding]::UTF8); \
        $voice = New-Object System.Speech.Synthesis.SpeechSynthesizer; $voice.Rate = [int]$env:JARVIS_RATE; \
        $voice.SetOutputToWaveFile($env:JARVIS_WAV); $voice.Speak($reader.ReadToEnd()); $voice.Dispose()";

    /// System.Speech speaks the language of the voice chosen in the system's settings.
    pub(super) fn speak(
        _language: &str,
        text: &str,
        speed: f32,
        stop: &CancellationToken,
    ) -> Result<Vec<u8>, VoiceError> {
        super::through_file(|file| {
            let mut command = Command::new(PROGRAM);
            command.args(["-NoProfile", "-NonInteractive", "-Command", SCRIPT]);
            command.env("JARVIS_WAV", file).env("JARVIS_RATE", rate(speed));
            run(command, text, LIMIT, stop)
        })
    }

    /// System.Speech counts from -10 to 10; each step changes the pace by about a ninth, so that 10 is three times.
    fn rate(speed: f32) -> String {
        format!("{:.0}", (10.0 * speed.clamp(0.25, 4.0).log(3.0)).clamp(-10.0, 10.0))
    }
}

/// For programs that write a file only: gives them the name of a fresh one and returns what they wrote to it.
#[cfg(any(target_os = "macos", windows))]
fn through_file(
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
