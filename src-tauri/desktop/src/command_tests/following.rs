//! Changes while a window is open, and the events that pages get.

use std::sync::Arc;

use assistant::ReplyRequest;
use async_trait::async_trait;
use llm::{ChatModel, ChatRequest, ChatStream, LlmError, Message, ModelIdentity};
use serde_json::{Value, json};
use settings::SecretStore;
use testkit::{OllamaServer, OpenAiServer, ScriptedAnswer, ScriptedModel, ServerScript, Turn};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use super::scene::{Scene, SceneOptions, TIMEOUT, refusal};

/// No server listens there.
const UNREACHABLE: &str = "http://127.0.0.1:9";

#[tokio::test]
async fn provider_chosen_later_answers_and_ends_the_trouble() {
    let server = OllamaServer::start([ScriptedAnswer::says("Good day.")]);
    let settings = json!({"llm": {"provider": "ollama", "base_url": UNREACHABLE}});
    let mut scene = Scene::with(SceneOptions { settings, model: None, ..SceneOptions::default() }).await;
    scene.subscribe().await;
    assert_eq!(trouble(&scene).await["stage"], "language_model");

    scene.invoke("set_setting", json!({"path": "llm.base_url", "value": server.url()})).await;

    scene.event(|event| event["type"] == "recovered" && event["stage"] == "language_model").await;
    scene.invoke("ask", json!({"text": "hello"})).await;
    assert_eq!(scene.event_of_type("done").await["text"], "Good day.");
    assert_eq!(scene.invoke("status", json!({})).await["troubles"], json!([]));
}

#[tokio::test]
async fn complete_reply_ends_the_trouble_of_a_failed_warm_up() {
    let model = Arc::new(ColdModel(ScriptedModel::new([Turn::says("Here I am.")])));
    let mut scene = Scene::with(SceneOptions { model: Some(model), ..SceneOptions::default() }).await;
    scene.subscribe().await;
    assert_eq!(trouble(&scene).await["stage"], "language_model");

    scene.invoke("ask", json!({"text": "are you there"})).await;

    scene.event(|event| event["type"] == "recovered" && event["stage"] == "language_model").await;
}

#[tokio::test]
async fn api_key_is_used_by_a_provider_chosen_later() {
    let server =
        OpenAiServer::start(ServerScript::new([ScriptedAnswer::says("Let in.")]).with_api_key("the-key"));
    let settings = json!({"llm": {"provider": "ollama", "base_url": UNREACHABLE}});
    let options = SceneOptions { settings, model: None, ..SceneOptions::default() };
    options.secrets.set("llm.api_key", &"the-key".into()).unwrap();
    let mut scene = Scene::with(options).await;
    scene.subscribe().await;
    assert_eq!(trouble(&scene).await["stage"], "language_model");

    let provider = json!({"provider": "openai", "address": server.url(), "model": ""});
    scene.invoke("use_provider", provider).await;
    scene.event(|event| event["type"] == "recovered" && event["stage"] == "language_model").await;

    scene.invoke("ask", json!({"text": "may I come in"})).await;
    assert_eq!(scene.event_of_type("done").await["text"], "Let in.");
}

#[tokio::test]
async fn settings_edited_by_hand_apply_and_survive_a_change() {
    let mut scene = Scene::new().await;
    scene.subscribe().await;
    let by_hand =
        json!({"llm": {"provider": "embedded"}, "audio": {"volume": "loud"}, "location": {"place": "Leeds"}});
    std::fs::write(scene.folder.path().join("settings.json"), by_hand.to_string()).unwrap();

    let heard = scene.event_of_type("setting").await;
    let bad = trouble(&scene).await;
    scene.invoke("set_setting", json!({"path": "speaking.voice", "value": "system"})).await;

    assert_eq!((&heard["path"], &heard["value"]), (&json!("location.place"), &json!("Leeds")));
    assert_eq!(bad["what"], "audio.volume is \"loud\": use a number from 0 to 1.");
    let mut expected = by_hand;
    expected["speaking"]["voice"] = "system".into();
    assert_eq!(scene.written(), expected);
    assert_eq!(trouble(&scene).await, bad, "the value is as bad as before");

    // Its default is what held all the time.
    scene.invoke("reset_setting", json!({"path": "audio.volume"})).await;
    scene.event(|event| event["type"] == "recovered" && event["stage"] == "settings").await;
}

#[tokio::test]
async fn temporary_conversation_reaches_no_page() {
    let mut scene = Scene::with_model([Turn::says("Between us."), Turn::says("For all.")]).await;
    scene.subscribe().await;
    let assistant = scene.door().assistant.clone();

    let conversation = assistant.temporary_conversation();
    let request = ReplyRequest::new("a secret", conversation);
    let mut handle = assistant.open_reply(request).await.unwrap();
    while handle.next().await.is_some() {}
    scene.invoke("ask", json!({"text": "hello"})).await;

    let seen = scene.events_until(|event| event["type"] == "done").await;
    let seen = serde_json::to_string(&seen).unwrap();
    assert!(
        seen.contains("For all.") && !seen.contains("a secret") && !seen.contains("Between us"),
        "{seen}"
    );
}

#[tokio::test]
async fn nothing_is_read_aloud_while_speech_is_off() {
    let settings = json!({"llm": {"provider": "embedded"}, "speaking": {"enabled": false}});
    let scene = Scene::with(SceneOptions { settings, ..SceneOptions::default() }).await;

    let why = "Jarvis is silent. Switch on Speak replies in the settings to hear it.";
    assert_eq!(scene.call("preview_voice", json!({})).await, refusal("switched_off", why));
    assert_eq!(scene.call("read_aloud", json!({"text": "hello"})).await, refusal("switched_off", why));
}

/// Waits for a trouble.
async fn trouble(scene: &Scene) -> Value {
    let sent = async {
        loop {
            let status = scene.invoke("status", json!({})).await;
            if let Some(trouble) = status["troubles"].as_array().and_then(|troubles| troubles.first()) {
                return trouble.clone();
            }
        }
    };
    timeout(TIMEOUT, sent).await.unwrap()
}

/// A model that answers, and whose warm-up fails.
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
