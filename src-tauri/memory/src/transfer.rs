//! Export and import.

pub(crate) mod archive; // everything, as files for people and programs
mod collecting;
mod reading;
mod reference; // the database of an earlier assistant
pub(crate) mod importing;
