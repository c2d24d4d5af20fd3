//! The answers of the OpenAI interface on the wire.

use command_center::{WireAttachment, WireCall};
use serde::Serialize;
use utoipa::ToSchema;
use vocabulary::ToolOutcome;

/// The one model: Jarvis, with whatever language model the settings choose.
pub(super) const MODEL: &str = "jarvis";

/// The models.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ModelList {
    /// Always `list`.
    object: &'static str,
    data: Vec<ModelEntry>,
}

impl ModelList {
    /// The one model.
    pub fn new() -> Self {
        Self { object: "list", data: vec![ModelEntry::new()] }
    }
}

/// A model.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ModelEntry {
    id: &'static str,
    /// Always `model`.
    object: &'static str,
    /// Always 0.
    created: i64,
    owned_by: &'static str,
}

impl ModelEntry {
    /// The one model.
    pub fn new() -> Self {
        Self { id: MODEL, object: "model", created: 0, owned_by: "user" }
    }
}

/// A whole answer.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ChatCompletion {
    pub id: String,
    /// Always `chat.completion`.
    pub object: &'static str,
    /// In seconds since 1970.
    pub created: i64,
    pub model: &'static str,
    /// One.
    pub choices: Vec<Choice>,
    pub usage: UsageBody,
}

/// An answer of the model.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Choice {
    pub index: u32,
    pub message: AnswerMessage,
    /// `stop`, `length` or `tool_calls`.
    pub finish_reason: &'static str,
}

/// The message of an answer.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct AnswerMessage {
    /// Always `assistant`.
    pub role: &'static str,
    /// `null` if the client has a call to run, and nothing was said before it.
    #[schema(required)]
    pub content: Option<String>,
    /// A call that the client has to run.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub tool_calls: Option<Vec<WireCall>>,
    /// Files and pictures of the answer. An addition of Jarvis, which clients ignore that do not know it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub attachments: Option<Vec<WireAttachment>>,
}

/// The tokens of an answer.
#[derive(Debug, Clone, Copy, Serialize, ToSchema)]
pub(crate) struct UsageBody {
    pub prompt_tokens: u64,
    pub completion_tokens: u64,
    pub total_tokens: u64,
}

/// A part of an answer that is sent as it is made.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ChatChunk {
    pub id: String,
    /// Always `chat.completion.chunk`.
    pub object: &'static str,
    /// In seconds since 1970.
    pub created: i64,
    pub model: &'static str,
    /// One; none in the part with the tokens.
    pub choices: Vec<ChunkChoice>,
    /// Absent unless the client wants it; then `null` in every part but the last one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<UsageBody>, required = false)]
    pub usage: Option<Option<UsageBody>>,
}

/// A part of an answer of the model.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ChunkChoice {
    pub index: u32,
    pub delta: Delta,
    /// `stop`, `length` or `tool_calls` in the last part.
    #[schema(required)]
    pub finish_reason: Option<&'static str>,
}

/// The new text of a part.
#[derive(Debug, Default, Serialize, ToSchema)]
pub(crate) struct Delta {
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub role: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub content: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub tool_calls: Option<Vec<CallDelta>>,
    /// Tools of Jarvis that began or ended. An addition of Jarvis, which clients ignore that do not know it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub jarvis_tools: Option<Vec<OwnTool>>,
    /// Files and pictures of the answer. An addition of Jarvis, which clients ignore that do not know it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub attachments: Option<Vec<WireAttachment>>,
}

/// A call of a tool of Jarvis, which runs by itself.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub(crate) struct OwnTool {
    /// The same for the beginning and the end of a call.
    pub id: String,
    /// The name of the tool.
    pub name: String,
    pub state: OwnToolState,
}

/// The state of a call of a tool of Jarvis.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum OwnToolState {
    Started,
    Succeeded,
    Failed,
    /// A permission or the user did not allow it.
    Denied,
}

impl From<ToolOutcome> for OwnToolState {
    fn from(outcome: ToolOutcome) -> Self {
        match outcome {
            ToolOutcome::Succeeded => Self::Succeeded,
            ToolOutcome::Failed => Self::Failed,
            ToolOutcome::Denied => Self::Denied,
        }
    }
}

/// A call that the client has to run, in one part.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct CallDelta {
    pub index: u32,
    #[serde(flatten)]
    pub call: WireCall,
}
