//! The stages between a query and the loop of its reply: plan, recall gate, carry-over, digests, calls in text.

use std::time::Duration;

use ::replying::compound::split_compound;
use ::replying::digest::{Activity, activity, batch_snippets, split_at_paragraphs, without_artifacts};
use ::replying::plan::{
    DeclaredTools, Plan, Progress, concrete_call, is_memory_step, memory_topic, normalise_url,
    normalise_url_arguments,
};
use ::replying::recall_gate::should_recall;
use ::replying::roles::{
    Digest, RoleModels, digest_memory, digest_result, extract_search_terms, question_answered_by,
};
use ::replying::text_call::text_calls;
use ::replying::tool_talk::{failed_tools, is_tool_message, scrubbed};
use llm::{Message, ToolCall, ToolCallId};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::sync::Arc;
use tokio_util::sync::CancellationToken;
use vocabulary::Language;

use crate::message::{WireMessage, message};
use crate::script::ScriptedModel;
use crate::suite::{self, Suite, read};

/// Scripted models answer at once.
const TIMEOUT: Duration = Duration::from_secs(5);

pub(super) fn suite(name: &str) -> Option<Suite> {
    Some(match name {
        "planner.parse_plan" => |input| Ok(json!(Plan::parse(&text(input, "raw")?).steps())),
        "planner.is_search_memory_step" => |input| Ok(json!(is_memory_step(&text(input, "step")?))),
        "planner.memory_topic_of" => |input| Ok(json!(memory_topic(&text(input, "step")?))),
        "planner.plan_requires_memory" => |input| Ok(json!(plan(input, "plan")?.asks_for_memory())),
        "planner.strip_memory_directives" => |input| Ok(json!(plan(input, "plan")?.without_memory_steps())),
        "planner.tool_steps_of" => |input| Ok(json!(plan(input, "plan")?.tool_steps())),
        "planner.tool_names_in_plan" => tool_names,
        "planner.plan_has_unresolved_tool_steps" => is_under_specified,
        "planner.parse_plan_step_concrete" => step,
        "planner.normalise_url_value" => |input| Ok(json!(normalise_url(&text(input, "value")?))),
        "planner.normalise_url_args" => urls,
        "planner.progress_nudge" => progress,
        "recall_gate.should_recall" => recall,
        "carryover_guard.failed_tool_names" => failed,
        "carryover_guard.match_question" => question,
        "memory_misc.is_tool_message" => tool_message,
        "memory_misc.scrub_tool_call" => scrub_call,
        "compound_query.normalise_language" => {
            |input| Ok(json!(language(&input)?.map(|it| it.code().to_owned())))
        }
        "compound_query.split_compound_query" => compound,
        "tool_call_parser.extract_text_tool_call" => text_call,
        "digest_helpers.batch_snippets" => batches,
        "digest_helpers.split_on_paragraph_boundary" => paragraphs,
        "digest_helpers.format_loop_activity" => loop_activity,
        "digest_helpers.strip_digest_artifacts" => {
            |input| Ok(json!(without_artifacts(&text(input, "text")?)))
        }
        "digest_helpers.digest_memory_for_query" => memory_digest,
        "digest_helpers.digest_tool_result_for_query" => result_digest,
        "digest_helpers.extract_search_params" => search_terms,
        _ => return None,
    })
}

/// A text of the input.
fn text(input: Value, field: &str) -> Result<String, String> {
    input[field].as_str().map(str::to_owned).ok_or_else(|| format!("the input has no text {field}"))
}

fn plan(input: Value, field: &str) -> Result<Plan, String> {
    let steps: Vec<String> = read(input[field].clone())?;
    Ok(Plan::from_steps(steps))
}

fn known_names(input: &Value) -> Result<Vec<String>, String> {
    read(input["known_names"].clone())
}

fn tool_names(input: Value) -> Result<Value, String> {
    let known = known_names(&input)?;
    Ok(json!(plan(input, "plan")?.tool_names(|name| known.iter().any(|known| known == name))))
}

fn is_under_specified(input: Value) -> Result<Value, String> {
    let known = known_names(&input)?;
    Ok(json!(plan(input, "plan")?.is_under_specified(|name| known.iter().any(|known| known == name))))
}

fn step(input: Value) -> Result<Value, String> {
    let declared: DeclaredTools = read(input["declared"].clone())?;
    let call = concrete_call(&text(input, "step")?, &declared);
    Ok(json!(call.map(|(name, arguments)| json!({ "name": name, "arguments": arguments }))))
}

fn urls(input: Value) -> Result<Value, String> {
    let arguments: Map<String, Value> = read(input["args"].clone())?;
    Ok(Value::Object(normalise_url_arguments(arguments)))
}

fn progress(input: Value) -> Result<Value, String> {
    let results: usize = read(input["tool_results_so_far"].clone())?;
    let (kind, next) = match plan(input, "steps")?.progress(results) {
        Progress::None => ("none", None),
        Progress::Next { executed, total, step } => ("next", Some((executed, total, step))),
        Progress::Synthesise => ("synthesise", None),
    };
    Ok(json!({
        "kind": kind,
        "executed": next.as_ref().map(|(executed, ..)| executed),
        "total": next.as_ref().map(|(_, total, _)| total),
        "next_step": next.as_ref().map(|(.., step)| step),
    }))
}

fn messages(value: &Value) -> Result<Vec<Message>, String> {
    let messages: Vec<WireMessage> = read(value.clone())?;
    Ok(messages.into_iter().map(message).collect())
}

fn recall(input: Value) -> Result<Value, String> {
    let recent = messages(&input["recent_messages"])?;
    let coverage: f64 = read(input["min_coverage"].clone())?;
    Ok(json!(should_recall(&text(input, "query")?, &recent, coverage)))
}

fn failed(input: Value) -> Result<Value, String> {
    Ok(json!(failed_tools(&messages(&input["recent_messages"])?)))
}

fn question(input: Value) -> Result<Value, String> {
    let questions: Vec<String> = read(input["questions"].clone())?;
    Ok(json!(question_answered_by(&text(input, "node_data")?, &questions).unwrap_or_default()))
}

fn tool_message(input: Value) -> Result<Value, String> {
    if !input["msg"].is_object() {
        return Ok(json!(false));
    }
    // What is no message is no tool message either.
    let read: Result<WireMessage, String> = read(input["msg"].clone());
    Ok(json!(read.is_ok_and(|wire| is_tool_message(&message(wire)))))
}

fn scrub_call(input: Value) -> Result<Value, String> {
    let mut call = input["tc"].clone();
    let arguments = call["function"]["arguments"].take();
    let id = ToolCallId(call["id"].as_str().unwrap_or_default().to_owned());
    let name = call["function"]["name"].as_str().unwrap_or_default().to_owned();
    call["function"]["arguments"] = scrubbed(ToolCall { id, name, arguments }).arguments;
    Ok(call)
}

/// The language of the input: the first two letters of the primary subtag.
fn language(input: &Value) -> Result<Option<Language>, String> {
    let code = suite::text(input, "language")?.trim();
    let primary = code.split(['-', '_']).next().unwrap_or_default();
    Ok(Language::new(&primary.chars().take(2).collect::<String>()))
}

fn compound(input: Value) -> Result<Value, String> {
    let parts = split_compound(suite::text(&input, "text")?, language(&input)?.as_ref());
    Ok(parts.map_or_else(|| json!([]), |(first, second)| json!([first, second])))
}

fn text_call(input: Value) -> Result<Value, String> {
    let known = known_names(&input)?;
    let calls = text_calls(&text(input, "content")?, |name| known.iter().any(|known| known == name));
    Ok(calls.into_iter().next().map_or(Value::Null, |call| {
        json!({
            "name": call.name,
            "arguments": call.arguments,
            "id": call.id.unwrap_or_else(|| "text-0".to_owned()),
        })
    }))
}

fn batches(input: Value) -> Result<Value, String> {
    let snippets: Vec<String> = read(input["snippets"].clone())?;
    Ok(json!(batch_snippets(&snippets, read(input["max_chars"].clone())?)))
}

fn paragraphs(input: Value) -> Result<Value, String> {
    let most = read(input["max_chars"].clone())?;
    Ok(json!(split_at_paragraphs(&text(input, "text")?, most)))
}

fn loop_activity(input: Value) -> Result<Value, String> {
    let entries = activity(&messages(&input["loop_messages"])?).into_iter().map(|entry| match entry {
        Activity::Call { name, arguments } => {
            let arguments: Value = serde_json::from_str(&arguments).unwrap_or(Value::String(arguments));
            json!({ "kind": "tool_call", "name": name, "arguments": arguments })
        }
        Activity::Result { name, text } => json!({ "kind": "tool_result", "name": name, "text": text }),
        Activity::Note(text) => json!({ "kind": "assistant", "text": text }),
    });
    Ok(entries.collect())
}

/// Runs a stage that asks a model.
fn with_model<T>(
    replies: Vec<Option<String>>,
    stage: impl AsyncFnOnce(&RoleModels, &CancellationToken) -> T,
) -> Result<(T, usize), String> {
    let model = Arc::new(ScriptedModel::new(replies));
    let asked = Arc::clone(&model);
    let models = RoleModels::new(|_| model.clone());
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build();
    let runtime = runtime.map_err(|error| error.to_string())?;
    let output = runtime.block_on(stage(&models, &CancellationToken::new()));
    Ok((output, asked.calls()))
}

/// More calls than any request causes.
const MANY: usize = 64;

fn digested(digest: Digest, calls: usize) -> Value {
    let result = match digest {
        Digest::Raw => json!({ "kind": "raw" }),
        Digest::Shortened(text) => json!(text),
    };
    json!({ "result": result, "llm_calls": calls })
}

fn memory_digest(input: Value) -> Result<Value, String> {
    #[derive(Deserialize)]
    struct Input {
        query: String,
        diary_entries: Vec<String>,
        graph_parts: Vec<String>,
        llm_reply: Option<String>,
    }
    let input: Input = read(input)?;
    let (digest, calls) = with_model(vec![input.llm_reply; MANY], async |models, stop| {
        digest_memory(models, &input.query, &input.diary_entries, &input.graph_parts, TIMEOUT, stop).await
    })?;
    Ok(digested(digest, calls))
}

fn result_digest(input: Value) -> Result<Value, String> {
    #[derive(Deserialize)]
    struct Input {
        query: String,
        tool_name: String,
        tool_result: String,
        llm_reply: Option<String>,
    }
    let input: Input = read(input)?;
    let (digest, calls) = with_model(vec![input.llm_reply; MANY], async |models, stop| {
        digest_result(models, &input.query, &input.tool_name, &input.tool_result, TIMEOUT, stop).await
    })?;
    Ok(digested(digest, calls))
}

fn search_terms(input: Value) -> Result<Value, String> {
    let replies: Vec<Option<String>> = read(input["llm_replies"].clone())?;
    let (terms, calls) = with_model(replies, async |models, stop| {
        extract_search_terms(models, "query", None, "", TIMEOUT, stop).await
    })?;
    let mut result = Map::new();
    if let Some(terms) = terms {
        result.insert("keywords".into(), json!(terms.keywords));
        if !terms.questions.is_empty() {
            result.insert("questions".into(), json!(terms.questions));
        }
        result.extend(terms.from.map(|from| ("from".to_owned(), json!(from))));
        result.extend(terms.to.map(|to| ("to".to_owned(), json!(to))));
    }
    Ok(json!({ "result": result, "llm_calls": calls }))
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::step("planner.parse_plan_step_concrete",
        json!({ "step": "getWeather location='Leeds'", "declared": { "getWeather": ["location"] } }),
        json!({ "name": "getWeather", "arguments": { "location": "Leeds" } }))]
    #[case::progress("planner.progress_nudge", json!({ "steps": ["a b", "Reply."], "tool_results_so_far": 0 }),
        json!({ "kind": "next", "executed": 0, "total": 1, "next_step": "a b" }))]
    #[case::no_progress("planner.progress_nudge", json!({ "steps": ["a b", "Reply."], "tool_results_so_far": 1 }),
        json!({ "kind": "synthesise", "executed": null, "total": null, "next_step": null }))]
    #[case::language("compound_query.normalise_language", json!({ "language": "pt-BR" }), json!("pt"))]
    #[case::not_compound("compound_query.split_compound_query", json!({ "text": null, "language": null }), json!([]))]
    #[case::no_message("memory_misc.is_tool_message", json!({ "msg": 3 }), json!(false))]
    #[case::short_result("digest_helpers.digest_tool_result_for_query",
        json!({ "query": "q", "tool_name": "t", "tool_result": "short", "llm_reply": "x" }),
        json!({ "result": { "kind": "raw" }, "llm_calls": 0 }))]
    #[case::no_terms("digest_helpers.extract_search_params", json!({ "llm_replies": ["no", null] }),
        json!({ "result": {}, "llm_calls": 2 }))]
    fn stage_answers_a_request(#[case] name: &str, #[case] input: Value, #[case] expected: Value) {
        assert_eq!(suite(name).unwrap()(input), Ok(expected));
    }
}
