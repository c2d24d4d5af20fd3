//! The data that pages get. TypeScript types are generated from it.

mod fields; // the settings
mod places; // towns
mod privacy; // hosts contacted
mod attachment; // files of replies
mod activity; // questions, tools, what rings
mod tool_calls; // the log of calls
mod trace; // how a reply was made

use assistant::{DialogueMessage, ModelView, Participant, PullView};
use serde::Serialize;
use serde_json::Value;
use ts_rs::TS;
use vocabulary::{AssistantEvent, AssistantState, ReplyEvent, Ring, SpeechEvent, Stage, Trouble};

use activity::ToolOutcomeName;
pub use activity::{QuestionView, RingView};
pub use attachment::AttachmentView;
pub use fields::{DevicesView, FieldView, SettingsView, value_in};
pub use places::PlaceView;
pub use privacy::ContactView;
pub use tool_calls::LoggedCallView;
pub use trace::TraceView;

/// The activity of Jarvis.
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

/// The way a question came in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "lowercase")]
pub enum Origin {
    Voice,
    Satellite,
    Typed,
    Program,
}

impl From<&vocabulary::Origin> for Origin {
    fn from(origin: &vocabulary::Origin) -> Self {
        match origin {
            vocabulary::Origin::Voice => Self::Voice,
            vocabulary::Origin::Satellite => Self::Satellite,
            vocabulary::Origin::Typed => Self::Typed,
            vocabulary::Origin::Program => Self::Program,
        }
    }
}

/// A trouble as pages show it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
pub struct TroubleView {
    /// The part that has the trouble, in snake case.
    pub stage: String,
    /// The event, as a sentence.
    pub what: String,
    /// The remedy, as a sentence.
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

/// The one who said something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    User,
    Assistant,
}

/// A message of the conversation.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
pub struct MessageView {
    /// Microseconds since 1970. Unique; messages are ordered by it.
    pub id: i64,
    pub role: Role,
    pub text: String,
    /// When, as RFC 3339 in UTC.
    pub at: String,
    /// The way it came in, if known.
    pub origin: Option<Origin>,
}

impl From<DialogueMessage> for MessageView {
    fn from(DialogueMessage { content, channel }: DialogueMessage) -> Self {
        let at = jiff::Timestamp::from_microsecond(content.at_micros).unwrap_or(jiff::Timestamp::UNIX_EPOCH);
        let role = match content.participant {
            Participant::User => Role::User,
            Participant::Assistant => Role::Assistant,
        };
        Self {
            id: content.at_micros,
            role,
            text: content.text.0,
            at: at.to_string(),
            origin: vocabulary::Origin::from_name(&channel).map(|origin| (&origin).into()),
        }
    }
}

/// Everything that the conversation window needs when it opens.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ConversationView {
    pub name: String,
    pub state: StateName,
    pub is_ready: bool,
    pub is_muted: bool,
    /// `true` if the microphone is open, or would be if it were not muted.
    pub can_listen: bool,
    /// The talk key; empty when none works.
    pub talk_key: String,
    pub troubles: Vec<TroubleView>,
    /// The newest page, oldest first.
    pub messages: Vec<MessageView>,
    pub has_earlier: bool,
    /// The question that waits for an answer, with the reply that asks it.
    pub question: Option<(u64, QuestionView)>,
    /// Timers, alarms and reminders that ring or wait for the user, oldest first.
    pub rings: Vec<RingView>,
}

/// Everything that pages without a conversation need when they open.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct StatusView {
    pub state: StateName,
    pub is_muted: bool,
    /// `true` if the microphone is open, or would be if it were not muted.
    pub can_listen: bool,
    pub troubles: Vec<TroubleView>,
    /// Timers, alarms and reminders that ring or wait for the user, oldest first.
    pub rings: Vec<RingView>,
}

/// A page of earlier messages, oldest first.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct HistoryView {
    pub messages: Vec<MessageView>,
    pub has_earlier: bool,
}

/// An event for pages.
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
    /// Words that were recognised and not directed at us.
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
        replaces_previous: bool,
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
        attachments: Vec<AttachmentView>,
    },
    /// One short line about something that did not reach the user as it should.
    Note {
        reply: u64,
        text: String,
    },
    /// One short line about work that takes a while.
    Progress {
        reply: u64,
        text: String,
    },
    ToolStarted {
        reply: u64,
        call: String,
        tool: String,
    },
    ToolFinished {
        reply: u64,
        call: String,
        outcome: ToolOutcomeName,
    },
    Question {
        reply: u64,
        question: QuestionView,
    },
    /// The user answered; the reply settles the question.
    Answered {
        reply: u64,
        question: u64,
        text: String,
    },
    QuestionSettled {
        reply: u64,
        question: u64,
    },
    Traced {
        reply: u64,
        trace: Box<TraceView>,
    },
    /// A timer, alarm or reminder rings. One that rings already rings again.
    Rang {
        ring: RingView,
    },
    RingSettled {
        appointment: i64,
    },
    /// All that rings, after events were missed.
    Rings {
        rings: Vec<RingView>,
    },
    HotWindow {
        is_open: bool,
        secs: f64,
    },
    /// The answer is in a language that no installed voice speaks.
    VoiceMissing {
        language: String,
        download: Option<String>,
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
    /// A server that fetches a model got further, or ended.
    Pull {
        pull: PullView,
    },
    /// The tool servers are to be listed anew.
    ToolServersChanged,
    /// The talk key changed; empty when none works.
    TalkKey {
        name: String,
    },
}

impl EventView {
    /// Returns the events that a page needs after it missed some: the state, and for each stage whether it has a
    /// trouble.
    pub fn catching_up(
        state: AssistantState,
        is_muted: bool,
        troubles: &[Trouble],
        rings: &[Ring],
    ) -> Vec<Self> {
        let healthy =
            Stage::ALL.into_iter().filter(|stage| troubles.iter().all(|trouble| trouble.stage != *stage));
        let healthy = healthy.map(|stage| Self::Recovered { stage: stage_name(stage) });
        let failing = troubles.iter().map(|trouble| Self::Trouble { trouble: trouble.into() });
        let rings = Self::Rings { rings: rings.iter().map(RingView::from).collect() };
        let activity = [Self::State { state: state.into() }, Self::Muted { is_muted }, rings];
        activity.into_iter().chain(healthy).chain(failing).chain([Self::ToolServersChanged]).collect()
    }

    /// The view of an event, if the pages show it.
    pub fn from_event(event: &AssistantEvent) -> Option<Self> {
        Some(match event {
            AssistantEvent::State(state) => Self::State { state: (*state).into() },
            AssistantEvent::Ready => Self::Ready,
            // Silence is minus infinity, which JSON cannot represent.
            AssistantEvent::Level { dbfs } => Self::Level { dbfs: dbfs.max(-120.0) },
            AssistantEvent::Partial { utterance, text } => {
                Self::Partial { utterance: utterance.0, text: text.clone() }
            }
            AssistantEvent::Overheard { utterance, text, is_echo } => {
                Self::Overheard { utterance: utterance.0, text: text.clone(), is_echo: *is_echo }
            }
            AssistantEvent::Asked { reply, text, origin, replaces_previous } => Self::Asked {
                reply: reply.0,
                text: text.clone(),
                origin: origin.into(),
                at: jiff::Timestamp::now().to_string(),
                replaces_previous: *replaces_previous,
            },
            AssistantEvent::Reply { reply, event } => return Self::from_reply_event(reply.0, event),
            AssistantEvent::Answered { reply, answer } => {
                Self::Answered { reply: reply.0, question: answer.question.0, text: answer.text.0.clone() }
            }
            AssistantEvent::AppointmentRang(ring) => Self::Rang { ring: ring.into() },
            AssistantEvent::AppointmentSettled { appointment, .. } => {
                Self::RingSettled { appointment: *appointment }
            }
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
            AssistantEvent::VoiceMissing { language, download } => {
                Self::VoiceMissing { language: language.code().to_owned(), download: download.clone() }
            }
            AssistantEvent::ToolServersChanged => Self::ToolServersChanged,
            AssistantEvent::Trouble(trouble) => Self::Trouble { trouble: trouble.into() },
            AssistantEvent::Recovered(trouble) => Self::Recovered { stage: stage_name(trouble.stage) },
            AssistantEvent::Speech(SpeechEvent::Started { .. })
            | AssistantEvent::TalkKey { .. }
            | AssistantEvent::RecordingEnded => return None,
        })
    }

    fn from_reply_event(reply: u64, event: &ReplyEvent) -> Option<Self> {
        Some(match event {
            ReplyEvent::Delta { text } => Self::Delta { reply, text: text.clone() },
            ReplyEvent::Failed(trouble) => Self::Failed { reply, trouble: trouble.into() },
            ReplyEvent::Done(response) => {
                let text = response.text.as_deref().cloned().unwrap_or_default();
                let attachments = response.attachments.iter().map(AttachmentView::from).collect();
                Self::Done { reply, text, attachments }
            }
            ReplyEvent::Note { text } => Self::Note { reply, text: text.clone() },
            ReplyEvent::Progress { text } => Self::Progress { reply, text: text.clone() },
            ReplyEvent::ToolStarted { call, tool } => {
                Self::ToolStarted { reply, call: call.0.clone(), tool: tool.clone() }
            }
            ReplyEvent::ToolFinished { call, outcome } => {
                Self::ToolFinished { reply, call: call.0.clone(), outcome: (*outcome).into() }
            }
            ReplyEvent::Question(question) => Self::Question { reply, question: question.into() },
            ReplyEvent::QuestionSettled { question } => Self::QuestionSettled { reply, question: question.0 },
            ReplyEvent::Traced(trace) => Self::Traced { reply, trace: Box::new(trace.as_ref().into()) },
            // Pages show the text by deltas, and spoken sentences by events of the voice.
            ReplyEvent::Sentence { .. } => return None,
        })
    }
}

#[cfg(test)]
mod tests;
