//! One fake per port, fixtures, and virtual devices. For tests only.
//!
//! Fakes are scripted by the test and remember what they were asked; everything between the ports is the real thing.

mod language_servers;
mod model_hub;
mod scripted_model;
mod scripted_replier;
mod bag_of_words;
mod scripted_speech;
mod fixed_clock;
mod secrets;
mod staged_loudspeaker;
mod tone_voice;
mod virtual_sound;
#[cfg(target_os = "linux")]
mod keychain;
#[cfg(target_os = "linux")]
mod session_bus;
#[cfg(target_os = "linux")]
mod shortcuts_portal;
#[cfg(target_os = "linux")]
mod tray_host;

pub use bag_of_words::BagOfWords;
pub use fixed_clock::FixedClock;
#[cfg(target_os = "linux")]
pub use keychain::SecretService;
pub use language_servers::{OllamaServer, OpenAiServer, ScriptedAnswer, ServerScript, is_warming_up};
pub use model_hub::ModelHub;
pub use scripted_model::{ScriptedModel, Turn};
pub use scripted_replier::ScriptedReplier;
pub use scripted_speech::{Recognition, ScriptedSpeech};
pub use secrets::SecretsInMemory;
#[cfg(target_os = "linux")]
pub use session_bus::SessionBus;
#[cfg(target_os = "linux")]
pub use shortcuts_portal::ShortcutsPortal;
pub use staged_loudspeaker::{Seen, StagedLoudspeaker};
pub use tone_voice::{ToneVoice, ToneVoices};
#[cfg(target_os = "linux")]
pub use tray_host::{MenuEntry, TrayHost};
pub use virtual_sound::{RATE_HZ as VIRTUAL_RATE_HZ, Recording, VirtualSound};
