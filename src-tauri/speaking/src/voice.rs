//! The port to text-to-speech engines.

use std::path::PathBuf;
use std::time::Duration;

use tokio_util::sync::CancellationToken;
use vocabulary::{Language, Stage, Trouble};

/// A voice: turns text into sound.
pub trait TextToSpeech: Send + Sync {
    /// The name that the user sees.
    fn name(&self) -> String;

    /// The language it speaks; `None` when it speaks every language.
    fn language(&self) -> Option<Language>;

    /// Synthesises `text`, after clean-up by [`preprocess_for_speech`](crate::preprocess_for_speech).
    ///
    /// A `speed` of 1.0 is the usual speed of the voice, 2.0 is twice as fast. Text without words gives no samples. Blocks
    /// for about a hundred milliseconds: do not call it on an async thread. Cancelling `stop` ends it within about 20 ms.
    ///
    /// # Errors
    ///
    /// [`VoiceError::Stopped`] when `stop` was cancelled, else the failure of the voice.
    fn synthesise(&self, text: &str, speed: f32, stop: &CancellationToken) -> Result<Speech, VoiceError>;

    /// Synthesises as [`TextToSpeech::synthesise`] does, but passes the first parts of the sound to `early` as soon as they are
    /// there, and returns the rest. A voice that makes a sound in one go returns all of it.
    ///
    /// # Errors
    ///
    /// As [`TextToSpeech::synthesise`]. The text has to be spoken anew then: nobody knows how far the parts went.
    fn synthesise_early(
        &self,
        text: &str,
        speed: f32,
        stop: &CancellationToken,
        _early: &mut dyn FnMut(Speech),
    ) -> Result<Speech, VoiceError> {
        self.synthesise(text, speed, stop)
    }
}

/// Synthesised sound.
#[derive(Clone, Default, PartialEq)]
pub struct Speech {
    /// Mono samples, -1.0 to 1.0.
    pub samples: Vec<f32>,
    /// Samples per second.
    pub rate_hz: u32,
}

impl Speech {
    /// The duration of the sound.
    pub fn duration(&self) -> Duration {
        Duration::from_secs_f64(self.samples.len() as f64 / f64::from(self.rate_hz.max(1)))
    }
}

impl std::fmt::Debug for Speech {
    /// Shows the duration without the samples.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Speech").field("duration", &self.duration()).finish_non_exhaustive()
    }
}

/// Why a text was not turned into sound. It never contains words of the text.
#[derive(Debug, thiserror::Error)]
pub enum VoiceError {
    /// Synthesis was cancelled.
    #[error("the voice was stopped")]
    Stopped,
    /// The settings name an unknown voice.
    #[error("there is no voice named {id:?}")]
    Unknown {
        /// The voice in the settings.
        id: String,
        /// The ids of all voices in the catalogue.
        known: Vec<String>,
    },
    /// Files of the voice are missing.
    #[error("the voice {id:?} is not installed")]
    NotInstalled {
        /// Which voice.
        id: String,
    },
    /// This build contains no neural voices.
    #[error("this build of the program cannot run the voice {id:?}")]
    NotBuiltIn {
        /// Which voice.
        id: String,
    },
    /// A file of the voice is damaged.
    #[error("the voice file {path} could not be used")]
    File {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// A program that the voice needs is not installed.
    #[error("the program {program} is not installed")]
    ProgramMissing {
        /// Its name.
        program: String,
    },
    /// A program that the voice needs failed.
    #[error("the program {program} failed")]
    Program {
        /// Its name.
        program: String,
        /// The cause.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// Another computer, which makes the sound, failed.
    #[error("the voice of {service} cannot be used")]
    Service {
        /// The maker of the sound, as in "the voice of …".
        service: String,
        /// The remedy, as a sentence.
        remedy: String,
        /// The cause.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// Another computer, which makes the sound, takes no more texts for now.
    #[error("the voice of {service} takes no more texts for now")]
    QuotaExceeded {
        /// The maker of the sound, as in "the voice of …".
        service: String,
        /// The remedy, as a sentence.
        remedy: String,
        /// The cause.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The engine that runs the voice failed.
    #[error("the speech engine failed")]
    Engine(#[source] Box<dyn std::error::Error + Send + Sync>),
}

impl VoiceError {
    /// The remedy, as one sentence.
    pub fn remedy(&self) -> String {
        match self {
            Self::Stopped => "Nothing needs to be done.".into(),
            Self::Unknown { known, .. } => {
                format!("Set speaking.voice to `auto`, `system`, or one of: {}.", known.join(", "))
            }
            Self::NotInstalled { .. } => {
                "Download it under Models in the settings (or `jarvis models fetch`), or set speaking.voice to `auto`.".into()
            }
            Self::NotBuiltIn { .. } => "Set speaking.voice to `system`.".into(),
            Self::File { .. } => {
                "Delete it under Models in the settings (or `jarvis models delete`) and download it again.".into()
            }
            Self::ProgramMissing { program } => install_hint(program),
            Self::Program { program, .. } => {
                format!(
                    "Check that `{program}` works in a terminal, or choose another voice in speaking.voice."
                )
            }
            Self::Service { remedy, .. } | Self::QuotaExceeded { remedy, .. } => remedy.clone(),
            Self::Engine(_) => "Set speaking.voice to `system`, or fetch the voice again.".into(),
        }
    }

    /// This error as the user sees it.
    pub fn trouble(&self) -> Trouble {
        Trouble::from_error(Stage::Voice, self, self.remedy())
    }
}

fn install_hint(program: &str) -> String {
    if cfg!(target_os = "macos") {
        format!("Install it, for example with `brew install {program}`.")
    } else if cfg!(target_os = "windows") {
        format!("Install {program} and make sure that it is on the PATH.")
    } else {
        format!(
            "Install it, for example with `sudo apt install {program}`, `sudo dnf install {program}` or `sudo \
             pacman -S {program}`."
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remedy_for_a_missing_program_says_how_to_install_it() {
        let trouble = VoiceError::ProgramMissing { program: "espeak-ng".into() }.trouble();

        assert_eq!(trouble.message, "The program espeak-ng is not installed.");
        assert!(trouble.remedy.contains("espeak-ng"), "{}", trouble.remedy);
    }
}
