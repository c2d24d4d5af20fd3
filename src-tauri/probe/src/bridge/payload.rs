//! The completion requests for some prompts.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use ::bridge::{
    Bridge, BridgeOptions, CHAT_PATH, ChatFailure, ChatServer, DEFAULT_SYSTEM_PROMPT, FormatWish,
    KeywordMode, NoStart, PromptMemory, RunnerHost, ServerProcess, Supervisor, TestFailure, Timer,
};
use async_trait::async_trait;
use llm::ToolSpec;
use parking_lot::Mutex;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::options::Llm;
use super::scripted_tools::{Nobody, ScriptedTools, context};
use crate::suite::{block_on, or_default, read};

#[derive(Deserialize)]
struct Input {
    llm: Llm,
    #[serde(default)]
    system_prompt: Option<String>,
    prompts: Vec<String>,
    #[serde(default, deserialize_with = "or_default")]
    tools: Vec<WireTool>,
    #[serde(default, deserialize_with = "or_default")]
    model_replies: VecDeque<Option<String>>,
    #[serde(default, deserialize_with = "or_default")]
    tool_results: HashMap<String, String>,
}

#[derive(Deserialize)]
struct WireTool {
    name: String,
    #[serde(default)]
    description: Option<String>,
    #[serde(default)]
    input_schema: Value,
}

pub(super) fn requests(input: Value) -> Result<Value, String> {
    let input: Input = read(input)?;
    let specs = input.tools.into_iter().map(|tool| ToolSpec {
        name: tool.name,
        description: tool.description.unwrap_or_default(),
        parameters: tool.input_schema,
    });
    let tools = ScriptedTools::new(specs.collect(), &input.tool_results)?;
    let server = Arc::new(ScriptedServer { replies: Mutex::new(input.model_replies), ..Default::default() });
    let ports: Arc<dyn ChatServer> = Arc::clone(&server) as Arc<dyn ChatServer>;
    let supervisor = Supervisor::new(Arc::clone(&ports), Arc::new(NoProcess), Arc::new(NoPause));
    let prompt = input.system_prompt.filter(|prompt| !prompt.trim().is_empty());
    let options = BridgeOptions {
        model: input.llm.options(),
        system_prompt: prompt.unwrap_or_else(|| DEFAULT_SYSTEM_PROMPT.to_owned()),
        keywords: Some(KeywordMode::default()),
        format: FormatWish::default(),
        memory: PromptMemory::default(),
    };
    let mut bridge = Bridge::new(options, ports, supervisor);
    block_on(async {
        for (at, prompt) in input.prompts.iter().enumerate() {
            *server.prompt.lock() = at;
            let mut nobody = Nobody;
            let mut host = RunnerHost::new(
                &tools.runner,
                &tools.offered,
                context(),
                &mut nobody,
                bridge::ReadTexts::default(),
            );
            // A prompt without an answer shows in its requests.
            let _ = bridge.ask(prompt, &tools.offered.specs, &mut host).await;
        }
    });
    let requests = server.requests.lock().clone();
    Ok(json!({ "requests": requests }))
}

/// A healthy server with scripted replies; `None` and what follows the last one fail.
#[derive(Default)]
struct ScriptedServer {
    replies: Mutex<VecDeque<Option<String>>>,
    prompt: Mutex<usize>,
    requests: Mutex<Vec<Value>>,
}

#[async_trait]
impl ChatServer for ScriptedServer {
    async fn test(&self, _: Duration) -> Result<(), TestFailure> {
        Ok(())
    }

    async fn chat(&self, body: &Map<String, Value>, _: Duration) -> Result<Value, ChatFailure> {
        let request = json!({ "prompt": *self.prompt.lock(), "path": CHAT_PATH, "body": body });
        self.requests.lock().push(request);
        let reply = self.replies.lock().pop_front().flatten();
        let failure = || ChatFailure::Status { code: 500, detail: "the script has no reply here".into() };
        Ok(json!({ "role": "assistant", "content": reply.ok_or_else(failure)? }))
    }
}

/// The server is healthy, so nothing is started.
struct NoProcess;

#[async_trait]
impl ServerProcess for NoProcess {
    async fn may_start(&self) -> Result<(), NoStart> {
        Err(NoStart::Remote)
    }

    async fn start(&self) -> Result<(), String> {
        Err("nothing may be started here".into())
    }

    async fn end_own(&self) {}
}

/// Nothing waits.
struct NoPause;

#[async_trait]
impl Timer for NoPause {
    async fn sleep(&self, _: Duration) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mail_input(prompts: &[&str], replies: &[&str]) -> Value {
        json!({
            "llm": {"model": "m", "temperature": 0.5},
            "system_prompt": "Be kind.",
            "prompts": prompts,
            "tools": [
                {"name": "search_email", "description": "Finds mail.", "input_schema":
                    {"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]}},
                {"name": "echo", "description": "Repeats.", "input_schema": {"type": "object", "properties": {"n": {"type": "number"}}}},
            ],
            "model_replies": replies,
            "tool_results": {"search_email": "{\"content\":[{\"type\":\"text\",\"text\":\"two  mails\\nfrom <strong>Bob</strong>\"}]}", "echo": "x"},
        })
    }

    fn bodies(prompts: &[&str], replies: &[&str]) -> Vec<Value> {
        let output = requests(mail_input(prompts, replies)).unwrap();
        output["requests"].as_array().unwrap().iter().map(|request| request["body"].clone()).collect()
    }

    fn roles(body: &Value) -> Vec<&str> {
        body["messages"].as_array().unwrap().iter().map(|message| message["role"].as_str().unwrap()).collect()
    }

    const CALL: &str =
        r#"{"tool_call": {"name": "search_email", "arguments": {"query": "Bob"}, "thoughts": "look"}}"#;
    const ANSWER: &str = r#"{"response": "Two."}"#;

    #[test]
    fn hint_is_a_message_of_its_own_and_does_not_leak() {
        let bodies = bodies(&["find the email of Bob", "what is two plus two"], &[ANSWER, ANSWER]);

        assert_eq!(roles(&bodies[0]), ["system", "system", "user"]);
        assert!(bodies[0]["messages"][1]["content"].as_str().unwrap().contains("search_email"));
        let plain = json!([{"role": "system", "content": "Be kind."}, {"role": "user", "content": "what is two plus two"}]);
        assert_eq!(bodies[1]["messages"], plain);
        let settings = json!({"temperature": 0.5, "num_predict": 1000, "num_ctx": 4096});
        assert_eq!(
            (&bodies[1]["options"], &bodies[1]["stream"], &bodies[1]["format"]),
            (&settings, &json!(false), &json!("json"))
        );
        assert_eq!(bodies[1]["tools"].as_array().unwrap().len(), 2);
    }

    #[test]
    fn result_goes_back_as_a_tool_message_with_its_id() {
        let bodies = bodies(&["any news from Bob?"], &[CALL, ANSWER]);

        assert_eq!(roles(&bodies[1]), ["system", "user", "assistant", "tool"]);
        let [call, result] = [2, 3].map(|at| &bodies[1]["messages"][at]);
        assert_eq!(call["tool_calls"][0]["id"], result["tool_call_id"]);
        assert_eq!((&call["content"], &result["tool_name"]), (&json!("look"), &json!("search_email")));
        assert!(result["content"].as_str().unwrap().starts_with("two mails\nfrom Bob\n("), "{result}");
    }

    #[test]
    fn second_prompt_after_a_tool_works_and_is_independent() {
        let output =
            requests(mail_input(&["any news from Bob?", "thanks"], &[CALL, ANSWER, ANSWER])).unwrap();

        let prompts: Vec<&Value> =
            output["requests"].as_array().unwrap().iter().map(|it| &it["prompt"]).collect();
        assert_eq!(prompts, [0, 0, 1]);
        assert_eq!(roles(&output["requests"][2]["body"]), ["system", "user"]);
        assert_eq!(output["requests"][2]["path"], "/api/chat");
    }

    #[test]
    fn repeated_call_is_answered_from_before_and_closes_the_rounds() {
        let bodies = bodies(&["any news from Bob?"], &[CALL, CALL, CALL, ANSWER]);

        assert_eq!(bodies.len(), 3);
        assert_eq!(bodies[2].get("tools"), None);
        assert_eq!(bodies[2]["messages"][3]["content"], bodies[2]["messages"][5]["content"]);
        assert_eq!(roles(&bodies[2]), ["system", "user", "assistant", "tool", "assistant", "tool", "system"]);
    }

    #[test]
    fn rounds_end_after_six_with_a_request_for_an_answer() {
        let calls: Vec<String> =
            (0..9).map(|n| json!({"name": "echo", "arguments": {"n": n}}).to_string()).collect();
        let bodies = bodies(&["count"], &calls.iter().map(String::as_str).collect::<Vec<_>>());

        let offered: Vec<bool> = bodies.iter().map(|body| body.get("tools").is_some()).collect();
        assert_eq!(offered, [true, true, true, true, true, true, false]);
    }

    #[test]
    fn wrong_calls_are_told_to_the_model_once() {
        let unknown = r#"{"name": "fly", "arguments": {}}"#;
        let list = r#"{"name": "echo", "arguments": []}"#;
        let missing = r#"{"name": "search_email", "arguments": {}}"#;
        let last_problem = |replies: &[&str]| {
            let bodies = bodies(&["go"], replies);
            let messages = bodies.last().unwrap()["messages"].as_array().unwrap().clone();
            let problem = messages.iter().rev().find(|message| message["role"] == "tool").unwrap().clone();
            (bodies.len(), problem["content"].as_str().unwrap().to_owned())
        };

        assert_eq!(last_problem(&[unknown, ANSWER]), (2, "Error: no MCP found for tool: fly".into()));
        assert!(last_problem(&[list, ANSWER]).1.contains("must be one JSON object"));
        assert!(last_problem(&[missing, ANSWER]).1.starts_with("Error: search_email was not called: "));
        assert_eq!(last_problem(&[missing, missing, ANSWER]).0, 3);
        assert_eq!(last_problem(&[missing, missing, missing, ANSWER]).0, 3);
    }

    #[test]
    fn null_is_the_same_as_absent() {
        let input = json!({
            "llm": {"model": "m", "temperature": null, "maxTokens": null}, "system_prompt": null, "prompts": ["hello"],
            "tools": null, "model_replies": [ANSWER], "tool_results": null,
        });

        let output = requests(input).unwrap();

        let body = &output["requests"][0]["body"];
        assert_eq!(body["messages"][0]["content"], DEFAULT_SYSTEM_PROMPT);
        assert_eq!(body["options"], json!({"temperature": 0, "num_predict": 1000, "num_ctx": 4096}));
    }

    #[test]
    fn failed_call_of_the_model_ends_its_prompt_only() {
        let output = requests(mail_input(&["one", "two"], &[])).unwrap();

        let prompts: Vec<&Value> =
            output["requests"].as_array().unwrap().iter().map(|it| &it["prompt"]).collect();
        assert_eq!(prompts, [0, 1]);
    }
}
