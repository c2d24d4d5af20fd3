//! The passes together with the memory: real SQLite, and a model that answers by rules.

#![allow(clippy::unwrap_used, reason = "a failure should fail the test")]

mod support;

mod writing;
mod learning;
mod upkeep;
mod forgetting;
mod nonsense;
mod hygiene;
