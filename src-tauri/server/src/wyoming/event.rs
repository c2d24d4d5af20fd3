//! Events on the wire: a line of JSON, more JSON, and bytes.

use std::io;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use tokio::io::{AsyncBufRead, AsyncBufReadExt, AsyncReadExt, AsyncWrite, AsyncWriteExt};

/// Longest first line. Source: descriptions of large programs have some ten thousand bytes.
const MAX_HEADER: u64 = 64 * 1024;

/// Most bytes of the data and of the payload of an event. Source: ten seconds of the fastest usual sound.
const MAX_PART: u64 = 1024 * 1024;

/// The version of the Wyoming protocol. Source: the release of its official client with these events.
const VERSION: &str = "1.10.2";

/// Its name, its values, and sound.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Event {
    pub kind: String,
    pub data: Map<String, Value>,
    pub payload: Vec<u8>,
}

/// The reason why no event was read.
#[derive(Debug, thiserror::Error)]
pub(crate) enum EventError {
    /// The connection failed, or ended within an event.
    #[error("the connection broke")]
    Connection(#[from] io::Error),
    /// The begin of the next event is not known.
    #[error("{0}")]
    Framing(&'static str),
    /// The next event can be read.
    #[error("{0}")]
    Content(&'static str),
}

#[derive(Deserialize)]
struct Header {
    #[serde(rename = "type")]
    kind: Option<Value>,
    data: Option<Value>,
    data_length: Option<u64>,
    payload_length: Option<u64>,
}

#[derive(Serialize)]
struct HeaderOut<'a> {
    #[serde(rename = "type")]
    kind: &'a str,
    version: &'static str,
    data_length: usize,
    payload_length: usize,
}

impl Event {
    /// An event without a payload. `data` is an object.
    pub fn new(kind: &str, data: Value) -> Self {
        let data = match data {
            Value::Object(data) => data,
            _ => Map::new(),
        };
        Self { kind: kind.to_owned(), data, payload: Vec::new() }
    }

    /// A text of the data.
    pub fn text(&self, key: &str) -> Option<&str> {
        self.data.get(key)?.as_str()
    }

    /// Reads the next event; `None` at the end of the connection.
    pub async fn read(from: &mut (impl AsyncBufRead + Unpin)) -> Result<Option<Self>, EventError> {
        let mut line = Vec::new();
        (&mut *from).take(MAX_HEADER).read_until(b'\n', &mut line).await?;
        if line.is_empty() {
            return Ok(None);
        }
        if !line.ends_with(b"\n") {
            return Err(EventError::Framing("the first line of an event is too long, or has no end"));
        }
        let header: Header = serde_json::from_slice(&line)
            .map_err(|_| EventError::Framing("the first line of an event is not one of this protocol"))?;
        let more = part(from, header.data_length).await?;
        let payload = part(from, header.payload_length).await?;
        let Some(Value::String(kind)) = header.kind else {
            return Err(EventError::Content("the event has no type"));
        };
        let mut data = match header.data {
            Some(Value::Object(data)) => data,
            None | Some(Value::Null) => Map::new(),
            Some(_) => return Err(EventError::Content("the data of the event is no object")),
        };
        if !more.is_empty() {
            let more: Map<String, Value> = serde_json::from_slice(&more)
                .map_err(|_| EventError::Content("the data of the event is no object"))?;
            data.extend(more);
        }
        Ok(Some(Self { kind, data, payload }))
    }

    /// Writes the event.
    pub async fn write(&self, to: &mut (impl AsyncWrite + Unpin)) -> io::Result<()> {
        let data = serde_json::to_vec(&self.data)?;
        let mut bytes = serde_json::to_vec(&HeaderOut {
            kind: &self.kind,
            version: VERSION,
            data_length: data.len(),
            payload_length: self.payload.len(),
        })?;
        bytes.push(b'\n');
        bytes.extend(data);
        to.write_all(&bytes).await?;
        to.write_all(&self.payload).await?;
        to.flush().await
    }
}

async fn part(from: &mut (impl AsyncBufRead + Unpin), length: Option<u64>) -> Result<Vec<u8>, EventError> {
    let length = length.unwrap_or_default();
    if length > MAX_PART {
        return Err(EventError::Framing("a part of an event is too long"));
    }
    let mut part = Vec::new();
    let read = from.take(length).read_to_end(&mut part).await?;
    if (read as u64) < length {
        return Err(EventError::Connection(io::ErrorKind::UnexpectedEof.into()));
    }
    Ok(part)
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use serde_json::json;

    use super::*;

    #[rstest]
    #[case::all_in_the_line(br#"{"type": "ping", "data": {"text": "a"}}"#, b"", json!({ "text": "a" }))]
    #[case::after_the_line(br#"{"type": "ping", "data_length": 13}"#, br#"{"text": "a"}"#, json!({ "text": "a" }))]
    #[case::later_data_counts(
        br#"{"type": "ping", "data": {"text": "b", "n": 1}, "data_length": 13}"#,
        br#"{"text": "a"}"#,
        json!({ "text": "a", "n": 1 })
    )]
    #[case::nothing(br#"{"type": "ping"}"#, b"", json!({}))]
    #[tokio::test]
    async fn data_stands_in_the_line_or_after_it(
        #[case] line: &[u8],
        #[case] rest: &[u8],
        #[case] data: Value,
    ) {
        let bytes = [line, b"\n", rest].concat();

        let event = Event::read(&mut bytes.as_slice()).await.unwrap().unwrap();

        assert_eq!((event.kind.as_str(), Value::Object(event.data)), ("ping", data));
    }

    #[tokio::test]
    async fn event_is_read_as_it_was_written() {
        let sent = Event { payload: vec![1, 2, 3], ..Event::new("audio-chunk", json!({ "rate": 16_000 })) };
        let mut bytes = Vec::new();

        sent.write(&mut bytes).await.unwrap();

        let mut bytes = bytes.as_slice();
        assert_eq!(Event::read(&mut bytes).await.unwrap(), Some(sent));
        assert_eq!(Event::read(&mut bytes).await.unwrap(), None);
    }

    #[rstest]
    #[case::end_within_the_payload(b"{\"type\": \"x\", \"payload_length\": 4}\nabc")]
    #[case::end_within_the_data(b"{\"type\": \"x\", \"data_length\": 4}\n{}")]
    #[tokio::test]
    async fn broken_connection_is_no_event(#[case] bytes: &[u8]) {
        assert!(matches!(Event::read(&mut &*bytes).await, Err(EventError::Connection(_))));
    }

    #[rstest]
    #[case::no_type(b"{\"data\": {}}\n")]
    #[case::type_is_no_text(b"{\"type\": 7}\n")]
    #[case::data_is_a_list(b"{\"type\": \"x\", \"data\": []}\n")]
    #[case::more_data_is_a_list(b"{\"type\": \"x\", \"data_length\": 2}\n[]")]
    #[tokio::test]
    async fn next_event_is_found_after_a_bad_one(#[case] bytes: &[u8]) {
        let bytes = [bytes, b"{\"type\": \"ping\"}\n"].concat();
        let mut bytes = bytes.as_slice();

        assert!(matches!(Event::read(&mut bytes).await, Err(EventError::Content(_))));
        assert_eq!(Event::read(&mut bytes).await.unwrap().unwrap().kind, "ping");
    }
}
