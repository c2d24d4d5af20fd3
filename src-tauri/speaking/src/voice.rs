//! The port to whatever turns words into sound.

use std::path::PathBuf;
use std::time::Duration;

use tokio_util::sync::CancellationToken;
use vocabulary::{Stage, Trouble};

/// A voice.
pub trait TextToSpeech: Send + Sync {
    /// What to call it before a user.
    fn name(&self) -> String;

    /// The sound of `text`, which is fit to be spoken: see [`preprocess_for_speech`](crate::preprocess_for_speech).
    ///
    /// `speed` is 1.0 for the voice's own pace, 2.0 for twice as fast. Nothing speakable in `text` gives no samples.
    /// Blocks for as long as it takes, some hundred milliseconds: call it off the async threads. Cancelling `stop`
    /// ends it within some 20 ms.
    ///
    /// # Errors
    ///
    /// [`VoiceError::Stopped`] when `stop` was cancelled, else what failed.
    fn synthesise(&self, text: &str, speed: f32, stop: &CancellationToken) -> Result<Speech, VoiceError>;
}

/// Sound of a voice.
#[derive(Clone, Default, PartialEq)]
pub struct Speech {
    /// Mono samples, -1.0 to 1.0.
    pub samples: Vec<f32>,
    /// Their rate in hertz.
    pub rate_hz: u32,
}

impl Speech {
    /// How long it sounds.
    pub fn lasts(&self) -> Duration {
        Duration::from_secs_f64(self.samples.len() as f64 / f64::from(self.rate_hz.max(1)))
    }
}

impl std::fmt::Debug for Speech {
    /// Shows the length, never the samples.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Speech").field("lasts", &self.lasts()).finish_non_exhaustive()
    }
}

/// Why a text was not turned into sound. Holds no word of it.
#[derive(Debug, thiserror::Error)]
pub enum VoiceError {
    /// It was told to stop.
    #[error("the voice was stopped")]
    Stopped,
    /// The settings name a voice that nobody knows.
    #[error("there is no voice named {id:?}")]
    Unknown {
        /// What the settings name.
        id: String,
        /// The names there are.
        known: Vec<String>,
    },
    /// The voice's files are not all here.
    #[error("the voice {id:?} is not installed")]
    NotInstalled {
        /// Which voice.
        id: String,
    },
    /// This build knows system voices only.
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
        /// Why.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// A program that the voice needs is not on this machine.
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
        /// How.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The engine that runs the voice failed.
    #[error("the speech engine failed")]
    Engine(#[source] Box<dyn std::error::Error + Send + Sync>),
}

impl VoiceError {
    /// What the user can do about it, as one sentence.
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
            Self::Engine(_) => "Set speaking.voice to `system`, or fetch the voice again.".into(),
        }
    }

    /// The same for the screen.
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
    fn a_missing_program_comes_with_the_way_to_get_it() {
        let trouble = VoiceError::ProgramMissing { program: "espeak-ng".into() }.trouble();

        assert_eq!(trouble.message, "The program espeak-ng is not installed.");
        assert!(trouble.remedy.contains("espeak-ng"), "{}", trouble.remedy);
    }
}
