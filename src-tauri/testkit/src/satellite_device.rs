//! A fake satellite: a microphone and a loudspeaker that speak the Wyoming protocol.

use std::net::SocketAddr;
use std::time::Duration;

use serde_json::{Map, Value, json};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};

/// The longest wait for an event.
const PATIENCE: Duration = Duration::from_secs(30);

/// The rate of its microphone, in hertz.
const RATE_HZ: usize = 16_000;

/// Bytes of a chunk of sound: 64 ms.
const CHUNK: usize = 2_048;

/// A fake satellite. It plays nothing, and says what the test gives it.
pub struct SatelliteDevice {
    listener: TcpListener,
    info: Value,
}

impl SatelliteDevice {
    /// A satellite at a free port of this machine.
    pub async fn start() -> Self {
        Self::at("127.0.0.1:0".parse().expect("the address is a constant")).await
    }

    /// A satellite at this address.
    pub async fn at(address: SocketAddr) -> Self {
        let listener = TcpListener::bind(address).await.expect("the address is free");
        let info = json!({ "satellite": { "name": "kitchen", "installed": true }, "asr": [], "tts": [] });
        Self { listener, info }
    }

    /// The same device, but it is no satellite.
    pub fn without_satellite(mut self) -> Self {
        self.info = json!({ "asr": [], "tts": [], "wake": [] });
        self
    }

    /// The address that it is connected to at.
    pub fn address(&self) -> SocketAddr {
        self.listener.local_addr().expect("it listens")
    }

    /// Waits until it is connected to, and has described itself.
    pub async fn connected(&self) -> SatelliteWire {
        let accepted = tokio::time::timeout(PATIENCE, self.listener.accept()).await;
        let (stream, _) = accepted.expect("nobody connects").expect("it is connected to");
        let mut wire = SatelliteWire { stream: BufReader::new(stream) };
        assert_eq!(wire.next().await.map(|event| event.kind).as_deref(), Some("describe"));
        wire.send("info", self.info.clone(), &[]).await;
        wire
    }
}

/// An event for the satellite.
#[derive(Debug, Clone, PartialEq)]
pub struct SatelliteWireEvent {
    /// Its name.
    pub kind: String,
    /// Its values.
    pub data: Map<String, Value>,
    /// Bytes of sound.
    pub payload: Vec<u8>,
}

/// The satellite's end of a connection.
pub struct SatelliteWire {
    stream: BufReader<TcpStream>,
}

impl SatelliteWire {
    /// Sends an event.
    pub async fn send(&mut self, kind: &str, data: Value, payload: &[u8]) {
        let data = data.to_string();
        let head = json!({ "type": kind, "data_length": data.len(), "payload_length": payload.len() });
        let mut bytes = format!("{head}\n{data}").into_bytes();
        bytes.extend(payload);
        self.stream.write_all(&bytes).await.expect("the connection is open");
    }

    /// The next event, without signs of life; `None` when the connection was closed.
    pub async fn next(&mut self) -> Option<SatelliteWireEvent> {
        loop {
            let read = tokio::time::timeout(PATIENCE, self.read()).await.expect("no event comes")?;
            if read.kind != "ping" {
                return Some(read);
            }
            self.send("pong", json!({}), &[]).await;
        }
    }

    /// The events up to one of this kind, without the chunks of sound.
    pub async fn until(&mut self, kind: &str) -> Vec<SatelliteWireEvent> {
        let mut events = Vec::new();
        loop {
            let event = self.next().await.expect("the connection is open");
            let is_last = event.kind == kind;
            if event.kind != "audio-chunk" {
                events.push(event);
            }
            if is_last {
                return events;
            }
        }
    }

    /// Says this speech of 16 bits and 16 kHz at the pace of a microphone, between two stretches of silence.
    pub async fn says(&mut self, speech: &[u8]) {
        let silence = |millis: usize| vec![0; RATE_HZ * 2 * millis / 1000];
        let sound = [silence(300).as_slice(), speech, silence(1_300).as_slice()].concat();
        let pace = Duration::from_secs_f64(CHUNK as f64 / 2.0 / RATE_HZ as f64);
        let mut clock = tokio::time::interval(pace);
        for chunk in sound.chunks(CHUNK) {
            clock.tick().await;
            self.send("audio-chunk", json!({ "rate": RATE_HZ, "width": 2, "channels": 1 }), chunk).await;
        }
    }

    async fn read(&mut self) -> Option<SatelliteWireEvent> {
        let mut line = String::new();
        if self.stream.read_line(&mut line).await.ok()? == 0 {
            return None;
        }
        let head: Value = serde_json::from_str(&line).expect("the first line is JSON");
        let length = |key: &str| head[key].as_u64().unwrap_or_default() as usize;
        let (mut data, mut payload) = (vec![0; length("data_length")], vec![0; length("payload_length")]);
        self.stream.read_exact(&mut data).await.ok()?;
        self.stream.read_exact(&mut payload).await.ok()?;
        let kind = head["type"].as_str().expect("an event has a type").to_owned();
        let data = serde_json::from_slice(&data).expect("the data is an object");
        Some(SatelliteWireEvent { kind, data, payload })
    }
}
