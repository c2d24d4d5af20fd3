//! Which page may call which command, and that no secret reaches a page.

use std::collections::{BTreeMap, BTreeSet};

use rstest::rstest;
use serde_json::{Value, json};
use settings::SecretStore;
use testkit::{OpenAiServer, ScriptedAnswer, ServerScript};

use super::scene::{Scene, SceneOptions};
use crate::commands;

/// A call of every command, except those that would start a browser or register a key.
fn one_call_of_each() -> Vec<(&'static str, Value)> {
    vec![
        ("subscribe", json!({"onEvent": "__CHANNEL__:7"})),
        ("status", json!({})),
        ("conversation", json!({})),
        ("ask", json!({"text": "hello"})),
        ("answer", json!({"question": 1, "text": "Yes"})),
        ("stop_ring", json!({"appointment": 1})),
        ("snooze_ring", json!({"appointment": 1})),
        ("history", json!({"before": i64::MAX})),
        ("reply_trace", json!({"at": 1})),
        ("stop", json!({})),
        ("set_muted", json!({"isMuted": false})),
        ("talk", json!({})),
        ("read_aloud", json!({"text": "Hello."})),
        ("picture", json!({"reply": 1, "index": 0})),
        ("save_attachment", json!({"reply": 1, "index": 0})),
        ("open_window", json!({"window": "settings"})),
        ("open_link", json!({"url": "http://example.com/"})),
        ("settings", json!({})),
        ("set_setting", json!({"path": "audio.volume", "value": 0.5})),
        ("reset_setting", json!({"path": "audio.volume"})),
        ("devices", json!({})),
        ("preview_voice", json!({})),
        ("check_hotkey", json!({"keys": "Space"})),
        ("models", json!({})),
        ("download_model", json!({"id": "voice"})),
        ("pause_download", json!({"id": "voice"})),
        ("pull_model", json!({"model": "a model", "address": "http://127.0.0.1:9"})),
        ("cancel_pull", json!({"model": "m", "address": "http://127.0.0.1:9"})),
        ("delete_model", json!({"id": "voice"})),
        ("use_model", json!({"id": "speech"})),
        ("test_model", json!({"id": "runtime"})),
        ("use_provider", json!({"provider": "openai", "address": "http://127.0.0.1:9", "model": "x"})),
        ("places", json!({"query": "Leeds"})),
        ("context_line", json!({})),
        ("location", json!({})),
        ("look_for_location", json!({})),
        ("hosts_contacted", json!({})),
        ("forget_hosts_contacted", json!({})),
        ("server_prompts", json!({})),
        ("tool_servers", json!({})),
        ("refresh_tool_servers", json!({})),
        ("set_tool_server_secret", json!({"name": "mail.key", "secret": "s3cret"})),
        ("sign_in_tool_server", json!({"name": "mail"})),
        ("sign_out_tool_server", json!({"name": "mail"})),
        ("add_program", json!({"name": "bot", "may": ["ask"]})),
        ("revoke_program", json!({"name": "bot"})),
        ("tool_permissions", json!({})),
        ("set_tool_permission", json!({"name": "setTimer", "permission": "ask"})),
        ("agree_to_tool_description", json!({"name": "files__read", "shown": "0"})),
        ("tool_calls", json!({})),
        ("let_clicks_through", json!({"isThrough": true})),
        ("zoom", json!({"zoom": "in"})),
        ("report_fault", json!({"fault": "x"})),
    ]
}

#[tokio::test]
async fn api_key_of_a_provider_reaches_no_page() {
    const SECRET: &str = "the-key-of-the-provider";
    let server =
        OpenAiServer::start(ServerScript::new([ScriptedAnswer::says("Hello.")]).with_api_key(SECRET));
    let options = SceneOptions {
        settings: json!({"llm": {"provider": "openai", "base_url": server.url()}}),
        model: None,
        ..SceneOptions::default()
    };
    options.secrets.set("llm.api_key", &SECRET.into()).unwrap();
    let mut scene = Scene::with(options).await;
    scene.install("runtime");

    let mut sent = Vec::new();
    for (command, arguments) in one_call_of_each() {
        sent.push(format!("{command}: {:?}", scene.call(command, arguments).await));
        if command == "ask" {
            let events = scene.events_until(|event| event["type"] == "done").await;
            assert_eq!(events.last().unwrap()["text"], "Hello.");
            sent.push(format!("{events:?}"));
        }
    }
    while let Ok(event) = scene.events.try_recv() {
        sent.push(format!("{event:?}"));
    }

    sent.retain(|sent| sent.contains(SECRET));
    assert_eq!(sent, Vec::<String>::new());
}

/// All permissions with their commands.
fn permissions() -> BTreeMap<&'static str, Vec<&'static str>> {
    let in_quotes = |text: &'static str| text.split('"').skip(1).step_by(2);
    let permission = |text: &'static str| {
        let (identifier, commands) = text.split_once("commands.allow").unwrap();
        (in_quotes(identifier).next().unwrap(), in_quotes(commands).collect())
    };
    include_str!("../../permissions/pages.toml").split("[[permission]]").skip(1).map(permission).collect()
}

/// The commands that a page's capability allows.
fn commands_of_page(capability: &str) -> BTreeSet<&'static str> {
    let capability: Value = serde_json::from_str(capability).unwrap();
    let given = capability["permissions"].as_array().unwrap();
    given.iter().flat_map(|name| permissions()[name.as_str().unwrap()].clone()).collect()
}

/// The commands that any page may call.
fn allowed_commands() -> BTreeSet<&'static str> {
    let pages = [
        include_str!("../../capabilities/conversation.json"),
        include_str!("../../capabilities/settings.json"),
        include_str!("../../capabilities/overlay.json"),
    ];
    pages.into_iter().flat_map(commands_of_page).collect()
}

#[test]
fn pages_call_the_commands_that_they_may_call() {
    let api = include_str!("../../../../ui/src/api/index.ts");

    let called = api.split("invoke<").skip(1).map(|call| call.split('"').nth(1).unwrap());

    assert_eq!(called.collect::<BTreeSet<_>>(), allowed_commands());
}

#[test]
fn every_command_may_be_called_by_a_page() {
    let names = commands::PATHS.iter().map(|path| path.rsplit("::").next().unwrap().trim());

    assert_eq!(names.collect::<BTreeSet<_>>(), allowed_commands());
}

#[test]
fn every_permission_is_given_to_a_page() {
    let permitted = permissions().into_values().flatten();

    assert_eq!(permitted.collect::<BTreeSet<_>>(), allowed_commands());
}

#[test]
fn every_command_is_called_by_these_tests() {
    let called = one_call_of_each().into_iter().map(|(command, _)| command);

    assert_eq!(called.collect::<BTreeSet<_>>(), allowed_commands());
}

#[tokio::test]
async fn every_command_that_a_page_may_call_is_handled() {
    let scene = Scene::new().await;
    let mut unknown = Vec::new();

    for (command, arguments) in one_call_of_each().into_iter().chain([("unheard_of", json!({}))]) {
        if scene.call(command, arguments).await == Err(json!(format!("Command {command} not found"))) {
            unknown.push(command);
        }
    }

    assert_eq!(unknown, ["unheard_of"]);
}

#[rstest]
#[case::conversation(include_str!("../../capabilities/conversation.json"), "set_setting")]
#[case::conversation_lists_no_servers(include_str!("../../capabilities/conversation.json"), "tool_servers")]
#[case::conversation_changes_no_permission(include_str!("../../capabilities/conversation.json"), "set_tool_permission")]
#[case::conversation_reads_no_log(include_str!("../../capabilities/conversation.json"), "tool_calls")]
#[case::overlay(include_str!("../../capabilities/overlay.json"), "ask")]
#[case::settings(include_str!("../../capabilities/settings.json"), "history")]
#[case::overlay_lists_no_prompts(include_str!("../../capabilities/overlay.json"), "server_prompts")]
fn page_may_not_call_commands_of_another_page(#[case] capability: &str, #[case] command: &str) {
    assert!(!commands_of_page(capability).contains(command));
}
