//! Every command, called as pages call it: through the mock window system, with a real assistant, settings file and
//! database.

mod scene;
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
use testkit::Turn;
use tokio::time::timeout;

use self::scene::{Scene, SceneOptions, TIMEOUT, ids, refusal, say};
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
async fn question_that_is_asked_anew_takes_the_place_of_the_one_before() {
    let mut scene = Scene::with_model([Turn::says("A painter."), Turn::says("A poet.")]).await;
    scene.subscribe().await;
    scene.invoke("ask", json!({"text": "who was Hamlet?"})).await;
    scene.events_until(|event| event["type"] == "done").await;

    scene.invoke("ask", json!({"text": "who wrote Hamlet?", "replacesPrevious": true})).await;
    let events = scene.events_until(|event| event["type"] == "done").await;

    let asked = events.iter().find(|event| event["type"] == "asked").unwrap();
    assert_eq!(asked["replacesPrevious"], true);
    let page = scene.invoke("history", json!({"before": i64::MAX})).await;
    let said: Vec<&str> =
        page["messages"].as_array().unwrap().iter().map(|it| it["text"].as_str().unwrap()).collect();
    assert_eq!(said, ["who wrote Hamlet?", "A poet."]);
}

#[tokio::test]
async fn question_is_answered_in_events_and_stored() {
    let mut scene = Scene::with_model([Turn::says("It is noon.")]).await;
    scene.subscribe().await;

    let reply = scene.invoke("ask", json!({"text": " who wrote Hamlet? "})).await;
    let events = scene.events_until(|event| event["type"] == "done").await;

    let asked = events.iter().find(|event| event["type"] == "asked").unwrap();
    let deltas = events.iter().filter(|event| event["type"] == "delta");
    let shown: String = deltas.map(|delta| delta["text"].as_str().unwrap()).collect();
    assert_eq!(
        (&asked["reply"], &asked["text"], &asked["origin"]),
        (&reply, &json!("who wrote Hamlet?"), &json!("typed"))
    );
    assert_eq!(shown, "It is noon.");
    assert_eq!(
        events.last().unwrap(),
        &json!({"type": "done", "reply": reply, "text": "It is noon.", "attachments": []})
    );
    let page = scene.invoke("history", json!({"before": i64::MAX})).await;
    let said_at = ids(&page);
    assert_eq!(
        page,
        json!({
            "messages": [
                {
                    "id": said_at[0], "role": "user", "text": "who wrote Hamlet?",
                    "at": "2025-09-15T17:53:00Z", "origin": "typed",
                },
                {
                    "id": said_at[0] + 1, "role": "assistant", "text": "It is noon.",
                    "at": "2025-09-15T17:53:00.000001Z", "origin": "typed",
                },
            ],
            "hasEarlier": false,
        })
    );
}

#[tokio::test]
async fn stored_reply_tells_how_it_was_made() {
    let mut scene = Scene::with_model([Turn::says("It is noon.")]).await;
    scene.subscribe().await;
    scene.invoke("ask", json!({"text": "who wrote Hamlet?"})).await;
    let events = scene.events_until(|event| event["type"] == "done").await;
    let page = scene.invoke("history", json!({"before": i64::MAX})).await;
    let [question, reply] = ids(&page)[..] else { panic!("two messages were said") };

    let of_reply = scene.invoke("reply_trace", json!({ "at": reply })).await;
    let of_question = scene.invoke("reply_trace", json!({ "at": question })).await;

    let told = events.iter().find(|event| event["type"] == "traced").unwrap();
    assert_eq!(told["trace"], of_reply);
    assert_eq!((&of_reply["language"], &of_reply["isByRules"]), (&json!("en"), &json!(false)));
    let arrived = json!({"isShown": true, "isSpoken": false, "attachments": 0, "missing": []});
    assert_eq!(of_reply["delivery"], arrived);
    let models: Vec<&str> =
        of_reply["models"].as_array().unwrap().iter().map(|it| it["role"].as_str().unwrap()).collect();
    assert_eq!(models, ["answer"]);
    assert_eq!(of_question, Value::Null);
}

#[tokio::test]
async fn blank_question_does_not_end_a_reply_but_stop_does() {
    let mut scene = Scene::with_model([Turn::hangs_after("Once upon a time there was a king. He")]).await;
    scene.subscribe().await;
    let reply = scene.invoke("ask", json!({"text": "tell me a story"})).await;
    scene.event_of_type("delta").await;

    scene.call("ask", json!({"text": ""})).await.unwrap_err();
    let meanwhile = scene.invoke("conversation", json!({})).await;
    scene.invoke("stop", json!({})).await;

    assert_eq!(meanwhile["state"], "thinking");
    assert_eq!(scene.event_of_type("done").await["reply"], reply);
    scene.event(|event| *event == json!({"type": "state", "state": "idle"})).await;
}

#[tokio::test]
async fn earlier_messages_come_in_pages() {
    let options = SceneOptions::default();
    say(options.folder.path(), 250).await;
    let scene = Scene::with(options).await;

    let newest = scene.remembering().await;
    let earlier = scene.invoke("history", json!({"before": 150})).await;
    let earliest = scene.invoke("history", json!({"before": 50})).await;
    let just_a_page = scene.invoke("history", json!({"before": 100})).await;
    let before_all = scene.invoke("history", json!({"before": 0})).await;

    assert_eq!((ids(&newest), &newest["hasEarlier"]), ((150..250).collect(), &json!(true)));
    assert_eq!((ids(&earlier), &earlier["hasEarlier"]), ((50..150).collect(), &json!(true)));
    assert_eq!((ids(&earliest), &earliest["hasEarlier"]), ((0..50).collect(), &json!(false)));
    assert_eq!((ids(&just_a_page), &just_a_page["hasEarlier"]), ((0..100).collect(), &json!(false)));
    assert_eq!(before_all, json!({"messages": [], "hasEarlier": false}));
}

#[tokio::test]
async fn window_opens_with_a_trouble_when_the_database_fails() {
    let options = SceneOptions::default();
    say(options.folder.path(), 1).await;
    let scene = Scene::with(options).await;
    scene.remembering().await;
    let database = rusqlite::Connection::open(scene.folder.path().join("data").join("jarvis.db")).unwrap();
    database.execute_batch("PRAGMA foreign_keys = OFF; DROP TABLE messages").unwrap();

    let history = scene.call("history", json!({"before": 9})).await.unwrap_err();
    let conversation = scene.invoke("conversation", json!({})).await;

    assert_eq!(history["code"], "trouble");
    assert_eq!(
        (&conversation["messages"], &conversation["troubles"][0]["stage"]),
        (&json!([]), &json!("memory"))
    );
    let trouble = &conversation["troubles"][0];
    assert_eq!(
        history["message"],
        format!("{} {}", trouble["what"].as_str().unwrap(), trouble["remedy"].as_str().unwrap())
    );
}

#[tokio::test]
async fn conversation_view_has_everything_the_window_needs() {
    let conversation = Scene::new().await.invoke("conversation", json!({})).await;

    let expected = json!({
        "name": "Jarvis", "state": "idle", "isReady": true, "isMuted": false, "canListen": true, "talkKey": "",
        "troubles": [], "messages": [], "hasEarlier": false, "question": null, "rings": [],
    });
    assert_eq!(conversation, expected);
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
async fn talk_is_refused_while_muted() {
    let mut scene = Scene::new().await;
    scene.door().assistant.open_microphone();
    scene.subscribe().await;

    scene.invoke("set_muted", json!({"isMuted": true})).await;
    let sent = scene.event_of_type("muted").await;
    let conversation = scene.invoke("conversation", json!({})).await;
    let while_muted = scene.call("talk", json!({})).await;
    scene.invoke("set_muted", json!({"isMuted": false})).await;
    scene.invoke("talk", json!({})).await;

    assert_eq!(sent, json!({"type": "muted", "isMuted": true}));
    assert_eq!((&conversation["isMuted"], &conversation["canListen"]), (&json!(true), &json!(true)));
    assert_eq!(while_muted, refusal("muted", "The microphone is muted. Unmute it to talk."));
    assert_eq!(scene.event_of_type("hotWindow").await["isOpen"], true);
}

#[tokio::test]
async fn talk_without_a_microphone_is_refused() {
    let mut scene = Scene::with(SceneOptions { has_microphone: false, ..SceneOptions::default() }).await;
    scene.subscribe().await;
    scene.door().assistant.open_microphone();
    let trouble = scene.event_of_type("trouble").await["trouble"].clone();

    let outcome = scene.call("talk", json!({})).await;

    let expected = format!("{} {}", trouble["what"].as_str().unwrap(), trouble["remedy"].as_str().unwrap());
    assert_eq!(outcome, refusal("no_device", &expected));
    assert_eq!(scene.invoke("conversation", json!({})).await["troubles"], json!([trouble]));
    assert_eq!(scene.invoke("settings", json!({})).await["troubles"], json!([trouble]));
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
            "remedy": "Its default holds until then.",
        },
        {"stage": "talk_key", "what": "The key could not be taken.", "remedy": "Choose another one."},
    ]);
    assert_eq!((&of_conversation, &from_settings), (&expected, &expected));
}

#[rstest]
#[case::a_text("read_aloud", json!({"text": "Good morning."}), "Good morning.")]
#[case::what_a_voice_says_of_itself("preview_voice", json!({}), "This is how I sound.")]
#[tokio::test]
async fn text_is_read_aloud_until_stop(
    #[case] command: &str,
    #[case] arguments: Value,
    #[case] first_sentence: &str,
) {
    let mut scene = Scene::new().await;
    scene.subscribe().await;

    scene.invoke(command, arguments).await;
    timeout(TIMEOUT, scene.speaker.until(|seen| seen.started == 1)).await.unwrap();
    scene.invoke("stop", json!({})).await;

    assert_eq!(scene.voice.asked()[0], first_sentence);
    scene.event_of_type("speechEnded").await;
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
async fn changed_setting_is_saved_sent_and_reset() {
    let mut scene = Scene::new().await;
    scene.subscribe().await;

    let set = scene.invoke("set_setting", json!({"path": "audio.volume", "value": 0.25})).await;
    let written = scene.written();
    let sent = scene.event_of_type("setting").await;
    let reset = scene.invoke("reset_setting", json!({"path": "audio.volume"})).await;

    let field = |value: Value, is_changed: bool| {
        json!({
            "path": "audio.volume", "section": "audio", "sectionLabel": "Sound", "label": "Voice volume",
            "help": "How loud Jarvis speaks.", "kind": {"type": "number", "min": 0.0, "max": 1.0, "unit": ""},
            "value": value, "defaultValue": reset["defaultValue"], "isChanged": is_changed,
        })
    };
    assert_eq!(set, field(json!(0.25), true));
    assert_eq!(written["audio"], json!({"volume": 0.25}));
    assert_eq!(sent, json!({"type": "setting", "path": "audio.volume", "value": 0.25}));
    assert_eq!(reset, field(reset["defaultValue"].clone(), false));
    assert_eq!(scene.written().get("audio"), None);
}

#[tokio::test]
async fn every_setting_accepts_the_value_it_shows() {
    let scene = Scene::new().await;
    let shown = scene.invoke("settings", json!({})).await;

    for field in shown["fields"].as_array().unwrap() {
        let set = scene.invoke("set_setting", json!({"path": field["path"], "value": field["value"]})).await;
        assert_eq!(&set, field);
    }

    assert_eq!(shown["fields"].as_array().unwrap().len(), settings::KEYS.len());
}

#[tokio::test]
async fn unwritable_settings_are_refused_and_unchanged() {
    let scene = Scene::new().await;
    std::fs::create_dir(scene.folder.path().join("settings.json.new")).unwrap();
    let before = scene.invoke("settings", json!({})).await;

    let set = scene.call("set_setting", json!({"path": "audio.volume", "value": 0.25})).await.unwrap_err();
    let provider = json!({"provider": "ollama", "address": "", "model": ""});
    let chosen = scene.call("use_provider", provider).await.unwrap_err();

    assert_eq!((&set["code"], &chosen["code"]), (&json!("trouble"), &json!("trouble")));
    assert_eq!(scene.invoke("settings", json!({})).await, before);
}

#[tokio::test]
async fn context_line_contains_the_chosen_place() {
    let scene = Scene::new().await;
    let found = scene.invoke("places", json!({"query": "Leeds"})).await;
    let leeds = &found[0];

    scene.invoke("set_setting", json!({"path": "location.place", "value": leeds["label"]})).await;
    scene.invoke("set_setting", json!({"path": "location.time_zone", "value": leeds["timeZone"]})).await;

    let expected = json!({
        "name": "Leeds", "region": "England", "country": "United Kingdom", "timeZone": "Europe/London",
        "label": "Leeds, England, United Kingdom",
    });
    assert_eq!(leeds, &expected);
    assert_eq!(
        scene.invoke("context_line", json!({})).await,
        "[Context: Current local time: Monday, September 15, 2025 at 18:53 BST. \
         Location: Leeds, England, United Kingdom]"
    );
}

#[tokio::test]
async fn at_most_eight_places_are_suggested() {
    let scene = Scene::new().await;

    let many = scene.invoke("places", json!({"query": "san"})).await;

    assert_eq!(many.as_array().unwrap().len(), 8);
    assert_eq!(scene.invoke("places", json!({"query": " "})).await, json!([]));
    assert_eq!(scene.invoke("places", json!({"query": "Qqqqqq"})).await, json!([]));
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
