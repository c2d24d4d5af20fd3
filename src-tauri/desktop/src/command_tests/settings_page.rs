//! The settings page, with the place of the user.

use serde_json::{Value, json};

use super::scene::Scene;

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
