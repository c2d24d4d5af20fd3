//! A stream of lines none of which may be too long.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, ReadBuf};
use tokio::sync::watch;

/// The longest line of a server, in bytes: one message. A page of text has a few thousand, a picture of a screen a few
/// millions; the model reads 60,000 characters of them. The limit of the HTTP transport is the same.
pub(super) const MAX_LINE_BYTES: usize = 16 * 1024 * 1024;

/// Set when a message was too long. Clones share it.
#[derive(Debug, Clone, Default)]
pub(super) struct Overlong(Arc<watch::Sender<bool>>);

impl Overlong {
    /// Notes that a message was too long.
    pub fn set(&self) {
        self.0.send_replace(true);
    }

    /// Returns `true` if a message was too long.
    pub fn is_set(&self) -> bool {
        *self.0.borrow()
    }

    /// Waits for a message that is too long.
    pub async fn noticed(&self) {
        // The sender is ours, so the receiver does not end before.
        let _ = self.0.subscribe().wait_for(|is_set| *is_set).await;
    }
}

/// Passes bytes on until a line is longer than [`MAX_LINE_BYTES`], then fails.
pub(super) struct BoundedLines<R> {
    stream: R,
    /// Bytes of the line so far.
    line: usize,
    overlong: Overlong,
}

impl<R> BoundedLines<R> {
    /// The lines of a stream.
    pub fn new(stream: R, overlong: Overlong) -> Self {
        Self { stream, line: 0, overlong }
    }

    /// Counts more bytes. Returns `false` if a line is too long with them.
    fn count(&mut self, bytes: &[u8]) -> bool {
        let mut parts = bytes.split(|byte| *byte == b'\n');
        let longest_end = self.line + parts.next().map_or(0, <[u8]>::len);
        self.line = longest_end;
        for part in parts {
            self.line = part.len();
        }
        // A single read is much shorter than the limit, so only its first line can pass it.
        longest_end <= MAX_LINE_BYTES
    }
}

impl<R: AsyncRead + Unpin> AsyncRead for BoundedLines<R> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let read = Pin::new(&mut self.stream).poll_read(context, buffer);
        if matches!(read, Poll::Ready(Ok(()))) && !self.count(&buffer.filled()[before..]) {
            self.overlong.set();
            buffer.set_filled(before);
            let reason = format!("a line is longer than {MAX_LINE_BYTES} bytes");
            return Poll::Ready(Err(io::Error::new(io::ErrorKind::InvalidData, reason)));
        }
        read
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::AsyncReadExt;

    use super::*;

    #[tokio::test]
    async fn long_lines_pass_and_a_line_without_end_fails() {
        let fitting =
            [vec![b'x'; MAX_LINE_BYTES], vec![b'\n'], vec![b'x'; MAX_LINE_BYTES], vec![b'\n']].concat();
        let overlong = Overlong::default();
        let mut read = Vec::new();
        BoundedLines::new(&fitting[..], overlong.clone()).read_to_end(&mut read).await.unwrap();
        assert_eq!((read.len(), overlong.is_set()), (fitting.len(), false));

        let mut endless = BoundedLines::new(tokio::io::repeat(b'x'), overlong.clone());
        let mut bytes = [0; 8192];
        let mut passed = 0;
        let error = loop {
            match endless.read(&mut bytes).await {
                Ok(read) => passed += read,
                Err(error) => break error,
            }
        };

        assert_eq!((error.kind(), passed <= MAX_LINE_BYTES), (io::ErrorKind::InvalidData, true));
        assert!(overlong.is_set());
    }
}
