//! Doors for programs and terminals: the command line and the probe.
//!
//! Translates, calls the assistant, translates back. Nothing is decided in here.

mod cli; // the verbs: start here
mod ask;
mod recording;
mod doctor;
mod memory;
mod models;
mod settings;
mod talk;
mod terminal;

pub use cli::{Window, main};
