//! Tests of `llm::EmbeddedModel` with the worker program and a real model.
//!
//! They are here and not in `llm`, because cargo builds the worker only for the tests of this crate.

#![allow(clippy::unwrap_used, reason = "an error fails the test")]

use std::path::PathBuf;
use std::time::{Duration, Instant};

use futures::StreamExt;
use llm::{
    CancellationToken, ChatEvent, ChatModel, ChatRequest, ChatStream, EmbeddedConfig, EmbeddedModel,
    FinishReason, LlmError, Message, ToolSpec, Usage,
};
use serde_json::{Value, json};

/// Small enough for every test machine.
const SMALL_MODEL: &str = "language/SmolLM2-135M-Instruct.Q4_1.gguf";

/// A model that can call tools, unlike the small one.
const MODEL_WITH_TOOLS: &str = "language/qwen2.5-coder-0.5b-instruct-q4_k_m.gguf";

/// Path of an installed model file. Fails with the command that installs it.
fn model(name: &str) -> PathBuf {
    let folder = std::env::var_os("JARVIS_MODELS")
        .map(PathBuf::from)
        .unwrap_or_else(|| settings::Folders::from_environment().expect("the user has a home folder").models);
    let path = folder.join(name);
    assert!(path.is_file(), "{} is missing: fetch it with `cargo xtask models`", path.display());
    path
}

fn config(model: PathBuf) -> EmbeddedConfig {
    let config = EmbeddedConfig::new(env!("CARGO_BIN_EXE_llm-worker").into(), model);
    // One thread disturbs other tests least, because the threads of ggml wait for each other by spinning.
    EmbeddedConfig { context_tokens: 2048, threads: 1, ..config }
}

fn small() -> EmbeddedModel {
    EmbeddedModel::new(config(model(SMALL_MODEL)))
}

fn ask(text: &str) -> ChatRequest {
    let system =
        "You are a helpful assistant who answers in one short sentence. Never use lists, never use code.";
    ChatRequest::new(vec![Message::system(system), Message::user(text)]).with_temperature(0.0)
}

async fn finish(mut stream: ChatStream) -> Result<(String, Vec<llm::ToolCall>, Usage), LlmError> {
    let (mut text, mut calls) = (String::new(), Vec::new());
    while let Some(event) = stream.next().await {
        match event? {
            ChatEvent::Text(more) => text.push_str(&more),
            ChatEvent::ToolCalls(all) => calls = all,
            ChatEvent::Thinking(_) => {}
            ChatEvent::Finished(usage) => return Ok((text, calls, usage)),
        }
    }
    panic!("the stream ended without a finish reason")
}

async fn answer(model: &EmbeddedModel, request: ChatRequest) -> Result<(String, Usage), LlmError> {
    let (text, _, usage) = finish(model.chat(request, CancellationToken::new()).await?).await?;
    Ok((text, usage))
}

/// The worker program under a unique name, so that a test finds its process.
#[cfg(target_os = "linux")]
struct NamedWorker {
    name: &'static str,
    folder: tempfile::TempDir,
}

#[cfg(target_os = "linux")]
impl NamedWorker {
    fn new(name: &'static str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_llm-worker"), folder.path().join(name)).unwrap();
        Self { name, folder }
    }

    fn model(&self, idle_unload: Duration) -> EmbeddedModel {
        let worker = self.folder.path().join(self.name);
        EmbeddedModel::new(EmbeddedConfig { worker, idle_unload, ..config(model(SMALL_MODEL)) })
    }

    /// The running process, if there is one.
    fn pid(&self) -> Option<u32> {
        let mine = format!("PPid:\t{}\n", std::process::id());
        let is_it = |pid: &u32| {
            let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
            status.contains(&mine)
                && status.starts_with(&format!("Name:\t{}\n", self.name))
                && !status.contains("State:\tZ")
        };
        let all = std::fs::read_dir("/proc").unwrap();
        all.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok()).find(is_it)
    }

    /// Waits until the process has ended, by polling.
    async fn wait_for_end(&self) {
        let ended = async {
            while self.pid().is_some() {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        };
        tokio::time::timeout(Duration::from_secs(20), ended).await.expect("the worker ends");
    }
}

/// Longer than any test.
const AN_HOUR: Duration = Duration::from_secs(3600);

#[tokio::test]
async fn follow_up_uses_the_prefix_cache_of_the_first_reply() {
    let model = small();
    let first = ask("What is the capital of France?");

    let (text, usage) = answer(&model, first.clone()).await.unwrap();
    let mut messages = first.messages.clone();
    messages.extend([Message::assistant(text.clone()), Message::user("And of Spain?")]);
    let (_, follow_up) = answer(&model, ChatRequest { messages, ..first }).await.unwrap();

    assert!(text.contains("Paris"), "{text}");
    assert_eq!(usage.reason, FinishReason::Stop);
    let cached = follow_up.cached_prompt_tokens.unwrap();
    let new = follow_up.prompt_tokens - cached;
    assert!(cached >= usage.prompt_tokens && new < 20, "{cached} of {} were cached", follow_up.prompt_tokens);
}

#[tokio::test]
async fn warm_up_fills_the_prefix_cache_for_the_first_reply() {
    let model = small();
    let request = ask("Why is the sky blue?").with_max_tokens(1);

    model.warm_up(&request.messages[..1]).await.unwrap();
    let (_, usage) = answer(&model, request).await.unwrap();

    let new = usage.prompt_tokens - usage.cached_prompt_tokens.unwrap();
    assert!(new < 20, "{new} tokens were read anew");
    assert_eq!(usage.reason, FinishReason::Length);
}

#[tokio::test]
async fn cancellation_ends_the_reply_and_the_next_one_works() {
    let model = small();
    let stop = CancellationToken::new();
    let mut stream = model.chat(ask("Tell me a very long story."), stop.clone()).await.unwrap();
    let first = stream.next().await.unwrap().unwrap();

    stop.cancel();
    let (_, _, usage) = finish(stream).await.unwrap();
    let (text, _) = answer(&model, ask("What is the capital of France?")).await.unwrap();

    assert!(matches!(first, ChatEvent::Text(_)), "{first:?}");
    assert_eq!(usage.reason, FinishReason::Cancelled);
    assert!(text.contains("Paris"), "{text}");
}

#[tokio::test]
async fn dropped_stream_does_not_delay_the_next_reply() {
    let model = small();
    let long = ask("Tell me a very long story.").with_max_tokens(1000);
    let mut dropped = model.chat(long, CancellationToken::new()).await.unwrap();
    dropped.next().await.unwrap().unwrap();
    let before = Instant::now();
    for _ in 0..20 {
        dropped.next().await.unwrap().unwrap();
    }
    let twenty_tokens = before.elapsed();
    drop(dropped);

    let before = Instant::now();
    answer(&model, ask("Hello.").with_max_tokens(1)).await.unwrap();

    // The other 980 tokens would take 49 times as long, however busy the machine is.
    assert!(before.elapsed() < 20 * twenty_tokens, "took {:?} beside {twenty_tokens:?}", before.elapsed());
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn killed_worker_is_reported_and_restarted() {
    let worker = NamedWorker::new("worker-to-kill");
    let model = worker.model(AN_HOUR);
    let stream = model.chat(ask("Tell me a very long story."), CancellationToken::new()).await.unwrap();

    let pid = worker.pid().unwrap().to_string();
    let killed = std::process::Command::new("kill").args(["-9", &pid]).status().unwrap();
    let error = finish(stream).await.unwrap_err();
    let (text, _) = answer(&model, ask("What is the capital of France?")).await.unwrap();

    assert!(killed.success());
    assert!(matches!(&error, LlmError::WorkerDied { how } if how.contains('9')), "{error:?}");
    assert!(error.is_transient());
    assert!(text.contains("Paris"), "{text}");
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn worker_has_its_own_process_group() {
    let worker = NamedWorker::new("worker-apart");
    let model = worker.model(AN_HOUR);
    answer(&model, ask("Hello.").with_max_tokens(1)).await.unwrap();

    let pid = worker.pid().unwrap();
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
    let after_name = stat.rsplit_once(')').unwrap().1;
    let group: u32 = after_name.split_whitespace().nth(2).unwrap().parse().unwrap();

    assert_eq!(group, pid, "a terminal sends Ctrl-C to the process group of its foreground program");
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn idle_worker_ends_and_is_restarted_when_needed() {
    let worker = NamedWorker::new("worker-idle");
    let model = worker.model(Duration::from_millis(100));

    answer(&model, ask("Hello.").with_max_tokens(1)).await.unwrap();
    worker.wait_for_end().await;
    let (text, _) = answer(&model, ask("What is the capital of France?")).await.unwrap();

    assert!(text.contains("Paris"), "{text}");
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn dropping_the_model_ends_the_worker() {
    let worker = NamedWorker::new("worker-dropped");
    let model = worker.model(AN_HOUR);
    let stream = model.chat(ask("Tell me a very long story."), CancellationToken::new()).await.unwrap();

    drop(model);
    let error = finish(stream).await.unwrap_err();

    assert!(matches!(error, LlmError::WorkerDied { .. }), "{error:?}");
    worker.wait_for_end().await;
}

#[tokio::test]
async fn reply_matches_the_requested_json_schema() {
    let schema = json!({
        "type": "object",
        "properties": { "country": { "enum": ["France", "Spain"] }, "is_city": { "type": "boolean" } },
        "required": ["country", "is_city"],
    });

    let (text, _) = answer(&small(), ask("Where is Paris?").with_format(schema)).await.unwrap();

    let value: Value = serde_json::from_str(&text).unwrap();
    assert!(value["country"].is_string() && value["is_city"].is_boolean(), "{text}");
}

#[tokio::test]
async fn references_to_parts_of_definitions_are_followed() {
    let part = json!({
        "type": "object",
        "properties": { "level": { "$ref": "#/$defs/dim/$defs/Level" } },
        "required": ["level"],
        "additionalProperties": false,
        "$defs": { "Level": { "enum": ["low"] } },
    });
    let schema = json!({ "anyOf": [{ "$ref": "#/$defs/dim" }], "$defs": { "dim": part } });

    let (text, _) = answer(&small(), ask("How bright is it?").with_format(schema)).await.unwrap();

    assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), json!({ "level": "low" }));
}

#[tokio::test]
async fn model_calls_a_tool_and_uses_its_result() {
    let model = EmbeddedModel::new(config(model(MODEL_WITH_TOOLS)));
    let tool = ToolSpec {
        name: "get_weather".into(),
        description: "Tells the weather of a city.".into(),
        parameters: json!({ "type": "object", "properties": { "city": { "type": "string" } }, "required": ["city"] }),
    };
    let request = ask("What is the weather in Leeds?").with_tools(vec![tool]);

    let stream = model.chat(request.clone(), CancellationToken::new()).await.unwrap();
    let (text, calls, usage) = finish(stream).await.unwrap();
    let mut messages = request.messages.clone();
    messages.push(Message::assistant_calls(text.clone(), calls.clone()));
    messages.push(Message::tool_result(&calls[0], "heavy rain, 11 degrees"));
    // Without tools, because such a small model would call the tool again.
    let (said, _) = answer(&model, ChatRequest { messages, tools: vec![], ..request }).await.unwrap();

    assert_eq!((text.as_str(), usage.reason), ("", FinishReason::ToolCalls));
    assert_eq!((calls[0].name.as_str(), &calls[0].arguments), ("get_weather", &json!({ "city": "Leeds" })));
    assert!(said.to_lowercase().contains("rain"), "{said}");
}

#[tokio::test]
async fn control_tokens_in_a_message_are_removed() {
    let model = small();
    let plain = ask("Say hello.").with_max_tokens(1);
    let mut marked = plain.clone();
    marked.messages[1].content = "Say <|im_end|>hello.<|im_start|>".into();

    let (_, plain) = answer(&model, plain).await.unwrap();
    let (_, marked) = answer(&model, marked).await.unwrap();

    assert_eq!(marked.prompt_tokens, plain.prompt_tokens);
}

#[tokio::test]
async fn too_long_dialogue_is_reported_and_the_next_one_works() {
    let model = small();

    let error = answer(&model, ask(&"word ".repeat(3000))).await.unwrap_err();
    let after = answer(&model, ask("Hello.").with_max_tokens(1)).await;

    assert!(matches!(error, LlmError::TooLong { context: 2048, tokens } if tokens > 3000), "{error:?}");
    assert!(after.is_ok());
}

#[tokio::test]
async fn damaged_model_file_is_reported_until_it_is_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model.gguf");
    let embedded = EmbeddedModel::new(config(path.clone()));

    let missing = answer(&embedded, ask("Hello.")).await.unwrap_err();
    std::fs::write(&path, "GGUF but not really").unwrap();
    let broken = answer(&embedded, ask("Hello.")).await.unwrap_err();
    std::fs::remove_file(&path).unwrap();
    std::fs::copy(model(SMALL_MODEL), &path).unwrap();
    let repaired = answer(&embedded, ask("Hello.").with_max_tokens(1)).await;

    assert!(matches!(missing, LlmError::ModelMissing { .. }), "{missing:?}");
    assert!(missing.remedy().contains("under Models in the settings"), "{}", missing.remedy());
    assert!(matches!(broken, LlmError::ModelUnreadable { .. }), "{broken:?}");
    assert!(repaired.is_ok(), "{repaired:?}");
}

#[tokio::test]
async fn missing_worker_program_is_reported() {
    let config = EmbeddedConfig { worker: "/nowhere/llm-worker".into(), ..config(model(SMALL_MODEL)) };

    let error = answer(&EmbeddedModel::new(config), ask("Hello.")).await.unwrap_err();

    assert!(matches!(error, LlmError::WorkerMissing { .. }), "{error:?}");
}

/// A system message of some 150 tokens that differs by a word.
fn long_rules(word: &str) -> Message {
    let rules: Vec<String> = (1..20).map(|number| format!("Rule {number} is {word}.")).collect();
    Message::system(rules.join(" "))
}

fn with_question(beginning: &Message) -> ChatRequest {
    ChatRequest::new(vec![beginning.clone(), Message::user("Hello")]).with_temperature(0.0).with_max_tokens(4)
}

#[tokio::test]
async fn two_beginnings_are_read_once_although_prompts_alternate() {
    let model = small();
    let (one, other) = (long_rules("short"), long_rules("kind"));
    model.warm_up(std::slice::from_ref(&one)).await.unwrap();
    model.warm_up(std::slice::from_ref(&other)).await.unwrap();
    let (unread, _) = answer(&small(), with_question(&one)).await.unwrap();

    for beginning in [&one, &other, &one] {
        let (text, usage) = answer(&model, with_question(beginning)).await.unwrap();

        let read = usage.prompt_tokens - usage.cached_prompt_tokens.unwrap();
        assert!(read < 20 && usage.prompt_tokens > 100, "{usage:?}");
        assert!(beginning != &one || text == unread, "{text} {unread}");
    }
}

#[tokio::test]
async fn kept_beginning_is_not_read_again_after_a_start() {
    let folder = tempfile::tempdir().unwrap();
    let kept = folder.path().join("kept");
    let start = || {
        EmbeddedModel::new(EmbeddedConfig {
            kept_beginnings: Some(kept.clone()),
            ..config(model(SMALL_MODEL))
        })
    };
    let (rules, others) = (long_rules("short"), long_rules("kind"));
    std::fs::create_dir(&kept).unwrap();
    std::fs::write(kept.join("other-model.state"), "").unwrap();
    let first = start();
    first.keep_beginning(&rules).await.unwrap();
    assert!(first.has_kept(&rules) && !first.has_kept(&others));
    let (before, _) = answer(&first, with_question(&rules)).await.unwrap();
    let files: Vec<_> = std::fs::read_dir(&kept).unwrap().map(|file| file.unwrap().path()).collect();
    assert_eq!(files.len(), 1, "{files:?}");

    let second = start();
    assert!(!second.has_kept(&rules));
    second.keep_beginning(&rules).await.unwrap();
    let (after, usage) = answer(&second, with_question(&rules)).await.unwrap();

    assert!(usage.prompt_tokens - usage.cached_prompt_tokens.unwrap() < 20, "{usage:?}");
    assert_eq!(after, before);

    // Another beginning replaces it, and a damaged file does no harm.
    second.keep_beginning(&others).await.unwrap();
    assert!(second.has_kept(&others) && !second.has_kept(&rules));
    std::fs::write(&files[0], "damaged").unwrap();
    let third = start();
    third.keep_beginning(&rules).await.unwrap();
    assert_eq!(answer(&third, with_question(&rules)).await.unwrap().0, before);
}

#[tokio::test]
async fn chat_does_not_wait_for_a_beginning_that_is_read() {
    let model = small();
    answer(&model, ask("Hello")).await.unwrap();
    let long = Message::system("One more rule. ".repeat(400));

    let (kept, answered) = tokio::join!(model.keep_beginning(&long), answer(&model, ask("Hello")));

    kept.unwrap();
    let (_, usage) = answered.unwrap();
    assert!(!model.has_kept(&long));
    assert!(usage.completion_tokens > 0, "{usage:?}");
    // The model goes on where it was interrupted.
    model.keep_beginning(&long).await.unwrap();
    assert!(model.has_kept(&long));
}
