//! Satellites in other rooms, at the wire.

use std::net::SocketAddr;

use rstest::rstest;
use serde_json::{Value, json};
use testkit::{Recognition, SatelliteDevice, SatelliteWire, SatelliteWireEvent, Turn};
use tokio::sync::broadcast::Receiver;
use vocabulary::{AssistantEvent, Origin, Stage};

use crate::served::{Served, free_address};

/// "What time is it in Leeds?", said by espeak-ng: 16 kHz, 16 bits.
const SPOKEN: &[u8] = include_bytes!("../../../assistant/assets/what-time-is-it-in-leeds.pcm");

/// A Jarvis with a satellite at this address, which hears these words.
async fn jarvis(address: SocketAddr, turns: Vec<Turn>, heard: &[&str], more: Value) -> Served {
    let mut settings = json!({ "programs": { "satellites": [address.to_string()] } });
    settings.as_object_mut().unwrap().extend(more.as_object().cloned().unwrap_or_default());
    Served::with(turns, settings, heard.iter().map(|words| Recognition::words(words))).await
}

fn kinds(events: &[SatelliteWireEvent]) -> Vec<&str> {
    events.iter().map(|event| event.kind.as_str()).collect()
}

/// The text of the only event of this kind.
fn text<'e>(events: &'e [SatelliteWireEvent], kind: &str) -> &'e str {
    let mut of_kind = events.iter().filter(|event| event.kind == kind);
    let text = of_kind.next().unwrap_or_else(|| panic!("no {kind}: {events:?}")).data["text"].as_str();
    assert!(of_kind.next().is_none(), "{events:?}");
    text.unwrap()
}

/// The satellite after `run-satellite`, which asks for this stage.
async fn running(device: &SatelliteDevice, stage: &str) -> SatelliteWire {
    let mut satellite = device.connected().await;
    assert_eq!(satellite.next().await.unwrap().kind, "run-satellite");
    satellite.send("run-pipeline", json!({ "start_stage": stage, "end_stage": "tts" }), &[]).await;
    satellite
}

#[tokio::test(flavor = "multi_thread")]
async fn satellite_of_the_settings_is_answered_in_its_room() {
    let device = SatelliteDevice::start().await;
    let heard = ["it rains again", "Jarvis, tell me something about France", "And something about Spain"];
    let turns = vec![Turn::says("Its capital is Paris."), Turn::says("Its capital is Madrid.")];
    let served = jarvis(device.address(), turns, &heard, json!({})).await;
    let mut events = served.assistant.subscribe();
    let mut satellite = running(&device, "wake").await;

    satellite.says(SPOKEN).await;
    satellite.says(SPOKEN).await;
    let first = satellite.until("audio-stop").await;
    satellite.send("played", json!({}), &[]).await;
    satellite.says(SPOKEN).await;
    let follow_up = satellite.until("audio-stop").await;

    let with_name = [
        "detection",
        "voice-started",
        "voice-stopped",
        "transcript",
        "synthesize",
        "audio-start",
        "audio-stop",
    ];
    assert_eq!(kinds(&first), with_name);
    assert_eq!(first[0].data["name"], "jarvis");
    assert_eq!(text(&first, "transcript"), "tell me something about France");
    assert_eq!(text(&first, "synthesize"), "Its capital is Paris.");
    assert_eq!(text(&follow_up, "transcript"), "And something about Spain");
    assert_eq!(text(&follow_up, "synthesize"), "Its capital is Madrid.");
    assert!(served.told(1).contains("Its capital is Paris."), "the dialogue goes on");
    assert!(next_asked(&mut events).await == Origin::Satellite);
}

async fn next_asked(events: &mut Receiver<AssistantEvent>) -> Origin {
    loop {
        if let AssistantEvent::Asked { origin, .. } = events.recv().await.unwrap() {
            return origin;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn satellite_that_heard_the_name_itself_needs_none_here() {
    let device = SatelliteDevice::start().await;
    let turns = vec![Turn::says("Its capital is Paris.")];
    let _served = jarvis(device.address(), turns, &["Tell me something about France"], json!({})).await;
    let mut satellite = running(&device, "asr").await;

    satellite.says(SPOKEN).await;

    let events = satellite.until("audio-stop").await;
    assert_eq!(
        kinds(&events),
        ["voice-started", "voice-stopped", "transcript", "synthesize", "audio-start", "audio-stop"]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn satellite_without_words_is_told_so() {
    let device = SatelliteDevice::start().await;
    let _served = jarvis(device.address(), Vec::new(), &[], json!({})).await;
    let mut satellite = running(&device, "asr").await;

    satellite.says(&[]).await;

    assert_eq!(satellite.next().await.unwrap().data["code"], "no-text");
}

#[rstest]
#[case::yes("wake", "Yes, please.", "Done.")]
#[case::no("wake", "No.", "Left alone.")]
#[case::answer_after_another_call("asr", "Yes, please.", "Done.")]
#[tokio::test(flavor = "multi_thread")]
async fn permission_is_asked_and_answered_aloud(
    #[case] stage: &str,
    #[case] answer: &str,
    #[case] said: &str,
) {
    let device = SatelliteDevice::start().await;
    let turns = vec![Turn::calls("addTodo", json!({ "text": "soap", "list": "shopping" })), Turn::says(said)];
    let heard = ["Jarvis, please remember for the shopping that I want soap", answer];
    let settings = json!({ "tools": { "asked": ["addTodo"] } });
    let _served = jarvis(device.address(), turns, &heard, settings).await;
    let mut satellite = running(&device, stage).await;

    satellite.says(SPOKEN).await;
    let question = satellite.until("audio-stop").await;
    satellite.send("played", json!({}), &[]).await;
    if stage == "asr" {
        satellite.send("run-pipeline", json!({ "start_stage": stage, "end_stage": "tts" }), &[]).await;
    }
    satellite.says(SPOKEN).await;
    let answered = satellite.until("audio-stop").await;

    assert!(text(&question, "synthesize").ends_with("Is that all right?"), "{question:?}");
    assert_eq!(text(&answered, "synthesize"), said);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_needs_a_click_is_not_done_and_said_to_need_one() {
    let device = SatelliteDevice::start().await;
    let turns = vec![Turn::calls("deleteMeal", json!({ "id": 1 })), Turn::says("It is still there.")];
    let heard = ["Jarvis, please take the meal of this morning out of my diary"];
    let settings = json!({ "tools": { "asked": ["deleteMeal"] } });
    let _served = jarvis(device.address(), turns, &heard, settings).await;
    let mut satellite = running(&device, "wake").await;

    satellite.says(SPOKEN).await;

    let said = satellite.until("audio-stop").await;
    let words: Vec<&str> = said
        .iter()
        .filter(|event| event.kind == "synthesize")
        .filter_map(|event| event.data["text"].as_str())
        .collect();
    assert!(
        words[0].ends_with("That needs a key or a click at the computer, so it was not done."),
        "{words:?}"
    );
    assert_eq!(words[1..], ["It is still there."]);
}

#[tokio::test(flavor = "multi_thread")]
async fn stop_word_ends_the_words_of_the_reply() {
    let device = SatelliteDevice::start().await;
    let long = "This is a long story about a town. ".repeat(40);
    let turns = vec![Turn::says(&long)];
    let heard = ["Jarvis, tell me a story about a town", "Stop!"];
    let _served = jarvis(device.address(), turns, &heard, json!({})).await;
    let mut satellite = running(&device, "wake").await;

    satellite.says(SPOKEN).await;
    satellite.until("audio-start").await;
    satellite.says(SPOKEN).await;
    let rest = satellite.until("audio-stop").await;

    let sentences = rest.iter().filter(|event| event.kind == "synthesize").count();
    assert!(sentences < 35, "{sentences} sentences were said");
}

#[tokio::test(flavor = "multi_thread")]
async fn satellite_that_is_away_is_told_and_connected_to_again() {
    let address = free_address();
    let served = jarvis(address, Vec::new(), &[], json!({})).await;
    let mut events = served.assistant.subscribe();

    let device = SatelliteDevice::at(address).await;
    let first = device.connected().await;
    drop(first);
    let mut again = device.connected().await;

    assert_eq!(again.next().await.unwrap().kind, "run-satellite");
    loop {
        match events.recv().await.unwrap() {
            AssistantEvent::Recovered(trouble) if trouble.stage == Stage::Satellite => break,
            _ => {}
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn program_that_is_no_satellite_is_a_trouble() {
    let device = SatelliteDevice::start().await.without_satellite();
    let served = jarvis(device.address(), Vec::new(), &[], json!({})).await;
    let mut connected = device.connected().await;

    assert!(connected.next().await.is_none(), "the connection was not closed");
    while served.assistant.troubles().is_empty() {
        tokio::task::yield_now().await;
    }
    let trouble = &served.assistant.troubles()[0];
    assert_eq!(trouble.stage, Stage::Satellite);
    assert!(trouble.message.contains("another kind of service"), "{trouble}");
}
