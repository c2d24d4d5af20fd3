//! Forgetting and undoing it.
//!
//! Forgetting a message also forgets the diary entries that contain it, and the facts that have no other evidence. The other
//! messages of those entries become pending again, so that the diary is rewritten without what was forgotten. A fact that
//! was merged from several pieces of evidence is replaced by what the remaining evidence says by itself. Meals,
//! appointments and to-dos are found by their words and by the time they were entered: no link leads from a message to them.
//! With a message go the calls of tools that it led to.
//!
//! Backups and files in quarantine forget too. A copy that cannot be searched is deleted, so that nothing forgotten
//! remains in a file. A copy that is in use, of a newer version, on a failing disk or without its key is tried again later.

mod forget;
pub(crate) mod request; // what is to be forgotten, and what came of it
pub(crate) mod scope; // what a request reaches
pub(crate) mod deletion;
mod rewording; // what replaces merged facts
mod copies; // backups, and files in quarantine
mod withdrawal; // taking back what was just said
mod undo;
pub(crate) mod request_changes; // of meals, appointments and to-dos
pub(crate) mod undo_records;
mod restoring;
mod since; // what was forgotten since stays forgotten
