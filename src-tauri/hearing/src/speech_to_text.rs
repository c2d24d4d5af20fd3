//! The port to a speech recogniser.

use std::io;
use std::path::PathBuf;

use tokio_util::sync::CancellationToken;
use vocabulary::{Language, Stage, Trouble, VoiceMatch};

/// The work that a decoding is worth.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DecodeEffort {
    /// Words for the screen while the user still speaks.
    Partial,
    /// The words of a complete utterance, decoded quickly.
    Final,
    /// The words of an utterance whose final decoding is doubtful: at least three times the work.
    Thorough,
}

/// A request to decode.
#[derive(Debug, Clone, PartialEq)]
pub struct DecodeRequest {
    /// The language spoken; `None` detects it when the words leave doubt.
    pub language: Option<Language>,
    /// The name of the assistant, which is likely to occur: a recogniser makes a prompt of it.
    pub name: Option<String>,
    /// The work that the decoding is worth.
    pub effort: DecodeEffort,
}

/// A part of a transcription.
#[derive(Clone, PartialEq)]
pub struct RecognisedSegment {
    /// Its words, as the engine writes them.
    pub text: String,
    /// Mean log probability of its tokens, at most 0.0.
    pub avg_logprob: Option<f32>,
    /// The probability that it is not speech, 0.0 to 1.0.
    pub no_speech_prob: Option<f32>,
}

/// The words recognised in some audio.
#[derive(Clone, PartialEq, Default)]
pub struct Transcription {
    /// In the order of speech.
    pub segments: Vec<RecognisedSegment>,
    /// The language used for decoding.
    pub language: Option<Language>,
    /// The speaker, if somebody asks: see [`crate::VoiceCheck`].
    pub voice: VoiceMatch,
}

/// Turns sound into words. Blocking: call it on its own thread, one call at a time.
pub trait SpeechToText: Send + Sync {
    /// Loads the model and runs it once, so that the next call is quick.
    ///
    /// # Errors
    ///
    /// The same as [`SpeechToText::transcribe`].
    fn warm_up(&self) -> Result<(), TranscribeError>;

    /// Decodes mono samples at [`vocabulary::SAMPLE_RATE_HZ`].
    ///
    /// # Errors
    ///
    /// [`TranscribeError::Stopped`] soon after `stop` is cancelled; otherwise an error of the model or the engine.
    /// After an error the next call loads the model again, so it works when the cause is removed.
    fn transcribe(
        &self,
        samples: &[f32],
        request: &DecodeRequest,
        stop: &CancellationToken,
    ) -> Result<Transcription, TranscribeError>;
}

/// Fails every call: for builds without a recogniser.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoSpeechToText;

impl SpeechToText for NoSpeechToText {
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
    /// The model file does not exist.
    #[error("the speech model is not installed at {path}")]
    ModelMissing {
        /// The expected location.
        path: PathBuf,
    },
    /// The model file cannot be read.
    #[error("the speech model at {path} could not be read")]
    ModelUnreadable {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// The file is damaged or not a speech model.
    #[error("the speech model at {path} is damaged")]
    ModelDamaged {
        /// The file.
        path: PathBuf,
    },
    /// The engine failed while decoding.
    #[error("the speech engine failed: {reason}")]
    Engine {
        /// The message of the engine.
        reason: String,
    },
    /// This build of the program has no recogniser.
    #[error("this build of Jarvis has no speech recogniser")]
    NotBuiltIn,
    /// Decoding was cancelled.
    #[error("decoding was cancelled")]
    Stopped,
}

impl TranscribeError {
    /// The error of a model file that could not be opened or read.
    #[cfg(any(feature = "moonshine", feature = "phonemes", feature = "smart_turn", feature = "whisper"))]
    pub(crate) fn from_file(path: PathBuf, source: io::Error) -> Self {
        match source.kind() {
            io::ErrorKind::NotFound => Self::ModelMissing { path },
            _ => Self::ModelUnreadable { path, source },
        }
    }

    /// The remedy for the user.
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

    /// This error as the user sees it.
    pub fn trouble(&self) -> Trouble {
        Trouble::from_error(Stage::Recognition, self, self.remedy())
    }
}
