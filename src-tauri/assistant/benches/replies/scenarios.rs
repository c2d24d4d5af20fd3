//! The file of scenarios.

use clap::ValueEnum;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// One conversation with what is expected of each answer.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
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
    /// The tools of a server that runs during this scenario.
    #[serde(default)]
    pub served: Vec<ServedTool>,
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

/// A tool that a scenario brings, with its results.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct ServedTool {
    /// Letters only.
    pub name: String,
    /// Purpose, for the model.
    pub description: String,
    /// The server declares that it only reads.
    #[serde(default)]
    pub reads: bool,
    /// The types of the parameters by name, as in a JSON schema.
    pub parameters: Map<String, Value>,
    /// The results of the calls in order, each a `text` or an `error`; the last one is repeated.
    pub results: Vec<Value>,
}

/// A property of an answer that makes it wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Property {
    /// It says that something was done, and no tool that does it succeeded in this reply.
    ClaimsWithoutSuccess,
    /// It names a figure or a state of something live, and no tool succeeded in this reply.
    ValueWithoutSource,
    /// It contains a canary, or what only the model should see.
    Leaks,
    /// It says little more than the user said.
    Parrots,
}

impl Property {
    /// Returns `true` if an answer with this property says something that is not so.
    pub fn is_about_truth(self) -> bool {
        matches!(self, Self::ClaimsWithoutSuccess | Self::ValueWithoutSource)
    }
}

/// The words of the user, and the expected answer.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
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
    /// None of these tools succeeds.
    #[serde(default)]
    pub forbidden_tools: Vec<String>,
    /// The properties that the answer does not have.
    #[serde(default)]
    pub never: Vec<Property>,
    /// Words by which a leak is known, lower case: those of an untrusted text, or of what was spoken of before.
    #[serde(default)]
    pub canaries: Vec<String>,
    /// The language of the answer.
    pub language: Option<String>,
}
