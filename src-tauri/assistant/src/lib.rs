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
mod voice; // speech output
mod speech_service; // speech for other programs
mod stream_hearing; // hearing of sound from elsewhere
mod name_spotter; // our name in it
mod satellite; // microphones and loudspeakers in other rooms
mod programs; // their keys
mod ducking; // other programs, quieter while we listen
mod capture; // keeps a microphone open
mod microphone; // why nothing is heard
mod user_location; // where the desktop says we are
mod user_languages; // which languages the user speaks
mod recogniser; // which speech model
mod speaker_model; // which model of voices
mod first_stage; // the name in sound
mod endpoint_model; // which model hears the end of an utterance
mod language_model; // which language model
mod helper_model; // which one for short tasks
mod meal_reader; // meals are read by the chat model
mod provider_key; // the key of a language-model server
mod offline; // clients that keep to "Work offline"
mod long_secrets; // in entries that a keychain takes
mod secret_names; // as the user types them
mod call_log; // calls of tools
mod file_lock; // files that several processes write
mod contact_log; // contacted hosts
mod tool_pins; // how servers described their tools
mod tool_permissions; // which tools may run, in the settings
mod tool_servers; // servers of tools, as the settings name them
mod active_embedder; // which embedding model
mod warm_up; // models are loaded before the first question
mod settings_observer; // settings to what each part runs on
mod diary_scheduler; // when the diary is written
mod appointment_ringer; // timers, alarms and reminders ring
mod late_rings; // the same for the tools
mod upkeep; // maintenance of memory in the background
mod intent_judge; // whom an utterance was meant for
mod instance; // one process owns the data
mod requests; // what callers ask of the owner of the data
mod data_service; // executes it
mod ipc; // the local socket
mod data_owner; // a running Jarvis, or this process
mod activation; // raising the window
mod views; // what crosses to the doors
mod memory_files; // where the memory is, and its key
mod memory_findings; // what an examination of the memory found
mod doctor; // what works and what does not
mod model_library; // model files: downloads, what is in use
mod model_check; // trying a model
mod node_role; // a Command Center answers in place of the model here
mod bridge_session; // the Ollama bridge, beside the assistant
mod logging;
#[cfg(test)]
mod settings_effects; // every key of the settings has one
mod system_clock;

pub use appointment_ringer::RingError;
pub use assistant::Assistant;
pub use bridge_session::{BridgeSession, BridgeSetup, BridgeUser};
pub use builder::AssistantBuilder;
pub use data_owner::{DataOwner, DataOwnerError, DataOwnerParts, Responses, ask_about_models};
pub use doctor::examine;
pub use event_bus::EventStream;
pub use instance::{Instance, InstanceError};
pub use ipc::{Connection, IpcError};
pub use languages::messages::Messages;
pub use logging::{Logging, begin as begin_logging};
pub use memory::{
    Branch, CallFilter, DialogueMessage, FactStatus, ItemId, LoggedCall, MAX_CALLS, Participant, RecordKind,
};
pub use memory_files::key_name;
pub use microphone::MicrophoneUnavailable;
pub use model_library::{ModelLibrary, ModelLibraryError, PullHandle};
pub use models::trim_heap;
pub use name_spotter::{NameSpotter, SpottedName};
pub use net::{HostContact, NetError, Purpose as ContactPurpose};
pub use programs::ProgramRefused;
pub use redaction::redact;
pub use replies::{NoQuestion, ReplyHandle, ReplyRefused, ReplyRequest, ReplyStep};
pub use replying::AnsweringModel;
pub use requests::{
    AskRequest, BackupView, ConversationView, CopyOutcomeView, CopyView, DayBound, DayOutcome, DayRange,
    EntryDetails, EntryView, EvidenceView, FactDetails, FactView, ForgetPreview, ForgetScope, ForgottenView,
    ImportedView, ItemView, MemoryAnswer, MemoryOverview, MemoryRequest, MessageDetails, MessageView,
    MigratedView, ModelsAnswer, ModelsRequest, NodeDetails, NodeOutcome, NodeView, PassAnswer, PassKind,
    PastFact, Request, Response, SearchHitView, SettingsAnswer, SettingsRequest, TreeNode, VoicesAnswer,
    VoicesRequest,
};
pub use satellite::{SatelliteEvent, SatelliteInput, SatelliteStage};
pub use speech_service::{
    RecordedWords, RecordingError, SpeechError, SpeechRequest, SpeechStream, VoiceSound,
};
pub use start_error::StartError;
pub use stream_hearing::StreamRefused;
pub use system_clock::SystemClock;
pub use tool_permissions::OtherDescription;
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
