//! The content of `answers.toml`: requests whose answer no model can know, and what answers claim.

use crate::tables::{List, WordList};

/// The patterns of one language about answers, in the notation of `sequences`. Besides words there are `{any}` (some words
/// or none), `{name}` (a few words, which are captured), `{thing}` and `{done}` (see below), `{begin}` and `{end}`.
#[derive(Debug)]
pub struct AnswerTable {
    /// Beginnings of requests that say nothing: "could you".
    pub openers: List<&'static str>,
    /// Whole requests for something that only a source outside can tell, wherever the pattern stands in them.
    pub live: List<(LiveTopic, List<&'static str>)>,
    /// Requests that only seem so: explanations, stories.
    pub not_live: List<&'static str>,
    /// Questions for the outcome of something, asked with a year.
    pub outcomes: List<&'static str>,
    /// Whole requests to do something in the world.
    pub actions: List<(WorldAction, List<&'static str>)>,
    /// Whole requests that only seem so.
    pub not_actions: List<&'static str>,
    /// Words in declarations of tools that do something in the world.
    pub tool_words: List<(WorldAction, &'static str)>,
    /// Words in declarations of tools that are sources of a topic.
    pub source_words: List<(LiveTopic, &'static str)>,
    /// `{thing}`: things that are set, sent or switched; `None` for those that Jarvis keeps itself. `|` stands between
    /// alternatives.
    pub things: List<(Option<WorldAction>, &'static str)>,
    /// `{done}`: participles such as "set" and "sent".
    pub done: &'static str,
    /// Claims that something was done, wherever the pattern stands in a sentence.
    pub claims: List<&'static str>,
    /// Sentences that only seem so.
    pub not_claims: List<&'static str>,
    /// Requests for a text of any content: a story, a translation.
    pub texts: List<&'static str>,
    /// Whole sentences without content: "The answer is".
    pub empty: List<&'static str>,
    /// Whole statements that introduce the user.
    pub introductions: List<(Introduction, List<&'static str>)>,
    /// Words that are no part of a name: "later".
    pub not_names: WordList,
    /// Whole questions for what was introduced.
    pub questions: List<(Introduction, List<&'static str>)>,
}

/// A topic about which only a source outside can tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LiveTopic {
    /// The weather.
    Weather,
    /// The news.
    News,
    /// Prices and rates.
    Prices,
    /// Results of sports and elections.
    Scores,
    /// Roads, and timetables of trains and buses.
    Traffic,
    /// Opening hours.
    OpeningHours,
    /// Outcomes in the future.
    Outcomes,
}

/// Something done in the world.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum WorldAction {
    /// Sending mail.
    Mail,
    /// Sending messages.
    Messages,
    /// Calling somebody.
    PhoneCalls,
    /// Switching lights and devices.
    Devices,
    /// Playing music.
    Music,
    /// Buying something.
    Purchases,
    /// Booking something.
    Bookings,
}

/// What somebody says about themselves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Introduction {
    /// Their name.
    OwnName,
    /// The place where they live.
    OwnPlace,
}

impl LiveTopic {
    /// All topics, with their names in files.
    pub const ALL: [(&'static str, Self); 7] = [
        ("weather", Self::Weather),
        ("news", Self::News),
        ("prices", Self::Prices),
        ("scores", Self::Scores),
        ("traffic", Self::Traffic),
        ("opening_hours", Self::OpeningHours),
        ("outcomes", Self::Outcomes),
    ];
}

impl WorldAction {
    /// All actions, with their names in files.
    pub const ALL: [(&'static str, Self); 7] = [
        ("mail", Self::Mail),
        ("messages", Self::Messages),
        ("calls", Self::PhoneCalls),
        ("devices", Self::Devices),
        ("music", Self::Music),
        ("purchases", Self::Purchases),
        ("bookings", Self::Bookings),
    ];
}

impl Introduction {
    /// Both, with their names in files.
    pub const ALL: [(&'static str, Self); 2] = [("name", Self::OwnName), ("place", Self::OwnPlace)];
}

/// The name of a value in files.
pub fn name_in<T: Copy + PartialEq>(all: &[(&'static str, T)], value: T) -> &'static str {
    all.iter().find(|(_, known)| *known == value).map_or("", |(name, _)| name)
}
