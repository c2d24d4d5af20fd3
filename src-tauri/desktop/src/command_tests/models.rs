//! The models page: devices and voices, models, providers.

use std::sync::LazyLock;
use std::time::Duration;

use rstest::rstest;
use serde_json::{Value, json};
use tauri::Manager;
use testkit::{ModelHub, OllamaServer, ScriptedAnswer, ScriptedPull, ServerScript, is_warming_up};
use tokio::io::AsyncReadExt;
use tokio::time::timeout;

use super::scene::{Scene, SceneOptions, TIMEOUT, refusal, status_in};

#[tokio::test]
async fn device_lists_start_with_the_default_and_voices_are_installed() {
    let scene = Scene::new().await;
    scene.install("voice");

    let devices = scene.invoke("devices", json!({})).await;

    let system = json!({"id": "", "label": "The system's"});
    assert_eq!((&devices["microphones"][0], &devices["speakers"][0]), (&system, &system));
    let ids: Vec<&Value> = devices["voices"].as_array().unwrap().iter().map(|voice| &voice["id"]).collect();
    assert_eq!(ids, ["auto", "system", "voice"]);
}

#[tokio::test]
async fn model_is_downloaded_used_and_deleted() {
    let hub = ModelHub::start().await;
    let mut scene = Scene::with(SceneOptions { models: hub.catalogue(), ..SceneOptions::default() }).await;
    scene.subscribe().await;
    assert_eq!(scene.status("voice").await, "absent");

    let begun = scene.invoke("download_model", json!({"id": "voice"})).await;
    let here = scene.event(|event| event["model"]["status"]["type"] == "ready").await;
    let used = scene.invoke("use_model", json!({"id": "voice"})).await;
    let deleted = scene.invoke("delete_model", json!({"id": "voice"})).await;

    assert_eq!((&begun["id"], &here["model"]["id"]), (&json!("voice"), &json!("voice")));
    assert_eq!(status_in(&used, "voice"), "inUse");
    assert_eq!(scene.door().assistant.settings().current().speaking.voice, "voice");
    assert_eq!(deleted["status"], json!({"type": "absent"}));
    assert!(!scene.model_file("voice").exists());
}

#[tokio::test]
async fn contacted_host_is_listed_with_purpose_and_time() {
    let hub = ModelHub::start().await;
    let mut scene = Scene::with(SceneOptions { models: hub.catalogue(), ..SceneOptions::default() }).await;
    scene.subscribe().await;
    let before = scene.invoke("hosts_contacted", json!({})).await;
    let started = jiff::Timestamp::now();

    scene.invoke("download_model", json!({"id": "voice"})).await;
    scene.event(|event| event["model"]["status"]["type"] == "ready").await;
    let mut contacts = scene.invoke("hosts_contacted", json!({})).await;

    assert_eq!(before, json!([]));
    let last: jiff::Timestamp = contacts[0]["last"].take().as_str().unwrap().parse().unwrap();
    assert!((started..=jiff::Timestamp::now()).contains(&last), "{last}");
    let expected = json!([{
        "host": hub.host(), "purpose": "modelDownload", "times": 1, "last": null, "isProxied": false,
        "isThisComputer": true,
    }]);
    assert_eq!(contacts, expected);
}

#[tokio::test]
async fn contacted_host_is_listed_after_a_restart_until_the_list_is_cleared() {
    let hub = ModelHub::start().await;
    let mut scene = Scene::with(SceneOptions { models: hub.catalogue(), ..SceneOptions::default() }).await;
    scene.subscribe().await;
    scene.invoke("download_model", json!({"id": "voice"})).await;
    scene.event(|event| event["model"]["status"]["type"] == "ready").await;
    let before = scene.invoke("hosts_contacted", json!({})).await;
    let Scene { app, folder, .. } = scene;
    app.state::<crate::door::Door>().assistant.shut_down().await;

    let again = Scene::with(SceneOptions { folder, ..SceneOptions::default() }).await;
    let after = again.invoke("hosts_contacted", json!({})).await;
    let cleared = again.invoke("forget_hosts_contacted", json!({})).await;

    assert_eq!(before[0]["host"], json!(hub.host()));
    assert_eq!(after, before);
    assert_eq!(cleared, json!([]));
    assert_eq!(again.invoke("hosts_contacted", json!({})).await, json!([]));
}

#[tokio::test]
async fn download_resumed_at_once_can_be_paused_again() {
    let mut hub = ModelHub::sending(&ModelHub::FILE[..2]).await;
    let scene = Scene::with(SceneOptions { models: hub.catalogue(), ..SceneOptions::default() }).await;
    let model = json!({"id": "voice"});
    let mut hung_up = Vec::new();

    for _ in 0..2 {
        let begun = scene.invoke("download_model", model.clone()).await;
        let again = scene.invoke("download_model", model.clone()).await;
        let mut connection = timeout(TIMEOUT, hub.connections.recv()).await.unwrap().unwrap();
        let meanwhile = scene.status("voice").await;
        let paused = scene.invoke("pause_download", model.clone()).await;

        assert_eq!(
            (&begun["status"]["type"], &again["status"]["type"]),
            (&json!("downloading"), &json!("downloading"))
        );
        assert_eq!(meanwhile, "downloading");
        assert_ne!(paused["status"]["type"], "downloading");
        hung_up.push(async move { connection.read(&mut [0; 1]).await.unwrap_or(0) });
    }
    for hung_up in hung_up {
        assert_eq!(timeout(TIMEOUT, hung_up).await.expect("the download goes on"), 0);
    }
}

#[tokio::test]
async fn deleting_a_model_ends_its_download() {
    let mut hub = ModelHub::sending(&ModelHub::FILE[..2]).await;
    let scene = Scene::with(SceneOptions { models: hub.catalogue(), ..SceneOptions::default() }).await;
    scene.invoke("download_model", json!({"id": "voice"})).await;
    let mut connection = timeout(TIMEOUT, hub.connections.recv()).await.unwrap().unwrap();

    let deleted = scene.invoke("delete_model", json!({"id": "voice"})).await;

    assert_ne!(deleted["status"]["type"], "downloading");
    assert_eq!(timeout(TIMEOUT, connection.read(&mut [0; 1])).await.unwrap().unwrap_or(0), 0);
}

#[tokio::test]
async fn failed_download_names_a_remedy_and_can_be_retried() {
    let hub = ModelHub::start().await;
    let mut scene = Scene::with(SceneOptions { models: hub.catalogue(), ..SceneOptions::default() }).await;
    scene.subscribe().await;
    let in_the_way = scene.folder.path().join("models");
    std::fs::write(&in_the_way, "no folder").unwrap();

    scene.invoke("download_model", json!({"id": "voice"})).await;
    let failed = scene.event(|event| event["model"]["status"]["type"] == "failed").await;
    let status = scene.status("voice").await;
    std::fs::remove_file(in_the_way).unwrap();
    scene.invoke("download_model", json!({"id": "voice"})).await;

    assert_ne!(failed["model"]["status"]["remedy"], "");
    assert_eq!(status, "failed");
    scene.event(|event| event["model"]["status"]["type"] == "ready").await;
}

#[tokio::test]
async fn undeletable_model_stays_with_an_error() {
    let scene = Scene::new().await;
    std::fs::create_dir_all(scene.model_file("voice")).unwrap();

    let error = scene.call("delete_model", json!({"id": "voice"})).await.unwrap_err();

    assert_eq!(error["code"], "io");
    assert!(scene.model_file("voice").exists());
}

#[rstest]
#[case::speech("speech", json!({"hearing": {"speech_model": "speech"}, "llm": OLLAMA_BEFORE.clone()}))]
#[case::voice("voice", json!({"speaking": {"voice": "voice"}, "llm": OLLAMA_BEFORE.clone()}))]
#[case::language("language", json!({"llm": {"provider": "embedded", "chat_model": "language"}}))]
#[tokio::test]
async fn using_a_model_changes_its_settings(#[case] id: &str, #[case] expected: Value) {
    let settings = json!({"llm": OLLAMA_BEFORE.clone()});
    let scene = Scene::with(SceneOptions { settings, ..SceneOptions::default() }).await;
    scene.install(id);

    scene.invoke("use_model", json!({"id": id})).await;

    assert_eq!(scene.written(), expected);
}

static OLLAMA_BEFORE: LazyLock<Value> =
    LazyLock::new(|| json!({"provider": "ollama", "base_url": "http://127.0.0.1:9", "chat_model": "old"}));

#[tokio::test]
async fn runtime_can_be_neither_chosen_nor_tested() {
    let scene = Scene::new().await;
    scene.install("runtime");

    let used = scene.call("use_model", json!({"id": "runtime"})).await;
    let tried = scene.call("test_model", json!({"id": "runtime"})).await;

    let message = "runtime is used wherever it is needed; there is nothing to choose.";
    assert_eq!(used, refusal("bad_value", message));
    let message = "runtime does nothing that could be tried alone. Try a model that uses it.";
    assert_eq!(tried, refusal("trouble", message));
}

#[tokio::test]
async fn provider_is_chosen_with_address_and_model() {
    let server = OllamaServer::start(ScriptedAnswer::says("Hello."));
    let scene = Scene::new().await;

    let choice = json!({"provider": "ollama", "address": server.url(), "model": "test-model"});
    let models = scene.invoke("use_provider", choice).await;

    let chosen =
        models["providers"].as_array().unwrap().iter().find(|provider| provider["isChosen"] == true).unwrap();
    assert_eq!((&chosen["provider"], &chosen["models"]), (&json!("ollama"), &json!(["test-model"])));
    let written = json!({"provider": "ollama", "base_url": server.url(), "chat_model": "test-model"});
    assert_eq!(scene.written()["llm"], written);
}

#[tokio::test]
async fn embedded_engine_is_chosen_by_its_model_file() {
    let settings = json!({"llm": OLLAMA_BEFORE.clone()});
    let scene = Scene::with(SceneOptions { settings, ..SceneOptions::default() }).await;

    let file = scene.model_file("language");
    scene
        .invoke("use_provider", json!({"provider": "embedded", "address": file, "model": "language.gguf"}))
        .await;

    assert_eq!(scene.written()["llm"], json!({"provider": "embedded", "chat_model": "language"}));
}

#[tokio::test]
async fn invalid_address_is_shown_among_the_providers() {
    let scene = Scene::new().await;

    let choice = json!({"provider": "ollama", "address": "not an address", "model": ""});
    let models = scene.invoke("use_provider", choice).await;

    let [provider] = models["providers"].as_array().unwrap().as_slice() else { panic!("{models}") };
    assert_eq!((&provider["provider"], &provider["isReady"]), (&json!("ollama"), &json!(false)));
    assert!(provider["detail"].as_str().unwrap().contains("not an address"), "{provider}");
}

/// A scene whose Ollama server has no model yet, and fetches one in this way.
async fn scene_with_empty_ollama(pull: ScriptedPull) -> (Scene, OllamaServer) {
    let script = ServerScript::new([ScriptedAnswer::says("Hello.")]).with_models(&[]).with_pulls([pull]);
    let server = OllamaServer::start(script);
    let settings = json!({"llm": {"provider": "ollama", "base_url": server.url()}});
    let scene = Scene::with(SceneOptions { settings, model: None, ..SceneOptions::default() }).await;
    scene.subscribe().await;
    // The assistant has looked for a model once.
    let looked = async {
        while scene.invoke("status", json!({})).await["troubles"] == json!([]) {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    timeout(TIMEOUT, looked).await.unwrap();
    (scene, server)
}

fn ollama_in(models: &Value) -> &Value {
    models["providers"].as_array().unwrap().iter().find(|provider| provider["provider"] == "ollama").unwrap()
}

#[tokio::test]
async fn pulled_model_is_listed_and_loaded() {
    let (mut scene, server) = scene_with_empty_ollama(ScriptedPull::with_layers(&[800, 200])).await;
    let before = scene.invoke("models", json!({})).await;

    let begun = scene.invoke("pull_model", json!({"model": " qwen3:4b ", "address": server.url()})).await;
    let events = scene.events_until(|event| event["pull"]["status"]["type"] == "done").await;
    // Without the news it would be tried again after ten seconds.
    let loaded = timeout(Duration::from_secs(8), async {
        while !server.asked().iter().any(is_warming_up) {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    });
    loaded.await.expect("the assistant learns of the model at once");
    let after = scene.invoke("models", json!({})).await;

    let ollama = ollama_in(&before);
    assert_eq!((&ollama["canPull"], &ollama["isReady"]), (&json!(true), &json!(false)));
    assert_eq!((&begun["model"], &begun["address"]), (&json!("qwen3:4b"), &json!(server.url())));
    let downloading = events.iter().find(|event| event["pull"]["status"]["type"] == "downloading").unwrap();
    assert_eq!(downloading["pull"]["status"]["total"], 800);
    assert_eq!((&ollama_in(&after)["models"], &after["pulls"]), (&json!(["qwen3:4b"]), &json!([])));
}

#[tokio::test]
async fn pull_goes_on_for_a_page_that_opens_later_and_is_cancelled() {
    let (mut scene, server) = scene_with_empty_ollama(ScriptedPull::with_layers(&[800]).then_stalls()).await;
    let pull = json!({"model": "qwen3:4b", "address": server.url()});
    scene.invoke("pull_model", pull.clone()).await;
    scene.event(|event| event["pull"]["status"]["type"] == "downloading").await;

    let meanwhile = scene.invoke("models", json!({})).await;
    scene.invoke("cancel_pull", pull).await;
    scene.event(|event| event["pull"]["status"]["type"] == "cancelled").await;
    let after = scene.invoke("models", json!({})).await;

    assert_eq!(meanwhile["pulls"][0]["model"], "qwen3:4b");
    assert_eq!(after["pulls"], json!([]));
    server.abandoned(1).await;
}

#[tokio::test]
async fn failed_pull_names_a_remedy_and_can_be_repeated() {
    let full = ScriptedPull::with_layers(&[800]).then_fails("write: no space left on device");
    let script = ServerScript::new([]).with_pulls([full, ScriptedPull::with_layers(&[800])]);
    let server = OllamaServer::start(script);
    let mut scene = Scene::new().await;
    scene.subscribe().await;
    let pull = json!({"model": "qwen3:4b", "address": server.url()});

    scene.invoke("pull_model", pull.clone()).await;
    let failed = scene.event(|event| event["pull"]["status"]["type"] == "failed").await;
    scene.invoke("pull_model", pull).await;
    scene.event(|event| event["pull"]["status"]["type"] == "done").await;

    let status = &failed["pull"]["status"];
    assert_eq!(status["what"], "The disk of the Ollama server has no room for \"qwen3:4b\".");
    assert!(status["remedy"].as_str().unwrap().contains("Free space"), "{status}");
}
