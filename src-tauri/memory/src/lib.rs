//! Remembers: the dialogue now; diary and knowledge will stand beside it.
//!
//! One SQLite file, one writer, a pool of readers. Nobody else knows SQL. What comes in here is redacted already.
//! No model, no clock of its own for rules: times are passed in.

mod dialogue; // what was just said: start here
mod store;
mod schema;
mod error;

pub use dialogue::{Dialogue, Said, Speaker};
pub use error::MemoryError;
pub use store::{Opened, Store, check};
