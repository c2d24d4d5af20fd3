//! The models page: devices and voices, models, providers.

use std::sync::LazyLock;

use rstest::rstest;
use serde_json::{Value, json};
use testkit::{OllamaServer, ScriptedAnswer};
use tokio::io::AsyncReadExt;
use tokio::time::timeout;

use super::scene::{Before, FILE, PATIENCE, Scene, hub, refused, status_in};

#[tokio::test]
async fn the_devices_begin_with_the_systems_own_and_the_voices_are_those_installed() {
    let scene = Scene::new().await;
    scene.install("voice");

    let devices = scene.tell("devices", json!({})).await;

    let system = json!({"id": "", "label": "The system's"});
    assert_eq!((&devices["microphones"][0], &devices["speakers"][0]), (&system, &system));
    let ids: Vec<&Value> = devices["voices"].as_array().unwrap().iter().map(|voice| &voice["id"]).collect();
    assert_eq!(ids, ["auto", "system", "voice"]);
}

#[tokio::test]
async fn a_model_is_downloaded_used_and_deleted() {
    let (hub, _connections) = hub(FILE).await;
    let mut scene = Scene::after(Before { hub, ..Before::default() }).await;
    scene.subscribe().await;
    assert_eq!(scene.status("voice").await, "absent");

    let begun = scene.tell("download_model", json!({"id": "voice"})).await;
    let here = scene.event(|event| event["model"]["status"]["type"] == "ready").await;
    let used = scene.tell("use_model", json!({"id": "voice"})).await;
    let deleted = scene.tell("delete_model", json!({"id": "voice"})).await;

    assert_eq!((&begun["id"], &here["model"]["id"]), (&json!("voice"), &json!("voice")));
    assert_eq!(status_in(&used, "voice"), "inUse");
    assert_eq!(scene.door().assistant.settings().current().speaking.voice, "voice");
    assert_eq!(deleted["status"], json!({"type": "absent"}));
    assert!(!scene.model_file("voice").exists());
}

#[tokio::test]
async fn a_download_that_goes_on_the_moment_it_was_paused_can_be_paused_again() {
    let (hub, mut connections) = hub(&FILE[..2]).await;
    let scene = Scene::after(Before { hub, ..Before::default() }).await;
    let model = json!({"id": "voice"});
    let mut hung_up = Vec::new();

    for _ in 0..2 {
        let begun = scene.tell("download_model", model.clone()).await;
        let again = scene.tell("download_model", model.clone()).await;
        let mut connection = timeout(PATIENCE, connections.recv()).await.unwrap().unwrap();
        let meanwhile = scene.status("voice").await;
        let paused = scene.tell("pause_download", model.clone()).await;

        assert_eq!(
            (&begun["status"]["type"], &again["status"]["type"]),
            (&json!("downloading"), &json!("downloading"))
        );
        assert_eq!(meanwhile, "downloading");
        assert_ne!(paused["status"]["type"], "downloading");
        hung_up.push(async move { connection.read(&mut [0; 1]).await.unwrap_or(0) });
    }
    for hung_up in hung_up {
        assert_eq!(timeout(PATIENCE, hung_up).await.expect("the download goes on"), 0);
    }
}

#[tokio::test]
async fn a_model_that_is_deleted_while_it_is_downloaded_is_downloaded_no_further() {
    let (hub, mut connections) = hub(&FILE[..2]).await;
    let scene = Scene::after(Before { hub, ..Before::default() }).await;
    scene.tell("download_model", json!({"id": "voice"})).await;
    let mut connection = timeout(PATIENCE, connections.recv()).await.unwrap().unwrap();

    let deleted = scene.tell("delete_model", json!({"id": "voice"})).await;

    assert_ne!(deleted["status"]["type"], "downloading");
    assert_eq!(timeout(PATIENCE, connection.read(&mut [0; 1])).await.unwrap().unwrap_or(0), 0);
}

#[tokio::test]
async fn a_download_that_failed_says_what_to_do_and_is_begun_again() {
    let (hub, _connections) = hub(FILE).await;
    let mut scene = Scene::after(Before { hub, ..Before::default() }).await;
    scene.subscribe().await;
    let in_the_way = scene.folder.path().join("models");
    std::fs::write(&in_the_way, "no folder").unwrap();

    scene.tell("download_model", json!({"id": "voice"})).await;
    let failed = scene.event(|event| event["model"]["status"]["type"] == "failed").await;
    let status = scene.status("voice").await;
    std::fs::remove_file(in_the_way).unwrap();
    scene.tell("download_model", json!({"id": "voice"})).await;

    assert_ne!(failed["model"]["status"]["remedy"], "");
    assert_eq!(status, "failed");
    scene.event(|event| event["model"]["status"]["type"] == "ready").await;
}

#[tokio::test]
async fn a_model_that_cannot_be_deleted_stays_and_is_told() {
    let scene = Scene::new().await;
    std::fs::create_dir_all(scene.model_file("voice")).unwrap();

    let error = scene.call("delete_model", json!({"id": "voice"})).await.unwrap_err();

    assert_eq!(error["code"], "io");
    assert!(scene.model_file("voice").exists());
}

#[rstest]
#[case::speech("ears", json!({"hearing": {"speech_model": "ears"}, "llm": OLLAMA_BEFORE.clone()}))]
#[case::voice("voice", json!({"speaking": {"voice": "voice"}, "llm": OLLAMA_BEFORE.clone()}))]
#[case::language("brain", json!({"llm": {"provider": "embedded", "chat_model": "brain"}}))]
#[tokio::test]
async fn using_a_model_sets_what_it_takes(#[case] id: &str, #[case] expected: Value) {
    let settings = json!({"llm": OLLAMA_BEFORE.clone()});
    let scene = Scene::after(Before { settings, ..Before::default() }).await;
    scene.install(id);

    scene.tell("use_model", json!({"id": id})).await;

    assert_eq!(scene.written(), expected);
}

static OLLAMA_BEFORE: LazyLock<Value> =
    LazyLock::new(|| json!({"provider": "ollama", "base_url": "http://127.0.0.1:9", "chat_model": "old"}));

#[tokio::test]
async fn a_library_is_neither_chosen_nor_tried() {
    let scene = Scene::new().await;
    scene.install("library");

    let used = scene.call("use_model", json!({"id": "library"})).await;
    let tried = scene.call("test_model", json!({"id": "library"})).await;

    let message = "library is used wherever it is needed; there is nothing to choose.";
    assert_eq!(used, refused("bad_value", message));
    let message = "library does nothing that could be tried alone. Try a model that uses it.";
    assert_eq!(tried, refused("trouble", message));
}

#[tokio::test]
async fn a_provider_is_chosen_with_its_address_and_model() {
    let server = OllamaServer::start(ScriptedAnswer::says("Hello."));
    let scene = Scene::new().await;

    let choice = json!({"provider": "ollama", "address": server.url(), "model": "test-model"});
    let models = scene.tell("use_provider", choice).await;

    let chosen =
        models["providers"].as_array().unwrap().iter().find(|provider| provider["isChosen"] == true).unwrap();
    assert_eq!((&chosen["provider"], &chosen["models"]), (&json!("ollama"), &json!(["test-model"])));
    let written = json!({"provider": "ollama", "base_url": server.url(), "chat_model": "test-model"});
    assert_eq!(scene.written()["llm"], written);
}

#[tokio::test]
async fn the_embedded_engine_is_chosen_by_the_file_of_its_model() {
    let settings = json!({"llm": OLLAMA_BEFORE.clone()});
    let scene = Scene::after(Before { settings, ..Before::default() }).await;

    let file = scene.model_file("brain");
    scene.tell("use_provider", json!({"provider": "embedded", "address": file, "model": "brain.gguf"})).await;

    assert_eq!(scene.written()["llm"], json!({"provider": "embedded", "chat_model": "brain"}));
}

#[tokio::test]
async fn an_address_that_is_none_is_told_among_the_providers() {
    let scene = Scene::new().await;

    let choice = json!({"provider": "ollama", "address": "not an address", "model": ""});
    let models = scene.tell("use_provider", choice).await;

    let [provider] = models["providers"].as_array().unwrap().as_slice() else { panic!("{models}") };
    assert_eq!((&provider["provider"], &provider["isReady"]), (&json!("ollama"), &json!(false)));
    assert!(provider["detail"].as_str().unwrap().contains("not an address"), "{provider}");
}
