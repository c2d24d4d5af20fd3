//! Typed settings, their metadata, and the keychain.
//!
//! The settings as a user wrote them and the configuration that the code runs on are two types: the sections here
//! forgive, and each crate makes its own checked configuration from its section. Nothing in here knows what a setting
//! does.

mod sections; // what can be set: start here
mod programs; // those that may use Jarvis
mod routines; // commands that a phrase starts
mod command_center; // one that answers in place of the language model
mod choices; // settings with a fixed set of values
mod keys; // what is known of each key
mod file;
mod secrets;
mod folders;
mod importing; // files of other programs
mod error;

pub use choices::{
    Choice, ContextPosition, Contrast, Embeddings, ForModel, Patience, Persona, Preparation, Profile,
    ProtocolChoice, Provider, Scope, SelectionStrategy, SizeChoice, Theme, TrayIcon, ValidationShape,
};
pub use command_center::CommandCenterSettings;
pub use error::{SecretError, SettingsError};
pub use file::{LoadedSettings, SettingsFile};
pub use folders::{Folders, NoHome};
pub use importing::{FlatConfig, Import, ImportError};
pub use keys::{BadValue, KEYS, Key, SPEAKING_SPEED, ValueKind, section_label};
pub use programs::{ProgramKey, ProgramsSettings};
pub use routines::{RoutineSettings, RoutinesSettings};
pub use secrets::{Keychain, SecretStore};
pub use sections::{
    AppearanceSettings, AudioSettings, HearingSettings, KeysSettings, ListeningSettings, LlmSettings,
    LocationSettings, McpSettings, MemorySettings, ModelsSettings, ReplyingSettings, ServerSettings,
    Settings, SpeakingSettings, StartupSettings, ToolsSettings, WebSettings,
};
