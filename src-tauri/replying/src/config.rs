//! What the reply engine runs on: checked once, so nothing downstream checks again.

use std::time::Duration;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use settings::Settings;
use vocabulary::Language;

use crate::context::{context_line, zone_named};

/// How long a reply waits for memory. Recall takes less than a tenth of it among 100,000 items. Source: `cargo xtask bench memory`.
const MEMORY_TIMEOUT: Duration = Duration::from_millis(150);

/// Where the line with time and place stands in the message list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ContextPosition {
    /// With the newest user message: all before it stays the same, so the model's prefix cache survives.
    NewestMessage,
    /// At the top of the system message, as the older behaviour has it.
    SystemTop,
}

/// The checked settings of replying.
#[derive(Debug, Clone, PartialEq)]
pub struct ReplyingConfig {
    /// What the assistant calls itself.
    pub name: String,
    /// Where the line with time and place stands.
    pub context_position: ContextPosition,
    /// How long a whole reply may take.
    pub timeout: Duration,
    /// How far back the dialogue goes.
    pub dialogue_window: Duration,
    /// Where the user is; `None` where that is unknown.
    pub place: Option<String>,
    /// The user's time zone; `None` is the system's.
    pub time_zone: Option<String>,
    /// Whether memory adds what fits the query.
    pub recalls: bool,
    /// How long a reply waits for memory before it goes on without.
    pub memory_timeout: Duration,
    /// The longest reply, in tokens.
    pub max_tokens: u32,
    /// The sampling temperature of replies.
    pub temperature: f32,
    /// Whether replies to spoken queries are spoken.
    pub speaks: bool,
    /// The language of every reply; `None` means that of the query.
    pub language: Option<Language>,
}

/// A setting of replying that cannot work.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("replying.context_position is {value}: use newest_message or system_top")]
pub struct ReplyingConfigError {
    value: String,
}

impl ReplyingConfig {
    /// The line that gives the model time and place.
    pub fn context_line(&self, now: Timestamp) -> String {
        context_line(now, self.zone(), self.place.as_deref())
    }

    /// The user's time zone.
    pub fn zone(&self) -> TimeZone {
        zone_named(self.time_zone.as_deref(), TimeZone::system)
    }
}

impl TryFrom<&Settings> for ReplyingConfig {
    type Error = ReplyingConfigError;

    fn try_from(settings: &Settings) -> Result<Self, Self::Error> {
        let context_position = match settings.replying.context_position.as_str() {
            "newest_message" => ContextPosition::NewestMessage,
            "system_top" => ContextPosition::SystemTop,
            other => return Err(ReplyingConfigError { value: other.to_owned() }),
        };
        let stated = |text: &str| Some(text.trim().to_owned()).filter(|text| !text.is_empty());
        Ok(Self {
            name: capitalised(settings.listening.wake_word.trim()),
            context_position,
            timeout: Duration::from_secs_f64(settings.replying.timeout_secs),
            dialogue_window: Duration::from_secs(settings.memory.dialogue_window_secs),
            place: stated(&settings.location.place),
            time_zone: stated(&settings.location.time_zone),
            recalls: settings.memory.recall,
            memory_timeout: MEMORY_TIMEOUT,
            max_tokens: u32::try_from(settings.llm.max_reply_tokens).unwrap_or(u32::MAX),
            temperature: settings.llm.temperature as f32,
            speaks: settings.speaking.enabled,
            // Not a language: `auto`.
            language: Language::new(&settings.replying.language),
        })
    }
}

fn capitalised(word: &str) -> String {
    let mut chars = word.chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
}
