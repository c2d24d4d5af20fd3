//! Requests for chat completions, as clients send them.

use assistant::ReplyRequest;
use serde::Deserialize;
use serde_json::{Map, Value};
use utoipa::ToSchema;
use vocabulary::{Caller, CallerTool, EarlierMessage, Private};

use crate::caller::caller;
use crate::door::Door;
use crate::failure::Failure;
use crate::programs::Program;

/// Most tools of a request. Source: the OpenAI interface.
const MAX_TOOLS: usize = 128;

/// Most messages before the question that a reply is told.
const MAX_EARLIER: usize = 100;

/// The body. What a client says about sampling is left out: the settings of Jarvis decide it.
#[derive(Debug, Deserialize, ToSchema)]
pub(crate) struct ChatRequest {
    pub model: String,
    messages: Vec<Message>,
    #[serde(default)]
    tools: Option<Vec<Tool>>,
    #[serde(default)]
    #[schema(value_type = Option<Object>)]
    tool_choice: Option<Value>,
    #[serde(default)]
    n: Option<u64>,
    #[serde(default)]
    pub stream: Option<bool>,
    #[serde(default)]
    pub stream_options: Option<StreamOptions>,
}

#[derive(Debug, Deserialize, ToSchema)]
pub(crate) struct StreamOptions {
    #[serde(default)]
    pub include_usage: bool,
}

#[derive(Debug, Deserialize, ToSchema)]
struct Message {
    role: MessageRole,
    #[serde(default)]
    content: Option<Content>,
    #[serde(default)]
    tool_calls: Option<Vec<Call>>,
    #[serde(default)]
    tool_call_id: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
enum MessageRole {
    System,
    Developer,
    User,
    Assistant,
    Tool,
}

#[derive(Debug, Deserialize, ToSchema)]
#[serde(untagged)]
enum Content {
    Text(String),
    Parts(Vec<ContentPart>),
}

#[derive(Debug, Deserialize, ToSchema)]
struct ContentPart {
    #[serde(rename = "type")]
    #[schema(rename = "type")]
    kind: String,
    #[serde(default)]
    text: Option<String>,
}

#[derive(Debug, Deserialize, ToSchema)]
struct Call {
    id: String,
    function: CalledFunction,
}

#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = RequestedFunction)]
struct CalledFunction {
    name: String,
    #[serde(default)]
    arguments: String,
}

#[derive(Debug, Deserialize, ToSchema)]
struct Tool {
    #[serde(rename = "type")]
    #[schema(rename = "type")]
    kind: String,
    #[serde(default)]
    function: Option<Function>,
}

#[derive(Debug, Deserialize, ToSchema)]
struct Function {
    name: String,
    #[serde(default)]
    description: String,
    #[serde(default)]
    #[schema(value_type = Option<Object>)]
    parameters: Option<Map<String, Value>>,
}

/// A request that was read.
#[derive(Debug)]
pub(super) struct Chat {
    question: String,
    earlier: Vec<EarlierMessage>,
    instructions: String,
    /// There are results of tools among the messages.
    has_results: bool,
    tools: Vec<CallerTool>,
    /// Results that came after the question.
    pub results: Vec<CallResult>,
}

/// The result of a call, as the client sent it.
#[derive(Debug)]
pub(super) struct CallResult {
    pub call: String,
    pub text: String,
    /// The tool and its arguments, as the client repeats them.
    said: String,
}

impl ChatRequest {
    /// Reads the messages.
    pub(super) fn read(self) -> Result<Chat, Failure> {
        if self.n.is_some_and(|count| count != 1) {
            return Err(Failure::bad("n", "Jarvis gives one answer: leave n out."));
        }
        let is_question = |message: &Message| message.role == MessageRole::User;
        let at = self.messages.iter().rposition(is_question);
        let at = at.ok_or_else(|| Failure::bad("messages", "No message is of the user: ask something."))?;
        let question = self.messages[at].text()?;
        if question.trim().is_empty() {
            return Err(Failure::bad("messages", "The newest message of the user is empty."));
        }
        let mut chat = Chat {
            question,
            earlier: Vec::new(),
            instructions: String::new(),
            has_results: false,
            tools: tools(self.tools.unwrap_or_default(), self.tool_choice.as_ref())?,
            results: Vec::new(),
        };
        for message in &self.messages[..at] {
            chat.add_earlier(message)?;
        }
        for message in &self.messages[at + 1..] {
            chat.add_later(message, &self.messages)?;
        }
        Ok(chat)
    }
}

impl Message {
    fn text(&self) -> Result<String, Failure> {
        match &self.content {
            None => Ok(String::new()),
            Some(Content::Text(text)) => Ok(text.clone()),
            Some(Content::Parts(parts)) => {
                let texts = parts.iter().map(|part| match (part.kind.as_str(), &part.text) {
                    ("text" | "refusal", Some(text)) => Ok(text.as_str()),
                    _ => Err(Failure::bad("messages", "Jarvis reads text: send parts of the type text.")),
                });
                Ok(texts.collect::<Result<Vec<_>, _>>()?.join("\n"))
            }
        }
    }
}

impl Chat {
    fn add_earlier(&mut self, message: &Message) -> Result<(), Failure> {
        let text = message.text()?;
        match message.role {
            MessageRole::System | MessageRole::Developer => self.instruct(&text),
            MessageRole::User | MessageRole::Assistant if !text.trim().is_empty() => {
                let is_of_user = message.role == MessageRole::User;
                self.earlier.push(EarlierMessage { is_of_user, text: Private(text) });
            }
            // The answer after a result has what was found.
            MessageRole::Tool => self.has_results = true,
            MessageRole::User | MessageRole::Assistant => {}
        }
        Ok(())
    }

    fn add_later(&mut self, message: &Message, all: &[Message]) -> Result<(), Failure> {
        match message.role {
            MessageRole::System | MessageRole::Developer => self.instruct(&message.text()?),
            MessageRole::Tool => {
                let call = message
                    .tool_call_id
                    .clone()
                    .ok_or_else(|| Failure::bad("messages", "A result names no call: set tool_call_id."))?;
                let calls = all.iter().filter_map(|message| message.tool_calls.as_ref()).flatten();
                let called = calls.into_iter().find(|known| known.id == call);
                let said = called.map(|called| &called.function);
                let said = said.map(|function| format!("{}({})", function.name, function.arguments));
                let said = said.ok_or_else(|| {
                    let message = "A result is for a call that no message asks for: send the message of the assistant with it.";
                    Failure::bad("messages", message)
                })?;
                self.results.push(CallResult { call, text: message.text()?, said });
            }
            MessageRole::User | MessageRole::Assistant => {}
        }
        Ok(())
    }

    fn instruct(&mut self, text: &str) {
        if !self.instructions.is_empty() {
            self.instructions.push_str("\n\n");
        }
        self.instructions.push_str(text.trim());
    }

    /// The request for a reply. Results whose reply is gone are told in words, so that a client may go on after a restart.
    pub(super) fn into_request(mut self, door: &Door, program: &Program) -> ReplyRequest {
        for result in std::mem::take(&mut self.results) {
            self.has_results = true;
            let text = format!("Result of {} for the request that follows: {}", result.said, result.text);
            self.earlier.push(EarlierMessage { is_of_user: false, text: Private(text) });
        }
        let surplus = self.earlier.len().saturating_sub(MAX_EARLIER);
        self.earlier.drain(..surplus);
        let caller = Caller {
            earlier: self.earlier,
            brings_foreign_text: self.has_results,
            instructions: Some(Private(self.instructions)),
            ..caller(program, None)
        };
        let conversation = door.assistant.conversation_with(&program.name);
        ReplyRequest { caller, tools: self.tools, ..ReplyRequest::new(self.question, conversation) }
    }
}

fn tools(tools: Vec<Tool>, choice: Option<&Value>) -> Result<Vec<CallerTool>, Failure> {
    if choice.is_some_and(|choice| choice == "none") {
        return Ok(Vec::new());
    }
    if tools.len() > MAX_TOOLS {
        return Err(Failure::bad("tools", format!("{} tools are too many: send {MAX_TOOLS}.", tools.len())));
    }
    let read = |tool: Tool| match tool {
        Tool { kind, function: Some(Function { name, description, parameters }) } if kind == "function" => {
            let parameters = parameters.map(Value::Object);
            let parameters =
                parameters.unwrap_or_else(|| serde_json::json!({ "type": "object", "properties": {} }));
            Ok(CallerTool { name, description, parameters })
        }
        _ => Err(Failure::bad("tools", "A tool is no function: send tools of the type function.")),
    };
    tools.into_iter().map(read).collect()
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use serde_json::json;

    use super::*;

    fn read(body: Value) -> Result<Chat, Failure> {
        serde_json::from_value::<ChatRequest>(body).unwrap().read()
    }

    #[test]
    fn messages_become_question_dialogue_and_instructions() {
        let chat = read(json!({ "model": "jarvis", "messages": [
            { "role": "system", "content": "Be brief." },
            { "role": "user", "content": "Hello" },
            { "role": "assistant", "content": "Hi!" },
            { "role": "user", "content": [{ "type": "text", "text": "And" }, { "type": "text", "text": "now?" }] },
        ]}))
        .unwrap();

        assert_eq!((chat.question.as_str(), chat.instructions.as_str()), ("And\nnow?", "Be brief."));
        let earlier: Vec<(bool, &str)> =
            chat.earlier.iter().map(|said| (said.is_of_user, said.text.as_str())).collect();
        assert_eq!(earlier, [(true, "Hello"), (false, "Hi!")]);
    }

    #[test]
    fn results_after_the_question_belong_to_their_calls() {
        let chat = read(json!({ "model": "jarvis", "messages": [
            { "role": "user", "content": "Is the door open?" },
            { "role": "assistant", "content": null, "tool_calls": [
                { "id": "call_1", "type": "function", "function": { "name": "door", "arguments": "{\"at\":1}" } },
            ]},
            { "role": "tool", "tool_call_id": "call_1", "content": "open" },
        ]}))
        .unwrap();

        assert_eq!(chat.results.len(), 1);
        let CallResult { call, text, said } = &chat.results[0];
        assert_eq!((call.as_str(), text.as_str(), said.as_str()), ("call_1", "open", "door({\"at\":1})"));
    }

    #[rstest]
    #[case::nothing(json!([]), "messages")]
    #[case::no_user(json!([{ "role": "assistant", "content": "Hi" }]), "messages")]
    #[case::empty(json!([{ "role": "user", "content": " " }]), "messages")]
    #[case::picture(json!([{ "role": "user", "content": [{ "type": "image_url", "image_url": {} }] }]), "messages")]
    #[case::result_of_nothing(json!([
        { "role": "user", "content": "Hi" }, { "role": "tool", "tool_call_id": "x", "content": "1" }
    ]), "messages")]
    #[case::result_without_a_call(json!([
        { "role": "user", "content": "Hi" }, { "role": "tool", "content": "1" }
    ]), "messages")]
    fn malformed_messages_name_their_field(#[case] messages: Value, #[case] field: &str) {
        let refused = read(json!({ "model": "jarvis", "messages": messages })).unwrap_err();

        assert_eq!(refused.field, Some(field));
    }

    #[test]
    fn tools_that_must_not_be_called_are_left_out() {
        let tools = json!([{ "type": "function", "function": { "name": "door" } }]);
        let ask = |choice: &str| {
            let messages = json!([{ "role": "user", "content": "Hi" }]);
            read(json!({ "model": "jarvis", "messages": messages, "tools": tools, "tool_choice": choice }))
        };

        assert_eq!(ask("auto").unwrap().tools.len(), 1);
        assert!(ask("none").unwrap().tools.is_empty());
    }
}
