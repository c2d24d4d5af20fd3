//! What goes out.

use std::io::{self, Write};

use llm::embedded::protocol::Report;

/// Writes one report as one line, and hands it over at once.
///
/// # Errors
///
/// When nobody reads any more; the worker then has no reason to go on.
pub(crate) fn tell(report: &Report) -> io::Result<()> {
    let mut line = serde_json::to_vec(report)?;
    line.push(b'\n');
    let mut out = io::stdout().lock();
    out.write_all(&line)?;
    out.flush()
}
