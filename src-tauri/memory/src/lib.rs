//! Remembers: dialogue, diary, knowledge, and what is to be done when.
//!
//! One SQLite file, one writer, a pool of readers. Nobody else knows SQL. What comes in here is redacted already.
//! No model, no clock of its own for rules: texts, vectors and times are passed in.

mod dialogue; // what was just said: start here
mod memory; // the handle to all that is remembered
mod messages; // all that was ever said
mod item; // what can be found and forgotten
mod recall; // finding it again, by words and meaning
mod diary; // what each day was about
mod diary_search;
mod days;
mod node;
mod graph; // what is known, in a tree of nodes
mod facts; // and where it comes from
mod merging;
mod profile; // what is always told to the model
mod forget;
mod export; // everything, as files that people and programs can read
mod import;
mod meals;
mod appointments; // timers, alarms, reminders
mod todos;
mod undo;
mod embeddings; // what still has to be embedded
mod remembered;
mod words; // full-text search
mod vectors; // search by meaning
mod fold;
mod store; // the file
mod schema;
mod backup;
mod key; // of an encrypted file, and how a file tells that it is one
mod cipher; // encrypting it, and making it plain again
mod aside; // files that were set aside
mod private; // files that only this user may look into
mod hygiene; // is it in order?
mod error;

pub use appointments::{Appointment, AppointmentKind, AppointmentStatus, Repeats};
pub use aside::{Quarantined, asides};
pub use backup::{Backup, backup_folder, backups, restore};
pub use cipher::{CAN_ENCRYPT, Migrated, Protection, decrypt, encrypt, protection};
pub use days::Days;
pub use dialogue::{Dialogue, Participant, Said, Told};
pub use diary::{DiaryFilter, Entry, EntryId, NewEntry, Unsearched, Unwritten, is_due};
pub use embeddings::{Embedded, Passage};
pub use error::{MemoryError, Refusal};
pub use export::{Archive, ArchivedEntry, ArchivedFact, ArchivedMessage, ArchivedNode};
pub use facts::{Evidence, Fact, FactId, FactStatus, Learned, NewFact};
pub use fold::fold;
pub use forget::{Copied, CopyOutcome, Forget, Forgotten, Undo};
pub use hygiene::Health;
pub use import::Imported;
pub use item::{ItemId, Kind, NoItemId};
pub use key::{Fingerprint, Key, KeyProblem, KeyStore, Place};
pub use meals::Meal;
pub use memory::Memory;
pub use merging::{Merge, MergedLine, Tidied};
pub use messages::{Conversation, Message, NewMessage};
pub use node::{Below, Branch, GraphAction, GraphChange, Node, NodeEdit, NodeId, decayed_score};
pub use profile::{WarmProfile, joined};
pub use recall::{Recall, SearchHit, newest_first};
pub use remembered::MemoryItem;
pub use store::{Opened, Store, check};
pub use todos::Todo;
pub use undo::{UNDO_MICROS, UndoId};
pub use words::terms;
