//! The microphone and the voice.

use rstest::rstest;
use serde_json::{Value, json};
use tokio::time::timeout;

use super::scene::{Scene, SceneOptions, TIMEOUT, refusal};

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
async fn muted_microphone_is_closed() {
    let mut scene = Scene::new().await;
    scene.door().assistant.open_microphone();
    timeout(TIMEOUT, scene.open_microphones.wait_for(|open| *open == 1)).await.unwrap().unwrap();

    scene.invoke("set_muted", json!({"isMuted": true})).await;
    timeout(TIMEOUT, scene.open_microphones.wait_for(|open| *open == 0)).await.unwrap().unwrap();

    scene.invoke("set_muted", json!({"isMuted": false})).await;
    timeout(TIMEOUT, scene.open_microphones.wait_for(|open| *open == 1)).await.unwrap().unwrap();
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
