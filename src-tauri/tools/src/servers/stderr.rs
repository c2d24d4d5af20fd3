//! The text that a server writes beside the protocol: its last lines are kept, for the page that shows why it does
//! not work.

use std::collections::VecDeque;
use std::sync::Arc;

use parking_lot::Mutex;
use tokio::io::{AsyncBufReadExt, AsyncRead, BufReader};

use super::secrets::Secrets;

/// Lines that are kept.
const MAX_LINES: usize = 50;
/// The longest line, in characters.
const MAX_LINE_CHARS: usize = 500;
/// Bytes that are read at most before a line ends; a server that floods writes without any.
const MAX_LINE_BYTES: u64 = 64 * 1024;

/// The last lines of a server. Clones share them.
#[derive(Debug, Clone, Default)]
pub(super) struct LastLines(Arc<Mutex<LineBuffer>>);

#[derive(Debug, Default)]
struct LineBuffer {
    lines: VecDeque<String>,
    /// Left out of the lines: servers print their settings.
    secrets: Secrets,
}

impl LastLines {
    /// The lines, the oldest first.
    pub fn all(&self) -> Vec<String> {
        self.0.lock().lines.iter().cloned().collect()
    }

    /// Leaves these secrets out from now on.
    pub fn hide(&self, secrets: Secrets) {
        self.0.lock().secrets = secrets;
    }

    /// Reads lines until the server ends.
    pub async fn read(self, stderr: impl AsyncRead + Unpin) {
        let mut reader = BufReader::new(stderr);
        let mut line = Vec::new();
        loop {
            line.clear();
            let mut limited = tokio::io::AsyncReadExt::take(&mut reader, MAX_LINE_BYTES);
            match limited.read_until(b'\n', &mut line).await {
                Ok(0) | Err(_) => return,
                Ok(_) => self.push(&String::from_utf8_lossy(&line)),
            }
        }
    }

    fn push(&self, line: &str) {
        let mut kept = self.0.lock();
        let line = kept.secrets.hidden_in(line.trim_end());
        let line: String = line.chars().filter(|c| !c.is_control()).take(MAX_LINE_CHARS).collect();
        if line.is_empty() {
            return;
        }
        kept.lines.push_back(line);
        if kept.lines.len() > MAX_LINES {
            kept.lines.pop_front();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn last_lines_are_kept_and_a_flood_is_cut() {
        let lines = LastLines::default();
        let flood = "x".repeat(300_000);
        let text = (0..80).map(|n| format!("line {n}\n")).collect::<String>() + &flood;

        lines.clone().read(text.as_bytes()).await;

        let kept = lines.all();
        assert_eq!(kept.len(), MAX_LINES);
        assert!(kept.iter().all(|line| line.chars().count() <= MAX_LINE_CHARS));
        assert!(kept.last().unwrap().starts_with("xxx"));
    }

    #[tokio::test]
    async fn secrets_that_a_server_prints_are_not_kept() {
        let (lines, mut secrets) = (LastLines::default(), Secrets::default());
        secrets.add("s3cret");
        lines.hide(secrets);

        lines.clone().read(&b"my key is s3cret\n"[..]).await;

        assert_eq!(lines.all(), ["my key is [hidden]"]);
    }
}
