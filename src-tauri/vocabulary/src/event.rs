//! Everything observable, as one stream that every door, log and test reads.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::{Origin, ReplyEvent, ReplyId, SpeechEvent, Trouble, UtteranceId};

/// What the assistant is doing, as a person would say it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AssistantState {
    /// Waiting to be spoken to, or typed to.
    Idle,
    /// Somebody speaks, or a follow-up needs no wake word now.
    Listening,
    /// A query was understood; no sound or text of the answer yet.
    Thinking,
    /// The answer is being spoken.
    Speaking,
    /// The microphone is off because the user said so.
    Muted,
    /// Something is wrong that the user can mend.
    Error,
}

/// One thing that happened. The window, the terminal, the log, the trace and the tests all read the same.
#[derive(Debug, Clone, PartialEq)]
pub enum AssistantEvent {
    /// The state changed.
    State(AssistantState),
    /// Everything that can be ready is ready: typed and spoken queries are answered from here on.
    Ready,
    /// How loud the microphone is, about ten times a second: decibels relative to full scale.
    Level {
        /// `0.0` is the loudest possible.
        dbfs: f32,
    },
    /// Words while they are being spoken; later ones may differ.
    Partial {
        /// The utterance they belong to.
        utterance: UtteranceId,
        /// All words so far.
        text: String,
    },
    /// An utterance was recognised but was not meant for us.
    Overheard {
        /// The utterance.
        utterance: UtteranceId,
        /// Its words: for the listening person's own screen only, never stored.
        text: String,
        /// It was our own voice coming back.
        is_echo: bool,
    },
    /// A query was accepted; its reply begins.
    Asked {
        /// The reply that answers it.
        reply: ReplyId,
        /// What was asked, for the screen.
        text: String,
        /// How it came in.
        origin: Origin,
    },
    /// The reply grows.
    Reply {
        /// Which one.
        reply: ReplyId,
        /// What happened to it.
        event: ReplyEvent,
    },
    /// The voice speaks, or fell silent.
    Speech(SpeechEvent),
    /// From now on a follow-up needs no wake word.
    HotWindowOpened {
        /// For so long.
        lasts: Duration,
    },
    /// The wake word is needed again.
    HotWindowClosed,
    /// The talk key listens, or has done its work.
    TalkKey {
        /// It was tapped or is held, and what is said now needs no wake word.
        is_listening: bool,
    },
    /// The recording that stands for the microphone came to its end: nothing more will be heard.
    RecordingEnded,
    /// Something went wrong, with what to do about it.
    Trouble(Trouble),
    /// What went wrong is right again.
    Recovered(Trouble),
}
