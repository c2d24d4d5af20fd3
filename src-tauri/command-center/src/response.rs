//! The server's answer to a command or to results, and what the client does about it.

use serde_json::{Map, Value};

use crate::arguments::decode_arguments;

/// Longest body that is read. Source: answers are a few sentences and calls; the limit is ours.
pub const MAX_RESPONSE_BYTES: usize = 64 * 1024;

/// Most calls in one answer. Source: our own limit; usual rounds have one to three.
const MAX_CALLS: usize = 32;

/// A call that the server asks for.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolCall {
    /// Names the call in its result.
    pub id: String,
    /// The name of the tool.
    pub name: String,
    /// The decoded arguments.
    pub arguments: Map<String, Value>,
    /// The arguments as the server wrote them.
    pub raw_arguments: String,
    /// The words of the server for the case that the call fails.
    pub failure_message: Option<String>,
}

/// A question that the server needs answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ValidationRequest {
    /// For the user.
    pub question: String,
    /// The parameter that the answer is for; empty if the server does not say.
    pub parameter_name: String,
    /// The answers to choose from.
    pub options: Option<Vec<String>>,
    /// The call that the answer is a result of; servers before 2026 send none.
    pub tool_call_id: Option<String>,
}

/// The next step of the client.
#[derive(Debug, Clone, PartialEq)]
pub enum Action {
    /// Run these calls and post their results.
    RunTools {
        /// In order.
        calls: Vec<ToolCall>,
        /// A sentence beside the calls.
        interim_message: Option<String>,
    },
    /// Ask the user and post the answer.
    Ask(ValidationRequest),
    /// Say the answer.
    Finish {
        /// `None` if the server sent no words.
        message: Option<String>,
    },
    /// Say nothing: the utterance was not meant for the assistant.
    Silent,
    /// Give up.
    Fail(Failure),
}

/// The reason why the client gives up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// The kind of failure.
    pub reason: FailureReason,
    /// The server's words, or the unknown stop reason.
    pub detail: Option<String>,
}

/// The kind of a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FailureReason {
    /// No stop reason that we know, or one whose content is missing.
    UnknownStopReason,
    /// Not the JSON that was expected.
    BadBody,
    /// The credentials were rejected.
    Unauthorised,
    /// The server does not know the conversation, or not any more.
    ConversationExpired,
    /// The server rejected the request.
    BadRequest,
    /// The server or its model failed.
    ServerError,
}

impl FailureReason {
    /// The name in logs and tests.
    pub fn name(self) -> &'static str {
        match self {
            Self::UnknownStopReason => "unknown_stop_reason",
            Self::BadBody => "bad_body",
            Self::Unauthorised => "unauthorised",
            Self::ConversationExpired => "conversation_expired",
            Self::BadRequest => "bad_request",
            Self::ServerError => "server_error",
        }
    }
}

/// Reads an answer. Both vocabularies of stop reasons and of field names are understood; the stop reason decides where
/// fields disagree.
pub fn parse_response(status: u16, body: &[u8]) -> Action {
    let fail = |reason, detail| Action::Fail(Failure { reason, detail });
    let read: Option<Value> =
        if body.len() > MAX_RESPONSE_BYTES { None } else { serde_json::from_slice(body).ok() };
    if !(200..300).contains(&status) {
        let reason = match status {
            401 => FailureReason::Unauthorised,
            422 => FailureReason::ConversationExpired,
            400..500 => FailureReason::BadRequest,
            500.. => FailureReason::ServerError,
            _ => FailureReason::BadBody,
        };
        return fail(reason, read.as_ref().and_then(error_words));
    }
    let Some(Value::Object(body)) = read else { return fail(FailureReason::BadBody, None) };
    action_of(&body).unwrap_or_else(Action::Fail)
}

/// Returns `true` if a command was refused because the server does not know its conversation: 422, or 400 without the
/// envelope of a malformed request, as on older servers.
pub(crate) fn is_lost_conversation(status: u16, body: &[u8]) -> bool {
    let is_plain_detail = || {
        let body: Value = serde_json::from_slice(body).unwrap_or_default();
        body.get("detail").is_some_and(Value::is_string) && body.get("error").is_none()
    };
    status == 422 || (status == 400 && is_plain_detail())
}

fn action_of(body: &Map<String, Value>) -> Result<Action, Failure> {
    let stop_reason = body.get("stop_reason").filter(|reason| !reason.is_null());
    let unknown = || Failure {
        reason: FailureReason::UnknownStopReason,
        detail: stop_reason
            .map(|reason| reason.as_str().map_or_else(|| reason.to_string(), str::to_owned))
            .or_else(|| command_error(body)),
    };
    match stop_reason.and_then(Value::as_str) {
        Some("tool_calls" | "tool_call") => {
            let calls = calls_of(body.get("tool_calls"))?;
            if calls.is_empty() {
                Err(unknown())
            } else {
                Ok(Action::RunTools { calls, interim_message: message(body) })
            }
        }
        Some("validation_required" | "validation") => {
            let request = present(body, "validation_request").or_else(|| present(body, "validation"));
            request.ok_or_else(unknown).and_then(validation_request).map(Action::Ask)
        }
        Some("complete" | "stop") => Ok(Action::Finish { message: message(body) }),
        Some("not_for_me") => Ok(Action::Silent),
        Some("error") => Err(Failure {
            reason: FailureReason::ServerError,
            detail: message(body).or_else(|| command_error(body)),
        }),
        _ => Err(unknown()),
    }
}

fn bad_body(detail: &str) -> Failure {
    Failure { reason: FailureReason::BadBody, detail: Some(detail.to_owned()) }
}

fn calls_of(listed: Option<&Value>) -> Result<Vec<ToolCall>, Failure> {
    let listed = match listed {
        None | Some(Value::Null) => return Ok(Vec::new()),
        Some(Value::Array(listed)) => listed,
        Some(_) => return Err(bad_body("tool_calls is no list")),
    };
    if listed.len() > MAX_CALLS {
        return Err(bad_body("too many tool calls"));
    }
    let call = |call: &Value| {
        let text = |value: Option<&Value>| {
            value.and_then(Value::as_str).filter(|text| !text.trim().is_empty()).map(str::to_owned)
        };
        let function = call.get("function")?;
        let arguments = function.get("arguments").unwrap_or(&Value::Null);
        Some(ToolCall {
            id: text(call.get("id"))?,
            name: text(function.get("name"))?,
            arguments: decode_arguments(arguments),
            raw_arguments: arguments.as_str().map_or_else(|| arguments.to_string(), str::to_owned),
            failure_message: text(call.get("failure_message")),
        })
    };
    listed
        .iter()
        .map(|listed| call(listed).ok_or_else(|| bad_body("a tool call has no id or no name")))
        .collect()
}

fn validation_request(request: &Value) -> Result<ValidationRequest, Failure> {
    let text = |name: &str| request.get(name).and_then(Value::as_str).map(str::to_owned);
    let question = text("question").filter(|question| !question.trim().is_empty());
    let option = |option: &Value| option.as_str().map_or_else(|| option.to_string(), str::to_owned);
    Ok(ValidationRequest {
        question: question.ok_or_else(|| bad_body("the validation request has no question"))?,
        parameter_name: text("parameter_name").unwrap_or_default(),
        options: request
            .get("options")
            .and_then(Value::as_array)
            .map(|options| options.iter().map(option).collect()),
        tool_call_id: text("tool_call_id").filter(|id| !id.is_empty()),
    })
}

/// A field that is there and not null.
fn present<'a>(body: &'a Map<String, Value>, name: &str) -> Option<&'a Value> {
    body.get(name).filter(|value| !value.is_null())
}

/// The words for the user; older servers call them `message`.
fn message(body: &Map<String, Value>) -> Option<String> {
    let words = present(body, "assistant_message").or_else(|| present(body, "message"))?.as_str()?;
    (!words.trim().is_empty()).then(|| words.to_owned())
}

/// The message of a handled error, in the place where older servers put it.
fn command_error(body: &Map<String, Value>) -> Option<String> {
    let error = body.get("commands")?.get(0)?.get("errors")?.get("message")?.as_str()?;
    (!error.trim().is_empty()).then(|| error.to_owned())
}

/// The words of an error body: `{detail}`, or the envelope of a malformed request.
fn error_words(body: &Value) -> Option<String> {
    let object = body.as_object()?;
    match present(object, "detail") {
        Some(Value::String(detail)) => Some(detail.clone()),
        Some(Value::Array(details)) => {
            let words: Vec<&str> = details.iter().filter_map(|detail| detail.get("msg")?.as_str()).collect();
            (!words.is_empty()).then(|| words.join("; "))
        }
        _ => message(object).or_else(|| command_error(object)),
    }
}

#[cfg(test)]
mod tests;
