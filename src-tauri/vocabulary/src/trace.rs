//! The way a reply was made: for the user who asks, and for those who look for a fault.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::{DeliveryTrace, Language, Private, ToolOutcome};

/// The way a reply was made.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ReplyTrace {
    /// The language to answer in, if known.
    pub language: Option<Language>,
    /// The profile that answered, if there are profiles.
    pub profile: Option<String>,
    /// The stages that it went through, in order.
    pub stages: Vec<StageTrace>,
    /// Rules understood the query, and no model was asked for an answer.
    pub is_by_rules: bool,
    /// The chooser of the tools: the strategy of selection, with `+plan` and `+carryover`. Empty if none was needed.
    pub selection: String,
    /// The tools that the model could call.
    pub tools: Vec<String>,
    /// The steps of the plan.
    pub plan: Vec<Private<String>>,
    /// The number of things that memory added to the prompt.
    pub memories: usize,
    /// The questions to models, in order.
    pub model_calls: Vec<ModelCall>,
    /// The tools that ran, in order.
    pub tool_calls: Vec<ToolCallTrace>,
    /// From the query to the end of the reply.
    pub took: Duration,
    /// The parts that arrived; `None` until the reply is delivered.
    pub delivery: Option<DeliveryTrace>,
}

/// One stage of a reply.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StageTrace {
    /// Its name: `rules`, `prepare`, `recall` or `loop`.
    pub stage: String,
    /// The time that it took.
    pub took: Duration,
}

/// One question to a model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelCall {
    /// Its task: `answer`, `router`, `planner` …
    pub role: String,
    /// The name of the model.
    pub model: String,
    /// It runs in our own worker, so nothing leaves the program.
    pub is_embedded: bool,
    /// The way it ended.
    #[serde(default)]
    pub outcome: ModelCallOutcome,
    /// The time that it took.
    pub took: Duration,
    /// Tokens that it read; 0 if the provider does not tell.
    pub prompt_tokens: u32,
    /// Tokens that it wrote; 0 if the provider does not tell.
    pub completion_tokens: u32,
}

/// The way a question to a model ended.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ModelCallOutcome {
    /// The model answered. Traces of earlier versions do not tell.
    #[default]
    Answered,
    /// The model failed.
    Failed,
    /// It was cut off: the reply was stopped, or the time for it was over.
    CutOff,
}

/// One call of a tool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolCallTrace {
    /// The name of the tool.
    pub tool: String,
    /// The way it ended.
    pub outcome: ToolOutcome,
    /// The time that it took.
    pub took: Duration,
}
