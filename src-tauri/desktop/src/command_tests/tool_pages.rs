//! The pages with the permissions of tools and with the log of their calls.

use serde_json::{Value, json};
use tauri::Manager;

use super::scene::{Scene, SceneOptions};

async fn entry(scene: &Scene, name: &str) -> Value {
    let entries = scene.invoke("tool_permissions", json!({})).await;
    let found = entries.as_array().unwrap().iter().find(|entry| entry["name"] == name);
    found.cloned().unwrap_or(Value::Null)
}

/// Asks, and returns the newest call in the log once the reply is complete.
async fn call_of(scene: &mut Scene, question: &str) -> Value {
    scene.subscribe().await;
    scene.invoke("ask", json!({"text": question})).await;
    // The model of these tests has no answer.
    scene.event(|event| event["type"] == "done" || event["type"] == "failed").await;
    loop {
        // The memory may still be opening.
        let calls = scene.call("tool_calls", json!({})).await;
        if let Some(call) = calls.ok().as_ref().and_then(Value::as_array).and_then(|calls| calls.first()) {
            return call.clone();
        }
    }
}

#[tokio::test]
async fn denied_tool_stays_denied_after_a_restart() {
    let scene = Scene::new().await;
    let before = entry(&scene, "setTimer").await;
    scene.invoke("set_tool_permission", json!({"name": "setTimer", "permission": "deny"})).await;
    assert_eq!(scene.written()["tools"]["denied"], json!(["setTimer"]));
    let Scene { app, folder, .. } = scene;
    app.state::<crate::door::Door>().assistant.shut_down().await;

    let settings =
        serde_json::from_slice(&std::fs::read(folder.path().join("settings.json")).unwrap()).unwrap();
    let mut again = Scene::with(SceneOptions { folder, settings, ..SceneOptions::default() }).await;
    let call = call_of(&mut again, "set a timer for five minutes").await;

    let expected = json!({"tool": "setTimer", "effect": "writes", "decision": "denied", "grounds": "setting",
        "outcome": "denied", "origin": "typed", "conversation": "main", "arguments": "seconds: 300"});
    for (key, value) in expected.as_object().unwrap() {
        assert_eq!(&call[key], value, "{key} of {call}");
    }
    assert_eq!(
        (&before["chosen"], &before["usual"], &before["effect"]),
        (&Value::Null, &json!("allow"), &json!("writes"))
    );
    assert_eq!(entry(&again, "setTimer").await["chosen"], "deny");
}

#[tokio::test]
async fn rule_is_changed_and_revoked() {
    let scene = Scene::with(SceneOptions {
        settings: json!({"llm": {"provider": "embedded"}, "tools": {"allowed": ["setTimer", "oldTool"], "asked": ["setTimer"]}}),
        ..SceneOptions::default()
    })
    .await;
    let listed = [
        entry(&scene, "setTimer").await["chosen"].clone(),
        entry(&scene, "oldTool").await["isKnown"].clone(),
    ];

    scene.invoke("set_tool_permission", json!({"name": "setTimer", "permission": "allow"})).await;
    let allowed = scene.written()["tools"].clone();
    scene.invoke("set_tool_permission", json!({"name": "setTimer", "permission": null})).await;
    let after = scene.invoke("set_tool_permission", json!({"name": "oldTool", "permission": null})).await;

    assert_eq!(listed, [json!("ask"), json!(false)]);
    assert_eq!(allowed, json!({"allowed": ["setTimer", "oldTool"]}));
    assert_eq!(entry(&scene, "setTimer").await["chosen"], Value::Null);
    assert!(!after.to_string().contains("oldTool"), "{after}");
}

#[tokio::test]
async fn log_is_filtered_and_paged() {
    let mut scene = Scene::new().await;
    let timer = call_of(&mut scene, "set a timer for five minutes").await;
    scene.invoke("ask", json!({"text": "what time is it?"})).await;
    scene.event_of_type("done").await;
    let count = |filter: Value| {
        let listed = scene.invoke("tool_calls", filter);
        async move { listed.await.as_array().unwrap().len() }
    };
    while count(json!({})).await < 2 {}

    let figures = [
        count(json!({"tool": "setTimer"})).await,
        count(json!({"outcome": "denied"})).await,
        count(json!({"before": timer["id"]})).await,
    ];

    assert_eq!(figures, [1, 0, 0]);
    assert_eq!(
        (&timer["decision"], &timer["grounds"], &timer["outcome"]),
        (&json!("allowed"), &json!("effect"), &json!("done"))
    );
}
