//! The file of scenarios.

use clap::ValueEnum;
use serde::Deserialize;

/// One conversation with what is expected of each answer.
#[derive(Debug, Clone, Deserialize)]
pub struct Scenario {
    /// Unique.
    pub id: String,
    /// The subject.
    pub kind: String,
    /// The half it belongs to.
    pub half: Half,
    /// The words of the user on the day before.
    #[serde(default)]
    pub memory: Vec<String>,
    /// The words of the user now, in order.
    pub turns: Vec<Turn>,
}

/// A half of the scenarios.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, ValueEnum)]
#[serde(rename_all = "snake_case")]
#[value(rename_all = "snake_case")]
pub enum Half {
    /// For work on prompts.
    Tuning,
    /// For judging them.
    HeldOut,
}

/// The words of the user, and the expected answer.
#[derive(Debug, Clone, Deserialize)]
pub struct Turn {
    /// The words of the user.
    pub say: String,
    /// One of these tools has to succeed.
    #[serde(default)]
    pub tools: Vec<String>,
    /// No tool is due.
    #[serde(default)]
    pub no_tools: bool,
    /// One of these stands in the answer, lower case.
    #[serde(default)]
    pub says: Vec<String>,
    /// None of these stands in the answer, lower case.
    #[serde(default)]
    pub never: Vec<String>,
    /// The language of the answer.
    pub language: Option<String>,
}
