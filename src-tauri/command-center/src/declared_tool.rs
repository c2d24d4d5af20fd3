//! The tools of a node on the wire.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

/// A function tool of the OpenAI interface.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct DeclaredTool {
    /// Always `function`.
    #[serde(rename = "type")]
    #[schema(rename = "type")]
    pub kind: String,
    /// The function that is declared.
    pub function: DeclaredFunction,
    /// `false` if the model has to call a tool instead of answering itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allow_direct_answer: Option<bool>,
    /// Words of requests for it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    pub keywords: Vec<String>,
    /// Requests for it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    pub examples: Vec<CommandExample>,
}

/// A function that can be called.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct DeclaredFunction {
    /// The name by which it is called.
    #[schema(min_length = 1, pattern = r"\S")]
    pub name: String,
    /// For the model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The JSON schema of its arguments.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub parameters: Option<Value>,
}

/// A request of a user, and the parameters that answer it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct CommandExample {
    /// The words of the user.
    pub voice_command: String,
    /// The parameters of the call.
    #[serde(default)]
    #[schema(value_type = Object)]
    pub expected_parameters: Value,
    /// `true` for the one that stands for all of them.
    #[serde(default)]
    pub is_primary: bool,
}
