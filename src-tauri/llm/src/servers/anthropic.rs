//! Chat models on servers with the Anthropic API. `/v1/messages` sends server-sent events.
//!
//! Source: docs/behaviour/replying.md#model-servers.

mod response;

use async_trait::async_trait;
use net::{Http, Purpose, Url};
use serde_json::{Map, Value, json};
use tokio_util::sync::CancellationToken;

use self::response::AnthropicParser;
use super::client::ServerClient;
use super::config::{ServerConfig, endpoint};
use super::server_error::RequestContent;
use crate::response::{cancelled_stream, event_stream};
use crate::{
    ChatModel, ChatRequest, ChatStream, LlmError, Message, ModelIdentity, ProviderKind, Role, ToolCall,
    ToolSpec, chat,
};

/// Request fields that some models reject, each with a word that the error message then contains.
const OPTIONAL_FIELDS: [(&str, &str); 2] = [("thinking", "thinking"), ("temperature", "temperature")];

/// The highest temperature of the API. Source: its reference, `temperature`.
const HIGHEST_TEMPERATURE: f32 = 1.0;

/// The words of the user where a dialogue does not begin with any: the API requires them. A full stop asks for nothing.
const NO_WORDS: &str = ".";

/// A chat model on a server with the Anthropic API.
pub(super) struct Anthropic(ServerClient);

impl Anthropic {
    /// Creates the client. Also allows requests to the origin of the address, because the user configured it.
    pub(super) fn new(http: Http, config: ServerConfig) -> Self {
        Self(ServerClient::new(
            http.for_purpose(Purpose::LanguageModel),
            config,
            ProviderKind::Anthropic,
            &OPTIONAL_FIELDS,
        ))
    }

    /// The API cannot enforce a form, so that `request.format` is not sent.
    fn body(&self, request: &ChatRequest) -> Map<String, Value> {
        let temperature = request.temperature.unwrap_or(self.0.config.temperature).min(HIGHEST_TEMPERATURE);
        let mut body = Map::new();
        body.insert("model".into(), self.0.config.model.clone().into());
        body.insert("messages".into(), dialogue(request).into());
        body.insert("stream".into(), true.into());
        body.insert("max_tokens".into(), request.max_tokens.unwrap_or(self.0.config.max_reply_tokens).into());
        body.insert("temperature".into(), temperature.into());
        // Thinking is never switched on: the API wants it back with a signature, which messages do not keep.
        if !request.thinking {
            body.insert("thinking".into(), json!({ "type": "disabled" }));
        }
        let system = system_text(&request.messages);
        if !system.is_empty() {
            body.insert("system".into(), system.into());
        }
        if !request.tools.is_empty() {
            body.insert("tools".into(), request.tools.iter().map(tool_json).collect());
        }
        body
    }
}

/// The base address of all endpoints. `/v1` may be missing in the settings, also behind the path of a gateway.
pub(crate) fn versioned_root(base_url: &Url) -> Url {
    let is_versioned = base_url.path().trim_end_matches('/').ends_with("/v1");
    if is_versioned { base_url.clone() } else { endpoint(base_url, "v1") }
}

#[async_trait]
impl ChatModel for Anthropic {
    async fn chat(&self, request: ChatRequest, stop: CancellationToken) -> Result<ChatStream, LlmError> {
        let url = endpoint(&versioned_root(&self.0.config.base_url), "messages");
        let response = self.0.post(&url, self.body(&request), &RequestContent::from(&request), &stop).await?;
        Ok(response.map_or_else(cancelled_stream, |response| {
            event_stream(response.stream(), AnthropicParser::from_request(&request), stop)
        }))
    }

    fn identity(&self) -> ModelIdentity {
        self.0.identity()
    }

    async fn warm_up(&self, messages: &[Message]) -> Result<(), LlmError> {
        self.warm_up_with(ChatRequest::new(messages.to_vec())).await
    }

    async fn warm_up_with(&self, beginning: ChatRequest) -> Result<(), LlmError> {
        chat::warm_up_with_one_token(self, beginning).await
    }
}

/// All system messages in their order: the API has one place for them, before the dialogue.
fn system_text(messages: &[Message]) -> String {
    let texts = messages.iter().filter(|message| message.role == Role::System);
    let texts = texts.map(|message| message.content.as_str()).filter(|text| !is_blank(text));
    texts.collect::<Vec<_>>().join("\n\n")
}

/// The dialogue in the Anthropic format: it begins with the user, then user and model alternate.
fn dialogue(request: &ChatRequest) -> Vec<Value> {
    let mut merged: Vec<(Role, Vec<Value>)> = Vec::new();
    // The calls whose results may follow.
    let mut open_calls: &[ToolCall] = &[];
    for message in &request.messages {
        let (role, blocks) = match message.role {
            Role::System => continue,
            Role::User => (Role::User, text_block(&message.content).into_iter().collect()),
            Role::Tool => (Role::User, vec![result_block(message, open_calls)]),
            Role::Assistant => {
                // Servers reject calls in a request without tools.
                open_calls = if request.tools.is_empty() { &[] } else { &message.tool_calls };
                let calls = open_calls.iter().map(call_block);
                (Role::Assistant, text_block(&message.content).into_iter().chain(calls).collect::<Vec<_>>())
            }
        };
        match merged.last_mut() {
            _ if blocks.is_empty() => {}
            Some((last, content)) if *last == role => content.extend(blocks),
            _ => merged.push((role, blocks)),
        }
    }
    if merged.first().is_none_or(|(role, _)| *role != Role::User) {
        merged.insert(0, (Role::User, text_block(NO_WORDS).into_iter().collect()));
    }
    merged.into_iter().map(|(role, content)| json!({ "role": role.as_str(), "content": content })).collect()
}

/// A text, which the API does not accept blank.
fn text_block(text: &str) -> Option<Value> {
    (!is_blank(text)).then(|| json!({ "type": "text", "text": text }))
}

fn call_block(call: &ToolCall) -> Value {
    json!({ "type": "tool_use", "id": call.id.0, "name": call.name, "input": call.arguments })
}

/// The result of one of these calls. Servers reject the result of any other call, which becomes words.
fn result_block(message: &Message, calls: &[ToolCall]) -> Value {
    let content = &message.content;
    match &message.tool_call_id {
        Some(id) if calls.iter().any(|call| call.id == *id) => {
            json!({ "type": "tool_result", "tool_use_id": id.0, "content": content })
        }
        _ => {
            let name = message.tool_name.as_deref().unwrap_or(Role::Tool.as_str());
            json!({ "type": "text", "text": format!("{name}: {content}") })
        }
    }
}

fn tool_json(tool: &ToolSpec) -> Value {
    json!({ "name": tool.name, "description": tool.description, "input_schema": tool.parameters })
}

fn is_blank(text: &str) -> bool {
    text.trim().is_empty()
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;
    use crate::ToolCallId;

    fn call(id: &str) -> ToolCall {
        let arguments = json!({ "city": "Leeds" });
        ToolCall { id: ToolCallId(id.into()), name: "get_weather".into(), arguments }
    }

    fn text(text: &str) -> Value {
        json!({ "type": "text", "text": text })
    }

    #[rstest]
    #[case::plain("https://example.org", "https://example.org/v1")]
    #[case::with_the_version("https://example.org/v1/", "https://example.org/v1/")]
    #[case::gateway("https://example.org/anthropic", "https://example.org/anthropic/v1")]
    #[case::gateway_with_the_version("https://example.org/a/v1", "https://example.org/a/v1")]
    fn version_may_be_missing_in_the_address(#[case] address: &str, #[case] expected: &str) {
        assert_eq!(versioned_root(&Url::parse(address).unwrap()).as_str(), expected);
    }

    #[test]
    fn system_messages_leave_the_dialogue_in_their_order() {
        let messages = vec![
            Message::system("Be brief."),
            Message::user("Rain?"),
            Message::system(" "),
            Message::system("It is noon."),
            Message::user("Hello?"),
        ];

        assert_eq!(system_text(&messages), "Be brief.\n\nIt is noon.");
        assert_eq!(
            dialogue(&ChatRequest::new(messages)),
            [json!({ "role": "user", "content": [text("Rain?"), text("Hello?")] })]
        );
    }

    #[rstest]
    #[case::only_rules(vec![Message::system("Be brief.")])]
    #[case::nothing(vec![])]
    #[case::blank_words(vec![Message::user(" ")])]
    fn dialogue_without_words_asks_for_nothing(#[case] messages: Vec<Message>) {
        assert_eq!(
            dialogue(&ChatRequest::new(messages)),
            [json!({ "role": "user", "content": [text(".")] })]
        );
    }

    #[test]
    fn dialogue_that_begins_with_the_model_gets_a_beginning() {
        let request = ChatRequest::new(vec![Message::assistant("Hello."), Message::user("Rain?")]);

        let roles: Vec<_> =
            dialogue(&request).iter().map(|message| message["role"].as_str().unwrap().to_owned()).collect();

        assert_eq!(roles, ["user", "assistant", "user"]);
    }

    #[test]
    fn results_become_words_where_their_calls_are_not_sent() {
        let messages = vec![
            Message::user("Rain?"),
            Message::assistant_calls("", vec![call("a")]),
            Message::tool_result(&call("a"), "rain, 11 C"),
        ];

        assert_eq!(
            dialogue(&ChatRequest::new(messages)),
            [json!({ "role": "user", "content": [text("Rain?"), text("get_weather: rain, 11 C")] })]
        );
    }
}
