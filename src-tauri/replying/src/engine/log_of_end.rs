//! The line of the log that every reply leaves, also one whose stream is dropped before it ends.

use vocabulary::ReplyTrace;

/// Writes the line, once.
#[derive(Debug, Default)]
pub(super) struct LogOfEnd {
    is_written: bool,
}

impl LogOfEnd {
    /// The reply has ended in this way.
    pub fn ended(mut self, outcome: &str, trace: &ReplyTrace) {
        self.is_written = true;
        let (took, models, tools) = (trace.took, trace.model_calls.len(), trace.tool_calls.len());
        tracing::info!(outcome, ?took, models, tools, "a reply ended");
    }
}

impl Drop for LogOfEnd {
    fn drop(&mut self) {
        if !self.is_written {
            tracing::info!(outcome = "dropped", "a reply ended");
        }
    }
}
