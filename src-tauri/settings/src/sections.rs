//! The settings section by section: what the user wrote, with defaults filled in.
//!
//! These types forgive; each crate has its own checked `XConfig` made from its section. Numbers name their source.

mod hearing;
mod replying;
mod knowledge;
mod servers;
mod program;

use serde::{Deserialize, Serialize};

use crate::command_center::CommandCenterSettings;
use crate::programs::ProgramsSettings;
use crate::routines::RoutinesSettings;

pub use hearing::{AudioSettings, HearingSettings, ListeningSettings};
pub use knowledge::{LlmSettings, LocationSettings, MemorySettings, WebSettings};
pub use program::{AppearanceSettings, KeysSettings, ModelsSettings, StartupSettings};
pub use replying::{ReplyingSettings, SpeakingSettings, ToolsSettings};
pub use servers::{McpSettings, ServerSettings};

/// Everything that can be set.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Settings {
    /// Sound card.
    pub audio: AudioSettings,
    /// Sound to words.
    pub hearing: HearingSettings,
    /// Words to queries.
    pub listening: ListeningSettings,
    /// Queries to replies.
    pub replying: ReplyingSettings,
    /// The tools of Jarvis.
    pub tools: ToolsSettings,
    /// Commands that a phrase starts.
    pub routines: RoutinesSettings,
    /// Text to sound.
    pub speaking: SpeakingSettings,
    /// Language models.
    pub llm: LlmSettings,
    /// Remembering, recall and the diary.
    pub memory: MemorySettings,
    /// The place where the user is.
    pub location: LocationSettings,
    /// Search, and working offline.
    pub web: WebSettings,
    /// Servers of tools.
    pub mcp: McpSettings,
    /// Other programs that may use Jarvis.
    pub programs: ProgramsSettings,
    /// A Command Center that answers in place of the language model here.
    pub command_center: CommandCenterSettings,
    /// Model files.
    pub models: ModelsSettings,
    /// The way the windows look.
    pub appearance: AppearanceSettings,
    /// Keys that work everywhere.
    pub keys: KeysSettings,
    /// The start of Jarvis.
    pub startup: StartupSettings,
}
