//! A key of the settings file: its texts, and the values that it takes.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::path::Path;

use serde_json::Value;

use crate::choices::Choice;
use crate::programs::ProgramKey;
use crate::routines::RoutineSettings;
use crate::sections::ServerSettings;

/// The values that a key takes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ValueKind {
    /// `true` or `false`.
    Toggle,
    /// A whole number within a range.
    Whole {
        /// The smallest value.
        min: u64,
        /// The largest value.
        max: u64,
        /// The thing that it counts.
        unit: &'static str,
    },
    /// A number within a range.
    Number {
        /// The smallest value.
        min: f64,
        /// The largest value.
        max: f64,
        /// The unit of its measure; empty for plain ratios.
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
    /// Its effect, in one sentence.
    pub help: &'static str,
    /// Its values.
    pub kind: ValueKind,
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
            ValueKind::Toggle => value.is_boolean(),
            ValueKind::Whole { min, max, .. } => value.as_u64().is_some_and(|n| (min..=max).contains(&n)),
            ValueKind::Number { min, max, .. } => value.as_f64().is_some_and(|n| (min..=max).contains(&n)),
            ValueKind::Text
            | ValueKind::Hotkey
            | ValueKind::Microphone
            | ValueKind::Loudspeaker
            | ValueKind::Voice => value.is_string(),
            ValueKind::Folder => {
                value.as_str().is_some_and(|path| path.is_empty() || Path::new(path).is_absolute())
            }
            ValueKind::Choice(choices) => is_one_of(choices, value),
            ValueKind::Several(choices) => value
                .as_array()
                .is_some_and(|values| values.iter().all(|value| is_one_of(choices, &trimmed(value)))),
            ValueKind::TimeZone => {
                value.as_str().is_some_and(|name| name.is_empty() || jiff::tz::TimeZone::get(name).is_ok())
            }
            ValueKind::Servers => {
                serde_json::from_value::<BTreeMap<String, ServerSettings>>(value.clone()).is_ok()
            }
            ValueKind::ProgramKeys => serde_json::from_value::<BTreeMap<String, ProgramKey>>(value.clone())
                .is_ok_and(|keys| keys.keys().all(|name| !name.is_empty() && !name.contains(':'))),
            ValueKind::Routines => serde_json::from_value::<BTreeMap<String, RoutineSettings>>(value.clone())
                .is_ok_and(|list| {
                    list.iter().all(|(name, routine)| !name.trim().is_empty() && routine.is_usable())
                }),
            ValueKind::Words => value.as_array().is_some_and(|words| words.iter().all(Value::is_string)),
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
            (ValueKind::Several(_), Value::Array(names)) => names.iter().map(trimmed).collect(),
            _ => value.clone(),
        }
    }

    /// The values it takes, in words.
    pub fn remedy(&self) -> String {
        match self.kind {
            ValueKind::Toggle => "true or false".to_owned(),
            ValueKind::Whole { min, max, unit } => format!("a whole number from {min} to {max} {unit}"),
            ValueKind::Number { min, max, unit } => format!("a number from {min} to {max} {unit}"),
            ValueKind::Text => "a text".to_owned(),
            ValueKind::Folder => "the full path of a folder, or nothing".to_owned(),
            ValueKind::Hotkey => "keys such as Ctrl+Shift+Space, or nothing".to_owned(),
            ValueKind::Microphone | ValueKind::Loudspeaker => "part of a device's name, or nothing".to_owned(),
            ValueKind::TimeZone => "a name such as Europe/London, or nothing".to_owned(),
            ValueKind::Voice => "auto, system, or the name of a voice".to_owned(),
            ValueKind::Choice(choices) => format!("one of {}", list(choices)),
            ValueKind::Several(choices) => format!("a list of {}", list(choices)),
            ValueKind::Words => "a list of texts".to_owned(),
            ValueKind::ProgramKeys => "what `jarvis programs add` stores".to_owned(),
            ValueKind::Routines => {
                r#"routines by name, each with a phrase and 1 to 20 commands, such as {"night": {"phrases": ["good night"], "commands": ["pause the music"]}}"#
                    .to_owned()
            }
            ValueKind::Servers => {
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

pub(super) const fn key(path: &'static str, label: &'static str, help: &'static str, kind: ValueKind) -> Key {
    Key { path, label, help, kind }
}

pub(super) const fn millis(min: u64, max: u64) -> ValueKind {
    ValueKind::Whole { min, max, unit: "ms" }
}

pub(super) const fn secs(min: f64, max: f64) -> ValueKind {
    ValueKind::Number { min, max, unit: "s" }
}

pub(super) const fn ratio(min: f64, max: f64) -> ValueKind {
    ValueKind::Number { min, max, unit: "" }
}

/// Slower or faster speech is hard to understand. Source: our own ears, with the voices of the catalogue.
pub const SPEAKING_SPEED: RangeInclusive<f64> = 0.5..=2.5;

pub(super) const SPEEDS: ValueKind = ratio(*SPEAKING_SPEED.start(), *SPEAKING_SPEED.end());

/// The languages that Jarvis may answer in, whatever it is asked in: every one that has data, by its own name.
pub(super) const LANGUAGES: &[Choice] = &{
    let mut choices = [Choice { value: "auto", label: "Automatic" }; languages::NAMES.len() + 1];
    let mut at = 0;
    while at < languages::NAMES.len() {
        let (value, label) = languages::NAMES[at];
        choices[at + 1] = Choice { value, label };
        at += 1;
    }
    choices
};
