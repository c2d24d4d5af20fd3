//! What the reply engine runs on: checked once, so nothing downstream checks again.

use std::time::Duration;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use llm::ModelSize;
use settings::{ReplyingSettings, Settings};
use vocabulary::Language;

use crate::context::{context_line, time_line, zone_named};
use crate::profiles::Profile;
use crate::tool_protocol::ToolProtocol;

/// How long a reply waits for memory. Recall takes less than a tenth of it among 100,000 items. Source: `cargo xtask bench memory`.
const MEMORY_TIMEOUT: Duration = Duration::from_millis(150);

/// Where the line with time and place stands in the message list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ContextPosition {
    /// With the newest user message: all before it stays the same, so the model's prefix cache survives.
    NewestMessage,
    /// At the top of the system message, as the later reply-flow document has it.
    SystemTop,
    /// In a message of its own before the newest one, as the earlier document has it.
    OwnMessage,
}

/// How tools and memory are chosen before the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Preparation {
    /// Without a model where selection is sure or the model chooses by itself, else in one call.
    Auto,
    /// Without a model.
    Local,
    /// In one call.
    Combined,
    /// By router, planner and extractor, each in a call of its own.
    Staged,
}

/// How the model calls tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProtocolChoice {
    /// Large models natively, small ones constrained.
    Auto,
    /// Large models natively, small ones as text, as the behaviour reference has it.
    NativeOrText,
    /// Always this one.
    Always(ToolProtocol),
}

/// Whether something is done for a model of some size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ForModel {
    /// For small models.
    Small,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// The checked settings of replying.
#[derive(Debug, Clone, PartialEq)]
pub struct ReplyingConfig {
    /// What the assistant calls itself.
    pub name: String,
    /// Where the line with time and place stands.
    pub context_position: ContextPosition,
    /// Whether plain requests are answered by rules.
    pub uses_fast_path: bool,
    /// How tools and memory are chosen.
    pub preparation: Preparation,
    /// How the model calls tools.
    pub tool_protocol: ProtocolChoice,
    /// What the model is treated as; `None` goes by the model.
    pub model_size: Option<ModelSize>,
    /// The profiles to choose from; empty means one persona for everything.
    pub profiles: Vec<Profile>,
    /// How long choosing one may take.
    pub profile_timeout: Duration,
    /// The most turns of a reply.
    pub max_turns: usize,
    /// Whether an empty answer is asked for once more, without tools.
    pub retries_plainly: bool,
    /// Whether staged preparation plans.
    pub plans: bool,
    /// How long the planner may take.
    pub planner_timeout: Duration,
    /// How long router and extractor may take.
    pub router_timeout: Duration,
    /// How long a digest may take.
    pub digest_timeout: Duration,
    /// Whether memory is digested.
    pub memory_digest: ForModel,
    /// Whether tool results are digested.
    pub tool_digest: ForModel,
    /// The tool results of how many earlier replies are told again.
    pub carry_over_replies: usize,
    /// How much of each, in characters.
    pub carry_over_chars: usize,
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
#[error("{key} is {value}: use one of {choices}")]
pub struct ReplyingConfigError {
    key: &'static str,
    value: String,
    choices: &'static str,
}

/// The choice that a setting names.
fn choice<T: Copy>(
    key: &'static str,
    value: &str,
    choices: &'static str,
    known: &[T],
) -> Result<T, ReplyingConfigError> {
    let at = choices.split(", ").position(|choice| choice == value);
    let error = || ReplyingConfigError { key, value: value.to_owned(), choices };
    at.and_then(|at| known.get(at).copied()).ok_or_else(error)
}

impl ReplyingConfig {
    /// The line that gives the model time and place.
    pub fn context_line(&self, now: Timestamp) -> String {
        context_line(now, self.zone(), self.place.as_deref())
    }

    /// The line for a model that knows the place already.
    pub(crate) fn time_line(&self, now: Timestamp) -> String {
        time_line(now, self.zone())
    }

    /// The user's time zone.
    pub fn zone(&self) -> TimeZone {
        zone_named(self.time_zone.as_deref(), TimeZone::system)
    }
}

impl TryFrom<&Settings> for ReplyingConfig {
    type Error = ReplyingConfigError;

    fn try_from(settings: &Settings) -> Result<Self, Self::Error> {
        let replying = &settings.replying;
        let for_model = |key, value: &str| {
            choice(key, value, "auto, on, off", &[ForModel::Small, ForModel::Always, ForModel::Never])
        };
        let stated = |text: &str| Some(text.trim().to_owned()).filter(|text| !text.is_empty());
        Ok(Self {
            name: capitalised(settings.listening.wake_word.trim()),
            context_position: choice(
                "replying.context_position",
                &replying.context_position,
                "newest_message, system_top, own_message",
                &[ContextPosition::NewestMessage, ContextPosition::SystemTop, ContextPosition::OwnMessage],
            )?,
            uses_fast_path: replying.fast_path,
            preparation: choice(
                "replying.preparation",
                &replying.preparation,
                "auto, local, combined, staged",
                &[Preparation::Auto, Preparation::Local, Preparation::Combined, Preparation::Staged],
            )?,
            tool_protocol: choice(
                "replying.tool_protocol",
                &replying.tool_protocol,
                "auto, native_or_text, native, text, constrained",
                &[
                    ProtocolChoice::Auto,
                    ProtocolChoice::NativeOrText,
                    ProtocolChoice::Always(ToolProtocol::Native),
                    ProtocolChoice::Always(ToolProtocol::Text),
                    ProtocolChoice::Always(ToolProtocol::Constrained),
                ],
            )?,
            model_size: choice(
                "replying.model_size",
                &replying.model_size,
                "auto, small, large",
                &[None, Some(ModelSize::Small), Some(ModelSize::Large)],
            )?,
            profiles: profiles(replying)?,
            profile_timeout: Duration::from_secs_f64(replying.profile_timeout_secs),
            max_turns: usize::try_from(replying.max_turns).unwrap_or(usize::MAX),
            retries_plainly: true,
            plans: replying.planner,
            planner_timeout: Duration::from_secs_f64(replying.planner_timeout_secs),
            router_timeout: Duration::from_secs_f64(replying.router_timeout_secs),
            digest_timeout: Duration::from_secs_f64(replying.digest_timeout_secs),
            memory_digest: for_model("replying.memory_digest", &replying.memory_digest)?,
            tool_digest: for_model("replying.tool_digest", &replying.tool_digest)?,
            carry_over_replies: usize::try_from(replying.carry_over_replies).unwrap_or(usize::MAX),
            carry_over_chars: usize::try_from(replying.carry_over_chars).unwrap_or(usize::MAX),
            timeout: Duration::from_secs_f64(replying.timeout_secs),
            dialogue_window: Duration::from_secs(settings.memory.dialogue_window_secs),
            place: stated(&settings.location.place),
            time_zone: stated(&settings.location.time_zone),
            recalls: settings.memory.recall,
            memory_timeout: MEMORY_TIMEOUT,
            max_tokens: u32::try_from(settings.llm.max_reply_tokens).unwrap_or(u32::MAX),
            temperature: settings.llm.temperature as f32,
            speaks: settings.speaking.enabled,
            // Not a language: `auto`.
            language: Language::new(&replying.language),
        })
    }
}

/// The profiles that the settings name, where they ask for profiles at all.
fn profiles(replying: &ReplyingSettings) -> Result<Vec<Profile>, ReplyingConfigError> {
    let named = replying.profiles.iter().map(|name| {
        let unknown = || ReplyingConfigError {
            key: "replying.profiles",
            value: name.clone(),
            choices: "developer, business, life",
        };
        Profile::of(name).ok_or_else(unknown)
    });
    let named = named.collect::<Result<Vec<_>, _>>()?;
    let wants = choice("replying.persona", &replying.persona, "unified, profiles", &[false, true])?;
    match (wants, named.is_empty()) {
        (true, true) => Err(ReplyingConfigError {
            key: "replying.profiles",
            value: "empty".to_owned(),
            choices: "developer, business, life",
        }),
        (true, false) => Ok(named),
        (false, _) => Ok(Vec::new()),
    }
}

fn capitalised(word: &str) -> String {
    let mut chars = word.chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
}
