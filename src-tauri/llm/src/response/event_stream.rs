//! Parses the body of a response, line by line, into a stream of events.

use std::collections::VecDeque;

use futures::StreamExt;
use net::{BodyStream, NetError};
use tokio_util::sync::CancellationToken;

use super::line_splitter::LineSplitter;
use crate::{ChatEvent, ChatStream, FinishReason, LlmError, Usage};

/// Parses a line-based wire format.
pub(crate) trait ResponseParser: Send + 'static {
    /// Parses one line.
    ///
    /// # Errors
    ///
    /// The error that the line reports, or [`LlmError::InvalidResponse`].
    fn parse_line(&mut self, line: &str) -> Result<Vec<ChatEvent>, LlmError>;

    /// Called at the end of the body. Returns the final events, unless they were returned already.
    ///
    /// # Errors
    ///
    /// [`LlmError::Incomplete`] if the response is incomplete.
    fn end_of_body(&mut self) -> Result<Vec<ChatEvent>, LlmError>;

    /// Called when the response is cancelled. Returns the final events.
    fn cancel(&mut self) -> Vec<ChatEvent>;
}

/// Parses `body` with `parser` until the response is complete, an error occurs, or `stop` is cancelled. Dropping the
/// stream closes the connection, so that the server stops generating.
pub(crate) fn event_stream(
    body: BodyStream,
    parser: impl ResponseParser,
    stop: CancellationToken,
) -> ChatStream {
    let stream = EventStream {
        body: Some(body),
        lines: LineSplitter::default(),
        parser,
        stop,
        ready: VecDeque::new(),
    };
    Box::pin(futures::stream::unfold(stream, |mut stream| async move {
        let item = stream.next().await?;
        Some((item, stream))
    }))
}

/// The stream of a response that was cancelled before it started.
pub(crate) fn cancelled_stream() -> ChatStream {
    let end = ChatEvent::Finished(Usage::unknown(FinishReason::Cancelled));
    Box::pin(futures::stream::iter([Ok(end)]))
}

struct EventStream<R> {
    /// `None` after the end of the response.
    body: Option<BodyStream>,
    lines: LineSplitter,
    parser: R,
    stop: CancellationToken,
    ready: VecDeque<Result<ChatEvent, LlmError>>,
}

impl<R: ResponseParser> EventStream<R> {
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
            let chunk = tokio::select! {
                biased; // Cancellation must not wait for a fast server.
                () = self.stop.cancelled() => {
                    self.body = None;
                    self.ready.extend(self.parser.cancel().into_iter().map(Ok));
                    continue;
                }
                chunk = body.next() => chunk,
            };
            match chunk {
                Some(Ok(bytes)) => {
                    let lines = self.lines.push(&bytes);
                    self.parse_lines(lines);
                }
                Some(Err(error)) => self.ready.push_back(Err(stream_error(error))),
                None => self.end_body(),
            }
        }
    }

    /// Parses lines up to the first error, and queues their events.
    fn parse_lines(&mut self, lines: Result<impl IntoIterator<Item = String>, LlmError>) {
        match lines {
            Ok(lines) => {
                for line in lines {
                    match self.parser.parse_line(&line) {
                        Ok(events) => self.ready.extend(events.into_iter().map(Ok)),
                        Err(error) => return self.ready.push_back(Err(error)),
                    }
                }
            }
            Err(error) => self.ready.push_back(Err(error)),
        }
    }

    fn end_body(&mut self) {
        self.body = None;
        let last = self.lines.finish();
        self.parse_lines(last);
        match self.parser.end_of_body() {
            Ok(events) => self.ready.extend(events.into_iter().map(Ok)),
            Err(error) => self.ready.push_back(Err(error)),
        }
    }
}

/// The meaning of a network error within a response.
fn stream_error(error: NetError) -> LlmError {
    match error {
        NetError::TimedOut { silence, .. } => LlmError::TimedOut { after: silence },
        // All other errors end the body early.
        _ => LlmError::Incomplete,
    }
}
