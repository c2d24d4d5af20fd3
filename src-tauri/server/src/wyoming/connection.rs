//! One client: its events in, ours out.

use std::io;
use std::pin::pin;
use std::time::Duration;

use assistant::{Assistant, RecordingError, SpeechError, SpeechRequest, VoiceSound};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, BufReader, BufWriter, ReadHalf, WriteHalf};
use tokio::net::TcpStream;
use tokio::time::timeout;
use vocabulary::{Language, Private};

use super::event::{Event, EventError};
use super::info;
use super::name_detection::{NameDetection, names};
use super::recording::{Format, Recording, TooLong};
use super::refusal::{Failure, Refusal};
use crate::connections::STALL_TIME;
use crate::sound;
use crate::speech::MAX_TEXT;
use crate::stall_guard::StallGuard;

/// An event has to be there within this time. Source: longer than the pause between two commands of a busy user; clients connect
/// anew.
const IDLE_TIME: Duration = Duration::from_secs(300);

/// Bytes of sound in an event.
const CHUNK: usize = 32 * 1024;

/// The rate of the sound of a text without words, in hertz.
const EMPTY_RATE_HZ: u32 = 16_000;

/// Serves a client until it goes, is silent for too long, takes nothing of its answers, or sends what is no event.
pub(crate) async fn serve(stream: TcpStream, assistant: Assistant) {
    // Events are small and complete: waiting for more to send would only delay them.
    let _ = stream.set_nodelay(true);
    let (reader, writer) = tokio::io::split(StallGuard::new(stream, STALL_TIME));
    let mut client = Client {
        reader: BufReader::new(reader),
        writer: BufWriter::new(writer),
        assistant,
        language: None,
        names: None,
        incoming: Incoming::Nothing,
    };
    match client.serve().await {
        Ok(()) => tracing::debug!("a client of the Wyoming protocol went"),
        Err(error) => tracing::debug!(%error, "a connection of the Wyoming protocol ended early"),
    }
}

/// A connected client.
struct Client {
    reader: BufReader<ReadHalf<StallGuard>>,
    writer: BufWriter<WriteHalf<StallGuard>>,
    assistant: Assistant,
    /// The language of the next recording.
    language: Option<Language>,
    /// The names that are looked for in the next sound; `None` means that it is a recording.
    names: Option<Vec<String>>,
    incoming: Incoming,
}

/// The sound under way.
enum Incoming {
    Nothing,
    Recording(Recording),
    NameDetection(Box<NameDetection>),
    /// The client was told why; the rest of the recording is read over.
    Refused,
}

impl Client {
    async fn serve(&mut self) -> io::Result<()> {
        loop {
            let Some(read) = self.read().await? else { return Ok(()) };
            let answered = match read {
                Ok(Some(event)) => self.answer(event).await,
                Ok(None) => return Ok(()),
                Err(EventError::Connection(error)) => return Err(error),
                Err(error @ EventError::Framing(_)) => {
                    return self.refuse(Refusal::new("bad-framing", error.to_string())).await;
                }
                Err(error @ EventError::Content(_)) => {
                    Err(Refusal::new("bad-event", error.to_string()).into())
                }
            };
            match answered {
                Ok(()) => {}
                Err(Failure::Refused(refusal)) => self.refuse(refusal).await?,
                Err(Failure::Connection(error)) => return Err(error),
            }
        }
    }

    /// The next event; `None` if there was none for too long. Names that are heard meanwhile are told.
    async fn read(&mut self) -> io::Result<Option<Result<Option<Event>, EventError>>> {
        let Self { reader, writer, incoming, .. } = self;
        // One event is read to its end, whatever is told meanwhile.
        let mut reading = pin!(timeout(IDLE_TIME, Event::read(reader)));
        loop {
            let heard = async {
                match incoming {
                    Incoming::NameDetection(detection) => detection.next().await,
                    _ => std::future::pending().await,
                }
            };
            let told = tokio::select! {
                biased; // The end of the sound is answered after all names in it.
                told = heard => told,
                read = &mut reading => return Ok(read.ok()),
            };
            told.unwrap_or_else(Refusal::into_event).write(writer).await?;
        }
    }

    async fn answer(&mut self, event: Event) -> Result<(), Failure> {
        match event.kind.as_str() {
            "describe" => {
                let info = info::describe(&self.assistant)
                    .map_err(|error| Refusal::new("models-unreadable", error.to_string()))?;
                self.send(&info).await
            }
            "ping" => self.say("pong", json!({ "text": event.text("text") })).await,
            "transcribe" => {
                // A language that is no code is found out, like one that is not given.
                self.language = event.text("language").and_then(Language::new);
                self.names = None;
                self.incoming = Incoming::Nothing;
                Ok(())
            }
            "detect" => {
                self.names = Some(names(&event));
                self.incoming = Incoming::Nothing;
                Ok(())
            }
            "audio-start" => self.begin(&event),
            "audio-chunk" => self.take_chunk(&event).await,
            "audio-stop" => self.end_sound().await,
            "synthesize" => self.speak(&event).await,
            // The protocol wants them to be dropped: clients may know more than we do.
            _ => Ok(()),
        }
    }

    fn begin(&mut self, event: &Event) -> Result<(), Failure> {
        self.incoming = Incoming::Refused;
        self.incoming = match &self.names {
            Some(names) => {
                Incoming::NameDetection(Box::new(NameDetection::begin(&self.assistant, names, event)?))
            }
            None => Incoming::Recording(Recording::new(Format::from_event(event)?)),
        };
        Ok(())
    }

    async fn take_chunk(&mut self, event: &Event) -> Result<(), Failure> {
        if let (Incoming::Nothing, Some(_)) = (&self.incoming, &self.names) {
            // Satellites tell the form of their sound with each chunk, and may leave the start out.
            self.begin(event)?;
        }
        let refusal = match &mut self.incoming {
            Incoming::Refused => return Ok(()),
            Incoming::Nothing => {
                Refusal::new("no-recording", "A chunk came before the start of a recording.")
            }
            Incoming::Recording(recording) if is_of(recording.format(), event) => {
                match recording.push(&event.payload) {
                    Ok(()) => return Ok(()),
                    Err(TooLong) => Refusal::new("too-long", "The recording is too long: send it in parts."),
                }
            }
            Incoming::NameDetection(detection) if is_of(detection.format(), event) => {
                detection.push(&event.payload).await;
                return Ok(());
            }
            Incoming::Recording(_) | Incoming::NameDetection(_) => {
                Refusal::new("bad-format", "The sound of the chunk is in another form than its start says.")
            }
        };
        self.incoming = Incoming::Refused;
        Err(refusal.into())
    }

    async fn end_sound(&mut self) -> Result<(), Failure> {
        match std::mem::replace(&mut self.incoming, Incoming::Nothing) {
            Incoming::Recording(recording) => self.transcribe(recording).await,
            Incoming::NameDetection(detection) => {
                for told in detection.finish().await {
                    self.send(&told.unwrap_or_else(Refusal::into_event)).await?;
                }
                Ok(())
            }
            Incoming::Refused => {
                self.language = None;
                Ok(())
            }
            Incoming::Nothing => {
                Err(Refusal::new("no-recording", "A recording ended that was not started.").into())
            }
        }
    }

    async fn transcribe(&mut self, recording: Recording) -> Result<(), Failure> {
        let language = self.language.take();
        let wav = recording.wav().map_err(|error| Refusal::new("bad-format", error.to_string()))?;
        let Some(wav) = wav else {
            return self.tell_words("", language.as_ref()).await;
        };
        let words = self.assistant.transcribe(wav, language).await.map_err(|error| match error {
            RecordingError::Failed(trouble) => Refusal::from_trouble("recognition-failed", &trouble),
            RecordingError::TooLong { .. } => Refusal::new("too-long", error.to_string()),
            RecordingError::Unreadable(_) => Refusal::new("bad-format", error.to_string()),
        })?;
        self.tell_words(&words.text, words.language.as_ref()).await
    }

    async fn tell_words(&mut self, words: &str, language: Option<&Language>) -> Result<(), Failure> {
        let mut data = json!({ "text": words });
        if let Some(language) = language {
            data["language"] = json!(language.code());
        }
        self.say("transcript", data).await
    }

    async fn speak(&mut self, event: &Event) -> Result<(), Failure> {
        let text =
            event.text("text").ok_or_else(|| Refusal::new("bad-event", "There is no text to speak."))?;
        if text.chars().count() > MAX_TEXT {
            let text = format!("The text is too long: {MAX_TEXT} characters are spoken at a time.");
            return Err(Refusal::new("too-long", text).into());
        }
        let chosen = |key: &str| event.data.get("voice")?.get(key)?.as_str();
        let mut sounds = self.assistant.synthesise(SpeechRequest {
            text: Private(text.to_owned()),
            language: chosen("language").and_then(Language::new),
            voice: chosen("name").map(str::to_owned),
            speed: 1.0,
        });
        let mut rate_hz = None;
        while let Some(sound) = self.unless_it_hangs_up(sounds.recv()).await? {
            let sound = sound.map_err(|error| match error {
                SpeechError::UnknownVoice(trouble) => Refusal::from_trouble("unknown-voice", &trouble),
                SpeechError::Failed(trouble) => Refusal::from_trouble("voice-failed", &trouble),
            })?;
            if rate_hz.is_none() {
                self.say("audio-start", format(sound.rate_hz)).await?;
                rate_hz = Some(sound.rate_hz);
            }
            self.send_sound(&sound).await?;
        }
        if rate_hz.is_none() {
            // A client waits for the sound, whether there is something to say or not.
            self.say("audio-start", format(EMPTY_RATE_HZ)).await?;
        }
        self.say("audio-stop", json!({})).await
    }

    /// Waits for something that the client is to get.
    ///
    /// # Errors
    ///
    /// The client hung up meanwhile. An event that it has sent ahead hides that until the next sound is sent.
    async fn unless_it_hangs_up<T>(&mut self, awaited: impl Future<Output = T>) -> io::Result<T> {
        let hung_up = async {
            match self.reader.fill_buf().await {
                Ok([]) => io::ErrorKind::ConnectionAborted.into(),
                Ok(_) => std::future::pending().await,
                Err(error) => error,
            }
        };
        tokio::select! {
            biased; // What is there already costs nothing more.
            awaited = awaited => Ok(awaited),
            error = hung_up => Err(error),
        }
    }

    async fn send_sound(&mut self, sound: &VoiceSound) -> Result<(), Failure> {
        for payload in sound::pcm(&sound.samples).chunks(CHUNK) {
            let chunk = Event::new("audio-chunk", format(sound.rate_hz));
            self.send(&Event { payload: payload.to_vec(), ..chunk }).await?;
        }
        Ok(())
    }

    async fn refuse(&mut self, refusal: Refusal) -> io::Result<()> {
        tracing::info!(code = refusal.code, "a client of the Wyoming protocol was refused");
        refusal.into_event().write(&mut self.writer).await
    }

    async fn say(&mut self, kind: &str, data: Value) -> Result<(), Failure> {
        self.send(&Event::new(kind, data)).await
    }

    async fn send(&mut self, event: &Event) -> Result<(), Failure> {
        Ok(event.write(&mut self.writer).await?)
    }
}

/// Returns `true` if the sound of the chunk is in this form.
fn is_of(format: Format, chunk: &Event) -> bool {
    Format::new(&chunk.data) == Some(format)
}

/// The form of the sound that we send: 16 bits, mono.
fn format(rate_hz: u32) -> Value {
    json!({ "rate": rate_hz, "width": 2, "channels": 1 })
}
