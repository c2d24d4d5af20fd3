//! Typed settings, their metadata, and the keychain.

mod folders;
mod sections;

pub use folders::{Folders, NoHome};
pub use sections::{
    AudioSettings, HearingSettings, ListeningSettings, LlmSettings, LocationSettings, MemorySettings,
    ModelsSettings, ReplyingSettings, Settings, SpeakingSettings,
};
