//! Lines of JSON with a bounded length.

use std::io;

use serde::Serialize;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};

/// The part of a line that is too long which is read and dropped, so that its sender reads the refusal instead of
/// failing to write.
const MAX_DROPPED_BYTES: usize = 256 << 20;

/// The outcome of reading a line.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum ReadLine {
    /// A whole line, without its end.
    Text(Vec<u8>),
    /// A line longer than allowed; none of it is kept.
    TooLong,
    /// The other side hung up.
    End,
}

/// Reads lines of at most `max_bytes`.
pub(super) struct LineReader<R> {
    reader: BufReader<R>,
    max_bytes: usize,
    /// The line so far; kept here so that no part is lost when a read is cancelled.
    text: Vec<u8>,
    read_bytes: usize,
}

impl<R: AsyncRead + Unpin> LineReader<R> {
    pub fn new(reader: R, max_bytes: usize) -> Self {
        Self { reader: BufReader::new(reader), max_bytes, text: Vec::new(), read_bytes: 0 }
    }

    /// Returns the source of the lines.
    pub fn get_ref(&self) -> &R {
        self.reader.get_ref()
    }

    /// The next line. Cancel-safe.
    pub async fn next(&mut self) -> io::Result<ReadLine> {
        loop {
            let available = self.reader.fill_buf().await?;
            if available.is_empty() {
                return Ok(ReadLine::End);
            }
            let end = available.iter().position(|byte| *byte == b'\n');
            let part = &available[..end.unwrap_or(available.len())];
            let consumed = part.len() + usize::from(end.is_some());
            self.read_bytes += part.len();
            let is_too_long = self.read_bytes > self.max_bytes;
            if is_too_long {
                self.text = Vec::new();
            } else {
                self.text.extend_from_slice(part);
            }
            self.reader.consume(consumed);
            if end.is_some() || self.read_bytes > MAX_DROPPED_BYTES {
                self.read_bytes = 0;
                let text = std::mem::take(&mut self.text);
                return Ok(if is_too_long { ReadLine::TooLong } else { ReadLine::Text(text) });
            }
        }
    }
}

/// Sends a value as one line.
pub(super) async fn send(writer: &mut (impl AsyncWrite + Unpin), value: &impl Serialize) -> io::Result<()> {
    let mut line = serde_json::to_vec(value).map_err(io::Error::from)?;
    line.push(b'\n');
    writer.write_all(&line).await?;
    writer.flush().await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn long_line_is_dropped_and_the_next_is_read() {
        let text = [&b"x".repeat(100)[..], b"\nshort\nunfinished"].concat();
        let mut lines = LineReader::new(&text[..], 10);

        assert_eq!(lines.next().await.unwrap(), ReadLine::TooLong);
        assert_eq!(lines.next().await.unwrap(), ReadLine::Text(b"short".to_vec()));
        assert_eq!(lines.next().await.unwrap(), ReadLine::End);
    }
}
