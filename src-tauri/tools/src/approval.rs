//! Asking the user before a call runs.

use async_trait::async_trait;
use languages::messages::{Messages, id};
use serde_json::{Map, Value};
use vocabulary::{Language, Private};

use crate::name::split_tool_name;
use crate::tool::{Declaration, Effect};

/// The port through which the choke point asks.
#[async_trait]
pub trait Approval: Send {
    /// Asks the user. The choke point drops the future when the reply is stopped.
    async fn ask(&mut self, request: ApprovalRequest) -> ApprovalAnswer;
}

/// What the user has to decide.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApprovalRequest {
    /// The tool.
    pub tool: String,
    /// What it would do, as one sentence. Contains words of the arguments.
    pub sentence: Private<String>,
    /// The language of the sentence.
    pub language: Language,
    /// What the call can change.
    pub effect: Effect,
    /// Whether "always" may be offered.
    pub can_remember: bool,
}

/// What the user decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ApprovalAnswer {
    /// This call may run.
    Once,
    /// This and all further calls of the tool may run.
    Always,
    /// The call must not run.
    No,
    /// Nobody answered, or nobody can be asked.
    Unanswered,
}

/// Arguments that the sentence names.
const SHOWN_ARGUMENTS: usize = 6;

/// Characters of an argument that the sentence shows.
const SHOWN_CHARS: usize = 100;

impl ApprovalRequest {
    /// The request for a call, in the language of the user.
    pub(crate) fn of_call(
        tool: &Declaration,
        arguments: &Map<String, Value>,
        can_remember: bool,
        language: Option<&Language>,
    ) -> Self {
        let messages = Messages::with(language, id::PERMISSION_REQUEST).unwrap_or_else(Messages::english);
        let sentence = Private(sentence(tool, arguments, messages));
        let language = messages.language().clone();
        Self { tool: tool.name.clone(), sentence, language, effect: tool.effect, can_remember }
    }
}

fn sentence(tool: &Declaration, arguments: &Map<String, Value>, messages: &'static Messages) -> String {
    // As the message `permission-effect` calls it.
    let effect = match tool.effect {
        Effect::ReadOnly => "reads",
        Effect::Network => "fetches",
        Effect::Writes => "writes",
        Effect::Destructive => "deletes",
        Effect::Executes => "executes",
    };
    let mut shown: Vec<String> = arguments
        .iter()
        .take(SHOWN_ARGUMENTS)
        .map(|(key, value)| format!("{key} {}", shown(value)))
        .collect();
    match arguments.len().saturating_sub(SHOWN_ARGUMENTS) {
        0 => {}
        more => shown.push(messages.permission_more_values(i64::try_from(more).unwrap_or(i64::MAX))),
    }
    let values = shown.join(", ");
    match (split_tool_name(&tool.name), values.is_empty()) {
        (None, true) => messages.permission_request(effect, &tool.name),
        (None, false) => messages.permission_request_with(effect, &tool.name, &values),
        (Some((server, name)), true) => messages.permission_request_of_server(effect, server, name),
        (Some((server, name)), false) => {
            messages.permission_request_of_server_with(effect, server, name, &values)
        }
    }
}

/// A value on one line. Signs that change the direction of writing or hide text are left out.
fn shown(value: &Value) -> String {
    let text = value.to_string();
    let is_hidden = |c: char| matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}');
    let mut short: String =
        text.chars().filter(|c| !c.is_control() && !is_hidden(*c)).take(SHOWN_CHARS + 1).collect();
    if short.chars().count() > SHOWN_CHARS {
        short.pop();
        short.push('…');
    }
    short
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use rstest::rstest;
    use serde_json::json;

    use super::*;
    use crate::ToolSource;

    #[rstest]
    #[case::built_in("deleteMeal", Effect::Destructive, json!({"id": 5}), "Jarvis wants to use the tool deleteMeal, which deletes data, with id 5.")]
    #[case::of_a_server("files__write", Effect::Writes, json!({"path": "a\nb"}), r#"Jarvis wants to use the tool write of the server files, which adds or changes data, with path "a\nb"."#)]
    #[case::no_arguments("undo", Effect::Writes, json!({}), "Jarvis wants to use the tool undo, which adds or changes data.")]
    #[case::hidden_signs("run", Effect::Executes, json!({"c": "ls\u{202e}\u{200b}"}), r#"Jarvis wants to use the tool run, which runs a program, with c "ls"."#)]
    #[case::many_values("x", Effect::Writes, json!({"a":1,"b":2,"c":3,"d":4,"e":5,"f":6,"g":7,"h":8}), "Jarvis wants to use the tool x, which adds or changes data, with a 1, b 2, c 3, d 4, e 5, f 6, 2 more values.")]
    fn sentence_says_what_the_call_would_do(
        #[case] name: &str,
        #[case] effect: Effect,
        #[case] arguments: Value,
        #[case] expected: &str,
    ) {
        let tool = declaration(name, effect);

        let request = ApprovalRequest::of_call(&tool, arguments.as_object().unwrap(), true, None);

        assert_eq!(*request.sentence, expected);
    }

    #[test]
    fn language_without_the_sentence_is_asked_in_english() {
        let japanese = Language::new("ja").unwrap();

        let request = ApprovalRequest::of_call(
            &declaration("undo", Effect::Writes),
            &Map::new(),
            true,
            Some(&japanese),
        );

        assert_eq!(request.language, *Messages::english().language());
    }

    #[test]
    fn long_value_is_shortened() {
        let arguments = json!({ "text": "x".repeat(10_000_000) });

        let request = ApprovalRequest::of_call(
            &declaration("x", Effect::Writes),
            arguments.as_object().unwrap(),
            true,
            None,
        );

        assert!(request.sentence.ends_with("xx…."), "{}", *request.sentence);
        assert!(request.sentence.chars().count() < 200);
    }

    fn declaration(name: &str, effect: Effect) -> Declaration {
        Declaration {
            name: name.to_owned(),
            description: String::new(),
            parameters: json!({}),
            keywords: Vec::new(),
            examples: Vec::new(),
            effect,
            required_secrets: Vec::new(),
            timeout: Duration::from_secs(1),
            source: ToolSource::BuiltIn,
        }
    }
}
