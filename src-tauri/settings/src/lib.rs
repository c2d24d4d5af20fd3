//! Typed settings, their metadata, and the keychain.

mod sections;

pub use sections::{
    AudioSettings, HearingSettings, ListeningSettings, LlmSettings, LocationSettings, MemorySettings,
    ModelsSettings, ReplyingSettings, Settings, SpeakingSettings,
};
