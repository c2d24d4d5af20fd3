//! Timers, alarms and reminders when they ring.

use jiff::Timestamp;

use crate::{Language, Private};

/// The thing that rings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RingKind {
    /// A duration is over.
    Timer,
    /// A time of day has come.
    Alarm,
    /// The user wanted to be reminded of something.
    Reminder,
}

/// An appointment that rings, until the user settles it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ring {
    /// The id of the appointment: names the ring in commands.
    pub appointment: i64,
    /// The thing that rings.
    pub kind: RingKind,
    /// The sentence that is shown and spoken, such as "Your tea timer is done."
    pub text: Private<String>,
    /// The language of that sentence.
    pub language: Language,
    /// When it was due.
    pub due_at: Timestamp,
    /// It could not ring in time, because Jarvis or the machine was off.
    pub is_missed: bool,
}

/// The way a ring was settled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RingOutcome {
    /// The user stopped it.
    Stopped,
    /// The user wants to be told again.
    Snoozed {
        /// When it rings again.
        until: Timestamp,
    },
    /// The appointment was changed, cancelled or forgotten elsewhere.
    Withdrawn,
}
