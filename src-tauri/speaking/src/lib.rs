//! Turns text into sound.
//!
//! Sentences of a reply come in, sound goes to the [`audio::Loudspeaker`], and [`vocabulary::SpeechEvent`]s report what
//! was heard when. Text is cleaned up for speech, synthesised by a voice, and played sentence by sentence while the next
//! one is synthesised. This crate knows no microphone, no language model and no window.

mod queue; // start here
mod config;
mod clean_up;
mod clauses; // splits long sentences
mod voice; // the port
mod voices;
mod system_voice;
#[cfg(feature = "neural")]
mod neural;
mod normalisation;
mod program; // runs another program
mod wav_stream;
mod tones; // sounds without words
mod trim;

pub use clauses::split_clauses;
pub use clean_up::{
    LinkDescription, extract_domain_description, preprocess_for_speech, strip_markdown_for_speech,
};
pub use config::{SpeakingConfig, SpeakingConfigError};
#[cfg(feature = "neural")]
pub use neural::{Kokoro, KokoroFiles, Piper, PiperFiles};
pub use queue::{SpeechHandle, SpeechQueue, SpeechReport, Unheard};
pub use system_voice::SystemVoice;
pub use tones::{Earcon, ring_tone};
pub use voice::{Speech, TextToSpeech, VoiceError};
pub use voices::{FixedVoice, InstalledVoices, Voices};
