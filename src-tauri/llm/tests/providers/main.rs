//! The providers against servers that speak their real wire formats on loopback.

mod ollama;
mod openai;
mod finding;
mod failover;
mod support;
