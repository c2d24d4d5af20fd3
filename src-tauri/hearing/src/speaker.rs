//! The speaker of an utterance: an embedding of the voice, and the enrolled voice that it belongs to.
//!
//! The model is the port [`SpeakerEmbedder`]; [`CamPlusPlus`] runs one without any library. [`VoiceCheck`] asks it beside a
//! recogniser.
//!
//! Source: docs/behaviour/listening.md#whose-voice.

mod check; // beside a recogniser: start here
mod embedder; // the port to a model
mod matching; // the decision, pure
mod camplusplus;
mod checkpoint; // weights from a file of PyTorch
mod features; // from sound to bands
mod layers;
mod network;

pub use camplusplus::CamPlusPlus;
pub use check::{EnrolledVoices, VoiceCheck};
pub use embedder::{SpeakerEmbedder, SpeakerError};
pub use matching::match_voice;
