//! The tool servers page.

use std::path::Path;

use serde_json::{Value, json};
use settings::SecretStore;
use testkit::InMemorySecrets;

use super::scene::{Scene, SceneOptions};

/// A server of `tests/tool_servers`, which `cargo xtask test` installs, with these variables.
fn everything(variables: Value) -> Value {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/tool_servers/node_modules");
    let script = root.join("@modelcontextprotocol/server-everything/dist/index.js");
    assert!(script.is_file(), "{} is missing: run `npm ci` in tests/tool_servers", script.display());
    json!({"everything": {"command": "node", "args": [script], "env": variables}})
}

async fn set_servers(scene: &Scene, servers: Value) {
    scene.invoke("set_setting", json!({"path": "mcp.servers", "value": servers})).await;
}

/// The only server, once it is as expected. It is listed again only when the page is told to.
async fn server_that(scene: &mut Scene, is_it: impl Fn(&Value) -> bool) -> Value {
    loop {
        let servers = scene.invoke("tool_servers", json!({})).await;
        if let [server] = servers.as_array().unwrap().as_slice()
            && is_it(server)
        {
            return server.clone();
        }
        scene.event_of_type("toolServersChanged").await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn server_of_the_settings_is_listed_with_its_tools() {
    let mut scene = Scene::new().await;
    scene.subscribe().await;
    assert_eq!(scene.invoke("tool_servers", json!({})).await, json!([]));

    set_servers(&scene, everything(json!({}))).await;
    let server = server_that(&mut scene, |server| server["tools"] != json!([])).await;
    set_servers(&scene, json!({})).await;

    assert_eq!(
        (&server["name"], &server["state"], &server["changedTools"]),
        (&json!("everything"), &json!({"type": "running"}), &json!([]))
    );
    assert!(server["tools"].as_array().unwrap().contains(&json!("everything__echo")), "{server}");
    while scene.invoke("tool_servers", json!({})).await != json!([]) {
        scene.event_of_type("toolServersChanged").await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn secret_of_the_page_is_in_the_keychain_when_its_server_starts() {
    let mut scene = Scene::new().await;
    scene.subscribe().await;

    scene.invoke("set_tool_server_secret", json!({"name": "brave.key", "secret": "s3cret-key"})).await;
    set_servers(&scene, everything(json!({"API_KEY": "${secret:brave.key}"}))).await;

    let server = server_that(&mut scene, |server| server["tools"] != json!([])).await;
    assert_eq!(server["state"], json!({"type": "running"}));
}

#[tokio::test(flavor = "multi_thread")]
async fn prompts_of_a_server_are_listed_with_their_arguments() {
    let mut scene = Scene::new().await;
    scene.subscribe().await;
    assert_eq!(scene.invoke("server_prompts", json!({})).await, json!([]));

    set_servers(&scene, everything(json!({}))).await;
    let prompts = loop {
        let prompts = scene.invoke("server_prompts", json!({})).await;
        if prompts != json!([]) {
            break prompts;
        }
        scene.event_of_type("toolServersChanged").await;
    };

    let filled_in =
        prompts.as_array().unwrap().iter().find(|prompt| prompt["name"] == "args-prompt").unwrap();
    let expected = json!({
        "server": "everything", "name": "args-prompt", "description": "A prompt with two arguments, one required and one optional",
        "arguments": [
            {"name": "city", "description": "Name of the city", "isRequired": true},
            {"name": "state", "description": null, "isRequired": false},
        ],
    });
    assert_eq!(*filled_in, expected);
}

#[tokio::test(flavor = "multi_thread")]
async fn server_that_cannot_be_started_is_listed_with_the_reason() {
    let mut scene = Scene::new().await;
    scene.subscribe().await;

    set_servers(&scene, json!({"files": {"command": "no-such-program-at-all"}})).await;
    let server = server_that(&mut scene, |server| server["state"]["type"] == "failed").await;

    let why = "the program no-such-program-at-all was not found: install it, or write its full path";
    let expected = json!({
        "name": "files", "state": {"type": "failed", "why": why}, "isSignedIn": false, "tools": [], "changedTools": [],
        "lastLines": [],
    });
    assert_eq!(server, expected);
}

#[tokio::test(flavor = "multi_thread")]
async fn secret_that_was_stored_meanwhile_is_used_when_looking_again() {
    let secrets = InMemorySecrets::default();
    let options = SceneOptions { secrets: secrets.clone(), ..SceneOptions::default() };
    let mut scene = Scene::with(options).await;
    scene.subscribe().await;
    set_servers(&scene, everything(json!({"TOKEN": "${secret:everything}"}))).await;
    let before = server_that(&mut scene, |server| server["state"]["type"] == "failed").await;

    secrets.set("mcp.everything", &"s3cret".into()).unwrap();
    let after = scene.invoke("refresh_tool_servers", json!({})).await;

    let why = "the secret `everything` of the server everything is not stored: run `jarvis settings secret 'mcp.everything'` and type it";
    assert_eq!(before["state"]["why"], why);
    assert_eq!(after[0]["state"], json!({"type": "running"}));
}
