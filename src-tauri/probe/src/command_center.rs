//! The Command Center protocol: its pure functions, the client and the server role.

mod client;
mod server;
mod values;

use ::command_center::{
    Action, Command, CommandResponse, ToolCall, ToolRun, clock_time, decode_arguments, fits_declared_type,
    is_false_wake, is_noise, parse_response, resolve_date_keys, says_not_for_me, spoken_timer,
    with_usual_date_keys,
};
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use languages::LanguageData;
use replying::text_call::TextCall;
use replying::{Routine, matching_routine, read_written_reply};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::suite::{Suite, read, text};

/// The name by which the assistant is called here.
const ASSISTANT: &str = "Jarvis";

pub(super) fn suite(name: &str) -> Option<Suite> {
    Some(match name {
        "cc-tool-arguments" => tool_arguments,
        "cc-tool-result" => tool_result,
        "cc-openai-schema" => openai_schema,
        "cc-param-validation" => param_validation,
        "cc-model-output" => model_output,
        "cc-response-parse" => response_parse,
        "cc-noise" => noise,
        "cc-not-for-me" => not_for_me,
        "cc-false-wake" => false_wake,
        "cc-timer-preroute" => timer_preroute,
        "cc-routine-match" => routine_match,
        "cc-time-parse" => time_parse,
        "cc-date-keys" => date_keys,
        "cc-client-loop" => client::run,
        "cc-server-routes" => server::run,
        _ => return None,
    })
}

/// The utterances of the suites are English.
fn english() -> &'static LanguageData {
    &languages::all()[0]
}

fn tool_arguments(input: Value) -> Result<Value, String> {
    Ok(Value::Object(decode_arguments(&input["arguments"])))
}

fn tool_result(input: Value) -> Result<Value, String> {
    let id = text(&input, "tool_call_id")?.to_owned();
    let run = values::tool_run(&input["response"])?;
    serde_json::to_value(run.result(&id)).map_err(|error| error.to_string())
}

fn openai_schema(input: Value) -> Result<Value, String> {
    let command: Command = read(values::without_nulls(input))?;
    Ok(json!(command.openai_tool()))
}

fn param_validation(input: Value) -> Result<Value, String> {
    let declared = input["declared_type"].as_str().ok_or("there is no declared type")?;
    Ok(json!({ "valid": fits_declared_type(declared, &values::plain(&input["value"])) }))
}

fn model_output(input: Value) -> Result<Value, String> {
    let output = read_written_reply(text(&input, "model_output")?);
    let kind = if output.calls.is_empty() { "complete" } else { "tool_calls" };
    let call =
        |call: TextCall| json!({ "name": call.name, "arguments": with_usual_date_keys(call.arguments) });
    let calls: Vec<Value> = output.calls.into_iter().map(call).collect();
    Ok(json!({ "kind": kind, "calls": calls, "message": output.message }))
}

fn response_parse(input: Value) -> Result<Value, String> {
    let status = input["http_status"].as_u64().and_then(|status| u16::try_from(status).ok());
    let body = values::plain(&input["body"]).to_string();
    let call = |call: ToolCall| json!({ "id": call.id, "name": call.name, "arguments": call.arguments });
    Ok(match parse_response(status.ok_or("there is no status")?, body.as_bytes()) {
        Action::RunTools { calls, interim_message } => json!({
            "action": "run_tools",
            "calls": calls.into_iter().map(call).collect::<Vec<_>>(),
            "interim_message": interim_message,
        }),
        Action::Ask(request) => json!({
            "action": "ask",
            "question": request.question,
            "parameter_name": request.parameter_name,
            "options": request.options,
            "tool_call_id": request.tool_call_id,
        }),
        Action::Finish { message } => {
            json!({ "action": "finish", "message": message.map_or(json!({ "kind": "stock" }), Value::String) })
        }
        Action::Silent => json!({ "action": "silent" }),
        Action::Fail(failure) => {
            json!({ "action": "fail", "reason": failure.reason.name(), "detail": failure.detail })
        }
    })
}

fn noise(input: Value) -> Result<Value, String> {
    Ok(json!({ "noise": is_noise(text(&input, "transcript")?) }))
}

fn not_for_me(input: Value) -> Result<Value, String> {
    Ok(json!({ "not_for_me": says_not_for_me(text(&input, "model_text")?) }))
}

fn false_wake(input: Value) -> Result<Value, String> {
    let hit_max_duration = input["hit_max_duration"].as_bool().unwrap_or_default();
    let is_false = is_false_wake(text(&input, "transcript")?, hit_max_duration, ASSISTANT, english());
    Ok(json!({ "false_wake": is_false }))
}

fn timer_preroute(input: Value) -> Result<Value, String> {
    let timer = spoken_timer(text(&input, "text")?, ASSISTANT, english());
    let timer =
        timer.map(|timer| json!({ "duration_seconds": timer.duration_seconds, "label": timer.label }));
    Ok(json!({ "timer": timer }))
}

fn routine_match(input: Value) -> Result<Value, String> {
    #[derive(Deserialize)]
    struct Input {
        text: Option<String>,
        trigger_phrases: Option<Vec<Option<String>>>,
    }
    let input: Input = read(input)?;
    let phrases = input.trigger_phrases.unwrap_or_default().into_iter().flatten().collect();
    let routine = Routine { name: String::new(), phrases, commands: Vec::new() };
    let routines = [routine];
    let found = matching_routine(&input.text.unwrap_or_default(), &routines, english());
    Ok(json!({ "match": found.is_some() }))
}

fn time_parse(input: Value) -> Result<Value, String> {
    let time = clock_time(text(&input, "time")?, english()).unwrap_or_default();
    Ok(json!({ "hour": time.hour, "minute": time.minute }))
}

fn date_keys(input: Value) -> Result<Value, String> {
    #[derive(Deserialize)]
    struct Input {
        keys: Vec<String>,
        now_local: String,
        timezone: Option<String>,
    }
    let input: Input = read(input)?;
    let now: DateTime =
        input.now_local.parse().map_err(|error| format!("now_local is no local time: {error}"))?;
    // The system's zone counts as UTC.
    let zone = input.timezone.and_then(|name| TimeZone::get(&name).ok()).unwrap_or(TimeZone::UTC);
    let dates = resolve_date_keys(&input.keys, now, &zone, english());
    let instants: Vec<String> = dates.instants.iter().map(ToString::to_string).collect();
    Ok(json!({ "utc": instants, "unresolved": dates.unresolved }))
}

#[cfg(test)]
mod tests;
