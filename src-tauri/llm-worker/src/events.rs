//! Writes events to the standard output.

use std::io::{self, Write};

use llm::embedded::protocol::WorkerEvent;

/// Writes one event as a line and flushes it.
///
/// # Errors
///
/// The standard output is closed; the worker then ends.
pub(crate) fn send(event: &WorkerEvent) -> io::Result<()> {
    let mut line = serde_json::to_vec(event)?;
    line.push(b'\n');
    let mut out = io::stdout().lock();
    out.write_all(&line)?;
    out.flush()
}
