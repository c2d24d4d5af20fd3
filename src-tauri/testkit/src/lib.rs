//! One fake per port, fixtures, and virtual devices. For tests only.
//!
//! Fakes are scripted by the test and remember what they were asked; everything between the ports is the real thing.

mod language_servers;
mod scripted_model;
mod scripted_speech;
mod fixed_clock;
mod secrets;
mod staged_speaker;
mod tone_voice;
mod virtual_sound;

pub use fixed_clock::FixedClock;
pub use language_servers::{OllamaServer, OpenAiServer, ScriptedAnswer, ServerScript, is_warming_up};
pub use scripted_model::{ScriptedModel, Turn};
pub use scripted_speech::{Recognition, ScriptedSpeech};
pub use secrets::SecretsInMemory;
pub use staged_speaker::{Seen, StagedSpeaker};
pub use tone_voice::{ToneVoice, ToneVoices};
pub use virtual_sound::{RATE_HZ as VIRTUAL_RATE_HZ, Recording, VirtualSound};
