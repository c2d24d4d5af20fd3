//! The configuration of the reply engine: checked once, so nothing downstream checks again.

use std::time::Duration;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use llm::ModelSize;
use settings::{
    ContextPosition, ForModel, Persona, Preparation, Profile, ProtocolChoice, ReplyingSettings,
    RoutinesSettings, Settings, SizeChoice, WebSettings,
};
use vocabulary::Language;

use crate::plain_requests::routine::Routine;
use crate::prompting::context::{context_line, time_line, zone_named};

/// The time that a reply waits for memory. Recall takes less than a tenth of it among 100,000 items. Source: `cargo
/// xtask bench memory`.
const MEMORY_TIMEOUT: Duration = Duration::from_millis(150);

/// The checked settings of replying.
#[derive(Debug, Clone, PartialEq)]
pub struct ReplyingConfig {
    /// The name of the assistant.
    pub name: String,
    /// The place where the line with time and place stands.
    pub context_position: ContextPosition,
    /// `true` if plain requests are answered by rules.
    pub uses_fast_path: bool,
    /// Commands that a phrase starts; the first one that matches is taken.
    pub routines: Vec<Routine>,
    /// The way tools and memory are chosen.
    pub preparation: Preparation,
    /// The way the model calls tools.
    pub tool_protocol: ProtocolChoice,
    /// The size that the model is treated as; `None` goes by the model.
    pub model_size: Option<ModelSize>,
    /// The profiles to choose from; empty means one persona for everything.
    pub profiles: Vec<Profile>,
    /// The time that choosing one may take.
    pub profile_timeout: Duration,
    /// The most turns of a reply.
    pub max_turns: usize,
    /// `true` if an empty answer is asked for once more, without tools.
    pub retries_plainly: bool,
    /// `true` if rules judge what models say, and say it for a small one: all that goes beyond the flow of a reply itself.
    pub guards_answers: bool,
    /// `true` if staged preparation plans.
    pub plans: bool,
    /// The time that the planner may take.
    pub planner_timeout: Duration,
    /// The time that router and extractor may take.
    pub router_timeout: Duration,
    /// The time that a digest may take.
    pub digest_timeout: Duration,
    /// For which models memory is digested.
    pub memory_digest: ForModel,
    /// For which models tool results are digested.
    pub tool_digest: ForModel,
    /// The tool results of how many earlier replies are told again.
    pub carry_over_replies: usize,
    /// The longest text of each, in characters.
    pub carry_over_chars: usize,
    /// The time that a whole reply may take.
    pub timeout: Duration,
    /// The age of the oldest message of the dialogue.
    pub dialogue_window: Duration,
    /// The place where the user is; `None` if it is not known.
    pub place: Option<String>,
    /// The user's time zone; `None` is the system's.
    pub time_zone: Option<String>,
    /// `true` if memory adds what fits the query.
    pub recalls: bool,
    /// Users who introduce themselves teach a fact.
    pub learns: bool,
    /// The time that a reply waits for memory before it goes on without.
    pub memory_timeout: Duration,
    /// The size of the model's context, in tokens.
    pub context_tokens: u32,
    /// The longest reply, in tokens.
    pub max_tokens: u32,
    /// The sampling temperature of replies.
    pub temperature: f32,
    /// A model that can think does so before it answers.
    pub thinks: bool,
    /// `true` if replies to spoken queries are spoken.
    pub speaks: bool,
    /// The language of every reply; `None` means that of the query.
    pub language: Option<Language>,
    /// The setting that keeps Jarvis from looking things up.
    pub no_lookup: Option<NoLookup>,
}

/// A setting that keeps Jarvis from looking things up in the web.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoLookup {
    /// "Work offline" is on.
    Offline,
    /// Web search is off.
    SearchOff,
}

impl NoLookup {
    fn in_settings(settings: &WebSettings) -> Option<Self> {
        match settings {
            WebSettings { offline: true, .. } => Some(Self::Offline),
            WebSettings { search: false, .. } => Some(Self::SearchOff),
            WebSettings { .. } => None,
        }
    }
}

/// A setting of replying that cannot work.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReplyingConfigError {
    /// Profiles are asked for, but none is active.
    #[error("replying.profiles is empty: name one of {0}, or set replying.persona to unified")]
    NoProfiles(String),
}

impl ReplyingConfig {
    /// The line that gives the model time and place.
    pub fn context_line(&self, now: Timestamp) -> String {
        context_line(now, self.zone(), self.place.as_deref())
    }

    /// The same with this place, unless the settings name one.
    pub fn with_found_place(mut self, place: Option<String>) -> Self {
        self.place = self.place.or(place);
        self
    }

    /// The line for a model that is told the place only if it needs it.
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
        let count = |count: u64| usize::try_from(count).unwrap_or(usize::MAX);
        let stated = |text: &str| Some(text.trim().to_owned()).filter(|text| !text.is_empty());
        Ok(Self {
            name: capitalised(settings.listening.wake_word.trim()),
            context_position: replying.context_position,
            uses_fast_path: replying.fast_path,
            routines: routines(&settings.routines),
            preparation: replying.preparation,
            tool_protocol: replying.tool_protocol,
            model_size: match replying.model_size {
                SizeChoice::Auto => None,
                SizeChoice::Small => Some(ModelSize::Small),
                SizeChoice::Large => Some(ModelSize::Large),
            },
            profiles: profiles(replying)?,
            profile_timeout: Duration::from_secs_f64(replying.profile_timeout_secs),
            max_turns: count(replying.max_turns),
            retries_plainly: true,
            guards_answers: true,
            plans: replying.planner,
            planner_timeout: Duration::from_secs_f64(replying.planner_timeout_secs),
            router_timeout: Duration::from_secs_f64(replying.router_timeout_secs),
            digest_timeout: Duration::from_secs_f64(replying.digest_timeout_secs),
            memory_digest: replying.memory_digest,
            tool_digest: replying.tool_digest,
            carry_over_replies: count(replying.carry_over_replies),
            carry_over_chars: count(replying.carry_over_chars),
            timeout: Duration::from_secs_f64(replying.timeout_secs),
            dialogue_window: Duration::from_secs(settings.memory.dialogue_window_secs),
            place: stated(&settings.location.place),
            time_zone: stated(&settings.location.time_zone),
            recalls: settings.memory.recall,
            learns: settings.memory.diary && settings.memory.remember,
            memory_timeout: MEMORY_TIMEOUT,
            context_tokens: u32::try_from(settings.llm.context_tokens).unwrap_or(u32::MAX),
            max_tokens: u32::try_from(settings.llm.max_reply_tokens).unwrap_or(u32::MAX),
            temperature: settings.llm.temperature as f32,
            thinks: settings.llm.think,
            speaks: settings.speaking.enabled,
            // Not a language: `auto`.
            language: Language::new(&replying.language),
            no_lookup: NoLookup::in_settings(&settings.web),
        })
    }
}

/// The routines, in the order of their names.
fn routines(settings: &RoutinesSettings) -> Vec<Routine> {
    let routine = |(name, routine): (&String, &settings::RoutineSettings)| Routine {
        name: name.clone(),
        phrases: routine.phrases.clone(),
        commands: routine.commands.clone(),
    };
    settings.list.iter().map(routine).collect()
}

/// The active profiles, if the settings ask for profiles at all.
fn profiles(replying: &ReplyingSettings) -> Result<Vec<Profile>, ReplyingConfigError> {
    match replying.persona {
        Persona::Unified => Ok(Vec::new()),
        Persona::Profiles if replying.profiles.is_empty() => {
            let names: Vec<&str> = Profile::ALL.iter().map(|profile| profile.value()).collect();
            Err(ReplyingConfigError::NoProfiles(names.join(", ")))
        }
        Persona::Profiles => Ok(replying.profiles.clone()),
    }
}

fn capitalised(word: &str) -> String {
    let mut chars = word.chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
}
