//! Worker program that runs the embedded language model. It reads requests from standard input and writes events to
//! standard output, one JSON object per line. It logs to standard error.
//!
//! It is a separate program because the engine and the speech recogniser cannot share a process (both contain a copy
//! of ggml), and because a crash of the engine must not end the assistant. It ends when its standard input is closed,
//! so it never outlives the assistant.
//!
//! Read in this order: `requests` (input), `engine` (processing), `prompt` (messages to tokens), `events` (output).

mod requests;
mod engine;
mod loaded_model;
mod prompt;
mod template;
mod sampling;
mod stored_prefixes;
mod token_decoder;
mod threads;
mod events;
mod first_member;
mod likely_tokens;

use std::process::ExitCode;

use tracing_subscriber::EnvFilter;

/// The target of the engine's own log.
const ENGINE: &str = "llama-cpp-2";

fn main() -> ExitCode {
    tracing_subscriber::fmt().with_env_filter(filter()).with_writer(std::io::stderr).with_ansi(false).init();
    llama_cpp_2::send_logs_to_tracing(llama_cpp_2::LogOptions::default().with_logs_enabled(true));
    match engine::run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            tracing::error!("the worker ends: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// The levels of logging. The engine writes over a thousand lines while a model loads, which are wanted only if it is
/// named.
fn filter() -> EnvFilter {
    let levels = std::env::var(EnvFilter::DEFAULT_ENV).unwrap_or_else(|_| "warn".to_owned());
    match levels.contains(ENGINE) {
        true => EnvFilter::new(levels),
        false => EnvFilter::new(format!("{levels},{ENGINE}=warn")),
    }
}
