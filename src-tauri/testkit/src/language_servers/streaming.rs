//! Streams of scripted responses, shared by the wire formats.

use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::response::Response;
use futures::stream::{self, Stream, StreamExt};
use serde_json::Value;

use super::script::{ConnectionWatch, Ending, ScriptedAnswer, ServerState};

/// Time to send the text before a scripted disconnect, which drops unsent data.
const SEND_TIME: Duration = Duration::from_millis(50);

/// The way a stream ends.
pub(super) enum StreamEnd {
    Text(String),
    Bytes(&'static [u8]),
    Disconnect,
    Stall,
    /// The text again and again.
    Repeat(String),
    /// The text, after something was done.
    Then {
        text: String,
        then: Box<dyn FnOnce() + Send>,
    },
}

/// The pause between two texts of [`StreamEnd::Repeat`].
const REPEAT_EVERY: Duration = Duration::from_millis(20);

pub(super) fn stream_end(ending: Ending, complete: String, error: String) -> StreamEnd {
    match ending {
        Ending::Complete => StreamEnd::Text(complete),
        Ending::Error => StreamEnd::Text(error),
        Ending::InvalidData => StreamEnd::Text("<html>\u{1}an invalid response</html>\n\n".to_owned()),
        Ending::NoText => StreamEnd::Bytes(b"\xff\xfe\n\n"),
        Ending::Disconnect => StreamEnd::Disconnect,
        Ending::Stall => StreamEnd::Stall,
    }
}

/// The words of a text with the following spaces, like tokens of a model.
pub(super) fn split_words(text: &str) -> impl Iterator<Item = &str> {
    text.split_inclusive(' ').filter(|word| !word.is_empty())
}

/// The JSON text of arguments. Servers send it in chunks of any length.
pub(super) fn argument_chunks(arguments: &Value) -> Vec<String> {
    let text: Vec<char> = arguments.to_string().chars().collect();
    text.chunks(5).map(|chunk| chunk.iter().collect()).collect()
}

type Chunks = stream::BoxStream<'static, Result<Bytes, std::io::Error>>;

/// The same bytes, each in a chunk of its own.
fn trickled(chunks: Chunks) -> Chunks {
    let bytes = |chunk: Result<Bytes, std::io::Error>| match chunk {
        Ok(chunk) => (0..chunk.len()).map(|at| Ok(chunk.slice(at..=at))).collect(),
        Err(error) => vec![Err(error)],
    };
    let single = chunks.flat_map(move |chunk| stream::iter(bytes(chunk)));
    // The connection sends what it has whenever the stream pauses.
    single
        .then(|byte| async {
            tokio::task::yield_now().await;
            byte
        })
        .boxed()
}

pub(super) fn stream_response(
    media_type: &str,
    (chunks, end): (Vec<String>, StreamEnd),
    answer: &ScriptedAnswer,
    shared: Arc<ServerState>,
) -> Response {
    let (first, each) = (answer.first_token, answer.each_token);
    let events = stream::iter(chunks.into_iter().enumerate()).then(move |(at, chunk)| async move {
        tokio::time::sleep(if at == 0 { first } else { each }).await;
        Ok::<_, std::io::Error>(Bytes::from(chunk))
    });
    let end: std::pin::Pin<Box<dyn Stream<Item = Result<Bytes, std::io::Error>> + Send>> = match end {
        StreamEnd::Text(text) => Box::pin(stream::iter([Ok(Bytes::from(text))])),
        StreamEnd::Bytes(bytes) => Box::pin(stream::iter([Ok(Bytes::from_static(bytes))])),
        StreamEnd::Disconnect => Box::pin(stream::once(async {
            tokio::time::sleep(SEND_TIME).await;
            Err(std::io::Error::other("scripted disconnect"))
        })),
        StreamEnd::Stall => Box::pin(stream::pending()),
        StreamEnd::Repeat(text) => Box::pin(stream::repeat(Bytes::from(text)).then(|text| async move {
            tokio::time::sleep(REPEAT_EVERY).await;
            Ok(text)
        })),
        StreamEnd::Then { text, then } => Box::pin(stream::once(async move {
            then();
            Ok(Bytes::from(text))
        })),
    };
    let whole = events.chain(end).boxed();
    let sent = if answer.is_trickled { trickled(whole) } else { whole };
    let connection_watch = ConnectionWatch { shared, is_complete: false };
    let watched = stream::unfold((sent, connection_watch), |(mut chunks, mut connection_watch)| async move {
        match chunks.next().await {
            Some(chunk) => {
                // A scripted disconnect does not count as abandoned.
                if chunk.is_err() {
                    connection_watch.complete();
                }
                Some((chunk, (chunks, connection_watch)))
            }
            None => {
                connection_watch.complete();
                None
            }
        }
    });
    Response::builder()
        .header("content-type", media_type)
        .body(Body::from_stream(watched))
        .expect("a response with one constant header can be built")
}
