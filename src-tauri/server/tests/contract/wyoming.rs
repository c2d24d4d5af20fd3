//! The Wyoming protocol, at the wire.

mod wake; // the search for the name

use std::net::SocketAddr;
use std::time::Duration;

use rstest::rstest;
use serde_json::{Value, json};
use testkit::Recognition;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;
use tokio::task::JoinHandle;

use crate::served::{Served, free_address};

/// The longest wait for an answer.
const PATIENCE: Duration = Duration::from_secs(20);

/// A second of silence in stereo.
fn second() -> Vec<u8> {
    vec![0; 16_000 * 2 * 2]
}

fn form() -> Value {
    json!({ "rate": 16_000, "width": 2, "channels": 2 })
}

/// A Jarvis whose port for speech is open.
struct SpeechPort {
    served: Served,
    address: SocketAddr,
    serving: JoinHandle<()>,
}

impl Drop for SpeechPort {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

impl SpeechPort {
    async fn new(heard: impl IntoIterator<Item = Recognition>) -> Self {
        let address = free_address();
        let settings = json!({ "programs": { "wyoming": true, "wyoming_port": address.port() } });
        let served = Served::with([], settings, heard).await;
        let serving = tokio::spawn(server::serve(served.assistant.clone()));
        Self { served, address, serving }
    }

    async fn client(&self) -> Client {
        loop {
            if let Ok(stream) = TcpStream::connect(self.address).await {
                return Client { stream: BufReader::new(stream) };
            }
            tokio::task::yield_now().await;
        }
    }
}

/// An event as it comes.
#[derive(Debug)]
struct Told {
    kind: String,
    data: Value,
    payload: Vec<u8>,
}

struct Client {
    stream: BufReader<TcpStream>,
}

impl Client {
    async fn send(&mut self, kind: &str, data: Value, payload: &[u8]) {
        let data = data.to_string();
        let head = json!({
            "type": kind, "version": "1.0.0", "data_length": data.len(), "payload_length": payload.len(),
        });
        let mut bytes = format!("{head}\n{data}").into_bytes();
        bytes.extend(payload);
        self.send_bytes(&bytes).await;
    }

    async fn send_bytes(&mut self, bytes: &[u8]) {
        self.stream.write_all(bytes).await.unwrap();
    }

    /// The next event; `None` when the connection was closed.
    async fn told(&mut self) -> Option<Told> {
        tokio::time::timeout(PATIENCE, self.read()).await.expect("there is no answer")
    }

    async fn read(&mut self) -> Option<Told> {
        let mut line = String::new();
        if self.stream.read_line(&mut line).await.ok()? == 0 {
            return None;
        }
        let head: Value = serde_json::from_str(&line).unwrap();
        let mut data = vec![0; head["data_length"].as_u64().unwrap() as usize];
        self.stream.read_exact(&mut data).await.unwrap();
        let mut payload = vec![0; head["payload_length"].as_u64().unwrap() as usize];
        self.stream.read_exact(&mut payload).await.unwrap();
        let kind = head["type"].as_str().unwrap().to_owned();
        Some(Told { kind, data: serde_json::from_slice(&data).unwrap(), payload })
    }

    /// Sends a recording, and returns what comes.
    async fn transcript(&mut self) -> Told {
        self.send("transcribe", json!({ "language": "en" }), &[]).await;
        self.send("audio-start", form(), &[]).await;
        self.send("audio-chunk", form(), &second()).await;
        self.send("audio-stop", json!({}), &[]).await;
        self.told().await.unwrap()
    }
}

#[tokio::test]
async fn recordings_of_one_connection_are_transcribed() {
    let words = ["turn the light on", "and off again"];
    let port = SpeechPort::new(words.map(Recognition::words)).await;
    let mut client = port.client().await;

    for expected in words {
        let told = client.transcript().await;

        assert_eq!((told.kind.as_str(), told.data["text"].as_str()), ("transcript", Some(expected)));
    }
}

#[tokio::test]
async fn text_is_spoken_in_chunks() {
    let port = SpeechPort::new([]).await;
    let mut client = port.client().await;

    client.send("synthesize", json!({ "text": "It is four. It rains." }), &[]).await;

    let start = client.told().await.unwrap();
    assert_eq!((start.kind.as_str(), &start.data["width"]), ("audio-start", &json!(2)));
    let mut bytes = 0;
    loop {
        let told = client.told().await.unwrap();
        if told.kind == "audio-stop" {
            break;
        }
        assert_eq!((told.kind.as_str(), &told.data), ("audio-chunk", &start.data));
        bytes += told.payload.len();
    }
    assert!(bytes > 1000, "only {bytes} bytes of sound");
    assert_eq!(port.served.voice.asked().len(), 2);
}

#[tokio::test]
async fn client_that_hangs_up_stops_the_voice() {
    let port = SpeechPort::new([]).await;
    let mut client = port.client().await;

    client.send("synthesize", json!({ "text": "It rains. This is endless." }), &[]).await;
    let kinds = [client.told().await.unwrap().kind, client.told().await.unwrap().kind];
    drop(client);
    let stopped = tokio::time::timeout(PATIENCE, port.served.voice.until_stopped("This is endless."));

    assert_eq!(kinds, ["audio-start", "audio-chunk"]);
    stopped.await.expect("the voice goes on without anybody to hear it");
}

#[tokio::test]
async fn event_sent_ahead_does_not_stop_the_voice() {
    let port = SpeechPort::new([]).await;
    let mut client = port.client().await;

    client.send("synthesize", json!({ "text": "It is held. It rains." }), &[]).await;
    client.send("ping", json!({ "text": "here" }), &[]).await;
    port.served.voice.release();

    let mut kinds = Vec::new();
    while kinds.last().is_none_or(|kind| kind != "pong") {
        kinds.push(client.told().await.unwrap().kind);
    }
    assert_eq!(kinds, ["audio-start", "audio-chunk", "audio-chunk", "audio-stop", "pong"]);
}

#[tokio::test]
async fn text_without_words_is_an_empty_sound() {
    let port = SpeechPort::new([]).await;
    let mut client = port.client().await;

    client.send("synthesize", json!({ "text": " " }), &[]).await;

    let kinds = [client.told().await.unwrap().kind, client.told().await.unwrap().kind];
    assert_eq!(kinds, ["audio-start", "audio-stop"]);
}

#[tokio::test]
async fn client_is_told_that_it_was_heard_and_unknown_events_are_dropped() {
    let port = SpeechPort::new([]).await;
    let mut client = port.client().await;

    client.send("run-pipeline", json!({ "start_stage": "wake" }), b"payload").await;
    client.send("ping", json!({ "text": "here" }), &[]).await;
    let pong = client.told().await.unwrap();
    client.send("describe", json!({}), &[]).await;
    let info = client.told().await.unwrap();

    assert_eq!((pong.kind.as_str(), &pong.data["text"]), ("pong", &json!("here")));
    assert_eq!((info.kind.as_str(), &info.data["handle"]), ("info", &json!([])));
}

#[rstest]
#[case::no_text("synthesize", json!({}), "bad-event")]
#[case::long_text("synthesize", json!({ "text": "a".repeat(5000) }), "too-long")]
#[case::rate_of_no_sound("audio-start", json!({ "rate": 1, "width": 2, "channels": 1 }), "bad-format")]
#[case::no_form("audio-start", json!({}), "bad-format")]
#[case::chunk_before_its_start("audio-chunk", form(), "no-recording")]
#[case::end_before_the_start("audio-stop", json!({}), "no-recording")]
#[tokio::test]
async fn bad_event_is_refused_and_the_connection_goes_on(
    #[case] kind: &str,
    #[case] data: Value,
    #[case] code: &str,
) {
    let port = SpeechPort::new([Recognition::words("hello")]).await;
    let mut client = port.client().await;

    client.send(kind, data, &[]).await;
    let refused = client.told().await.unwrap();

    assert_eq!((refused.kind.as_str(), refused.data["code"].as_str()), ("error", Some(code)));
    assert!(refused.data["text"].as_str().unwrap().len() > 20, "{refused:?}");
    assert_eq!(client.transcript().await.data["text"], "hello");
}

#[rstest]
#[case::web_page(b"POST / HTTP/1.1\r\nHost: localhost\r\n\r\n".to_vec())]
#[case::no_end_of_line(vec![b'{'; 70_000])]
#[case::huge_payload(b"{\"type\": \"audio-chunk\", \"payload_length\": 99999999999}\n".to_vec())]
#[case::negative_length(b"{\"type\": \"ping\", \"data_length\": -1}\n".to_vec())]
#[tokio::test]
async fn connection_that_speaks_another_protocol_is_closed(#[case] bytes: Vec<u8>) {
    let port = SpeechPort::new([]).await;
    let mut client = port.client().await;

    client.send_bytes(&bytes).await;

    assert_eq!(client.told().await.unwrap().kind, "error");
    assert!(client.told().await.is_none());
}
