//! Joins the parts with channels and owns their lives.
//!
//! Doors hold an [`Assistant`]: they ask, they stop, they read the one stream of [`vocabulary::AssistantEvent`]s.
//! Every task is started here and waited for here.

mod assistant; // the handle that doors hold: start here
mod startup; // every part made and joined
mod builder; // what the parts are on this machine, or in a test
mod start_error;
mod command; // what is asked of the coordinator
mod coordinator; // the one task that decides what happens next
mod event_bus; // all that happens, for doors and observers
mod replies; // foreground and background replies
mod talk_key; // tap and hold
mod state; // what people see of all that goes on
mod sound_paths; // microphones, our voice, and the hearing of sound from elsewhere
mod other_programs; // those that use Jarvis, or answer in its place
mod user; // their place and languages
mod models_in_use; // which ones, and when they are loaded
mod secrets; // how they are named and kept
mod network; // if it may be used, and who was contacted
mod tool_access; // servers of tools, permissions, and the log of calls
mod data_access; // one process owns the data, and others ask it
mod settings_observer; // settings to what each part runs on
mod memory_upkeep; // files, diary and maintenance of the memory
mod appointments; // timers, alarms and reminders when they are due
mod intent_judge; // whom an utterance was meant for
mod views; // what crosses to the doors
mod doctor; // what works and what does not
mod logging;
#[cfg(test)]
mod settings_effects; // every key of the settings has one
mod system_clock;

pub use appointments::appointment_ringer::RingError;
pub use assistant::Assistant;
pub use builder::AssistantBuilder;
pub use data_access::data_owner::{DataOwner, DataOwnerError, DataOwnerParts, Responses, ask_about_models};
pub use data_access::instance::{Instance, InstanceError};
pub use data_access::ipc::{Connection, IpcError};
pub use data_access::requests::{
    AskRequest, BackupView, ConversationView, CopyOutcomeView, CopyView, DayBound, DayOutcome, DayRange,
    EntryDetails, EntryView, EvidenceView, FactDetails, FactView, ForgetPreview, ForgetScope, ForgottenView,
    ImportedView, ItemView, MemoryAnswer, MemoryOverview, MemoryRequest, MessageDetails, MessageView,
    MigratedView, ModelsAnswer, ModelsRequest, NodeDetails, NodeOutcome, NodeView, PassAnswer, PassKind,
    PastFact, Request, Response, SearchHitView, SettingsAnswer, SettingsRequest, TreeNode, VoicesAnswer,
    VoicesRequest,
};
pub use doctor::examine;
pub use event_bus::EventStream;
pub use languages::messages::Messages;
pub use logging::{Logging, begin as begin_logging};
pub use memory::{
    Branch, CallFilter, DialogueMessage, FactStatus, ItemId, LoggedCall, MAX_CALLS, Participant, RecordKind,
};
pub use memory_upkeep::memory_files::key_name;
pub use models::trim_heap;
pub use models_in_use::model_library::{ModelLibrary, ModelLibraryError, PullHandle};
pub use net::{HostContact, NetError, Purpose as ContactPurpose};
pub use other_programs::bridge_session::{BridgeSession, BridgeSetup, BridgeUser};
pub use other_programs::programs::ProgramRefused;
pub use redaction::redact;
pub use replies::{NoQuestion, ReplyHandle, ReplyRefused, ReplyRequest, ReplyStep};
pub use replying::AnsweringModel;
pub use sound_paths::microphone::MicrophoneUnavailable;
pub use sound_paths::name_spotter::{NameSpotter, SpottedName};
pub use sound_paths::satellite::{SatelliteEvent, SatelliteInput, SatelliteStage};
pub use sound_paths::speech_service::{
    RecordedWords, RecordingError, SpeechError, SpeechRequest, SpeechStream, VoiceSound,
};
pub use sound_paths::stream_hearing::StreamRefused;
pub use start_error::StartError;
pub use system_clock::SystemClock;
pub use tool_access::tool_permissions::OtherDescription;
pub use tools::servers::SignInError;
pub use tools::{ApprovalAnswer, ApprovalRequest, CallStatus, replay as replay_policy};
pub use views::{
    ChoiceView, DamagedFile, EffectName, FileView, Finding, LocationView, ModelStatus, ModelView, ModelsView,
    PermissionName, PromptArgumentView, ProviderView, PullStatus, PullView, ReplyView, ServerPromptView,
    Severity, ToolPermissionView, ToolServerState, ToolServerView,
};

/// Recordings in place of microphone and speaker, for doors that play files.
pub mod recordings {
    pub use audio::{Pace, WavLoudspeaker, WavMicrophone, read_wav};
}

/// The configuration of the Ollama bridge.
pub mod bridge_config {
    pub use bridge::{BridgeConfig, ConfigReport, FormatWish, KeywordMode, PromptMemory};
}

/// The sound devices of this machine.
pub mod sound_devices {
    pub use audio::{DeviceInfo, devices};
}

/// Towns by name, for doors that let their user choose one.
pub mod places {
    pub use ::places::{Place, find};
}
