//! The body of a request to `/api/chat`.
//!
//! Source: docs/behaviour/bridge.md#request.

use llm::{Message, ToolCall, ToolSpec};
use serde_json::{Map, Value, json};

use crate::hint::described;

/// The path of every completion request.
pub const CHAT_PATH: &str = "/api/chat";

/// The length of a reply in tokens if none is configured. Source: docs/behaviour/bridge.md#configuration.
pub(crate) const DEFAULT_MAX_TOKENS: i64 = 1_000;

/// The context that Ollama gives a model when nothing is said: less is never asked for.
const SMALLEST_CONTEXT: u32 = 4_096;

/// Bytes of JSON for a token, on the careful side: English text has about four.
const BYTES_PER_TOKEN: usize = 3;

/// The model and how it is sampled.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelOptions {
    /// Name of the model on the server.
    pub model: String,
    /// Sampling temperature; `None` is 0.
    pub temperature: Option<f64>,
    /// The longest reply in tokens; `None` and 0 are the default, 1,000.
    pub max_tokens: Option<i64>,
    /// The largest context that may be asked for, in tokens.
    pub context_cap: u32,
}

impl ModelOptions {
    /// The temperature as it is sent.
    pub fn temperature_sent(&self) -> f64 {
        self.temperature.unwrap_or(0.0)
    }

    /// The longest reply as it is sent.
    pub fn num_predict_sent(&self) -> i64 {
        self.max_tokens.filter(|tokens| *tokens != 0).unwrap_or(DEFAULT_MAX_TOKENS)
    }
}

/// The form of a reply, as the server is told.
#[derive(Debug, Clone, PartialEq)]
pub enum ReplyFormat {
    /// A JSON schema. Old servers refuse it.
    Schema(Value),
    /// Any JSON.
    Json,
    /// Nothing.
    Free,
}

impl ReplyFormat {
    /// Its name in logs: `schema`, `json` or `free`.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Schema(_) => "schema",
            Self::Json => "json",
            Self::Free => "free",
        }
    }
}

/// The body of a request. `context` is that of the request before, or 0: a server loads the model again for another one, so
/// that it only grows.
pub fn body(
    options: &ModelOptions,
    messages: &[Message],
    tools: &[ToolSpec],
    format: &ReplyFormat,
    context: u32,
) -> Map<String, Value> {
    let mut body = Map::new();
    body.insert("model".into(), options.model.clone().into());
    body.insert("messages".into(), messages.iter().map(message_json).collect());
    body.insert("stream".into(), false.into());
    match format {
        ReplyFormat::Schema(schema) => drop(body.insert("format".into(), schema.clone())),
        ReplyFormat::Json => drop(body.insert("format".into(), "json".into())),
        ReplyFormat::Free => {}
    }
    if !tools.is_empty() {
        body.insert("tools".into(), tools.iter().map(tool_json).collect());
    }
    let context = context_for(&body, options).max(context);
    let options = json!({
        "temperature": number(options.temperature_sent()),
        "num_predict": options.num_predict_sent(),
        "num_ctx": context,
    });
    body.insert("options".into(), options);
    body
}

/// The context that a request needs: the next power of two, so that a longer prompt seldom loads the model again.
fn context_for(body: &Map<String, Value>, options: &ModelOptions) -> u32 {
    let prompt = Value::Object(body.clone()).to_string().len() / BYTES_PER_TOKEN;
    // A negative length means no limit.
    let reply = usize::try_from(options.num_predict_sent()).unwrap_or(DEFAULT_MAX_TOKENS as usize);
    let needed = u32::try_from(prompt.saturating_add(reply)).unwrap_or(u32::MAX);
    let rounded = needed.checked_next_power_of_two().unwrap_or(u32::MAX);
    rounded.max(SMALLEST_CONTEXT).min(options.context_cap.max(SMALLEST_CONTEXT))
}

/// A whole number without a fraction, as people write it.
fn number(value: f64) -> Value {
    let is_small_whole = value.fract() == 0.0 && value.abs() < 1e15;
    if is_small_whole { json!(value as i64) } else { json!(value) }
}

fn message_json(message: &Message) -> Value {
    let mut json = json!({ "role": message.role.as_str(), "content": message.content });
    if !message.tool_calls.is_empty() {
        json["tool_calls"] = message.tool_calls.iter().map(call_json).collect();
    }
    if let Some(id) = &message.tool_call_id {
        json["tool_call_id"] = id.0.clone().into();
    }
    if let Some(name) = &message.tool_name {
        json["tool_name"] = name.clone().into();
    }
    json
}

fn call_json(call: &ToolCall) -> Value {
    json!({
        "id": call.id.0,
        "type": "function",
        "function": { "name": call.name, "arguments": call.arguments },
    })
}

fn tool_json(tool: &ToolSpec) -> Value {
    json!({
        "type": "function",
        "function": { "name": tool.name, "description": described(tool), "parameters": parameters(&tool.parameters) },
    })
}

/// The schema of the arguments with the members that every model expects. Source: docs/behaviour/bridge.md#request.
fn parameters(schema: &Value) -> Value {
    let mut schema = schema.as_object().cloned().unwrap_or_default();
    if !schema.get("type").is_some_and(Value::is_string) {
        schema.insert("type".into(), "object".into());
    }
    if !schema.get("properties").is_some_and(Value::is_object) {
        schema.insert("properties".into(), json!({}));
    }
    if !schema.get("required").is_some_and(Value::is_array) {
        schema.insert("required".into(), json!([]));
    }
    Value::Object(schema)
}

#[cfg(test)]
mod tests {
    use llm::ToolCallId;
    use rstest::rstest;

    use super::*;

    fn options() -> ModelOptions {
        ModelOptions { model: "qwen".into(), temperature: None, max_tokens: None, context_cap: 16_384 }
    }

    #[test]
    fn body_has_the_keys_of_the_seed() {
        let messages = [Message::system("Be kind."), Message::user("Hi")];

        let body = body(&options(), &messages, &[], &ReplyFormat::Json, 0);

        let expected = json!({
            "model": "qwen",
            "messages": [{ "role": "system", "content": "Be kind." }, { "role": "user", "content": "Hi" }],
            "stream": false,
            "format": "json",
            "options": { "temperature": 0, "num_predict": 1000, "num_ctx": 4096 },
        });
        assert_eq!(Value::Object(body), expected);
    }

    #[test]
    fn calls_and_results_travel_with_their_ids() {
        let call =
            ToolCall { id: ToolCallId("call-1".into()), name: "echo".into(), arguments: json!({"a": 1}) };
        let messages = [Message::assistant_calls("", vec![call.clone()]), Message::tool_result(&call, "one")];

        let body = body(&options(), &messages, &[], &ReplyFormat::Free, 0);

        let expected = json!([
            { "role": "assistant", "content": "", "tool_calls": [
                { "id": "call-1", "type": "function", "function": { "name": "echo", "arguments": {"a": 1} } },
            ] },
            { "role": "tool", "content": "one", "tool_call_id": "call-1", "tool_name": "echo" },
        ]);
        assert_eq!((&body["messages"], body.get("format")), (&expected, None));
    }

    #[rstest]
    #[case::whole(
        json!({"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}),
        json!({"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]})
    )]
    #[case::nothing(json!(null), json!({"type": "object", "properties": {}, "required": []}))]
    #[case::wrong_types(
        json!({"type": 5, "properties": [], "required": "a"}),
        json!({"type": "object", "properties": {}, "required": []})
    )]
    #[case::more_keywords(
        json!({"additionalProperties": false}),
        json!({"additionalProperties": false, "type": "object", "properties": {}, "required": []})
    )]
    fn tools_have_whole_schemas(#[case] schema: Value, #[case] expected: Value) {
        let tool = ToolSpec { name: "t".into(), description: String::new(), parameters: schema };

        let body = body(&options(), &[], &[tool], &ReplyFormat::Json, 0);

        let function = &body["tools"][0]["function"];
        assert_eq!(
            (&function["parameters"], &function["description"]),
            (&expected, &json!("Use the t tool."))
        );
    }

    #[rstest]
    #[case::short(10, 0, 16_384, 4_096)]
    #[case::long(20_000, 0, 16_384, 8_192)]
    #[case::capped(200_000, 0, 16_384, 16_384)]
    #[case::never_shrinks(10, 8_192, 16_384, 8_192)]
    #[case::cap_below_the_default(10, 0, 1_000, 4_096)]
    fn context_grows_with_the_prompt(
        #[case] chars: usize,
        #[case] before: u32,
        #[case] cap: u32,
        #[case] expected: u32,
    ) {
        let options = ModelOptions { context_cap: cap, ..options() };
        let messages = [Message::user("x".repeat(chars))];

        let body = body(&options, &messages, &[], &ReplyFormat::Json, before);

        assert_eq!(body["options"]["num_ctx"], expected);
    }

    #[rstest]
    #[case::absent(None, None, json!(0), 1_000)]
    #[case::zero(Some(0.0), Some(0), json!(0), 1_000)]
    #[case::given(Some(0.7), Some(200), json!(0.7), 200)]
    #[case::without_limit(Some(1.0), Some(-1), json!(1), -1)]
    fn options_are_sent_as_configured(
        #[case] temperature: Option<f64>,
        #[case] max_tokens: Option<i64>,
        #[case] sent_temperature: Value,
        #[case] sent_tokens: i64,
    ) {
        let options = ModelOptions { temperature, max_tokens, ..options() };

        let body = body(&options, &[], &[], &ReplyFormat::Json, 0);

        assert_eq!(body["options"]["temperature"], sent_temperature);
        assert_eq!(body["options"]["num_predict"], sent_tokens);
    }
}
