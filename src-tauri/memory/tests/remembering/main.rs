//! Tests of the public API of the memory, on real files.

#![allow(clippy::unwrap_used, reason = "a failure should fail the test")]

mod support;
mod recall;
mod recall_questions;
mod graph;
mod nodes;
mod diary;
mod forgetting;
mod undoing;
mod forget_scope;
mod quarantine;
mod files;
mod backups;
#[cfg(unix)]
mod rights;
#[cfg(feature = "encryption")]
mod encrypted_home;
#[cfg(feature = "encryption")]
mod encryption;
#[cfg(feature = "encryption")]
mod encrypted_copies;
#[cfg(feature = "encryption")]
mod keys;
mod file_import;
mod calls;
mod voices;
mod request_changes;
mod corpus;
mod round_trip;
mod bad_input;
mod odd_text;
mod lists;
mod hygiene;
mod killed;
#[cfg(feature = "encryption")]
mod killed_encrypting;
mod random;
mod random_whole;
