//! Joins the parts with channels and owns their lives.
//!
//! Doors hold an [`Assistant`]: they ask, they stop, they read the one stream of [`vocabulary::AssistantEvent`]s.
//! Every task is started here and waited for here.

mod assistant; // the handle that doors hold: start here
mod parts; // what it is made of on this machine
mod conductor; // one task: queries to replies to words and sound
mod ears; // keeps a microphone open
mod voice; // the way to the speaker
mod recogniser; // which speech model
mod brain; // which language model
mod warming; // models that are loaded before the first question
mod meaning; // which model of meaning
mod upkeep; // what is done for memory meanwhile
mod diarist; // when the diary is written
mod following; // settings to what each part runs on
mod talk_key; // tap and hold
mod channels;
mod state;
mod instance;
mod switchboard;
mod summons;
mod views;
mod logging;
mod doctor;
mod memories; // what is remembered, for verbs that run beside us
mod encryption; // of what is remembered, and where its key is
mod trial; // is a model any good here?

pub use assistant::{Assistant, Deaf, StartError, too_long};
pub use doctor::{Finding, Verdict, examine};
pub use encryption::{EncryptionError, decrypt_memory, encrypt_memory, key_name};
pub use instance::{Instance, InstanceError};
pub use logging::{Logging, begin as begin_logging};
pub use memories::{
    OpenedMemory, Repair, RestoreError, backups_of_this_user, embedder_of_this_user, examine_memory,
    findings_of, language_model_of_this_user, memory_of_this_user, restore_memory,
};
pub use parts::Parts;
pub use switchboard::{Call, Line};
pub use trial::try_model;
pub use views::ReplyView;
