//! The passes and the memory together: real SQLite, and a model that does what it is told.

#![allow(clippy::unwrap_used, reason = "what fails in a test should fail the test")]

mod support;

mod writing;
mod learning;
mod upkeep;
mod forgetting;
mod nonsense;
mod hygiene;
