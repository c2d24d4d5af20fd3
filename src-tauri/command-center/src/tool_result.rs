//! The result of a tool call, as it is sent to the server.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use utoipa::ToSchema;

/// The answer of a command.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct CommandResponse {
    /// `false` if the command failed. An error makes it `false` too.
    pub success: bool,
    /// Data for the model. Its `message` is a sentence for the user.
    pub context_data: Option<Map<String, Value>>,
    /// The error, in words.
    pub error_details: Option<String>,
    /// Buttons for a screen.
    pub actions: Vec<Value>,
    /// The user is expected to say something next.
    pub wait_for_input: bool,
    /// The conversation is over, and the next utterance begins another one.
    pub clear_history: bool,
}

/// The end of a call on this side.
#[derive(Debug, Clone, PartialEq)]
pub enum ToolRun {
    /// The command answered.
    Answered(CommandResponse),
    /// The command broke off with this error.
    Raised(String),
    /// No command has this name.
    UnknownTool(String),
}

/// One entry of `tool_results`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ToolResult {
    /// The id of the call.
    pub tool_call_id: String,
    /// Any JSON: see [`ToolRun::output`] and [`validation_answer`](crate::validation_answer).
    pub output: Value,
}

impl ToolRun {
    /// The error of a call that failed; an unknown tool has none of its own.
    pub fn error(&self) -> Option<&str> {
        match self {
            Self::Answered(response) => response.error(),
            Self::Raised(error) => Some(error),
            Self::UnknownTool(_) => None,
        }
    }

    /// Returns `true` if the command did what it was asked for.
    pub fn is_success(&self) -> bool {
        matches!(self, Self::Answered(response) if response.success && response.error().is_none())
    }

    /// The `output` of the result. A `message` in the data moves out of it, for the user to hear.
    pub fn output(&self) -> Value {
        let failed = |error: String| json!({ "success": false, "error": error, "context": null });
        match self {
            Self::Answered(response) => response.output(self.is_success()),
            Self::Raised(error) => failed(error.clone()),
            Self::UnknownTool(name) => failed(format!("there is no tool named {name}")),
        }
    }

    /// The result with the id of its call.
    pub fn result(&self, tool_call_id: &str) -> ToolResult {
        ToolResult { tool_call_id: tool_call_id.to_owned(), output: self.output() }
    }
}

impl CommandResponse {
    /// The sentence for the user that the command supplied.
    pub fn message(&self) -> Option<&str> {
        self.context_data.as_ref()?.get("message")?.as_str()
    }

    fn error(&self) -> Option<&str> {
        self.error_details.as_deref().filter(|error| !error.is_empty())
    }

    fn output(&self, is_success: bool) -> Value {
        let message = self.message().map(str::to_owned);
        let mut context = self.context_data.clone().unwrap_or_default();
        if message.is_some() {
            context.shift_remove("message");
        }
        if !self.actions.is_empty() {
            context.insert("actions".to_owned(), Value::Array(self.actions.clone()));
        }
        let context = (message.is_some() || !context.is_empty()).then_some(context);
        let mut output = json!({ "success": is_success, "context": context, "error": self.error() });
        if let Some(message) = message {
            output["message"] = Value::String(message);
        }
        output
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    fn answered(response: Value) -> ToolRun {
        ToolRun::Answered(serde_json::from_value(response).unwrap())
    }

    #[rstest]
    #[case::data(json!({"success": true, "context_data": {"city": "Miami"}}), json!({"success": true, "context": {"city": "Miami"}, "error": null}))]
    #[case::no_data(json!({"success": true}), json!({"success": true, "context": null, "error": null}))]
    #[case::empty_data(json!({"success": true, "context_data": {}}), json!({"success": true, "context": null, "error": null}))]
    #[case::message(json!({"success": true, "context_data": {"message": "73°", "f": 73}}), json!({"success": true, "message": "73°", "context": {"f": 73}, "error": null}))]
    #[case::message_alone(json!({"success": true, "context_data": {"message": "73°"}}), json!({"success": true, "message": "73°", "context": {}, "error": null}))]
    #[case::message_that_is_no_text(json!({"success": true, "context_data": {"message": 3}}), json!({"success": true, "context": {"message": 3}, "error": null}))]
    #[case::error_forces_failure(json!({"success": true, "error_details": "no key"}), json!({"success": false, "context": null, "error": "no key"}))]
    #[case::failure_with_data(json!({"success": false, "context_data": {"tried": 2}, "error_details": "busy"}), json!({"success": false, "context": {"tried": 2}, "error": "busy"}))]
    #[case::failure_without_words(json!({"success": false}), json!({"success": false, "context": null, "error": null}))]
    #[case::buttons(json!({"success": true, "actions": [{"name": "send"}]}), json!({"success": true, "context": {"actions": [{"name": "send"}]}, "error": null}))]
    #[case::no_buttons(json!({"success": true, "actions": []}), json!({"success": true, "context": null, "error": null}))]
    fn response_of_a_command_becomes_an_output(#[case] response: Value, #[case] expected: Value) {
        assert_eq!(answered(response).output(), expected);
    }

    #[test]
    fn call_that_did_not_run_says_why() {
        let raised = ToolRun::Raised("timeout".to_owned()).result("call_1");
        let unknown = ToolRun::UnknownTool("fly".to_owned()).output();

        let output = json!({"success": false, "context": null, "error": "timeout"});
        assert_eq!(raised, ToolResult { tool_call_id: "call_1".to_owned(), output });
        assert_eq!(unknown["error"], json!("there is no tool named fly"));
    }
}
