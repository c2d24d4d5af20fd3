//! Requests for chat completions, as clients send them.

use std::collections::HashSet;

use assistant::ReplyRequest;
use serde::Deserialize;
use serde_json::{Map, Value};
use utoipa::ToSchema;
use vocabulary::{Caller, CallerTool, EarlierMessage, Private, ToolCallId};

use super::limits::{Limits, Stop};
use crate::caller::caller;
use crate::door::Door;
use crate::failure::Failure;
use crate::programs::Program;

/// Most tools of a request. Source: the OpenAI interface.
const MAX_TOOLS: usize = 128;

/// Most messages before the question that a reply is told.
const MAX_EARLIER: usize = 100;

/// The body. What a client says about sampling is left out: the settings of Jarvis decide it. What would change the meaning of the
/// answer and cannot be done is refused.
#[derive(Debug, Deserialize, ToSchema)]
pub(crate) struct ChatRequest {
    pub model: String,
    messages: Vec<Message>,
    #[serde(default)]
    tools: Option<Vec<Tool>>,
    /// `auto` or `none`: Jarvis chooses its tools itself.
    #[serde(default)]
    #[schema(value_type = Option<String>)]
    tool_choice: Option<Value>,
    /// The number of answers: one.
    #[serde(default)]
    #[schema(minimum = 1, maximum = 1)]
    n: Option<u64>,
    /// Most tokens of the answer, as they are counted here.
    #[serde(default)]
    #[schema(minimum = 1)]
    max_tokens: Option<u64>,
    /// The same by its newer name.
    #[serde(default)]
    #[schema(minimum = 1)]
    max_completion_tokens: Option<u64>,
    /// The answer ends before these words.
    #[serde(default)]
    stop: Option<Stop>,
    /// The form of the answer: text.
    #[serde(default)]
    response_format: Option<ResponseFormat>,
    /// Probabilities of tokens, which Jarvis does not know.
    #[serde(default)]
    logprobs: Option<bool>,
    /// The kinds of the answer: text alone. `/v1/audio/speech` speaks it.
    #[serde(default)]
    modalities: Option<Vec<String>>,
    /// The older form of `tools`, which is not understood.
    #[serde(default)]
    #[schema(value_type = Option<Vec<Object>>)]
    functions: Option<Vec<Value>>,
    #[serde(default)]
    pub stream: Option<bool>,
    #[serde(default)]
    pub stream_options: Option<StreamOptions>,
}

#[derive(Debug, Deserialize, ToSchema)]
pub(crate) struct StreamOptions {
    #[serde(default)]
    pub include_usage: Option<bool>,
}

#[derive(Debug, Deserialize, ToSchema)]
struct ResponseFormat {
    /// `text`.
    #[serde(rename = "type")]
    #[schema(rename = "type")]
    kind: String,
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
#[serde(untagged, expecting = "expected a text or a list of parts, each with its type")]
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
    arguments: Option<String>,
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
    description: Option<String>,
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
    /// Results before the question that no answer has followed yet.
    unanswered: Vec<CallResult>,
    tools: Vec<CallerTool>,
    /// Results that came after the question.
    pub results: Vec<CallResult>,
    /// The end that the client sets to the answer.
    pub limits: Limits,
}

/// The result of a call, as the client sent it.
#[derive(Debug)]
pub(super) struct CallResult {
    pub call: ToolCallId,
    pub text: String,
    /// The tool and its arguments, as the client repeats them.
    said: String,
}

impl ChatRequest {
    /// Reads the messages.
    pub(super) fn read(self) -> Result<Chat, Failure> {
        self.refuse_impossible()?;
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
            unanswered: Vec::new(),
            tools: tools(self.tools.unwrap_or_default(), self.tool_choice.as_ref())?,
            results: Vec::new(),
            limits: Limits::read([self.max_tokens, self.max_completion_tokens], self.stop)?,
        };
        for message in &self.messages[..at] {
            chat.add_earlier(message, &self.messages)?;
        }
        for message in &self.messages[at + 1..] {
            chat.add_later(message, &self.messages)?;
        }
        Ok(chat)
    }

    /// Refuses what would change the meaning of the answer and cannot be done.
    fn refuse_impossible(&self) -> Result<(), Failure> {
        let is_text = self.response_format.as_ref().is_none_or(|format| format.kind == "text");
        let refused = [
            (self.n.is_some_and(|count| count != 1), "n", "Jarvis gives one answer: leave n out."),
            (
                !is_text,
                "response_format",
                "Jarvis answers in text: leave response_format out, or send the type text.",
            ),
            (
                self.logprobs == Some(true),
                "logprobs",
                "Jarvis knows no probabilities of tokens: leave logprobs out.",
            ),
            (
                self.functions.as_ref().is_some_and(|functions| !functions.is_empty()),
                "functions",
                "Send functions as tools of the type function.",
            ),
            (
                self.modalities.iter().flatten().any(|kind| kind != "text"),
                "modalities",
                "Jarvis answers in text: leave modalities out, and let /v1/audio/speech speak the answer.",
            ),
        ];
        match refused.into_iter().find(|(is_refused, ..)| *is_refused) {
            Some((_, field, message)) => Err(Failure::bad(field, message)),
            None => Ok(()),
        }
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

    /// The result that this message has, with its call among all messages.
    fn result(&self, all: &[Message]) -> Result<CallResult, Failure> {
        let call = self
            .tool_call_id
            .clone()
            .ok_or_else(|| Failure::bad("messages", "A result names no call: set tool_call_id."))?;
        let mut calls = all.iter().filter_map(|message| message.tool_calls.as_ref()).flatten();
        let called = calls.find(|known| known.id == call).map(|called| &called.function);
        let called = called.ok_or_else(|| {
            let message =
                "A result is for a call that no message asks for: send the message of the assistant with it.";
            Failure::bad("messages", message)
        })?;
        let said = format!("{}({})", called.name, called.arguments.as_deref().unwrap_or_default());
        Ok(CallResult { call: ToolCallId(call), text: self.text()?, said })
    }
}

impl Chat {
    /// Returns `true` if the client runs a tool of this name.
    pub fn has_tool(&self, name: &str) -> bool {
        self.tools.iter().any(|tool| tool.name == name)
    }

    fn add_earlier(&mut self, message: &Message, all: &[Message]) -> Result<(), Failure> {
        let text = message.text()?;
        match message.role {
            MessageRole::System | MessageRole::Developer => self.instruct(&text),
            MessageRole::User | MessageRole::Assistant if !text.trim().is_empty() => {
                let is_of_user = message.role == MessageRole::User;
                if !is_of_user && message.tool_calls.as_ref().is_none_or(Vec::is_empty) {
                    // The answer after a result has what was found. Words beside more calls are no answer.
                    self.unanswered.clear();
                }
                self.earlier.push(EarlierMessage { is_of_user, text: Private(text) });
            }
            MessageRole::Tool => {
                self.has_results = true;
                self.unanswered.push(message.result(all)?);
            }
            MessageRole::User | MessageRole::Assistant => {}
        }
        Ok(())
    }

    fn add_later(&mut self, message: &Message, all: &[Message]) -> Result<(), Failure> {
        match message.role {
            MessageRole::System | MessageRole::Developer => self.instruct(&message.text()?),
            MessageRole::Tool => self.results.push(message.result(all)?),
            MessageRole::User | MessageRole::Assistant => {}
        }
        Ok(())
    }

    fn tell(&mut self, text: String) {
        self.earlier.push(EarlierMessage { is_of_user: false, text: Private(text) });
    }

    fn instruct(&mut self, text: &str) {
        if !self.instructions.is_empty() {
            self.instructions.push_str("\n\n");
        }
        self.instructions.push_str(text.trim());
    }

    /// The request for a reply. Results whose reply is gone are told in words, so that a client may go on after a restart.
    pub(super) fn into_request(mut self, door: &Door, program: &Program) -> ReplyRequest {
        for result in std::mem::take(&mut self.unanswered) {
            self.tell(format!("Result of {}: {}", result.said, result.text));
        }
        for result in std::mem::take(&mut self.results) {
            self.has_results = true;
            self.tell(format!("Result of {} for the request that follows: {}", result.said, result.text));
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
    match choice {
        None => {}
        Some(choice) if choice == "auto" => {}
        Some(choice) if choice == "none" => return Ok(Vec::new()),
        Some(_) => return Err(forced()),
    }
    if tools.len() > MAX_TOOLS {
        return Err(Failure::bad("tools", format!("{} tools are too many: send {MAX_TOOLS}.", tools.len())));
    }
    let read = |tool: Tool| match tool {
        Tool { kind, function: Some(Function { name, description, parameters }) } if kind == "function" => {
            let parameters = parameters.map(Value::Object);
            let parameters =
                parameters.unwrap_or_else(|| serde_json::json!({ "type": "object", "properties": {} }));
            Ok(CallerTool { name, description: description.unwrap_or_default(), parameters })
        }
        _ => Err(Failure::bad("tools", "A tool is no function: send tools of the type function.")),
    };
    let tools = tools.into_iter().map(read).collect::<Result<Vec<CallerTool>, Failure>>()?;
    let mut names = HashSet::new();
    match tools.iter().find(|tool| tool.name.trim().is_empty() || !names.insert(&tool.name)) {
        Some(tool) if tool.name.trim().is_empty() => {
            Err(Failure::bad("tools", "A tool has no name: send one."))
        }
        Some(tool) => {
            Err(Failure::bad("tools", format!("Two tools are named {}: send different names.", tool.name)))
        }
        None => Ok(tools),
    }
}

/// A call that the client wants whatever the words of the user are.
fn forced() -> Failure {
    Failure::bad("tool_choice", "Jarvis chooses tools itself: leave tool_choice out, or send auto or none.")
}

#[cfg(test)]
mod tests;
