//! The file of questions. `tests/recall/README.md` describes its format.

use std::path::Path;

use clap::ValueEnum;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use serde::Deserialize;

/// Conversations and questions about them.
#[derive(Deserialize)]
pub struct Questions {
    format: String,
    pub conversations: Vec<Conversation>,
    pub questions: Vec<Question>,
}

#[derive(Deserialize)]
pub struct Conversation {
    pub id: String,
    /// Files without halves are for tuning as a whole.
    #[serde(default)]
    pub half: Half,
    pub turns: Vec<Turn>,
}

/// The half of a file that a conversation belongs to. Numbers are chosen on one half and judged on the other.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Deserialize, ValueEnum)]
#[serde(rename_all = "snake_case")]
#[value(rename_all = "snake_case")]
pub enum Half {
    #[default]
    Tuning,
    HeldOut,
}

#[derive(Deserialize)]
pub struct Turn {
    pub id: String,
    pub speaker: String,
    pub at: DateTime,
    pub text: String,
}

#[derive(Deserialize)]
pub struct Question {
    pub conversation: String,
    pub asked_at: DateTime,
    pub text: String,
    /// The turns that contain the answer; empty for unanswerable questions.
    pub evidence: Vec<String>,
    pub kind: String,
}

/// Reads a file of questions.
pub fn read(file: &Path) -> Questions {
    let json = std::fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    let questions: Questions =
        serde_json::from_str(&json).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    assert_eq!(questions.format, "jarvis-recall-1", "{}: another format", file.display());
    questions
}

/// A local time in microseconds, read as UTC: the zone does not matter here.
pub fn micros(at: DateTime) -> i64 {
    at.to_zoned(TimeZone::UTC).unwrap().timestamp().as_microsecond()
}
