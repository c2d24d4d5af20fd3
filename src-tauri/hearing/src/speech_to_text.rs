//! The port to a speech recogniser.

use std::io;
use std::path::PathBuf;

use tokio_util::sync::CancellationToken;
use vocabulary::{Language, Stage, Trouble};

/// How much work a decoding is worth.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DecodeEffort {
    /// Words for the screen while the user still speaks.
    Partial,
    /// The words that count, as quick as they allow.
    Final,
    /// For sound whose final decoding is doubtful: three times the work and more.
    Thorough,
}

/// What to decode for.
#[derive(Debug, Clone, PartialEq)]
pub struct DecodeRequest {
    /// The language spoken; `None` finds it out where the words leave doubt about it.
    pub language: Option<Language>,
    /// How much work it is worth.
    pub effort: DecodeEffort,
}

/// A stretch of recognised text.
#[derive(Clone, PartialEq)]
pub struct RecognisedSegment {
    /// Its words, as the engine writes them.
    pub text: String,
    /// Mean log probability of its tokens, at most 0.0.
    pub avg_logprob: Option<f32>,
    /// How likely it is no speech at all, 0.0 to 1.0.
    pub no_speech_prob: Option<f32>,
}

/// What an engine made of some sound.
#[derive(Clone, PartialEq)]
pub struct Transcription {
    /// In the order they were said.
    pub segments: Vec<RecognisedSegment>,
    /// The language it was decoded as.
    pub language: Option<Language>,
}

/// Turns sound into words. Blocking: called on a thread of its own, one call at a time.
pub trait SpeechToText: Send + Sync {
    /// Makes the next call quick: loads the model and runs it once.
    ///
    /// # Errors
    ///
    /// As [`SpeechToText::transcribe`].
    fn warm_up(&self) -> Result<(), TranscribeError>;

    /// Decodes mono samples at [`vocabulary::SAMPLE_RATE_HZ`].
    ///
    /// # Errors
    ///
    /// [`TranscribeError::Stopped`] soon after `stop` is cancelled; otherwise what is wrong with model or engine.
    /// After an error the next call starts afresh, so it works once the cause is gone.
    fn transcribe(
        &self,
        samples: &[f32],
        request: &DecodeRequest,
        stop: &CancellationToken,
    ) -> Result<Transcription, TranscribeError>;
}

/// What stands for a recogniser in builds without one.
#[derive(Debug, Clone, Copy, Default)]
pub struct NotBuiltIn;

impl SpeechToText for NotBuiltIn {
    fn warm_up(&self) -> Result<(), TranscribeError> {
        Err(TranscribeError::NotBuiltIn)
    }

    fn transcribe(
        &self,
        _: &[f32],
        _: &DecodeRequest,
        _: &CancellationToken,
    ) -> Result<Transcription, TranscribeError> {
        Err(TranscribeError::NotBuiltIn)
    }
}

/// Why sound was not turned into words.
#[derive(Debug, thiserror::Error)]
pub enum TranscribeError {
    /// No model file where one should be.
    #[error("the speech model is not installed at {path}")]
    ModelMissing {
        /// Where it was looked for.
        path: PathBuf,
    },
    /// The file is there but cannot be read.
    #[error("the speech model at {path} could not be read")]
    ModelUnreadable {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The file is no speech model, or a damaged one.
    #[error("the speech model at {path} is damaged")]
    ModelDamaged {
        /// The file.
        path: PathBuf,
    },
    /// The engine failed while decoding.
    #[error("the speech engine failed: {reason}")]
    Engine {
        /// The engine's own word.
        reason: String,
    },
    /// This build of the program has no recogniser.
    #[error("this build of Jarvis has no speech recogniser")]
    NotBuiltIn,
    /// Decoding was called off.
    #[error("decoding was called off")]
    Stopped,
}

impl TranscribeError {
    /// What the user can do about it.
    pub fn remedy(&self) -> &'static str {
        match self {
            Self::ModelMissing { .. } => {
                "Fetch it with `jarvis models fetch`; what you said is kept and recognised then."
            }
            Self::ModelUnreadable { .. } => {
                "Check that you may read the file; what you said is kept until then."
            }
            Self::ModelDamaged { .. } => {
                "Fetch it again with `jarvis models fetch`; what you said is kept until then."
            }
            Self::NotBuiltIn => "Type instead, or install a build with speech recognition.",
            Self::Engine { .. } | Self::Stopped => "Say it again, or type it.",
        }
    }

    /// The same for the user's screen.
    pub fn trouble(&self) -> Trouble {
        Trouble::from_error(Stage::Recognition, self, self.remedy())
    }
}
