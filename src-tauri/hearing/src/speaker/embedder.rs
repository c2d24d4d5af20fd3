//! The port to a model that knows voices.

use std::io;
use std::path::PathBuf;

use vocabulary::{SpeakerEmbedding, Stage, Trouble};

/// Turns speech into the embedding of its speaker. Blocking: call it on its own thread.
pub trait SpeakerEmbedder: Send + Sync {
    /// The embedding of mono samples at [`vocabulary::SAMPLE_RATE_HZ`].
    ///
    /// # Errors
    ///
    /// [`SpeakerError`]; the next call works when its cause is removed.
    fn embed(&self, samples: &[f32]) -> Result<SpeakerEmbedding, SpeakerError>;
}

/// The reason why a speaker is not known.
#[derive(Debug, thiserror::Error)]
pub enum SpeakerError {
    /// The model file does not exist.
    #[error("the model of voices is not installed at {path}")]
    ModelMissing {
        /// The expected location.
        path: PathBuf,
    },
    /// The model file cannot be read, or is none.
    #[error("the model of voices at {path} could not be read")]
    ModelUnreadable {
        /// The file.
        path: PathBuf,
        /// The error of the system, or what is wrong in the file.
        source: io::Error,
    },
    /// The model gave no numbers that can be compared: its file is another one, or damaged.
    #[error("the model of voices does not work")]
    NoNumbers,
    /// There is no voice in the sound, or too little of it.
    #[error("there is too little speech in it")]
    TooShort,
}

impl SpeakerError {
    /// This error as the user sees it.
    pub fn trouble(&self) -> Trouble {
        let remedy = match self {
            Self::ModelMissing { .. } | Self::ModelUnreadable { .. } | Self::NoNumbers => {
                "Fetch it with `jarvis models fetch campplus-zh-en`; until then everybody is answered."
            }
            Self::TooShort => "Say a longer sentence.",
        };
        Trouble::from_error(Stage::EnrolledVoices, self, remedy)
    }
}
