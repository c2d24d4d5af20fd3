//! What changes while a window is open, and what of it the pages are told.

use std::sync::Arc;

use assistant::ReplyRequest;
use async_trait::async_trait;
use llm::{ChatModel, ChatRequest, ChatStream, LlmError, Message, ModelIdentity};
use serde_json::{Value, json};
use settings::SecretStore;
use testkit::{OllamaServer, OpenAiServer, ScriptedAnswer, ScriptedModel, ServerScript, Turn};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use super::scene::{Before, PATIENCE, Scene, refused};

/// Nobody listens there.
const NOBODY: &str = "http://127.0.0.1:9";

#[tokio::test]
async fn a_provider_that_is_chosen_later_answers_at_once_and_the_trouble_is_over() {
    let server = OllamaServer::start([ScriptedAnswer::says("Good day.")]);
    let settings = json!({"llm": {"provider": "ollama", "base_url": NOBODY}});
    let mut scene = Scene::after(Before { settings, model: None, ..Before::default() }).await;
    scene.subscribe().await;
    assert_eq!(trouble(&scene).await["stage"], "language_model");

    scene.tell("set_setting", json!({"path": "llm.base_url", "value": server.url()})).await;

    scene.event(|event| event["type"] == "recovered" && event["stage"] == "language_model").await;
    scene.tell("ask", json!({"text": "hello"})).await;
    assert_eq!(scene.event_of_type("done").await["text"], "Good day.");
    assert_eq!(scene.tell("status", json!({})).await["troubles"], json!([]));
}

#[tokio::test]
async fn a_reply_that_is_whole_ends_the_trouble_of_a_cold_start() {
    let model = Arc::new(ColdModel(ScriptedModel::new([Turn::says("Here I am.")])));
    let mut scene = Scene::after(Before { model: Some(model), ..Before::default() }).await;
    scene.subscribe().await;
    assert_eq!(trouble(&scene).await["stage"], "language_model");

    scene.tell("ask", json!({"text": "are you there"})).await;

    scene.event(|event| event["type"] == "recovered" && event["stage"] == "language_model").await;
}

#[tokio::test]
async fn a_key_is_used_by_a_provider_that_was_chosen_after_the_start() {
    let server =
        OpenAiServer::start(ServerScript::new([ScriptedAnswer::says("Let in.")]).with_api_key("the-key"));
    let settings = json!({"llm": {"provider": "ollama", "base_url": NOBODY}});
    let before = Before { settings, model: None, ..Before::default() };
    before.secrets.set("llm.api_key", &"the-key".into()).unwrap();
    let mut scene = Scene::after(before).await;
    scene.subscribe().await;
    assert_eq!(trouble(&scene).await["stage"], "language_model");

    let provider = json!({"provider": "openai", "address": server.url(), "model": ""});
    scene.tell("use_provider", provider).await;
    scene.event(|event| event["type"] == "recovered" && event["stage"] == "language_model").await;

    scene.tell("ask", json!({"text": "may I come in"})).await;
    assert_eq!(scene.event_of_type("done").await["text"], "Let in.");
}

#[tokio::test]
async fn what_is_edited_by_hand_holds_at_once_and_is_not_undone_by_the_window() {
    let mut scene = Scene::new().await;
    scene.subscribe().await;
    let by_hand =
        json!({"llm": {"provider": "embedded"}, "audio": {"volume": "loud"}, "location": {"place": "Leeds"}});
    std::fs::write(scene.folder.path().join("settings.json"), by_hand.to_string()).unwrap();

    let heard = scene.event_of_type("setting").await;
    let bad = trouble(&scene).await;
    scene.tell("set_setting", json!({"path": "speaking.voice", "value": "system"})).await;

    assert_eq!((&heard["path"], &heard["value"]), (&json!("location.place"), &json!("Leeds")));
    assert_eq!(bad["what"], "audio.volume is \"loud\": use a number from 0 to 1.");
    let mut expected = by_hand;
    expected["speaking"]["voice"] = "system".into();
    assert_eq!(scene.written(), expected);
    assert_eq!(trouble(&scene).await, bad, "the value is as bad as before");

    // Its default is what held all the time.
    scene.tell("reset_setting", json!({"path": "audio.volume"})).await;
    scene.event(|event| event["type"] == "recovered" && event["stage"] == "settings").await;
}

#[tokio::test]
async fn a_temporary_conversation_is_shown_on_no_page() {
    let mut scene = Scene::with_model([Turn::says("Between us."), Turn::says("For all.")]).await;
    scene.subscribe().await;
    let assistant = scene.door().assistant.clone();

    let conversation = assistant.temporary_conversation();
    let request = ReplyRequest { text: "a secret".into(), language: None, conversation };
    let mut handle = assistant.open_reply(request).await.unwrap();
    while handle.next().await.is_some() {}
    scene.tell("ask", json!({"text": "hello"})).await;

    let seen = scene.events_until(|event| event["type"] == "done").await;
    let seen = serde_json::to_string(&seen).unwrap();
    assert!(
        seen.contains("For all.") && !seen.contains("a secret") && !seen.contains("Between us"),
        "{seen}"
    );
}

#[tokio::test]
async fn nothing_is_said_aloud_while_jarvis_is_to_be_silent() {
    let settings = json!({"llm": {"provider": "embedded"}, "speaking": {"enabled": false}});
    let scene = Scene::after(Before { settings, ..Before::default() }).await;

    let why = "Jarvis is silent. Switch on Speak replies in the settings to hear it.";
    assert_eq!(scene.call("preview_voice", json!({})).await, refused("switched_off", why));
    assert_eq!(scene.call("read_aloud", json!({"text": "hello"})).await, refused("switched_off", why));
}

/// What is wrong, as soon as something is.
async fn trouble(scene: &Scene) -> Value {
    let told = async {
        loop {
            let status = scene.tell("status", json!({})).await;
            if let Some(trouble) = status["troubles"].as_array().and_then(|troubles| troubles.first()) {
                return trouble.clone();
            }
        }
    };
    timeout(PATIENCE, told).await.unwrap()
}

/// Answers, but could not be warmed up.
struct ColdModel(ScriptedModel);

#[async_trait]
impl ChatModel for ColdModel {
    async fn chat(&self, request: ChatRequest, stop: CancellationToken) -> Result<ChatStream, LlmError> {
        self.0.chat(request, stop).await
    }

    fn identity(&self) -> ModelIdentity {
        self.0.identity()
    }

    async fn warm_up(&self, _: &[Message]) -> Result<(), LlmError> {
        Err(LlmError::Status { code: 503, detail: "still waking up".into() })
    }
}
