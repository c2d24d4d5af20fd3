//! The way a reply was made, behind "How was this answered?".

use std::time::Duration;

use serde::Serialize;
use ts_rs::TS;
use vocabulary::{DeliveryTrace, ModelCall, ReplyPart, ReplyTrace, ToolCallTrace};

use super::activity::ToolOutcomeName;

/// The way a reply was made.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct TraceView {
    /// The language to answer in, as an ISO 639-1 code.
    pub language: Option<String>,
    /// The profile that answered, if there are profiles.
    pub profile: Option<String>,
    /// Rules understood the query, and no model was asked for an answer.
    pub is_by_rules: bool,
    /// The number of things that memory added.
    pub memories: usize,
    /// The time that the search of the memory took.
    pub recall_ms: f64,
    /// The steps of the plan.
    pub plan: Vec<String>,
    /// The questions to models, in order.
    pub models: Vec<ModelCallView>,
    /// The tools that ran, in order.
    pub tools: Vec<ToolCallView>,
    /// From the query to the end of the reply.
    pub took_ms: f64,
    /// The parts that arrived, if known.
    pub delivery: Option<DeliveryView>,
}

/// The parts of a reply that arrived.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct DeliveryView {
    pub is_shown: bool,
    pub is_spoken: bool,
    pub attachments: usize,
    /// The kinds of parts that did not arrive, each once.
    pub missing: Vec<PartName>,
}

/// A kind of thing that is delivered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "lowercase")]
pub enum PartName {
    Text,
    Voice,
    Image,
    File,
    Notice,
}

/// One question to a model.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ModelCallView {
    /// Its task: `answer`, `router` …
    pub role: String,
    pub model: String,
    /// It runs in our own worker.
    pub is_embedded: bool,
    pub took_ms: f64,
    /// Tokens that it read and wrote; 0 if it is not known.
    pub prompt_tokens: u32,
    pub completion_tokens: u32,
}

/// One call of a tool.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ToolCallView {
    pub tool: String,
    pub outcome: ToolOutcomeName,
    pub took_ms: f64,
}

impl From<&ReplyTrace> for TraceView {
    fn from(trace: &ReplyTrace) -> Self {
        let recall =
            trace.stages.iter().filter(|stage| stage.stage == "recall").map(|stage| stage.took).sum();
        Self {
            language: trace.language.as_ref().map(|language| language.code().to_owned()),
            profile: trace.profile.clone(),
            is_by_rules: trace.is_by_rules,
            memories: trace.memories,
            recall_ms: millis(recall),
            plan: trace.plan.iter().map(|step| step.0.clone()).collect(),
            models: trace.model_calls.iter().map(ModelCallView::from).collect(),
            tools: trace.tool_calls.iter().map(ToolCallView::from).collect(),
            took_ms: millis(trace.took),
            delivery: trace.delivery.as_ref().map(DeliveryView::from),
        }
    }
}

impl From<&DeliveryTrace> for DeliveryView {
    fn from(delivery: &DeliveryTrace) -> Self {
        Self {
            is_shown: delivery.is_shown,
            is_spoken: delivery.is_spoken,
            attachments: delivery.attachments,
            missing: delivery.missing.iter().copied().map(PartName::from).collect(),
        }
    }
}

impl From<ReplyPart> for PartName {
    fn from(part: ReplyPart) -> Self {
        match part {
            ReplyPart::Text => Self::Text,
            ReplyPart::Voice => Self::Voice,
            ReplyPart::Image => Self::Image,
            ReplyPart::File => Self::File,
            ReplyPart::Notice => Self::Notice,
        }
    }
}

impl From<&ModelCall> for ModelCallView {
    fn from(call: &ModelCall) -> Self {
        Self {
            role: call.role.clone(),
            model: call.model.clone(),
            is_embedded: call.is_embedded,
            took_ms: millis(call.took),
            prompt_tokens: call.prompt_tokens,
            completion_tokens: call.completion_tokens,
        }
    }
}

impl From<&ToolCallTrace> for ToolCallView {
    fn from(call: &ToolCallTrace) -> Self {
        Self { tool: call.tool.clone(), outcome: call.outcome.into(), took_ms: millis(call.took) }
    }
}

fn millis(took: Duration) -> f64 {
    took.as_secs_f64() * 1_000.0
}
