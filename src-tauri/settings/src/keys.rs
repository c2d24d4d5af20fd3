//! Every key with its label, help, unit and range, for the settings window and for the validation of the file.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::path::Path;

use serde_json::Value;

use crate::programs::ProgramKey;
use crate::routines::RoutineSettings;
use crate::sections::ServerSettings;

use crate::choices::{
    Choice, ContextPosition, Contrast, Embeddings, ForModel, Persona, Preparation, Profile, ProtocolChoice,
    Provider, SelectionStrategy, SizeChoice, Theme, TrayIcon, ValidationShape,
};

/// What values a key takes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Kind {
    /// `true` or `false`.
    Toggle,
    /// A whole number within a range.
    Whole {
        /// The smallest value.
        min: u64,
        /// The largest value.
        max: u64,
        /// What it counts.
        unit: &'static str,
    },
    /// A number within a range.
    Number {
        /// The smallest value.
        min: f64,
        /// The largest value.
        max: f64,
        /// What it measures; empty for plain ratios.
        unit: &'static str,
    },
    /// Any text.
    Text,
    /// The full path of a folder; empty means the default folder.
    Folder,
    /// One of these.
    Choice(&'static [Choice]),
    /// A list of these.
    Several(&'static [Choice]),
    /// A list of texts.
    Words,
    /// Servers of tools by name, each with the fields of [`crate::ServerSettings`].
    Servers,
    /// Keys of other programs by name, each with the fields of [`crate::ProgramKey`].
    ProgramKeys,
    /// Routines by name, each with the fields of [`crate::RoutineSettings`].
    Routines,
    /// Keys pressed together, such as `Ctrl+Shift+Space`; empty means none.
    Hotkey,
    /// Part of a microphone's name.
    Microphone,
    /// Part of a speaker's name.
    Loudspeaker,
    /// The id of a voice.
    Voice,
    /// IANA name of a time zone; empty means the system's.
    TimeZone,
}

/// A key of the settings file, with the texts that the user reads.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Key {
    /// Section and name, such as `listening.wake_word`.
    pub path: &'static str,
    /// Its name on screen.
    pub label: &'static str,
    /// What it does, in one sentence.
    pub help: &'static str,
    /// Its values.
    pub kind: Kind,
}

/// A value that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{path} is {value}: use {remedy}")]
pub struct BadValue {
    /// The key.
    pub path: String,
    /// The value, shortened.
    pub value: String,
    /// The values it takes.
    pub remedy: String,
}

impl Key {
    /// The key of this path.
    pub fn of(path: &str) -> Option<&'static Self> {
        KEYS.iter().find(|key| key.path == path)
    }

    /// Section and name.
    pub(crate) fn parts(&self) -> (&'static str, &'static str) {
        self.path.split_once('.').expect("every path in the table has a section")
    }

    /// Checks a value.
    ///
    /// # Errors
    ///
    /// The values that the key takes.
    pub fn check(&self, value: &Value) -> Result<(), BadValue> {
        let fits = match self.kind {
            Kind::Toggle => value.is_boolean(),
            Kind::Whole { min, max, .. } => value.as_u64().is_some_and(|n| (min..=max).contains(&n)),
            Kind::Number { min, max, .. } => value.as_f64().is_some_and(|n| (min..=max).contains(&n)),
            Kind::Text | Kind::Hotkey | Kind::Microphone | Kind::Loudspeaker | Kind::Voice => {
                value.is_string()
            }
            Kind::Folder => {
                value.as_str().is_some_and(|path| path.is_empty() || Path::new(path).is_absolute())
            }
            Kind::Choice(choices) => is_one_of(choices, value),
            Kind::Several(choices) => value
                .as_array()
                .is_some_and(|values| values.iter().all(|value| is_one_of(choices, &trimmed(value)))),
            Kind::TimeZone => {
                value.as_str().is_some_and(|name| name.is_empty() || jiff::tz::TimeZone::get(name).is_ok())
            }
            Kind::Servers => {
                serde_json::from_value::<BTreeMap<String, ServerSettings>>(value.clone()).is_ok()
            }
            Kind::ProgramKeys => serde_json::from_value::<BTreeMap<String, ProgramKey>>(value.clone())
                .is_ok_and(|keys| keys.keys().all(|name| !name.is_empty() && !name.contains(':'))),
            Kind::Routines => serde_json::from_value::<BTreeMap<String, RoutineSettings>>(value.clone())
                .is_ok_and(|list| {
                    list.iter().all(|(name, routine)| !name.trim().is_empty() && routine.is_usable())
                }),
            Kind::Words => value.as_array().is_some_and(|words| words.iter().all(Value::is_string)),
        };
        if fits {
            return Ok(());
        }
        let shown: String = value.to_string().chars().take(60).collect();
        Err(BadValue { path: self.path.to_owned(), value: shown, remedy: self.remedy() })
    }

    /// A valid value as the settings read it: without blanks around the names of a list.
    pub(crate) fn normalised(&self, value: &Value) -> Value {
        match (self.kind, value) {
            (Kind::Several(_), Value::Array(names)) => names.iter().map(trimmed).collect(),
            _ => value.clone(),
        }
    }

    /// The values it takes, in words.
    pub fn remedy(&self) -> String {
        match self.kind {
            Kind::Toggle => "true or false".to_owned(),
            Kind::Whole { min, max, unit } => format!("a whole number from {min} to {max} {unit}"),
            Kind::Number { min, max, unit } => format!("a number from {min} to {max} {unit}"),
            Kind::Text => "a text".to_owned(),
            Kind::Folder => "the full path of a folder, or nothing".to_owned(),
            Kind::Hotkey => "keys such as Ctrl+Shift+Space, or nothing".to_owned(),
            Kind::Microphone | Kind::Loudspeaker => "part of a device's name, or nothing".to_owned(),
            Kind::TimeZone => "a name such as Europe/London, or nothing".to_owned(),
            Kind::Voice => "auto, system, or the name of a voice".to_owned(),
            Kind::Choice(choices) => format!("one of {}", list(choices)),
            Kind::Several(choices) => format!("a list of {}", list(choices)),
            Kind::Words => "a list of texts".to_owned(),
            Kind::ProgramKeys => "what `jarvis programs add` stores".to_owned(),
            Kind::Routines => {
                r#"routines by name, each with a phrase and 1 to 20 commands, such as {"night": {"phrases": ["good night"], "commands": ["pause the music"]}}"#
                    .to_owned()
            }
            Kind::Servers => {
                r#"servers by name, such as {"files": {"command": "npx", "args": ["-y", "server"]}}"#
                    .to_owned()
            }
        }
        .trim_end()
        .to_owned()
    }
}

fn trimmed(value: &Value) -> Value {
    value.as_str().map_or_else(|| value.clone(), |text| text.trim().into())
}

fn is_one_of(choices: &[Choice], value: &Value) -> bool {
    value.as_str().is_some_and(|text| choices.iter().any(|choice| choice.value == text))
}

fn list(choices: &[Choice]) -> String {
    choices.iter().map(|choice| choice.value).collect::<Vec<_>>().join(", ")
}

const fn key(path: &'static str, label: &'static str, help: &'static str, kind: Kind) -> Key {
    Key { path, label, help, kind }
}

const fn millis(min: u64, max: u64) -> Kind {
    Kind::Whole { min, max, unit: "ms" }
}

const fn secs(min: f64, max: f64) -> Kind {
    Kind::Number { min, max, unit: "s" }
}

const fn ratio(min: f64, max: f64) -> Kind {
    Kind::Number { min, max, unit: "" }
}

/// Slower or faster speech is hard to understand. Source: our own ears, with the voices of the catalogue.
pub const SPEAKING_SPEED: RangeInclusive<f64> = 0.5..=2.5;

const SPEEDS: Kind = ratio(*SPEAKING_SPEED.start(), *SPEAKING_SPEED.end());

/// The languages that Jarvis may answer in, whatever it is asked in: every one that has data, by its own name.
const LANGUAGES: &[Choice] = &{
    let mut choices = [Choice { value: "auto", label: "Automatic" }; languages::NAMES.len() + 1];
    let mut at = 0;
    while at < languages::NAMES.len() {
        let (value, label) = languages::NAMES[at];
        choices[at + 1] = Choice { value, label };
        at += 1;
    }
    choices
};

/// All keys, in the order of the settings window.
pub const KEYS: &[Key] = &[
    key("audio.microphone", "Microphone", "The microphone Jarvis hears you with.", Kind::Microphone),
    key("audio.speaker", "Speaker", "The speaker that plays the voice of Jarvis.", Kind::Loudspeaker),
    key("audio.volume", "Voice volume", "How loud Jarvis speaks.", ratio(0.0, 1.0)),
    key(
        "hearing.speech_model",
        "Speech model",
        "Model that turns speech into text; auto takes the best one installed.",
        Kind::Text,
    ),
    key(
        "hearing.language",
        "Spoken language",
        "Two-letter code of the language you speak; auto detects it each time.",
        Kind::Text,
    ),
    key(
        "hearing.endpoint_silence_ms",
        "Longest pause",
        "A pause this long always ends what you say.",
        millis(100, 5000),
    ),
    key(
        "hearing.early_endpoint_ms",
        "Shortest pause",
        "A pause this long ends what you say when it sounds complete.",
        millis(100, 5000),
    ),
    key(
        "hearing.max_utterance_ms",
        "Longest utterance",
        "Longer speech is split here.",
        millis(1000, 60_000),
    ),
    key(
        "hearing.max_utterance_while_speaking_ms",
        "Longest utterance while speaking",
        "The same while Jarvis speaks.",
        millis(500, 10_000),
    ),
    key("hearing.pre_roll_ms", "Pre-roll", "Sound kept from before speech was noticed.", millis(0, 1000)),
    key("hearing.min_utterance_ms", "Shortest utterance", "Shorter sounds count as noise.", millis(0, 2000)),
    key(
        "hearing.min_confidence",
        "Minimum confidence",
        "Words recognised with less confidence are ignored.",
        ratio(0.0, 1.0),
    ),
    key(
        "hearing.no_speech_threshold",
        "No-speech threshold",
        "Words at least this likely not to be speech are ignored.",
        ratio(0.0, 1.0),
    ),
    key(
        "hearing.threads",
        "Recognition threads",
        "Processor threads for speech recognition; 0 chooses for this machine.",
        Kind::Whole { min: 0, max: 64, unit: "threads" },
    ),
    key("listening.enabled", "Listen", "Listen to the microphone.", Kind::Toggle),
    key("listening.wake_word", "Wake word", "The name you call Jarvis by.", Kind::Text),
    key(
        "listening.wake_aliases",
        "Misheard names",
        "What speech recognition tends to write instead of the name.",
        Kind::Words,
    ),
    key(
        "listening.wake_fuzzy_ratio",
        "Name similarity",
        "How similar a word must be to the name.",
        ratio(0.5, 1.0),
    ),
    key(
        "listening.hot_window_secs",
        "Follow-up time",
        "How long after a reply a follow-up needs no wake word; 0 turns it off.",
        secs(0.0, 30.0),
    ),
    key(
        "listening.echo_tolerance_secs",
        "Echo time",
        "How long after Jarvis spoke its echo may still arrive.",
        secs(0.0, 2.0),
    ),
    key(
        "listening.echo_energy_threshold",
        "Echo loudness",
        "How many times louder than the room an echo of Jarvis can be right after it spoke; the room is measured.",
        ratio(0.0, 10.0),
    ),
    key("listening.stop_words", "Stop words", "Words that stop a reply.", Kind::Words),
    key(
        "listening.stop_fuzzy_ratio",
        "Stop word similarity",
        "How similar a word must be to a stop word.",
        ratio(0.5, 1.0),
    ),
    key(
        "replying.context_position",
        "Time and place line",
        "Where in the prompt time and place stand: the newest message is faster than the start.",
        Kind::Choice(ContextPosition::CHOICES),
    ),
    key(
        "replying.fast_path",
        "Answer plain requests at once",
        "Time, timers, sums and the like are answered by rules, without the language model.",
        Kind::Toggle,
    ),
    key(
        "replying.preparation",
        "Preparation",
        "How tools are chosen before an answer: local asks no model, combined asks once, staged up to three times.",
        Kind::Choice(Preparation::CHOICES),
    ),
    key(
        "replying.tool_protocol",
        "Tool calls",
        "How the model calls tools; auto follows what the model and its provider can do.",
        Kind::Choice(ProtocolChoice::CHOICES),
    ),
    key(
        "replying.model_size",
        "Model size",
        "Small models get shorter prompts and more help; auto goes by the number of parameters.",
        Kind::Choice(SizeChoice::CHOICES),
    ),
    key(
        "replying.persona",
        "Persona",
        "unified answers everything in one manner; profiles chooses one for each request, which takes a model call.",
        Kind::Choice(Persona::CHOICES),
    ),
    key(
        "replying.profiles",
        "Profiles",
        "Which profiles may answer: developer, business, life. The first stands in where none is chosen.",
        Kind::Several(Profile::CHOICES),
    ),
    key(
        "replying.profile_timeout_secs",
        "Profile time",
        "How long choosing a profile may take; then the last one answers.",
        secs(5.0, 120.0),
    ),
    key(
        "replying.max_turns",
        "Most turns",
        "How often model and tools may take turns in one reply.",
        Kind::Whole { min: 1, max: 30, unit: "turns" },
    ),
    key(
        "replying.planner",
        "Plan requests",
        "Write a plan of a few steps before the answer, where the preparation is staged.",
        Kind::Toggle,
    ),
    key(
        "replying.planner_timeout_secs",
        "Planner time",
        "How long a plan may take; without one the reply goes on.",
        secs(1.0, 60.0),
    ),
    key(
        "replying.router_timeout_secs",
        "Router time",
        "How long choosing tools by a model may take; then words decide.",
        secs(1.0, 300.0),
    ),
    key(
        "replying.digest_timeout_secs",
        "Digest time",
        "How long shortening a text may take; then it is used as it is.",
        secs(1.0, 60.0),
    ),
    key(
        "replying.memory_digest",
        "Shorten memory",
        "Have the model shorten what memory found before it answers; auto does so for small models.",
        Kind::Choice(ForModel::CHOICES),
    ),
    key(
        "replying.tool_digest",
        "Shorten tool results",
        "Have the model shorten what tools return before it answers; auto does so for small models.",
        Kind::Choice(ForModel::CHOICES),
    ),
    key(
        "replying.carry_over_replies",
        "Tool results kept",
        "How many earlier replies keep their tool results for follow-up questions.",
        Kind::Whole { min: 0, max: 10, unit: "replies" },
    ),
    key(
        "replying.carry_over_chars",
        "Length of kept results",
        "How much of a kept tool result the model sees again.",
        Kind::Whole { min: 200, max: 8_000, unit: "characters" },
    ),
    key(
        "replying.language",
        "Language of answers",
        "auto answers in the language of each question; a language that is chosen here is always used.",
        Kind::Choice(LANGUAGES),
    ),
    key(
        "replying.timeout_secs",
        "Longest reply time",
        "How long a reply may take before it is stopped.",
        secs(5.0, 600.0),
    ),
    key(
        "tools.selection_strategy",
        "Choice of tools",
        "How the tools for a question are chosen: hybrid goes by words and meaning, llm asks the language model, all offers every tool.",
        Kind::Choice(SelectionStrategy::CHOICES),
    ),
    key(
        "tools.allowed",
        "Tools that never ask",
        "Names of tools, or of their servers, that run without asking you.",
        Kind::Words,
    ),
    key(
        "tools.asked",
        "Tools that ask",
        "Names of tools, or of their servers, that always ask you first.",
        Kind::Words,
    ),
    key(
        "tools.denied",
        "Forbidden tools",
        "Names of tools, or of their servers, that never run, whatever else is set.",
        Kind::Words,
    ),
    key(
        "tools.search_max_calls",
        "Searches for tools",
        "How often one reply may search for further tools; 0 offers no search.",
        Kind::Whole { min: 0, max: 20, unit: "searches" },
    ),
    key(
        "routines.list",
        "Routines",
        "Commands that are carried out one after the other when you say a phrase.",
        Kind::Routines,
    ),
    key("speaking.enabled", "Speak replies", "Speak replies to spoken questions.", Kind::Toggle),
    key("speaking.voice", "Voice", "The voice Jarvis speaks with.", Kind::Voice),
    key("speaking.speed", "Speaking speed", "1 is the voice's own speed, 2 twice as fast.", SPEEDS),
    key(
        "llm.provider",
        "Language model provider",
        "What runs the language model; auto takes the first that is ready.",
        Kind::Choice(Provider::CHOICES),
    ),
    key(
        "llm.base_url",
        "Provider address",
        "Address of the provider; empty means its default address on this machine.",
        Kind::Text,
    ),
    key("llm.chat_model", "Chat model", "Model that answers; empty lets Jarvis choose.", Kind::Text),
    key(
        "llm.fast_model",
        "Helper model",
        "Model for short helper tasks, such as filing facts; empty means the chat model.",
        Kind::Text,
    ),
    key(
        "llm.context_tokens",
        "Context",
        "How much text the model takes into account. Jarvis itself and Ollama use this size; other servers keep the one they were started with.",
        Kind::Whole { min: 1024, max: 131_072, unit: "tokens" },
    ),
    key(
        "llm.max_reply_tokens",
        "Longest reply",
        "How long a reply may get.",
        Kind::Whole { min: 16, max: 32_768, unit: "tokens" },
    ),
    key("llm.temperature", "Temperature", "Randomness of replies.", ratio(0.0, 2.0)),
    key(
        "llm.silence_timeout_secs",
        "Provider silence",
        "How long to wait while the provider sends nothing.",
        secs(1.0, 600.0),
    ),
    key(
        "memory.remember",
        "Remember conversations",
        "Stores what is said, on this machine only; without it, everything is forgotten when Jarvis ends.",
        Kind::Toggle,
    ),
    key(
        "memory.recall",
        "Use memory in replies",
        "Gives the language model what you said before, where it fits the question.",
        Kind::Toggle,
    ),
    key(
        "memory.diary",
        "Keep a diary",
        "Summarises what was said, and learns facts from it, while nobody speaks.",
        Kind::Toggle,
    ),
    key(
        "memory.embeddings",
        "Find by meaning",
        "Finds texts that say the same in other words: with a small model on this machine, with the language-model provider, or not at all.",
        Kind::Choice(Embeddings::CHOICES),
    ),
    key(
        "memory.embedding_model",
        "Provider's embedding model",
        "Its name at the provider; empty means nomic-embed-text.",
        Kind::Text,
    ),
    key(
        "memory.backups",
        "Daily backups",
        "Copies the memory every day and keeps some of them.",
        Kind::Toggle,
    ),
    key(
        "memory.dialogue_window_secs",
        "Dialogue time",
        "How long after the last message a conversation continues.",
        Kind::Whole { min: 30, max: 3600, unit: "s" },
    ),
    key(
        "location.place",
        "Place",
        "Where you are, for the language model; empty tells it nothing.",
        Kind::Text,
    ),
    key(
        "location.time_zone",
        "Time zone",
        "IANA name such as Europe/London; empty means the system's.",
        Kind::TimeZone,
    ),
    key(
        "web.offline",
        "Work offline",
        "Contact no other computer: no search, no weather, no downloads, no server elsewhere. Programs that you added as tool servers are not stopped.",
        Kind::Toggle,
    ),
    key("web.search", "Search the web", "Let Jarvis search the web when you ask for it.", Kind::Toggle),
    key(
        "web.wikipedia",
        "Ask Wikipedia",
        "Ask Wikipedia when a search of the web finds nothing.",
        Kind::Toggle,
    ),
    key(
        "mcp.servers",
        "Tool servers",
        "Servers that give Jarvis more tools over the Model Context Protocol.",
        Kind::Servers,
    ),
    key(
        "programs.enabled",
        "Let other programs ask",
        "Programs with a key of their own may ask Jarvis, and use what you allow them, over HTTP on this computer.",
        Kind::Toggle,
    ),
    key(
        "programs.port",
        "Port",
        "The port that these programs connect to.",
        Kind::Whole { min: 1, max: 65535, unit: "" },
    ),
    key(
        "programs.from_network",
        "From other computers, too",
        "Not encrypted: everybody in your network who sees the traffic sees the keys and all that is said. Switch this on only in a network that you trust.",
        Kind::Toggle,
    ),
    key(
        "programs.hosts",
        "Names of this computer",
        "The names and addresses by which other computers reach this one, such as jarvis.local; others are refused.",
        Kind::Words,
    ),
    key(
        "programs.requests_per_minute",
        "Requests in a minute",
        "How many requests of one program are answered in a minute; more are refused.",
        Kind::Whole { min: 1, max: 6000, unit: "" },
    ),
    key(
        "programs.unstarted",
        "Nodes need no start",
        "Voice nodes may send an utterance without having started a conversation.",
        Kind::Toggle,
    ),
    key(
        "programs.empty_lists",
        "Empty lists for nodes",
        "Voice nodes are told that there are no calls by an empty list: some versions expect that.",
        Kind::Toggle,
    ),
    key("programs.keys", "Keys", "The programs that may ask, and what each may do.", Kind::ProgramKeys),
    key(
        "command_center.enabled",
        "Use a Command Center",
        "A Command Center answers what you ask, in place of the language model here. It gets the words of your questions.",
        Kind::Toggle,
    ),
    key(
        "command_center.base_url",
        "Address",
        "Address of the Command Center, such as https://center.example; http only for this computer or for a private address in numbers.",
        Kind::Text,
    ),
    key(
        "command_center.node_id",
        "Node",
        "Name of this computer at the Command Center. Store its key with `jarvis settings secret command_center.node_key`.",
        Kind::Text,
    ),
    key(
        "command_center.room",
        "Room",
        "The room this computer stands in, for the Command Center; empty tells it nothing.",
        Kind::Text,
    ),
    key(
        "command_center.time_zone",
        "Time zone there",
        "IANA name such as Europe/London that the Command Center is told; empty means that of your location.",
        Kind::TimeZone,
    ),
    key(
        "command_center.exposed_tools",
        "Tools for the Command Center",
        "Names of tools, or of their servers, that the Command Center may call. Calls that change something ask you each time.",
        Kind::Words,
    ),
    key(
        "command_center.validation_shape",
        "Answers to its questions",
        "How your answer to a question of the Command Center is sent; only older servers expect a text.",
        Kind::Choice(ValidationShape::CHOICES),
    ),
    key(
        "command_center.offline_fallback",
        "Answer here when it is away",
        "When the Command Center cannot be reached, the language model here answers.",
        Kind::Toggle,
    ),
    key(
        "models.folder",
        "Models folder",
        "Full path of the model files; empty means the default folder. Files are not moved.",
        Kind::Folder,
    ),
    key(
        "models.idle_unload_mins",
        "Unload after",
        "How long models that Jarvis itself runs stay loaded while unused. Servers such as Ollama decide for themselves.",
        Kind::Number { min: 0.1, max: 1440.0, unit: "min" },
    ),
    key(
        "appearance.theme",
        "Theme",
        "Light or dark windows; system follows the desktop.",
        Kind::Choice(Theme::CHOICES),
    ),
    key(
        "appearance.contrast",
        "Contrast",
        "More contrast for tired or weak eyes; system follows the desktop.",
        Kind::Choice(Contrast::CHOICES),
    ),
    key(
        "appearance.zoom",
        "Zoom",
        "How large everything in the windows is drawn; Ctrl and + or - change it too, Ctrl and 0 resets it.",
        Kind::Whole { min: 50, max: 200, unit: "%" },
    ),
    key(
        "appearance.overlay",
        "Listening overlay",
        "Shows what Jarvis hears and says above other windows, unless the conversation is in front.",
        Kind::Toggle,
    ),
    key(
        "appearance.tray_icon",
        "Tray icon",
        "Drawn for a dark or a light panel; system follows the desktop.",
        Kind::Choice(TrayIcon::CHOICES),
    ),
    key(
        "appearance.software_rendering",
        "Draw without the graphics card",
        "For windows that stay blank or flicker; takes effect at the next start.",
        Kind::Toggle,
    ),
    key(
        "keys.talk",
        "Talk key",
        "Tap it anywhere to talk without the wake word, or hold it while you speak; empty means none.",
        Kind::Hotkey,
    ),
    key("startup.at_login", "Start at login", "Starts Jarvis in the tray when you log in.", Kind::Toggle),
];

/// The name of a section on screen.
pub fn section_label(section: &str) -> &str {
    match section {
        "audio" => "Sound",
        "hearing" => "Hearing",
        "listening" => "Wake word and listening",
        "replying" => "Replies",
        "tools" => "Tools",
        "routines" => "Routines",
        "speaking" => "Voice",
        "llm" => "Language model",
        "memory" => "Memory",
        "location" => "Location",
        "models" => "Model files",
        "appearance" => "Appearance",
        "keys" => "Keys",
        "startup" => "Starting",
        "web" => "Web",
        "mcp" => "Tool servers",
        "programs" => "Other programs",
        "command_center" => "Command Center",
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::Settings;

    #[test]
    fn every_setting_has_a_key_that_takes_its_default() {
        let defaults = serde_json::to_value(Settings::default()).unwrap();
        let mut settings = Vec::new();
        for (section, keys) in defaults.as_object().unwrap() {
            settings.extend(keys.as_object().unwrap().keys().map(|name| format!("{section}.{name}")));
        }

        let keys: Vec<&str> = KEYS.iter().map(|key| key.path).collect();
        assert_eq!(keys, settings);
        for key in KEYS {
            let (section, name) = key.parts();
            assert_ne!(section_label(section), section, "{section} has no name on screen");
            assert_eq!(key.check(&defaults[section][name]), Ok(()));
        }
    }

    #[test]
    fn every_choice_of_a_key_is_a_value_of_its_type() {
        for key in KEYS {
            let (section, name) = key.parts();
            let values: Vec<Value> = match key.kind {
                Kind::Choice(choices) => choices.iter().map(|choice| json!(choice.value)).collect(),
                Kind::Several(choices) => choices.iter().map(|choice| json!([choice.value])).collect(),
                _ => Vec::new(),
            };
            for value in values {
                let settings = serde_json::from_value::<Settings>(json!({ section: { name: value } }));

                let read = serde_json::to_value(settings.unwrap()).unwrap();
                assert_eq!((key.check(&value), &read[section][name]), (Ok(()), &value));
            }
        }
    }

    #[test]
    fn unknown_choice_names_its_key_and_all_values() {
        let refused = |path, value| Key::of(path).unwrap().check(&value).unwrap_err().to_string();

        assert_eq!(
            refused("llm.provider", json!("gpt4all")),
            "llm.provider is \"gpt4all\": use one of auto, ollama, openai, embedded"
        );
        assert_eq!(
            refused("replying.profiles", json!(["life", "chef"])),
            "replying.profiles is [\"life\",\"chef\"]: use a list of developer, business, life"
        );
    }

    #[test]
    fn bad_value_names_its_key_and_what_works() {
        let key = Key::of("listening.hot_window_secs").unwrap();

        let refused = key.check(&json!(90)).unwrap_err();

        assert_eq!(refused.to_string(), "listening.hot_window_secs is 90: use a number from 0 to 30 s");
    }

    #[test]
    fn relative_folder_is_refused() {
        let key = Key::of("models.folder").unwrap();

        assert_eq!(key.check(&json!(std::env::temp_dir())), Ok(()));
        assert_eq!(key.check(&json!("")), Ok(()));
        let refused = key.check(&json!("models")).unwrap_err();
        assert_eq!(refused.remedy, "the full path of a folder, or nothing");
    }

    #[test]
    fn unknown_time_zone_is_refused() {
        let key = Key::of("location.time_zone").unwrap();

        assert_eq!(key.check(&json!("Europe/London")), Ok(()));
        assert_eq!(key.check(&json!("")), Ok(()));
        assert!(key.check(&json!("Nowhere/Land")).is_err());
    }
}
