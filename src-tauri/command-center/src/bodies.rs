//! The bodies of requests and answers, as both roles write them. A door describes its interface with them.

use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use crate::command::Command;
use crate::declared_tool::DeclaredTool;
use crate::ids::NodeConversationId;
use crate::tool_result::ToolResult;

/// The begin of a conversation.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct StartRequest {
    /// Chosen by the node.
    #[schema(min_length = 1, pattern = r"\S")]
    pub conversation_id: String,
    /// The place of the node.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub node_context: Option<NodeContext>,
    /// The tools that the node runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(max_items = 200)]
    pub client_tools: Option<Vec<DeclaredTool>>,
    /// The same tools with the types of the Command Center protocol.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub available_commands: Option<Vec<Command>>,
}

/// The place of a node.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct NodeContext {
    /// An IANA zone. An unknown one counts as none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timezone: Option<String>,
    /// The room of the node.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub room: Option<String>,
}

/// An utterance.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct CommandRequest {
    /// The words.
    pub voice_command: String,
    /// A conversation that was started.
    pub conversation_id: String,
}

/// The results of calls, or the answer to a question. One of the two is there.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct ContinueRequest {
    /// The conversation with the open calls.
    pub conversation_id: String,
    /// The results.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_results: Option<Vec<ToolResult>>,
    /// The answer as a text, as older documents of the Command Center protocol have it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub validation_response: Option<String>,
}

impl ContinueRequest {
    /// The results of calls.
    pub(crate) fn with_results(id: &NodeConversationId, results: Vec<ToolResult>) -> Self {
        Self { conversation_id: id.0.clone(), tool_results: Some(results), validation_response: None }
    }
}

/// An utterance whose answer takes long.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct AcknowledgeRequest {
    /// The words.
    pub voice_command: String,
}

/// The end of a conversation.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct EndRequest {
    /// The conversation. One that is unknown is no mistake.
    pub conversation_id: String,
}

/// A conversation was begun, or is over.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct ConversationAnswer {
    /// `success` for a begin, `ok` for an end.
    pub status: String,
    /// The conversation.
    pub conversation_id: String,
}

/// The answer to an utterance or to results.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct CommandAnswer {
    /// Empty, or what went wrong.
    pub commands: Vec<CommandFailure>,
    /// The request that is answered.
    pub request_information: RequestInformation,
    /// `complete`, `tool_calls`, `validation_required`, `not_for_me` or `error`.
    pub stop_reason: String,
    /// For the user.
    #[schema(required)]
    pub assistant_message: Option<String>,
    /// The calls that the node is to run; `null` or empty if there are none.
    #[schema(required)]
    pub tool_calls: Option<Vec<WireCall>>,
    /// The question that the user is to answer.
    #[schema(required)]
    pub validation_request: Option<WireQuestion>,
    /// Files and pictures of a complete answer; absent if there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    pub attachments: Vec<WireAttachment>,
}

/// A file of an answer, which the caller fetches.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct WireAttachment {
    /// `image` or `file`.
    #[serde(rename = "type")]
    #[schema(rename = "type")]
    pub kind: String,
    /// The name of the file without any folder.
    pub filename: String,
    /// The media type, such as `image/png`.
    pub mime_type: String,
    /// Its size in bytes.
    pub size: usize,
    /// The words to show with it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub caption: Option<String>,
    /// The path to fetch it from, once and within ten minutes, with the same key.
    pub path: String,
}

/// An error of the engine.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct CommandFailure {
    /// Always `false`.
    pub success: bool,
    /// Always `null`.
    #[schema(required)]
    pub command_name: Option<String>,
    /// Always `null`.
    #[schema(required, value_type = Option<Object>)]
    pub parameters: Option<Value>,
    /// The error.
    pub errors: CommandErrors,
}

/// The kind of an error, and its words.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct CommandErrors {
    /// `llm_error` or `max_iterations_exceeded`.
    #[serde(rename = "type")]
    #[schema(rename = "type")]
    pub kind: String,
    /// For the user.
    pub message: String,
}

/// The request that an answer belongs to.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct RequestInformation {
    /// The words, or a placeholder for results.
    pub voice_command: String,
    /// The conversation.
    pub conversation_id: String,
}

/// A call that the caller has to run.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct WireCall {
    /// Its result names it.
    pub id: String,
    /// Always `function`.
    #[serde(rename = "type")]
    #[schema(rename = "type")]
    pub kind: String,
    /// The function that is called.
    pub function: CalledFunction,
}

/// A function and its arguments.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct CalledFunction {
    /// The name of the tool.
    pub name: String,
    /// A JSON object as a text.
    pub arguments: String,
}

impl WireCall {
    /// A call of a function with these arguments, a JSON object as a text.
    pub fn new(id: impl Into<String>, name: impl Into<String>, arguments: impl Into<String>) -> Self {
        let function = CalledFunction { name: name.into(), arguments: arguments.into() };
        Self { id: id.into(), kind: "function".to_owned(), function }
    }
}

/// A question to the user of the node.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct WireQuestion {
    /// In words for the user.
    pub question: String,
    /// The parameter that the answer is for.
    pub parameter_name: String,
    /// The answers to choose from.
    #[schema(required)]
    pub options: Option<Vec<String>>,
    /// The answer names it.
    pub tool_call_id: String,
}

/// A few words.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct Words {
    /// For the user.
    pub text: String,
}

/// The door is open.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct Health {
    /// Always `healthy`.
    pub status: String,
}

/// The answer to a ping.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct Pong {
    /// Always `pong`.
    pub message: String,
}

/// An error in words.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct Detail {
    /// The trouble and its remedy.
    pub detail: String,
}

/// The refusal of a route with a stream: the body is malformed, or the conversation is unknown.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
#[serde(untagged)]
pub enum StreamRefusal {
    /// The body is malformed.
    Malformed(MalformedBody),
    /// The conversation is unknown.
    Unknown(Detail),
}

/// The body cannot be read.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct MalformedBody {
    /// Always `validation_error`.
    pub error: String,
    /// The mistake in general.
    pub message: String,
    /// Each mistake with its place.
    pub details: Vec<String>,
}

impl MalformedBody {
    /// With these mistakes: `body -> field: reason`.
    pub fn new(details: Vec<String>) -> Self {
        Self { error: "validation_error".to_owned(), message: "the body is malformed".to_owned(), details }
    }
}
