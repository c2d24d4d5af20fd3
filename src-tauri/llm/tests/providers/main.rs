//! The providers against servers that speak their real wire formats on loopback.

#![allow(clippy::unwrap_used, reason = "what fails in a test should fail the test")]

mod ollama;
mod openai;
mod finding;
mod failover;
mod embedding;
mod support;
