//! Joins the parts with channels and owns their lives.
//!
//! Doors hold an [`Assistant`]: they ask, they stop, they read the one stream of [`vocabulary::AssistantEvent`]s.
//! Every task is started here and waited for here.

mod assistant; // the handle that doors hold: start here
mod builder; // what it is made of on this machine
mod conductor; // one task: queries to replies to words and sound
mod capture; // keeps a microphone open
mod voice; // the way to the speaker
mod recogniser; // which speech model
mod language_model; // which language model
mod warm_up; // models that are loaded before the first question
mod active_embedder; // which model of meaning
mod upkeep; // what is done for memory meanwhile
mod diary_scheduler; // when the diary is written
mod settings_observer; // settings to what each part runs on
mod talk_key; // tap and hold
mod channels;
mod state;
mod system_clock;
mod instance;
mod requests; // what callers ask of the owner of the data
mod data_service; // executes it
mod ipc; // the local socket
mod data_owner; // a running Jarvis, or this process
mod activation;
mod views;
mod logging;
mod doctor;
mod memory_files; // where the memory is, and its key
mod memory_findings; // what an examination of the memory found
mod model_check; // is a model any good here?

pub use assistant::{Assistant, MicrophoneUnavailable, StartError, too_long};
pub use builder::AssistantBuilder;
pub use data_owner::{DataOwner, DataOwnerError, DataOwnerParts, Responses};
pub use doctor::examine;
pub use instance::{Instance, InstanceError};
pub use ipc::{Connection, IpcError};
pub use logging::{Logging, begin as begin_logging};
pub use memory::{Branch, FactStatus, ItemId, Kind, Participant};
pub use memory_files::key_name;
pub use model_check::try_model;
pub use requests::{
    BackupView, ConversationView, CopyOutcomeView, CopyView, DayBound, DayOutcome, DayRange, EntryDetails,
    EntryView, EvidenceView, FactDetails, FactView, ForgetPreview, ForgetScope, ForgottenView, ImportedView,
    ItemView, MemoryAnswer, MemoryOverview, MemoryRequest, MessageDetails, MessageView, MigratedView,
    NodeDetails, NodeOutcome, NodeView, PassAnswer, PassKind, PastFact, Request, Response, SearchHitView,
    SettingsAnswer, SettingsRequest, TreeNode,
};
pub use views::{Finding, ReplyView, Verdict};

/// Recordings in place of microphone and speaker, for doors that play files.
pub mod recordings {
    pub use audio::{Pace, WavLoudspeaker, WavMicrophone, read_wav};
}

/// The model files of this user, for doors that list and download them.
pub mod model_files {
    pub use models::{Catalogue, Downloader, Machine, Progress, Purpose, State, Store};
    pub use net::Http;
}
