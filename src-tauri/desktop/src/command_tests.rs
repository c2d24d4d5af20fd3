//! Every command, called as pages call it: through the mock window system, with a real assistant, settings file and
//! database.

mod scene;
mod conversation;
mod talking;
mod settings_page;
mod files;
mod following;
mod models;
mod permissions;
mod servers;
mod tool_pages;

use std::sync::Arc;

use rstest::rstest;
use serde_json::{Value, json};
use tauri::Manager;
use tokio::time::timeout;

use self::scene::{Scene, SceneOptions, TIMEOUT, refusal};
use crate::error::CommandError;
use crate::views::TroubleView;

#[rstest]
#[case::nothing_to_ask(
    "ask", json!({"text": " \n"}),
    "bad_value", "There is nothing to ask yet. Type a question first."
)]
#[case::insecure_link("open_link", json!({"url": "http://example.com/"}), "bad_value", ONLY_HTTPS)]
#[case::link_to_a_file("open_link", json!({"url": "file:///etc/passwd"}), "bad_value", ONLY_HTTPS)]
#[case::link_that_is_a_program("open_link", json!({"url": "javascript:alert(1)"}), "bad_value", ONLY_HTTPS)]
#[case::no_link("open_link", json!({"url": "https"}), "bad_value", ONLY_HTTPS)]
#[case::talking_while_the_microphone_is_off(
    "talk", json!({}),
    "no_device", "The microphone is off. Switch on Listen (listening.enabled) in the settings to talk."
)]
#[case::picture_that_is_gone("picture", json!({"reply": 1, "index": 0}), "not_found", GONE)]
#[case::file_that_is_gone("save_attachment", json!({"reply": 1, "index": 0}), "not_found", GONE)]
#[case::unknown_setting(
    "set_setting", json!({"path": "audio.colour", "value": 1}),
    "not_found", "There is no setting named audio.colour."
)]
#[case::unknown_setting_reset(
    "reset_setting", json!({"path": "audio"}),
    "not_found", "There is no setting named audio."
)]
#[case::setting_of_another_kind(
    "set_setting", json!({"path": "audio.volume", "value": "loud"}),
    "bad_value", "That does not fit. Use a number from 0 to 1."
)]
#[case::setting_out_of_range(
    "set_setting", json!({"path": "audio.volume", "value": 1.1}),
    "bad_value", "That does not fit. Use a number from 0 to 1."
)]
#[case::nothing_as_a_setting(
    "set_setting", json!({"path": "audio.volume", "value": null}),
    "bad_value", "That does not fit. Use a number from 0 to 1."
)]
#[case::key_alone(
    "check_hotkey", json!({"keys": "Space"}),
    "bad_value", "Space alone would be taken from every program. Add Ctrl, Alt or Shift."
)]
#[case::no_key(
    "check_hotkey", json!({"keys": "Ctrl+Nonsense"}),
    "bad_value", "Ctrl+Nonsense is no key. Press a key with Ctrl, Alt or Shift."
)]
#[case::unknown_model_to_download("download_model", json!({"id": "x"}), "not_found", UNKNOWN_MODEL)]
#[case::unknown_model_to_pause("pause_download", json!({"id": "x"}), "not_found", UNKNOWN_MODEL)]
#[case::unknown_model_to_delete("delete_model", json!({"id": "x"}), "not_found", UNKNOWN_MODEL)]
#[case::unknown_model_to_use("use_model", json!({"id": "x"}), "not_found", UNKNOWN_MODEL)]
#[case::unknown_model_to_test("test_model", json!({"id": "x"}), "not_found", UNKNOWN_MODEL)]
#[case::absent_model_to_use(
    "use_model", json!({"id": "speech"}),
    "not_found", "speech is not here. Download it first."
)]
#[case::absent_model_to_test(
    "test_model", json!({"id": "speech"}),
    "not_found", "speech is not here. Download it first."
)]
#[case::no_model_to_pull(
    "pull_model", json!({"model": " ", "address": "http://127.0.0.1:9"}),
    "trouble", "\"\" is not a name of a model. Type a name such as `qwen3:4b`; ollama.com/library lists them."
)]
#[case::unknown_provider(
    "use_provider", json!({"provider": "oracle", "address": "http://delphi", "model": "pythia"}),
    "bad_value", "That does not fit. Use one of auto, ollama, openai, anthropic, embedded."
)]
#[tokio::test]
async fn refused_command_changes_nothing_and_says_why(
    #[case] command: &str,
    #[case] arguments: Value,
    #[case] code: &str,
    #[case] message: &str,
) {
    let settings =
        json!({"audio": {"volume": 0.5}, "llm": {"provider": "embedded"}, "listening": {"enabled": false}});
    let scene = Scene::with(SceneOptions { settings: settings.clone(), ..SceneOptions::default() }).await;
    let before = scene.invoke("settings", json!({})).await;

    let outcome = scene.call(command, arguments).await;

    assert_eq!(outcome, refusal(code, message));
    assert_eq!(scene.invoke("settings", json!({})).await, before);
    assert_eq!(scene.written(), settings);
    assert_eq!(scene.invoke("conversation", json!({})).await["messages"], json!([]));
}

const ONLY_HTTPS: &str = "Only secure addresses (https) are opened.";
const GONE: &str = "This file is not kept any more. Ask for it again.";
const UNKNOWN_MODEL: &str = "There is no model named x in the catalogue.";

#[rstest]
#[case::window("open_window", json!({"window": "overlay"}), "unknown variant `overlay`")]
#[case::missing_argument("ask", json!({}), "missing required key text")]
#[case::no_channel("subscribe", json!({"onEvent": "x"}), "invalid channel value")]
#[case::no_command("format_disk", json!({}), "Command format_disk not found")]
#[tokio::test]
async fn malformed_call_is_refused_by_the_framework(
    #[case] command: &str,
    #[case] arguments: Value,
    #[case] expected: &str,
) {
    let error = Scene::new().await.call(command, arguments).await.unwrap_err();

    assert!(error.as_str().unwrap().contains(expected), "{error}");
}

#[tokio::test]
async fn question_over_the_length_limit_is_refused() {
    let scene = Scene::new().await;

    let outcome = scene.call("ask", json!({"text": "ä".repeat(50_000_000)})).await;

    let why =
        "The question has 50000000 characters, and Jarvis reads 8000 at a time. Shorten it, or ask in parts.";
    assert_eq!(outcome, refusal("bad_value", why));
}

#[tokio::test]
async fn error_of_the_window_system_is_returned() {
    let error = CommandError::from(tauri::Error::WindowNotFound);

    assert_eq!(error, CommandError::new("window", "The window system refused: window not found. Try again."));
}

#[tokio::test]
async fn reloaded_page_replaces_its_feed() {
    let mut scene = Scene::new().await;
    scene.invoke("subscribe", json!({"onEvent": "__CHANNEL__:1"})).await;
    scene.invoke("subscribe", json!({"onEvent": "__CHANNEL__:2"})).await;

    scene.invoke("set_muted", json!({"isMuted": true})).await;

    let channel_of_the_news = async {
        loop {
            let (channel, event) = scene.events.recv().await.unwrap();
            if event["type"] == "muted" {
                return channel;
            }
        }
    };
    assert_eq!(timeout(TIMEOUT, channel_of_the_news).await, Ok(2));
}

#[tokio::test]
async fn troubles_of_door_and_assistant_are_listed_together() {
    let settings = json!({"llm": {"provider": "embedded"}, "audio": {"volume": "loud"}});
    let scene = Scene::with(SceneOptions { settings, ..SceneOptions::default() }).await;
    let trouble = TroubleView {
        stage: "talk_key".into(),
        what: "The key could not be taken.".into(),
        remedy: "Choose another one.".into(),
    };
    scene.door().page_events.trouble(trouble);

    let of_conversation = scene.invoke("conversation", json!({})).await["troubles"].clone();
    let from_settings = scene.invoke("settings", json!({})).await["troubles"].clone();

    let expected = json!([
        {
            "stage": "settings", "what": "audio.volume is \"loud\": use a number from 0 to 1.",
            "remedy": "Correct it in the settings; until then its default is used.",
        },
        {"stage": "talk_key", "what": "The key could not be taken.", "remedy": "Choose another one."},
    ]);
    assert_eq!((&of_conversation, &from_settings), (&expected, &expected));
}

#[tokio::test]
async fn open_window_is_raised_instead_of_opened_twice() {
    let scene = Scene::new().await;

    scene.invoke("open_window", json!({"window": "settings"})).await;
    scene.invoke("open_window", json!({"window": "settings"})).await;
    scene.invoke("open_window", json!({"window": "conversation"})).await;

    let mut windows: Vec<String> = scene.app.webview_windows().into_keys().collect();
    windows.sort();
    assert_eq!(windows, ["conversation", "settings"]);
}

#[tokio::test]
async fn zoom_is_stored_and_applied_to_every_window() {
    let scene = Scene::new().await;

    scene.invoke("zoom", json!({"zoom": "in"})).await;
    scene.invoke("zoom", json!({"zoom": "in"})).await;
    assert_eq!(scene.written()["appearance"]["zoom"], 125);

    scene.invoke("zoom", json!({"zoom": "reset"})).await;
    assert_eq!(scene.written().get("appearance"), None);
}

#[tokio::test]
async fn clicks_pass_through_a_window_on_request() {
    let scene = Scene::new().await;

    assert_eq!(scene.call("let_clicks_through", json!({"isThrough": true})).await, Ok(Value::Null));
    assert_eq!(scene.call("let_clicks_through", json!({"isThrough": false})).await, Ok(Value::Null));
}

#[tokio::test]
async fn page_error_is_logged_short_and_without_secrets() {
    let scene = Scene::new().await;
    let log = tempfile::NamedTempFile::new().unwrap();
    let written = Arc::new(log.reopen().unwrap());
    // For the whole process: commands run on threads of their own.
    tracing_subscriber::fmt().with_ansi(false).with_writer(written).init();

    let fault = format!("TypeError: token=abc123 {}", "x".repeat(1000));
    scene.invoke("report_fault", json!({"fault": fault})).await;

    let log = std::fs::read_to_string(log.path()).unwrap();
    let line = log.lines().find(|line| line.contains("a page is at fault")).unwrap();
    assert!(line.contains("conversation") && line.contains("TypeError: token=[REDACTED] xxx"), "{line}");
    assert!(!line.contains("abc123") && line.matches('x').count() < 500, "{line}");
}
