//! The Ollama bridge: keywords, configuration, requests, recovery, replies and results.

mod options;
mod payload;
mod recovery;
mod scripted_server;
mod scripted_tools;

use std::path::Path;

use ::bridge::{
    BridgeConfig, KeywordMode, ModelOptions, Reply, ReplyContent, clean, detect, example_arguments, keywords,
    read_reply,
};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use options::CONTEXT_CAP;

use crate::suite::{Suite, read};

/// The folder of the user in the default configuration.
const HOME: &str = "/home/user";

pub(super) fn suite(name: &str) -> Option<Suite> {
    Some(match name {
        "bridge-keyword-table" => keyword_table,
        "bridge-keyword-detection" => detection,
        "bridge-example-arguments" => examples,
        "bridge-config" => config,
        "bridge-payload" => payload::requests,
        "bridge-recovery" => recovery::run,
        "bridge-reply-parse" => reply,
        "bridge-result-clean" => result,
        _ => return None,
    })
}

fn keyword_table(input: Value) -> Result<Value, String> {
    let tool = input["tool"].as_str().ok_or("there is no tool")?;
    Ok(json!(keywords(tool)))
}

fn detection(input: Value) -> Result<Value, String> {
    #[derive(Deserialize)]
    struct Input {
        registered_tools: Vec<String>,
        prompt: String,
    }
    let input: Input = read(input)?;
    let found = |mode| detect(mode, &input.prompt, &input.registered_tools);
    Ok(json!({ "compat": found(KeywordMode::Compat), "strict": found(KeywordMode::Strict) }))
}

fn examples(input: Value) -> Result<Value, String> {
    Ok(Value::Object(example_arguments(&input["input_schema"])))
}

fn config(input: Value) -> Result<Value, String> {
    let (config, report) = BridgeConfig::read(input["file"].as_str(), Path::new(HOME));
    let options = ModelOptions {
        model: config.model,
        temperature: Some(config.temperature),
        max_tokens: Some(config.max_tokens),
        context_cap: CONTEXT_CAP,
    };
    let servers: Map<String, Value> = config
        .servers
        .iter()
        .map(|server| (server.name.clone(), json!({ "command": server.command, "start": server.is_started })))
        .collect();
    Ok(json!({
        "llm": {
            "model": options.model,
            "baseUrl": config.address.as_str(),
            "temperature": config.temperature,
            "maxTokens": config.max_tokens,
        },
        "systemPrompt": config.system_prompt,
        "servers": servers,
        "options": { "temperature": options.temperature_sent(), "num_predict": options.num_predict_sent() },
        "warning": !report.problems.is_empty(),
        "may_start_server": config.address.is_loopback(),
    }))
}

fn reply(input: Value) -> Result<Value, String> {
    #[derive(Deserialize)]
    struct Input {
        #[serde(default)]
        message: Value,
        #[serde(default)]
        known_tools: Option<Vec<String>>,
    }
    let input: Input = read(input)?;
    let Reply { content, thoughts } = read_reply(&input.message, &input.known_tools.unwrap_or_default());
    let mut calls = Vec::new();
    let mut text = None;
    let kind = match content {
        ReplyContent::ToolCalls(read) => {
            let call = |call: ::bridge::ReplyCall| json!({ "name": call.name, "arguments": call.arguments });
            calls.extend(read.into_iter().map(call));
            "tool_calls"
        }
        ReplyContent::Text(said) => {
            text = Some(said);
            "text"
        }
        ReplyContent::Empty => "empty",
        ReplyContent::UnknownTool { .. } => "unknown_tool",
        ReplyContent::BadArguments { .. } => "bad_arguments",
        ReplyContent::Truncated => "truncated",
    };
    Ok(json!({ "kind": kind, "calls": calls, "thoughts": thoughts, "text": text }))
}

fn result(input: Value) -> Result<Value, String> {
    let raw = input["raw_output"].as_str().ok_or("there is no raw_output")?;
    let cleaned = clean(raw);
    Ok(json!({ "text": cleaned.text, "is_error": cleaned.is_error, "rate_limited": cleaned.is_rate_limited }))
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::keywords("bridge-keyword-table", json!({"tool": "make_tea"}), json!(["make_tea", "make tea"]))]
    #[case::detection(
        "bridge-keyword-detection",
        json!({"registered_tools": ["brave_local_search", "generate_image"], "prompt": "open localhost"}),
        json!({"compat": "brave_local_search", "strict": null})
    )]
    #[case::examples(
        "bridge-example-arguments",
        json!({"input_schema": {"properties": {"query": {"type": "string"}, "n": {"type": "number"}}}}),
        json!({"query": "search query", "n": 1})
    )]
    #[case::no_schema("bridge-example-arguments", json!({}), json!({}))]
    #[case::config(
        "bridge-config",
        json!({"file": "{\"llm\": {\"model\": \"m\", \"baseUrl\": \"http://gpu:11434\", \"maxTokens\": 0}, \"systemPrompt\": \"Hi.\", \"mcpServers\": {\"filesystem\": {\"command\": \"fs\", \"disabled\": true}}}"}),
        json!({
            "llm": {"model": "m", "baseUrl": "http://gpu:11434", "temperature": 0.7, "maxTokens": 0},
            "systemPrompt": "Hi.", "servers": {"filesystem": {"command": "fs", "start": false}},
            "options": {"temperature": 0.7, "num_predict": 1000}, "warning": false, "may_start_server": false,
        })
    )]
    #[case::no_config(
        "bridge-config",
        json!({"file": null}),
        json!({
            "llm": {"model": "qwen2.5-coder:7b-instruct", "baseUrl": "http://127.0.0.1:11434", "temperature": 0.7, "maxTokens": 1000},
            "systemPrompt": ::bridge::DEFAULT_SYSTEM_PROMPT, "servers": {"filesystem": {"command": "npx", "start": true}},
            "options": {"temperature": 0.7, "num_predict": 1000}, "warning": true, "may_start_server": true,
        })
    )]
    #[case::call(
        "bridge-reply-parse",
        json!({"message": {"role": "assistant", "content": "{\"name\": \"Make-Tea\", \"arguments\": {\"cups\": 2}, \"thoughts\": \"thirst\"}"}, "known_tools": ["make_tea"], "after_tool_results": false}),
        json!({"kind": "tool_calls", "calls": [{"name": "make_tea", "arguments": {"cups": 2}}], "thoughts": "thirst", "text": null})
    )]
    #[case::answer(
        "bridge-reply-parse",
        json!({"message": {"content": "{\"response\": \"Done.\"}"}, "known_tools": [], "after_tool_results": true}),
        json!({"kind": "text", "calls": [], "thoughts": null, "text": "Done."})
    )]
    #[case::no_message("bridge-reply-parse", json!({}), json!({"kind": "empty", "calls": [], "thoughts": null, "text": null}))]
    #[case::result(
        "bridge-result-clean",
        json!({"raw_output": "{\"content\":[{\"type\":\"text\",\"text\":\"<strong>rate</strong> limit\"}],\"isError\":true}"}),
        json!({"text": "rate limit", "is_error": true, "rate_limited": true})
    )]
    fn suite_answers_with_the_code_of_the_product(
        #[case] name: &str,
        #[case] input: Value,
        #[case] expected: Value,
    ) {
        assert_eq!(suite(name).unwrap()(input), Ok(expected));
    }
}
