//! Every key with its label, help, unit and range, for the settings window and for the validation of the file.

mod hearing;
mod replying;
mod knowledge;
mod others;
mod program;

use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::path::Path;

use serde_json::Value;

use crate::programs::ProgramKey;
use crate::routines::RoutineSettings;
use crate::sections::ServerSettings;

use crate::choices::Choice;

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

/// The keys, part by part, in the order of the settings window.
const PARTS: [&[Key]; 5] = [hearing::KEYS, replying::KEYS, knowledge::KEYS, others::KEYS, program::KEYS];

/// The number of keys.
const COUNT: usize = {
    let (mut count, mut part) = (0, 0);
    while part < PARTS.len() {
        count += PARTS[part].len();
        part += 1;
    }
    count
};

/// All keys, in the order of the settings window.
pub const KEYS: &[Key] = &{
    let mut keys = [PARTS[0][0]; COUNT];
    let (mut count, mut part) = (0, 0);
    while part < PARTS.len() {
        let mut at = 0;
        while at < PARTS[part].len() {
            keys[count] = PARTS[part][at];
            at += 1;
            count += 1;
        }
        part += 1;
    }
    keys
};

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
