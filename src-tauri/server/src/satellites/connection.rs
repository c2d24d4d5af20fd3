//! One satellite: its events in, ours out.

use std::convert::Infallible;
use std::io;
use std::time::Duration;

use assistant::{
    Assistant, NetError, SatelliteEvent, SatelliteInput, SatelliteStage, StreamRefused, VoiceSound,
};
use serde_json::{Value, json};
use tokio::io::{AsyncWrite, BufReader, BufWriter, ReadHalf, WriteHalf};
use tokio::sync::mpsc;
use tokio::time::{Instant, Interval, MissedTickBehavior, interval, timeout};

use crate::connections::STALL_TIME;
use crate::sound::{pcm, samples};
use crate::stall_guard::StallGuard;
use crate::wyoming::{Event, EventError, Format, Levels};

/// A satellite describes itself within this time. Source: small computers of satellites answer in some milliseconds.
const DESCRIBE_TIME: Duration = Duration::from_secs(10);

/// Time between two signs of life that are asked for.
const PING_EVERY: Duration = Duration::from_secs(10);

/// A satellite without a sign of life for this time is away.
const SILENCE: Duration = Duration::from_secs(35);

/// Answers to signs of life that wait to be sent.
const PONGS: usize = 4;

/// The reason why a satellite is not connected any more.
#[derive(Debug, thiserror::Error)]
pub(super) enum SatelliteEnded {
    #[error(transparent)]
    Unreachable(#[from] NetError),
    #[error("the connection broke")]
    Broken(#[from] io::Error),
    #[error("it closed the connection")]
    Closed,
    #[error("it gave no sign of life")]
    Silent,
    #[error("it does not speak the protocol of satellites: {0}")]
    NoSatellite(&'static str),
    #[error(transparent)]
    Refused(#[from] StreamRefused),
}

impl From<EventError> for SatelliteEnded {
    fn from(error: EventError) -> Self {
        match error {
            EventError::Connection(error) => Self::Broken(error),
            EventError::Framing(reason) | EventError::Content(reason) => Self::NoSatellite(reason),
        }
    }
}

type Reader = BufReader<ReadHalf<StallGuard>>;
type Writer = BufWriter<WriteHalf<StallGuard>>;

/// Serves a satellite until its connection ends. `is_back` is called once it is known to be one.
pub(super) async fn serve<F: Future<Output = ()>>(
    assistant: &Assistant,
    address: &str,
    is_back: impl FnOnce() -> F,
) -> SatelliteEnded {
    match try_serve(assistant, address, is_back).await {
        Ok(never) => match never {},
        Err(ended) => ended,
    }
}

async fn try_serve<F: Future<Output = ()>>(
    assistant: &Assistant,
    address: &str,
    is_back: impl FnOnce() -> F,
) -> Result<Infallible, SatelliteEnded> {
    let stream = assistant.connect_satellite(address).await?;
    // Events are small and complete: waiting for more to send would only delay them.
    stream.set_nodelay(true)?;
    let (reader, writer) = tokio::io::split(StallGuard::new(stream, STALL_TIME));
    let (mut reader, mut writer) = (BufReader::new(reader), BufWriter::new(writer));
    let info = describe(&mut reader, &mut writer).await?;
    let (input, events) = assistant.open_satellite()?;
    if let Some(rate_hz) = played_rate(&info) {
        input.play_at(rate_hz);
    }
    send(&mut writer, "run-satellite", json!({})).await?;
    tracing::info!(address, "a satellite is connected");
    is_back().await;
    let (pongs, to_pong) = mpsc::channel(PONGS);
    let mut ping = interval(PING_EVERY);
    ping.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let sending = EventWriter { writer, began: Instant::now(), rate_hz: None };
    tokio::select! {
        ended = read_events(reader, input, pongs) => ended,
        ended = sending.run(events, to_pong, ping) => ended,
    }
}

/// Asks what is at the other end.
async fn describe(reader: &mut Reader, writer: &mut Writer) -> Result<Event, SatelliteEnded> {
    send(writer, "describe", json!({})).await?;
    let answered = async {
        loop {
            let event = Event::read(reader).await?.ok_or(SatelliteEnded::Closed)?;
            match event.kind.as_str() {
                "info" if event.data.get("satellite").is_some_and(Value::is_object) => return Ok(event),
                "info" => return Err(SatelliteEnded::NoSatellite("it is another kind of service")),
                _ => {}
            }
        }
    };
    timeout(DESCRIBE_TIME, answered).await.unwrap_or(Err(SatelliteEnded::Silent))
}

/// The rate that the loudspeaker of a satellite wants, if it says so.
fn played_rate(info: &Event) -> Option<u32> {
    let rate = info.data.get("snd")?.get(0)?.get("snd_format")?.get("rate")?.as_u64()?;
    u32::try_from(rate).ok().filter(|rate| crate::wyoming::RATES_HZ.contains(rate))
}

/// Passes on the events of the satellite. Ends with the connection.
async fn read_events(
    mut reader: Reader,
    mut input: SatelliteInput,
    pongs: mpsc::Sender<Value>,
) -> Result<Infallible, SatelliteEnded> {
    let mut chunks: Option<(Format, Levels)> = None;
    loop {
        let read = timeout(SILENCE, Event::read(&mut reader)).await.map_err(|_| SatelliteEnded::Silent)?;
        let event = match read {
            Ok(event) => event.ok_or(SatelliteEnded::Closed)?,
            // The next event is found all the same.
            Err(EventError::Content(_)) => continue,
            Err(error) => return Err(error.into()),
        };
        match event.kind.as_str() {
            "run-pipeline" => match event.text("start_stage") {
                Some("wake") => input.begin(SatelliteStage::Wake).await,
                Some("asr") => input.begin(SatelliteStage::Query).await,
                stage => tracing::warn!(?stage, "a satellite asks for a stage that is not served"),
            },
            "audio-chunk" => {
                let format = Format::from_event(&event);
                let Ok(format) = format else {
                    return Err(SatelliteEnded::NoSatellite("its sound has no known form"));
                };
                if chunks.as_ref().is_none_or(|(known, _)| *known != format) {
                    chunks = Some((format, Levels::new(format)));
                }
                if let Some((_, levels)) = &mut chunks {
                    input.push(&samples(&levels.read(&event.payload)), format.rate_hz()).await?;
                }
            }
            "played" => input.played(),
            "ping" => {
                // Whoever asks more often than we answer gets fewer answers.
                let _ = pongs.try_send(json!({ "text": event.text("text") }));
            }
            // The protocol wants them to be dropped.
            _ => {}
        }
    }
}

/// The way to the satellite.
struct EventWriter {
    writer: Writer,
    began: Instant,
    /// The rate of the sound that is being sent.
    rate_hz: Option<u32>,
}

impl EventWriter {
    /// Passes on the events for the satellite.
    async fn run(
        mut self,
        mut events: mpsc::Receiver<SatelliteEvent>,
        mut pongs: mpsc::Receiver<Value>,
        mut ping: Interval,
    ) -> Result<Infallible, SatelliteEnded> {
        loop {
            tokio::select! {
                event = events.recv() => match event {
                    Some(event) => self.tell_event(event).await?,
                    None => return Err(SatelliteEnded::Closed),
                },
                Some(pong) = pongs.recv() => self.send("pong", pong).await?,
                _ = ping.tick() => self.send("ping", json!({})).await?,
            }
        }
    }

    async fn tell_event(&mut self, event: SatelliteEvent) -> io::Result<()> {
        let timestamp = self.began.elapsed().as_millis() as u64;
        match event {
            SatelliteEvent::NameHeard { name } => {
                self.send("detection", json!({ "name": name, "timestamp": timestamp })).await
            }
            SatelliteEvent::SpeechStarted => {
                self.send("voice-started", json!({ "timestamp": timestamp })).await
            }
            SatelliteEvent::Query { text } => {
                self.send("voice-stopped", json!({ "timestamp": timestamp })).await?;
                self.send("transcript", json!({ "text": text })).await
            }
            SatelliteEvent::Stopped => self.send("transcript", json!({ "text": "" })).await,
            SatelliteEvent::NothingHeard => {
                self.send("error", json!({ "text": "No words were heard.", "code": "no-text" })).await
            }
            SatelliteEvent::Words { text } => self.send("synthesize", json!({ "text": text })).await,
            SatelliteEvent::Sound(sound) => self.send_sound(sound).await,
            SatelliteEvent::SoundEnded => self.end_sound().await,
            SatelliteEvent::Failed(trouble) => {
                let text = format!("{} {}", trouble.message, trouble.remedy);
                self.send("error", json!({ "text": text, "code": "failed" })).await
            }
        }
    }

    async fn send_sound(&mut self, sound: VoiceSound) -> io::Result<()> {
        let form = json!({ "rate": sound.rate_hz, "width": 2, "channels": 1 });
        if self.rate_hz != Some(sound.rate_hz) {
            self.end_sound().await?;
            self.send("audio-start", form.clone()).await?;
            self.rate_hz = Some(sound.rate_hz);
        }
        let chunk = Event { payload: pcm(&sound.samples), ..Event::new("audio-chunk", form) };
        chunk.write(&mut self.writer).await
    }

    async fn end_sound(&mut self) -> io::Result<()> {
        match self.rate_hz.take() {
            Some(_) => self.send("audio-stop", json!({})).await,
            None => Ok(()),
        }
    }

    async fn send(&mut self, kind: &str, data: Value) -> io::Result<()> {
        send(&mut self.writer, kind, data).await
    }
}

async fn send(writer: &mut (impl AsyncWrite + Unpin), kind: &str, data: Value) -> io::Result<()> {
    Event::new(kind, data).write(writer).await
}
