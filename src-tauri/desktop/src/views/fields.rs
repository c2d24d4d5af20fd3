//! Settings as the settings window shows them.

use assistant::ChoiceView;
use serde::Serialize;
use serde_json::Value;
use settings::{Choice, Key, Settings, ValueKind};
use ts_rs::TS;

use super::TroubleView;

/// The type of a setting, which decides its control.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum FieldKind {
    Toggle,
    Whole { min: u64, max: u64, unit: String },
    Number { min: f64, max: f64, unit: String },
    Text,
    Choice { choices: Vec<ChoiceView> },
    Words,
    Servers,
    ProgramKeys,
    Routines,
    Hotkey,
    Microphone,
    Speaker,
    Voice,
}

impl From<ValueKind> for FieldKind {
    fn from(kind: ValueKind) -> Self {
        match kind {
            ValueKind::Toggle => Self::Toggle,
            ValueKind::Whole { min, max, unit } => Self::Whole { min, max, unit: unit.to_owned() },
            ValueKind::Number { min, max, unit } => Self::Number { min, max, unit: unit.to_owned() },
            ValueKind::Text | ValueKind::Folder | ValueKind::TimeZone => Self::Text,
            ValueKind::Choice(choices) => {
                let view =
                    |choice: &Choice| ChoiceView { id: choice.value.into(), label: choice.label.into() };
                Self::Choice { choices: choices.iter().map(view).collect() }
            }
            ValueKind::Words | ValueKind::Several(_) => Self::Words,
            ValueKind::Servers => Self::Servers,
            ValueKind::ProgramKeys => Self::ProgramKeys,
            ValueKind::Routines => Self::Routines,
            ValueKind::Hotkey => Self::Hotkey,
            ValueKind::Microphone => Self::Microphone,
            ValueKind::Loudspeaker => Self::Speaker,
            ValueKind::Voice => Self::Voice,
        }
    }
}

/// A setting.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct FieldView {
    pub path: String,
    pub section: String,
    pub section_label: String,
    pub label: String,
    pub help: String,
    pub kind: FieldKind,
    #[ts(type = "unknown")]
    pub value: Value,
    #[ts(type = "unknown")]
    pub default_value: Value,
    pub is_changed: bool,
}

impl FieldView {
    /// The field of a key with its present value.
    pub fn new(key: &Key, now: &Settings) -> Self {
        let value = value_in(now, key.path);
        let default_value = value_in(&Settings::default(), key.path);
        let section = key.path.split('.').next().unwrap_or_default();
        Self {
            path: key.path.to_owned(),
            section: section.to_owned(),
            section_label: settings::section_label(section).to_owned(),
            label: key.label.to_owned(),
            help: key.help.to_owned(),
            kind: key.kind.into(),
            is_changed: value != default_value,
            value,
            default_value,
        }
    }
}

/// One value of the settings.
pub fn value_in(settings: &Settings, path: &str) -> Value {
    let all = serde_json::to_value(settings).unwrap_or_default();
    let pointer = format!("/{}", path.replace('.', "/"));
    all.pointer(&pointer).cloned().unwrap_or_default()
}

/// Everything that the settings window needs when it opens.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
pub struct SettingsView {
    pub fields: Vec<FieldView>,
    pub troubles: Vec<TroubleView>,
}

impl SettingsView {
    pub fn new(now: &Settings, troubles: Vec<TroubleView>) -> Self {
        Self { fields: settings::KEYS.iter().map(|key| FieldView::new(key, now)).collect(), troubles }
    }
}

/// The sound devices and the voices.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
pub struct DevicesView {
    pub microphones: Vec<ChoiceView>,
    pub speakers: Vec<ChoiceView>,
    pub voices: Vec<ChoiceView>,
}
