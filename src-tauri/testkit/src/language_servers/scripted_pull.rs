//! The script of a pull.

use std::time::Duration;

use serde_json::{Value, json};

/// The way a fake Ollama server pulls a model.
#[derive(Debug, Clone)]
pub struct ScriptedPull {
    /// The lines before the end.
    pub(super) lines: Vec<Value>,
    pub(super) end: PullEnd,
    pub(super) each_line: Duration,
}

#[derive(Debug, Clone)]
pub(super) enum PullEnd {
    /// The server has the model.
    Success,
    /// The server sends the last line again and again.
    Repeat,
    /// The connection stays open without further data.
    Stall,
    Disconnect,
    InvalidData,
    /// The response is over.
    Early,
    Error(String),
    /// An error status, without any line.
    Refuses {
        code: u16,
        error: String,
    },
}

impl ScriptedPull {
    /// Downloads layers of these sizes one after the other, each in two steps, and has the model then.
    pub fn with_layers(sizes: &[i64]) -> Self {
        let layer = |(index, size): (usize, &i64)| {
            let digest = format!("sha256:{index:064}");
            let step = move |completed: i64| {
                let status = format!("pulling {index:012}");
                json!({ "status": status, "digest": digest, "total": size, "completed": completed })
            };
            [step(0), step(size / 2), step(*size)]
        };
        let lines = std::iter::once(json!({ "status": "pulling manifest" }))
            .chain(sizes.iter().enumerate().flat_map(layer))
            .collect();
        Self { lines, end: PullEnd::Success, each_line: Duration::ZERO }
    }

    /// There is no such model.
    pub fn unknown() -> Self {
        Self::refuses(500, "pull model manifest: file does not exist")
    }

    /// Refuses at once with this status and this error.
    pub fn refuses(code: u16, error: &str) -> Self {
        let end = PullEnd::Refuses { code, error: error.to_owned() };
        Self { lines: Vec::new(), end, each_line: Duration::ZERO }
    }

    /// Reports this error at the end, in the stream.
    pub fn then_fails(self, error: &str) -> Self {
        Self { end: PullEnd::Error(error.to_owned()), ..self }
    }

    /// Says nothing more at the end, and keeps the connection open.
    pub fn then_stalls(self) -> Self {
        Self { end: PullEnd::Stall, ..self }
    }

    /// Sends the last line again and again at the end, as while a download hangs.
    pub fn then_repeats(self) -> Self {
        Self { end: PullEnd::Repeat, ..self }
    }

    /// Closes the connection at the end.
    pub fn then_disconnects(self) -> Self {
        Self { end: PullEnd::Disconnect, ..self }
    }

    /// Sends a line at the end that is no JSON.
    pub fn then_sends_invalid_data(self) -> Self {
        Self { end: PullEnd::InvalidData, ..self }
    }

    /// Ends the response without saying "success".
    pub fn then_ends_early(self) -> Self {
        Self { end: PullEnd::Early, ..self }
    }

    /// Checks the files before the end.
    pub fn with_check(mut self) -> Self {
        self.lines.push(json!({ "status": "verifying sha256 digest" }));
        self.lines.push(json!({ "status": "writing manifest" }));
        self
    }

    /// Waits before each line after the first.
    pub fn with_line_delay(self, each_line: Duration) -> Self {
        Self { each_line, ..self }
    }
}
