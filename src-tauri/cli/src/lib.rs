//! The command line and the terminal.
//!
//! Turns arguments into requests to the owner of the data and prints the answers; holds no logic of its own.

mod cli; // the verbs and their arguments: start here
mod doors; // those of other crates
mod ask;
mod bridge; // a local model that calls tools in JSON
mod listen;
mod doctor;
mod owner; // requests to the owner of the data
mod memory;
mod models;
mod programs; // keys of other programs
mod voices; // people whose voice is known
mod serve; // answers them
mod mcp; // the same over the Model Context Protocol
mod policy_replay; // what the permissions say of calls in a file
mod settings;
mod settings_import;
mod talk;
mod tools; // the log of calls
mod terminal;

pub use cli::main;
pub use doors::Doors;
