//! Reads a server's answer line by line as a stream of events.

use std::collections::VecDeque;

use futures::StreamExt;
use net::{BodyStream, NetError};
use tokio_util::sync::CancellationToken;

use super::Lines;
use crate::{ChatEvent, ChatStream, FinishReason, LlmError, Usage};

/// A wire format whose unit is the line.
pub(crate) trait ReadLines: Send + 'static {
    /// Reads one line.
    ///
    /// # Errors
    ///
    /// What the line says went wrong, or [`LlmError::Garbage`].
    fn line(&mut self, line: &str) -> Result<Vec<ChatEvent>, LlmError>;

    /// The server hung up: the end of the answer, if it was complete by then and its end not read yet.
    ///
    /// # Errors
    ///
    /// [`LlmError::Cut`] when it was not.
    fn hung_up(&mut self) -> Result<Vec<ChatEvent>, LlmError>;

    /// The answer is cancelled: what ends its stream.
    fn cancelled(&mut self) -> Vec<ChatEvent>;
}

/// Reads `body` in the format of `reader` until the answer is complete, broken, or `stop` is cancelled. Dropping the
/// stream closes the connection, which is how servers learn that they may stop working.
pub(crate) fn read(body: BodyStream, reader: impl ReadLines, stop: CancellationToken) -> ChatStream {
    let reading = Reading { body: Some(body), lines: Lines::default(), reader, stop, ready: VecDeque::new() };
    Box::pin(futures::stream::unfold(reading, |mut reading| async move {
        let item = reading.next().await?;
        Some((item, reading))
    }))
}

/// The stream of an answer that was cancelled before it began.
pub(crate) fn cancelled() -> ChatStream {
    let end = ChatEvent::Finished(Usage::unknown(FinishReason::Cancelled));
    Box::pin(futures::stream::iter([Ok(end)]))
}

struct Reading<R> {
    /// `None` once the answer has ended.
    body: Option<BodyStream>,
    lines: Lines,
    reader: R,
    stop: CancellationToken,
    ready: VecDeque<Result<ChatEvent, LlmError>>,
}

impl<R: ReadLines> Reading<R> {
    async fn next(&mut self) -> Option<Result<ChatEvent, LlmError>> {
        loop {
            if let Some(item) = self.ready.pop_front() {
                if matches!(item, Err(_) | Ok(ChatEvent::Finished(_))) {
                    self.body = None;
                    self.ready.clear();
                }
                return Some(item);
            }
            let body = self.body.as_mut()?;
            let piece = tokio::select! {
                biased; // A talkative server must not keep us from stopping.
                () = self.stop.cancelled() => {
                    self.body = None;
                    self.ready.extend(self.reader.cancelled().into_iter().map(Ok));
                    continue;
                }
                piece = body.next() => piece,
            };
            match piece {
                Some(Ok(bytes)) => {
                    let lines = self.lines.push(&bytes);
                    self.take(lines);
                }
                Some(Err(error)) => self.ready.push_back(Err(broken(error))),
                None => self.take_the_end(),
            }
        }
    }

    /// Reads lines; what they say before one goes wrong still counts.
    fn take(&mut self, lines: Result<impl IntoIterator<Item = String>, LlmError>) {
        match lines {
            Ok(lines) => {
                for line in lines {
                    match self.reader.line(&line) {
                        Ok(events) => self.ready.extend(events.into_iter().map(Ok)),
                        Err(error) => return self.ready.push_back(Err(error)),
                    }
                }
            }
            Err(error) => self.ready.push_back(Err(error)),
        }
    }

    fn take_the_end(&mut self) {
        self.body = None;
        let last = self.lines.finish();
        self.take(last);
        match self.reader.hung_up() {
            Ok(events) => self.ready.extend(events.into_iter().map(Ok)),
            Err(error) => self.ready.push_back(Err(error)),
        }
    }
}

/// What a connection that breaks within an answer means.
fn broken(error: NetError) -> LlmError {
    match error {
        NetError::TimedOut { silence, .. } => LlmError::Silent { after: silence },
        // Whatever else ends a body ends it early.
        _ => LlmError::Cut,
    }
}
