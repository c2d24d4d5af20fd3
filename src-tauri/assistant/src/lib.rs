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
mod ipc;
mod activation;
mod views;
mod logging;
mod doctor;
mod memories; // what is remembered, for verbs that run beside us
mod encryption; // of what is remembered, and where its key is
mod model_check; // is a model any good here?

pub use assistant::{Assistant, MicrophoneUnavailable, StartError, too_long};
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
pub use model_check::try_model;
pub use system_clock::SystemClock;
pub use views::ReplyView;
