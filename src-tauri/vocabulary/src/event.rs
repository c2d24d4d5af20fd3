//! Everything observable, as one stream of events.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::{
    Answer, Language, Origin, Query, ReplyEvent, ReplyId, Ring, RingOutcome, SpeechEvent, Trouble,
    UtteranceId,
};

/// The activity of the assistant, in one word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AssistantState {
    /// Waiting for a query.
    Idle,
    /// The user speaks, or a follow-up needs no wake word now.
    Listening,
    /// A reply is being made.
    Thinking,
    /// The answer is being spoken.
    Speaking,
    /// The user muted the microphone.
    Muted,
    /// A part does not work, and the user can do something about it.
    Error,
}

/// One thing that happened. For observers: tray, terminal, log and tests. The window, and a caller that waits for a reply,
/// read streams of their own, which miss nothing.
#[derive(Debug, Clone, PartialEq)]
pub enum AssistantEvent {
    /// The state changed.
    State(AssistantState),
    /// The start is complete: typed and spoken queries are answered from here on.
    Ready,
    /// The level of the microphone, about ten times a second.
    Level {
        /// Decibels relative to full scale: `0.0` is the loudest possible.
        dbfs: f32,
    },
    /// Words while they are being spoken; later ones may differ.
    Partial {
        /// The utterance that the words belong to.
        utterance: UtteranceId,
        /// All words so far.
        text: String,
    },
    /// An utterance was recognised but not directed at us.
    Overheard {
        /// Its number in this run.
        utterance: UtteranceId,
        /// Its words: for the user's own screen only, never stored.
        text: String,
        /// It was our own voice coming back.
        is_echo: bool,
    },
    /// A query was accepted; its reply begins.
    Asked {
        /// The reply that answers it.
        reply: ReplyId,
        /// The query as the user put it.
        text: String,
        /// The place where the query came from.
        origin: Origin,
        /// It replaces the query before and its reply.
        replaces_previous: bool,
    },
    /// Something happened to a reply.
    Reply {
        /// The reply it belongs to.
        reply: ReplyId,
        /// One of its events.
        event: ReplyEvent,
    },
    /// The user answered the question of a reply. The reply settles the question itself.
    Answered {
        /// The reply that asked.
        reply: ReplyId,
        /// The answer so far.
        answer: Answer,
    },
    /// Our voice began or stopped.
    Speech(SpeechEvent),
    /// From now on a follow-up needs no wake word.
    HotWindowOpened {
        /// The time that it stays open.
        lasts: Duration,
    },
    /// The wake word is needed again.
    HotWindowClosed,
    /// The talk key started or stopped listening.
    TalkKey {
        /// `true` if the next words need no wake word.
        is_listening: bool,
    },
    /// The recording that is used as the microphone has ended.
    RecordingEnded,
    /// A reply is in a language that no installed voice speaks, so the voice of the system speaks it. Once per language.
    VoiceMissing {
        /// The language of the utterance.
        language: Language,
        /// The model to download for it; `None` if the catalogue has no voice of that language.
        download: Option<String>,
    },
    /// A timer, alarm or reminder rings. One that rings already rings again.
    AppointmentRang(Ring),
    /// It rings no more, and its card is done.
    AppointmentSettled {
        /// The appointment, as named by its ring.
        appointment: i64,
        /// The way it was settled.
        outcome: RingOutcome,
    },
    /// A server of tools stands otherwise than before, or its tools are others. Doors that show them look again.
    ToolServersChanged,
    /// A part does not work.
    Trouble(Trouble),
    /// A part works again.
    Recovered(Trouble),
}

impl AssistantEvent {
    /// The event that a query was accepted.
    pub fn asked(query: &Query) -> Self {
        Self::Asked {
            reply: query.reply,
            text: query.text.clone(),
            origin: query.origin.clone(),
            replaces_previous: query.replaces_previous,
        }
    }
}
