//! Sound in which our name is looked for, for one client.

use std::time::Duration;

use assistant::{Assistant, NameSpotter, SpottedName, StreamRefused};
use serde_json::json;
use tokio::time::{Instant, timeout_at};
use vocabulary::Trouble;

use super::event::Event;
use super::recording::{Format, Levels};
use super::refusal::Refusal;
use crate::sound::samples;

/// Most names that a client asks for.
const MAX_NAMES: usize = 32;

/// The longest wait for the words of the last sound. Source: several clients that end at once wait for each other.
const LAST_WORDS: Duration = Duration::from_secs(60);

/// The names that an event asks for; none means all.
pub(super) fn names(event: &Event) -> Vec<String> {
    let names = event.data.get("names").and_then(|names| names.as_array());
    let names = names.into_iter().flatten().filter_map(|name| name.as_str());
    names.take(MAX_NAMES).map(str::to_owned).collect()
}

/// A stream of sound in which names are looked for.
pub(super) struct NameDetection {
    format: Format,
    chunks: Levels,
    spotter: NameSpotter,
    /// The time that the client gives its first sample, in milliseconds.
    starts_at_ms: u64,
    is_detected: bool,
}

impl NameDetection {
    /// Listens for these names in the sound that begins with this event.
    pub fn begin(assistant: &Assistant, names: &[String], event: &Event) -> Result<Self, Refusal> {
        let format = Format::from_event(event)?;
        let spotter = assistant.spot_names(names, format.rate_hz()).map_err(|error| match error {
            StreamRefused::Busy => {
                Refusal::new("busy", "Too many programs listen for the name. Try again later.")
            }
            StreamRefused::Unreadable(error) => Refusal::new("bad-format", error.to_string()),
            StreamRefused::UnknownName => {
                let known = assistant.wake_names().join(", ");
                Refusal::new("unknown-name", format!("The names here are {known}."))
            }
        })?;
        let starts_at_ms = event.data.get("timestamp").and_then(|at| at.as_u64()).unwrap_or_default();
        Ok(Self { format, chunks: Levels::new(format), spotter, starts_at_ms, is_detected: false })
    }

    /// The form of its sound.
    pub fn format(&self) -> Format {
        self.format
    }

    /// Adds a chunk of sound. Waits while recognition is behind.
    pub async fn push(&mut self, chunk: &[u8]) {
        let samples = samples(&self.chunks.read(chunk));
        self.spotter.push(&samples).await;
    }

    /// The event of the next name. Waits for ever when there will be none. Cancel-safe.
    pub async fn next(&mut self) -> Result<Event, Refusal> {
        match self.spotter.next().await {
            Some(found) => self.told(found),
            None => std::future::pending().await,
        }
    }

    /// Ends the sound. Returns what is still to be told: names in the last sound, or that there was none.
    pub async fn finish(mut self) -> Vec<Result<Event, Refusal>> {
        self.spotter.finish();
        let until = Instant::now() + LAST_WORDS;
        let mut events = Vec::new();
        loop {
            match timeout_at(until, self.spotter.next()).await {
                Ok(Some(found)) => events.push(self.told(found)),
                Ok(None) => break,
                Err(_) => {
                    tracing::warn!("the last sound of a program was not searched for the name in time");
                    break;
                }
            }
        }
        if !self.is_detected {
            events.push(Ok(Event::new("not-detected", json!({}))));
        }
        events
    }

    fn told(&mut self, found: Result<SpottedName, Trouble>) -> Result<Event, Refusal> {
        let SpottedName { name, at } =
            found.map_err(|trouble| Refusal::from_trouble("recognition-failed", &trouble))?;
        self.is_detected = true;
        let timestamp = self.starts_at_ms.saturating_add(at.as_millis() as u64);
        Ok(Event::new("detection", json!({ "name": name, "timestamp": timestamp })))
    }
}
