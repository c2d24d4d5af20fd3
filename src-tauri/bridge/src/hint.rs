//! The words for the model: the base prompt, the hint of one prompt, and what closes the rounds of tools.
//!
//! A hint is a system message of its own, made for one prompt and never kept.
//!
//! Source: docs/behaviour/bridge.md#example-arguments, docs/behaviour/bridge.md#configuration and docs/behaviour/bridge.md#calls-and-results.

use llm::ToolSpec;
use serde_json::{Value, json};

use crate::examples::example_arguments;

/// The system prompt where the configuration has none. Requests ask for JSON, so it says in which shape an answer stands.
pub const DEFAULT_SYSTEM_PROMPT: &str = "You are a helpful assistant that can use tools where they help to answer; \
     an answer of your own is one JSON object: {\"response\": \"your answer\"}.";

/// Ends the rounds of tools.
pub(crate) const ANSWER_NOW: &str = "No more tools can be called for this request. Answer it now from the results above, \
     as one JSON object: {\"response\": \"your answer\"}.";

/// The hint of the tool that a prompt seems to mean.
pub fn hint(tool: &ToolSpec) -> String {
    let call = json!({
        "name": tool.name,
        "arguments": example_arguments(&tool.parameters),
        "thoughts": "why this tool helps",
    });
    format!(
        "This request seems to be one for the tool {}. If that is so and its result is not there yet, answer with nothing \
         but a JSON object of this form, with the right values for the arguments:\n{call:#}",
        tool.name
    )
}

/// All tools as text, for models that cannot be given tools.
pub fn catalogue(tools: &[ToolSpec]) -> String {
    let mut text = "To call a tool, answer with nothing but a JSON object of this form: \
                    {\"name\": \"the tool\", \"arguments\": {}, \"thoughts\": \"why\"}. These are the tools:"
        .to_owned();
    for tool in tools {
        let arguments = json!(example_arguments(&tool.parameters));
        text.push_str(&format!("\n- {}: {} Arguments: {arguments}", tool.name, described(tool)));
    }
    text
}

/// The JSON schema of every reply that is understood: a call of one of these tools, or an answer.
pub fn reply_schema(tools: &[ToolSpec]) -> Value {
    let answer = json!({
        "type": "object",
        "properties": { "response": { "type": "string" } },
        "required": ["response"],
    });
    if tools.is_empty() {
        return answer;
    }
    let names: Vec<&str> = tools.iter().map(|tool| tool.name.as_str()).collect();
    let call = json!({
        "type": "object",
        "properties": {
            "name": { "type": "string", "enum": names },
            "arguments": { "type": "object" },
            "thoughts": { "type": "string" },
        },
        "required": ["name", "arguments"],
    });
    json!({ "anyOf": [call, answer] })
}

/// The description of a tool, which servers may leave out.
pub(crate) fn described(tool: &ToolSpec) -> String {
    match tool.description.trim() {
        "" => format!("Use the {} tool.", tool.name),
        description => description.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tool(description: &str) -> ToolSpec {
        ToolSpec {
            name: "send_email".into(),
            description: description.into(),
            parameters: json!({ "type": "object", "properties": { "to": { "type": "string" } } }),
        }
    }

    #[test]
    fn default_prompt_speaks_of_the_assistant_and_its_tools() {
        let words = ["helpful assistant", "tools", "JSON"];

        assert_eq!(words.map(|word| DEFAULT_SYSTEM_PROMPT.contains(word)), [true; 3]);
    }

    #[test]
    fn hint_shows_a_call_with_example_arguments() {
        let hint = hint(&tool(""));

        let call: Value = serde_json::from_str(&hint[hint.find('{').unwrap()..]).unwrap();
        assert_eq!((&call["name"], &call["arguments"]), (&json!("send_email"), &json!({"to": "example_to"})));
        assert!(call["thoughts"].is_string());
    }

    #[test]
    fn catalogue_has_a_line_for_each_tool() {
        let catalogue = catalogue(&[tool("Sends mail."), tool(" ")]);

        let lines: Vec<&str> = catalogue.lines().skip(1).collect();
        assert_eq!(
            lines,
            [
                r#"- send_email: Sends mail. Arguments: {"to":"example_to"}"#,
                r#"- send_email: Use the send_email tool. Arguments: {"to":"example_to"}"#,
            ]
        );
    }

    #[test]
    fn reply_schema_allows_calls_of_known_tools_and_answers() {
        let schema = reply_schema(&[tool("")]);

        assert_eq!(schema["anyOf"][0]["properties"]["name"]["enum"], json!(["send_email"]));
        assert_eq!(schema["anyOf"][1]["required"], json!(["response"]));
        assert_eq!(reply_schema(&[])["required"], json!(["response"]));
    }
}
