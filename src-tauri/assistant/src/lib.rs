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
mod replies; // foreground and background replies
mod talk_key; // tap and hold
mod state; // what people see of all that goes on
mod voice; // speech output
mod capture; // keeps a microphone open
mod microphone; // why nothing is heard
mod recogniser; // which speech model
mod language_model; // which language model
mod provider_key; // the key of a language-model server
mod active_embedder; // which embedding model
mod warm_up; // models are loaded before the first question
mod settings_observer; // settings to what each part runs on
mod diary_scheduler; // when the diary is written
mod upkeep; // maintenance of memory in the background
mod instance; // one process owns the data
mod ipc; // the local socket to it
mod activation; // raising its window
mod views; // what crosses to the doors
mod memories; // what is remembered, for verbs that run beside us
mod encryption; // of what is remembered, and where its key is
mod doctor; // what works and what does not
mod model_check; // trying a model
mod logging;
mod system_clock;

pub use assistant::Assistant;
pub use builder::AssistantBuilder;
pub use doctor::{Finding, Verdict, examine};
pub use encryption::{EncryptionError, decrypt_memory, encrypt_memory, key_name};
pub use instance::{Instance, InstanceError};
pub use ipc::{Call, Line};
pub use logging::{Logging, begin as begin_logging};
pub use memories::{
    OpenedMemory, Repair, RestoreError, backups_of_this_user, embedder_of_this_user, examine_memory,
    findings_of, language_model_of_this_user, memory_of_this_user, restore_memory,
};
pub use microphone::MicrophoneUnavailable;
pub use model_check::try_model;
pub use replies::{NoQuestion, ReplyHandle, ReplyRefused, ReplyRequest};
pub use start_error::StartError;
pub use system_clock::SystemClock;
pub use views::ReplyView;
