//! What crosses to the pages: plain data, with names of its own, which TypeScript reads too.

use llm::{ProviderKind, ProviderReport, ProviderState};
use memory::{Said, Speaker};
use places::Place;
use serde::Serialize;
use serde_json::Value;
use settings::{Key, Kind, Settings};
use ts_rs::TS;
use vocabulary::{AssistantEvent, AssistantState, ReplyEvent, SpeechEvent, Stage, Trouble};

/// What Jarvis is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "lowercase")]
pub enum StateName {
    Idle,
    Listening,
    Thinking,
    Speaking,
    Muted,
    Error,
}

impl From<AssistantState> for StateName {
    fn from(state: AssistantState) -> Self {
        match state {
            AssistantState::Idle => Self::Idle,
            AssistantState::Listening => Self::Listening,
            AssistantState::Thinking => Self::Thinking,
            AssistantState::Speaking => Self::Speaking,
            AssistantState::Muted => Self::Muted,
            AssistantState::Error => Self::Error,
        }
    }
}

/// By which door a question came in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "lowercase")]
pub enum Origin {
    Voice,
    Typed,
    Loopback,
}

impl From<&vocabulary::Origin> for Origin {
    fn from(origin: &vocabulary::Origin) -> Self {
        match origin {
            vocabulary::Origin::Voice => Self::Voice,
            vocabulary::Origin::Typed => Self::Typed,
            vocabulary::Origin::Loopback => Self::Loopback,
        }
    }
}

/// Something a user should know of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
pub struct TroubleView {
    /// The part that is in trouble, as one word with underscores.
    pub stage: String,
    /// What happened, as a sentence.
    pub what: String,
    /// What to do, as a sentence.
    pub remedy: String,
}

impl From<&Trouble> for TroubleView {
    fn from(trouble: &Trouble) -> Self {
        Self {
            stage: stage_name(trouble.stage),
            what: trouble.message.clone(),
            remedy: trouble.remedy.clone(),
        }
    }
}

fn stage_name(stage: Stage) -> String {
    serde_json::to_value(stage).ok().and_then(|name| name.as_str().map(str::to_owned)).unwrap_or_default()
}

/// Who said something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    User,
    Assistant,
}

/// Something that was said.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
pub struct MessageView {
    /// Microseconds since 1970: orders messages and names them.
    pub id: i64,
    pub role: Role,
    pub text: String,
    /// When, as RFC 3339 in UTC.
    pub at: String,
    /// By which door it came in, where that is known.
    pub origin: Option<Origin>,
}

impl From<Said> for MessageView {
    fn from(said: Said) -> Self {
        let at = jiff::Timestamp::from_microsecond(said.at_micros).unwrap_or(jiff::Timestamp::UNIX_EPOCH);
        let role = match said.speaker {
            Speaker::User => Role::User,
            Speaker::Assistant => Role::Assistant,
        };
        Self { id: said.at_micros, role, text: said.text.0, at: at.to_string(), origin: None }
    }
}

/// The conversation window when it opens.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ConversationView {
    pub name: String,
    pub state: StateName,
    pub is_ready: bool,
    pub is_muted: bool,
    /// The microphone is open, or would be but for the mute.
    pub can_listen: bool,
    /// The key that talks from anywhere; empty when none works here.
    pub talk_key: String,
    pub troubles: Vec<TroubleView>,
    /// The newest page, oldest first.
    pub messages: Vec<MessageView>,
    pub has_earlier: bool,
}

/// What Jarvis is doing, for pages that show no conversation.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct StatusView {
    pub state: StateName,
    pub is_muted: bool,
    /// The microphone is open, or would be but for the mute.
    pub can_listen: bool,
    pub troubles: Vec<TroubleView>,
}

/// A page of earlier messages, oldest first.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct HistoryView {
    pub messages: Vec<MessageView>,
    pub has_earlier: bool,
}

/// Something happened.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[serde(tag = "type", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum EventView {
    State {
        state: StateName,
    },
    Ready,
    Muted {
        is_muted: bool,
    },
    Level {
        dbfs: f32,
    },
    Partial {
        utterance: u64,
        text: String,
    },
    /// Words that were understood and not meant for us.
    Overheard {
        utterance: u64,
        text: String,
        is_echo: bool,
    },
    Asked {
        reply: u64,
        text: String,
        origin: Origin,
        at: String,
    },
    Delta {
        reply: u64,
        text: String,
    },
    Sentence {
        reply: u64,
        text: String,
    },
    SpeechEnded {
        reply: u64,
    },
    Failed {
        reply: u64,
        trouble: TroubleView,
    },
    Done {
        reply: u64,
        text: String,
    },
    HotWindow {
        is_open: bool,
        secs: f64,
    },
    Trouble {
        trouble: TroubleView,
    },
    Recovered {
        stage: String,
    },
    Setting {
        path: String,
        #[ts(type = "unknown")]
        value: Value,
    },
    Model {
        model: ModelView,
    },
    /// The key that talks now; empty when none works.
    TalkKey {
        name: String,
    },
}

impl EventView {
    /// All that a page must know that missed what happened: what goes on now, and what is wrong with what.
    pub fn catching_up(state: AssistantState, is_muted: bool, troubles: &[Trouble]) -> Vec<Self> {
        let well =
            Stage::ALL.into_iter().filter(|stage| troubles.iter().all(|trouble| trouble.stage != *stage));
        let well = well.map(|stage| Self::Recovered { stage: stage_name(stage) });
        let ill = troubles.iter().map(|trouble| Self::Trouble { trouble: trouble.into() });
        let goings = [Self::State { state: state.into() }, Self::Muted { is_muted }];
        goings.into_iter().chain(well).chain(ill).collect()
    }

    /// The view of an event, if the pages show it.
    pub fn of(event: &AssistantEvent) -> Option<Self> {
        Some(match event {
            AssistantEvent::State(state) => Self::State { state: (*state).into() },
            AssistantEvent::Ready => Self::Ready,
            // Silence is minus infinity, which JSON cannot say.
            AssistantEvent::Level { dbfs } => Self::Level { dbfs: dbfs.max(-120.0) },
            AssistantEvent::Partial { utterance, text } => {
                Self::Partial { utterance: utterance.0, text: text.clone() }
            }
            AssistantEvent::Overheard { utterance, text, is_echo } => {
                Self::Overheard { utterance: utterance.0, text: text.clone(), is_echo: *is_echo }
            }
            AssistantEvent::Asked { reply, text, origin, .. } => Self::Asked {
                reply: reply.0,
                text: text.clone(),
                origin: origin.into(),
                at: jiff::Timestamp::now().to_string(),
            },
            AssistantEvent::Reply { reply, event } => match event {
                ReplyEvent::Delta { text } => Self::Delta { reply: reply.0, text: text.clone() },
                ReplyEvent::Failed(trouble) => Self::Failed { reply: reply.0, trouble: trouble.into() },
                ReplyEvent::Done(response) => {
                    let text = response.text.as_deref().cloned().unwrap_or_default();
                    Self::Done { reply: reply.0, text }
                }
                // The words are shown as deltas; what sounds is told by the voice.
                ReplyEvent::Sentence { .. } => return None,
            },
            AssistantEvent::Speech(SpeechEvent::Sentence { reply, text, .. }) => {
                Self::Sentence { reply: reply.0, text: text.clone() }
            }
            AssistantEvent::Speech(
                SpeechEvent::Finished { reply, .. } | SpeechEvent::Interrupted { reply, .. },
            ) => Self::SpeechEnded { reply: reply.0 },
            AssistantEvent::HotWindowOpened { lasts } => {
                Self::HotWindow { is_open: true, secs: lasts.as_secs_f64() }
            }
            AssistantEvent::HotWindowClosed => Self::HotWindow { is_open: false, secs: 0.0 },
            AssistantEvent::Trouble(trouble) => Self::Trouble { trouble: trouble.into() },
            AssistantEvent::Recovered(trouble) => Self::Recovered { stage: stage_name(trouble.stage) },
            AssistantEvent::Speech(SpeechEvent::Started { .. })
            | AssistantEvent::TalkKey { .. }
            | AssistantEvent::RecordingEnded
            | AssistantEvent::Summoned => return None,
        })
    }
}

/// What a setting takes, and so its control.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum FieldKind {
    Toggle,
    Whole { min: u64, max: u64, unit: String },
    Number { min: f64, max: f64, unit: String },
    Text,
    Choice { choices: Vec<String> },
    Words,
    Hotkey,
    Microphone,
    Speaker,
    Voice,
}

impl From<Kind> for FieldKind {
    fn from(kind: Kind) -> Self {
        match kind {
            Kind::Toggle => Self::Toggle,
            Kind::Whole { min, max, unit } => Self::Whole { min, max, unit: unit.to_owned() },
            Kind::Number { min, max, unit } => Self::Number { min, max, unit: unit.to_owned() },
            Kind::Text | Kind::Folder | Kind::TimeZone => Self::Text,
            Kind::Choice(choices) => {
                Self::Choice { choices: choices.iter().map(|choice| (*choice).to_owned()).collect() }
            }
            Kind::Words => Self::Words,
            Kind::Hotkey => Self::Hotkey,
            Kind::Microphone => Self::Microphone,
            Kind::Speaker => Self::Speaker,
            Kind::Voice => Self::Voice,
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
    /// The setting of this key as it is now.
    pub fn of(key: &Key, now: &Settings) -> Self {
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

/// The settings window when it opens.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
pub struct SettingsView {
    pub fields: Vec<FieldView>,
    pub troubles: Vec<TroubleView>,
}

impl SettingsView {
    pub fn of(now: &Settings, troubles: Vec<TroubleView>) -> Self {
        Self { fields: settings::KEYS.iter().map(|key| FieldView::of(key, now)).collect(), troubles }
    }
}

/// Something to choose.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
pub struct ChoiceView {
    /// What is stored.
    pub id: String,
    pub label: String,
}

/// The sound devices and the voices.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
pub struct DevicesView {
    pub microphones: Vec<ChoiceView>,
    pub speakers: Vec<ChoiceView>,
    pub voices: Vec<ChoiceView>,
}

/// How much of a model is here.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[serde(tag = "type", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum ModelStatus {
    Absent,
    Downloading { bytes: u64, total: u64, bytes_per_sec: u64 },
    Paused { bytes: u64, total: u64 },
    Checking,
    Ready,
    InUse,
    Failed { what: String, remedy: String },
    TooLarge { why: String },
}

/// A model of the catalogue.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ModelView {
    pub id: String,
    pub name: String,
    /// `speech`, `voice`, `language`, `embedding`, `voice_activity` or `runtime`.
    pub purpose: String,
    pub summary: String,
    pub languages: Vec<String>,
    pub licence: String,
    pub bytes: u64,
    pub ram_bytes: u64,
    pub is_recommended: bool,
    pub status: ModelStatus,
}

/// Somebody who could run the language model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ProviderView {
    /// What the setting `llm.provider` calls it.
    pub provider: String,
    pub label: String,
    /// An address, or the path of a model file.
    pub address: String,
    /// The preferred one first.
    pub models: Vec<String>,
    pub is_ready: bool,
    /// It is the one that answers.
    pub is_chosen: bool,
    /// What it is, or what is wrong and what to do.
    pub detail: String,
}

impl From<ProviderReport> for ProviderView {
    fn from(report: ProviderReport) -> Self {
        let (provider, label) = match report.provider {
            ProviderKind::Ollama => ("ollama", "Ollama"),
            ProviderKind::OpenAi => ("openai", "A server that speaks the OpenAI protocol"),
            ProviderKind::Embedded => ("embedded", "Jarvis itself"),
        };
        let (models, is_ready, detail) = match report.state {
            ProviderState::Ready { models, version } => {
                let version = version.map(|version| format!("Version {version}. ")).unwrap_or_default();
                let detail = match (report.is_chosen, models.first()) {
                    (true, Some(model)) => format!("{version}It answers with {model}."),
                    (false, _) if models.len() == 1 => format!("{version}It has one model."),
                    (_, _) => format!("{version}It has {} models.", models.len()),
                };
                (models, true, detail)
            }
            ProviderState::NotReady { problem, remedy } => {
                (Vec::new(), false, format!("{}. {remedy}", capitalised(&problem)))
            }
        };
        Self {
            provider: provider.to_owned(),
            label: label.to_owned(),
            address: report.place,
            models,
            is_ready,
            is_chosen: report.is_chosen,
            detail,
        }
    }
}

fn capitalised(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

/// A town.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct PlaceView {
    pub name: String,
    /// State or nation; may be empty.
    pub region: String,
    pub country: String,
    /// IANA name.
    pub time_zone: String,
    /// All of it, as it is told to the model.
    pub label: String,
}

impl From<Place> for PlaceView {
    fn from(place: Place) -> Self {
        Self {
            label: place.label(),
            name: place.name.to_owned(),
            region: place.region.to_owned(),
            country: place.country.to_owned(),
            time_zone: place.time_zone.to_owned(),
        }
    }
}

/// The models page.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ModelsView {
    pub memory_total: u64,
    pub memory_free: u64,
    pub disk_free: u64,
    pub folder: String,
    pub models: Vec<ModelView>,
    /// Everybody who could answer, in the order of preference.
    pub providers: Vec<ProviderView>,
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use ts_rs::Config;

    use super::*;
    use crate::error::CommandError;

    /// Compares the generated types with the files the pages are built from; `JARVIS_WRITE_TYPES=1` writes them.
    #[test]
    fn the_types_of_the_pages_are_up_to_date() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../ui/src/api/types");
        let config = Config::new().with_large_int("number");
        macro_rules! up_to_date {
            ($($view:ty),*) => {$(
                let text = <$view>::export_to_string(&config).unwrap();
                let file = folder.join(format!("{}.ts", stringify!($view)));
                if std::env::var_os("JARVIS_WRITE_TYPES").is_some() {
                    std::fs::write(&file, &text).unwrap();
                }
                let written = std::fs::read_to_string(&file).unwrap_or_default();
                assert_eq!(written, text, "{}: run this test with JARVIS_WRITE_TYPES=1", file.display());
            )*};
        }
        up_to_date!(
            StateName,
            Origin,
            TroubleView,
            Role,
            MessageView,
            ConversationView,
            StatusView,
            HistoryView,
            EventView,
            FieldKind,
            FieldView,
            SettingsView,
            ChoiceView,
            DevicesView,
            ModelStatus,
            ModelView,
            ProviderView,
            ModelsView,
            PlaceView,
            CommandError
        );
    }

    #[test]
    fn silence_is_a_level_that_json_can_say() {
        let view = EventView::of(&AssistantEvent::Level { dbfs: f32::NEG_INFINITY }).unwrap();

        assert_eq!(serde_json::to_string(&view).unwrap(), r#"{"type":"level","dbfs":-120.0}"#);
    }

    #[test]
    fn a_field_says_what_was_changed() {
        let mut now = Settings::default();
        now.audio.volume = 0.5;

        let field = FieldView::of(Key::of("audio.volume").unwrap(), &now);

        assert!(field.is_changed);
        assert_eq!((field.value, field.section_label.as_str()), (Value::from(0.5), "Sound"));
    }
}
