//! The connection to a scripted server on a scripted clock.

use std::collections::HashMap;
use std::sync::Arc;

use ::bridge::{
    Bridge, BridgeOptions, ChatServer, DEFAULT_SYSTEM_PROMPT, FormatWish, ModelOptions, PromptMemory,
    RunnerHost, Supervisor, TEST_LIMIT,
};
use llm::ToolSpec;
use serde::Deserialize;
use serde_json::{Value, json};

use super::options::CONTEXT_CAP;
use super::scripted_server::{Script, TOOL, World};
use super::scripted_tools::{Nobody, ScriptedTools, context};
use crate::suite::{block_on, read};

#[derive(Deserialize)]
struct Input {
    #[serde(flatten)]
    script: Script,
    #[serde(default)]
    down_before_prompts: Option<Vec<usize>>,
    prompts: usize,
    #[serde(default)]
    structured_output: Option<bool>,
}

pub(super) fn run(input: Value) -> Result<Value, String> {
    let input: Input = read(input)?;
    let parameters = json!({ "type": "object", "properties": { "n": { "type": "number" } } });
    let tool = ToolSpec { name: TOOL.to_owned(), description: String::new(), parameters };
    let results = HashMap::from([(TOOL.to_owned(), "counted".to_owned())]);
    let tools = ScriptedTools::new(vec![tool], &results)?;
    let world = Arc::new(World::new(input.script));
    let (server, process, timer) = (Arc::clone(&world), Arc::clone(&world), Arc::clone(&world));
    let supervisor = Supervisor::new(server, process, timer);
    let format = if input.structured_output == Some(true) { FormatWish::Schema } else { FormatWish::Json };
    let model =
        ModelOptions { model: "model".into(), temperature: None, max_tokens: None, context_cap: CONTEXT_CAP };
    let options = BridgeOptions {
        model,
        system_prompt: DEFAULT_SYSTEM_PROMPT.to_owned(),
        keywords: None,
        format,
        memory: PromptMemory::default(),
    };
    let mut bridge = Bridge::new(options, Arc::clone(&world) as Arc<dyn ChatServer>, supervisor);
    let downs = input.down_before_prompts.unwrap_or_default();
    let prompts: Vec<Value> = block_on(async {
        let mut prompts = Vec::new();
        for at in 0..input.prompts {
            if downs.contains(&at) {
                world.goes_down();
            }
            let began = world.now();
            let mut nobody = Nobody;
            let mut host = RunnerHost::new(
                &tools.runner,
                &tools.offered,
                context(),
                &mut nobody,
                bridge::ReadTexts::default(),
            );
            let answer = bridge.ask("go on", &tools.offered.specs, &mut host).await;
            let after = (world.now() - began).as_secs_f64();
            prompts.push(
                json!({ "ok": answer.is_ok(), "error": answer.err().map(|error| error.label()), "after_s": after }),
            );
        }
        if prompts.is_empty() {
            // The state of the server is asked for even if nothing is.
            let _ = world.test(TEST_LIMIT).await;
        }
        prompts
    });
    Ok(world.output(&prompts))
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    fn input(changes: Value) -> Value {
        let mut input = json!({
            "loopback": true, "server": "down", "start_succeeds": true, "polls_until_up": 3,
            "down_before_prompts": [], "prompts": 1, "chat": ["text"], "structured_output": false,
        });
        for (key, value) in changes.as_object().unwrap() {
            input[key] = value.clone();
        }
        input
    }

    /// The prompts of an output in short: `ok`, or the label of the error, with the seconds.
    fn prompts(output: &Value) -> Vec<String> {
        let prompts = output["prompts"].as_array().unwrap().iter();
        prompts.map(|it| format!("{} {}", it["error"].as_str().unwrap_or("ok"), it["after_s"])).collect()
    }

    #[rstest]
    #[case::up(json!({"server": "up"}), true, (0, 0, 1), &["ok 0.0"])]
    #[case::started(json!({}), false, (1, 3, 1), &["ok 3.0"])]
    #[case::last_poll(json!({"polls_until_up": 10}), false, (1, 10, 1), &["ok 10.0"])]
    #[case::too_slow(json!({"polls_until_up": 11}), false, (1, 10, 0), &["start_failed 10.0"])]
    #[case::never_up(json!({"polls_until_up": null, "prompts": 5}), false, (3, 30, 0),
        &["start_failed 10.0", "start_failed 10.0", "start_failed 10.0", "retries_exhausted 0.0", "retries_exhausted 0.0"])]
    #[case::start_fails(json!({"start_succeeds": false, "prompts": 4}), false, (3, 0, 0),
        &["start_failed 0.0", "start_failed 0.0", "start_failed 0.0", "retries_exhausted 0.0"])]
    #[case::remote_is_never_started(json!({"loopback": false, "prompts": 5}), false, (0, 0, 0), &["unreachable 0.0"; 5])]
    #[case::each_success_resets_the_count(json!({"server": "up", "polls_until_up": 1, "prompts": 6, "down_before_prompts": [0, 1, 2, 3, 4, 5]}),
        false, (6, 6, 6), &["ok 1.0"; 6])]
    #[case::hangs(json!({"server": "hang", "polls_until_up": 2}), false, (1, 2, 1), &["ok 12.0"])]
    #[case::remote_hangs(json!({"server": "hang", "loopback": false}), false, (0, 0, 0), &["unreachable 5.0"])]
    #[case::fails(json!({"server": "http500", "loopback": false}), false, (0, 0, 0), &["unreachable 0.0"])]
    #[case::no_prompt(json!({"prompts": 0}), false, (0, 0, 0), &[])]
    #[case::request_hangs(json!({"server": "up", "chat": ["hang", "text"], "prompts": 2}), true, (0, 0, 2), &["timeout 300.0", "ok 0.0"])]
    #[case::no_model(json!({"server": "up", "chat": ["http404_model_missing"]}), true, (0, 0, 1), &["model_missing 0.0"])]
    #[case::tools(json!({"server": "up", "chat": ["tool_call", "tool_call", "text"]}), true, (0, 0, 3), &["ok 0.0"])]
    #[case::tools_without_end(json!({"server": "up", "chat": ["tool_call"]}), true, (0, 0, 7), &["ok 0.0"])]
    fn connection_is_supervised(
        #[case] changes: Value,
        #[case] is_healthy: bool,
        #[case] (starts, polls, requests): (u64, u64, u64),
        #[case] expected: &[&str],
    ) {
        let output = run(input(changes)).unwrap();

        assert_eq!(prompts(&output), expected);
        let counts = ["starts", "polls", "requests_sent", "killed"].map(|key| output[key].as_u64().unwrap());
        assert_eq!((&output["healthy"], counts), (&json!(is_healthy), [starts, polls, requests, 0]));
    }

    #[rstest]
    #[case::schema(true, 1, json!(["schema", "json", null]))]
    #[case::json(false, 1, json!(["json", null]))]
    #[case::refused_formats_are_not_sent_again(true, 2, json!(["schema", "json", null, null]))]
    fn refused_format_falls_back_to_the_next(
        #[case] is_structured: bool,
        #[case] asked: u64,
        #[case] formats: Value,
    ) {
        let changes = json!({
            "server": "up", "chat": ["http400_if_format"], "structured_output": is_structured, "prompts": asked,
        });

        let output = run(input(changes)).unwrap();

        assert_eq!((&output["formats_tried"], &output["prompts"][0]["ok"]), (&formats, &json!(true)));
    }

    #[test]
    fn test_is_given_up_after_five_seconds() {
        let output = run(input(json!({"server": "hang", "loopback": false}))).unwrap();

        assert_eq!(output["test_abort_s"], 5.0);
    }
}
