//! Tests of the providers against loopback servers with the real wire formats.

#![allow(clippy::unwrap_used, reason = "an error fails the test")]

mod ollama;
mod pulling;
mod openai;
mod anthropic;
mod discovery;
mod failover;
mod embedding;
mod support;
