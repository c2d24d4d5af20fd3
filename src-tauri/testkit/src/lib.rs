//! Fakes of all ports, and virtual devices. For tests only.
//!
//! A fake does what the test scripted, and records the requests it received. Everything between the ports is real.

mod language_servers;
mod model_hub;
mod sentence_model_hub;
mod tiny_sentence_model;
mod scripted_model;
mod scripted_replier;
mod scripted_rings;
mod scripted_tool;
mod toolbox;
mod bag_of_words;
mod scripted_speech;
mod scripted_spotter;
mod scripted_endpoint_model;
mod fixed_clock;
mod folder_trash;
mod scripted_programs;
mod in_memory_pins;
mod in_memory_secrets;
mod in_memory_sign_ins;
mod scripted_loudspeaker;
mod satellite_device;
mod tone_voice;
mod virtual_sound;
mod room;
mod music;
mod short_noises;
mod late_recogniser;
#[cfg(target_os = "linux")]
mod process_time;
#[cfg(target_os = "linux")]
mod secret_service;
#[cfg(target_os = "linux")]
mod session_bus;
#[cfg(target_os = "linux")]
mod desktop_portal;
#[cfg(target_os = "linux")]
mod location_portal;
#[cfg(target_os = "linux")]
mod proxy_portal;
#[cfg(target_os = "linux")]
mod screenshot_portal;
#[cfg(target_os = "linux")]
mod shortcuts_portal;
#[cfg(target_os = "linux")]
mod tray_host;

pub use bag_of_words::BagOfWords;
pub use fixed_clock::FixedClock;
pub use folder_trash::FolderTrash;
pub use in_memory_pins::InMemoryPins;
pub use in_memory_secrets::InMemorySecrets;
pub use in_memory_sign_ins::InMemorySignIns;
pub use language_servers::{
    AnthropicServer, OllamaServer, OpenAiServer, ScriptedAnswer, ScriptedPull, ServerScript, is_warming_up,
};
pub use late_recogniser::{HeldResults, LateRecogniser};
#[cfg(target_os = "linux")]
pub use location_portal::{LocationPortal, PortalAnswer};
pub use model_hub::ModelHub;
pub use music::music;
#[cfg(target_os = "linux")]
pub use process_time::cpu_time;
#[cfg(target_os = "linux")]
pub use proxy_portal::{ProxyAnswer, ProxyPortal};
pub use room::{Room, frames_without_echo, white_noise, with_rms, without_echo};
pub use satellite_device::{SatelliteDevice, SatelliteWire, SatelliteWireEvent};
#[cfg(target_os = "linux")]
pub use screenshot_portal::{PictureAnswer, ScreenshotPortal};
pub use scripted_endpoint_model::ScriptedEndpointModel;
pub use scripted_loudspeaker::{LoudspeakerState, ScriptedLoudspeaker};
pub use scripted_model::{ScriptedModel, Turn};
pub use scripted_programs::ScriptedPrograms;
pub use scripted_replier::ScriptedReplier;
pub use scripted_rings::ScriptedRings;
pub use scripted_speech::{Recognition, ScriptedSpeech};
pub use scripted_spotter::ScriptedSpotter;
pub use scripted_tool::{InMemoryAudit, InMemoryPermissions, ScriptedApproval, ScriptedTool, ToolRun};
#[cfg(target_os = "linux")]
pub use secret_service::SecretService;
pub use sentence_model_hub::SentenceModelHub;
#[cfg(target_os = "linux")]
pub use session_bus::SessionBus;
pub use short_noises::short_noises;
#[cfg(target_os = "linux")]
pub use shortcuts_portal::ShortcutsPortal;
pub use tiny_sentence_model::TinySentenceModel;
pub use tone_voice::{ToneVoice, ToneVoices};
pub use toolbox::{embedded_toolbox, toolbox};
#[cfg(target_os = "linux")]
pub use tray_host::{MenuEntry, TrayHost};
pub use virtual_sound::{RATE_HZ as VIRTUAL_RATE_HZ, Recording, VirtualSound};
