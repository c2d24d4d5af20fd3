//! The embedded language model as a small program of its own: it reads requests from its standard input and writes events to
//! its standard output, one JSON object a line, and logs to its standard error.
//!
//! It is a program of its own because the engine shares no process with the speech recogniser (both bring their own
//! copy of ggml), and because a crash of the engine must not take the assistant with it. It ends when its standard
//! input closes, so it never outlives the assistant.
//!
//! Read in this order: `requests` (what comes in), `engine` (what is done), `prompt` (messages to tokens), `events`.

mod requests;
mod engine;
mod loaded_model;
mod prompt;
mod template;
mod sampling;
mod token_decoder;
mod threads;
mod events;

use std::process::ExitCode;

use tracing_subscriber::EnvFilter;

fn main() -> ExitCode {
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new("warn"));
    tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).with_ansi(false).init();
    llama_cpp_2::send_logs_to_tracing(llama_cpp_2::LogOptions::default().with_logs_enabled(true));
    match engine::run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            tracing::error!("the worker ends: {error:#}");
            ExitCode::FAILURE
        }
    }
}
