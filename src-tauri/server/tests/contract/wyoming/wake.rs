//! The name in a stream of sound, at the wire.

use super::*;

/// "What time is it in Leeds?", said by espeak-ng: 16 kHz, 16 bits.
const SPOKEN: &[u8] = include_bytes!("../../../../assistant/assets/what-time-is-it-in-leeds.pcm");

fn mono() -> Value {
    json!({ "rate": 16_000, "width": 2, "channels": 1 })
}

/// Speech after half a second of silence, and a second and a half after it.
fn speech() -> Vec<u8> {
    [&[0; 16_000][..], SPOKEN, &[0; 48_000][..]].concat()
}

impl Client {
    async fn send_speech(&mut self) {
        for chunk in speech().chunks(2048) {
            self.send("audio-chunk", mono(), chunk).await;
        }
    }

    async fn send_stream(&mut self, detect: Value) {
        self.send("detect", detect, &[]).await;
        let mut start = mono();
        start["timestamp"] = json!(1000);
        self.send("audio-start", start, &[]).await;
        self.send_speech().await;
    }
}

#[rstest]
#[case::any_name(json!({}), "Jarvis, what time is it in Leeds?")]
#[case::name_asked_for(json!({ "names": ["jarvis"] }), "Jarvis, what time is it in Leeds?")]
#[case::spelling_of_the_recogniser(json!({ "names": ["Jarvis"] }), "Jervis, what time is it in Leeds?")]
#[tokio::test]
async fn name_is_detected_while_the_stream_goes_on(#[case] detect: Value, #[case] words: &str) {
    let port = SpeechPort::new([Recognition::words(words)]).await;
    let mut client = port.client().await;

    client.send_stream(detect).await;

    let told = client.told().await.unwrap();
    assert_eq!((told.kind.as_str(), &told.data["name"]), ("detection", &json!("jarvis")));
    let at = told.data["timestamp"].as_u64().unwrap();
    assert!((1000..=1600).contains(&at), "the utterance begins at {at} ms");
}

#[tokio::test]
async fn stream_without_the_name_ends_with_not_detected() {
    let words = ["what time is it in Leeds", "Jarvis, what time is it in Leeds?"];
    let port = SpeechPort::new(words.map(Recognition::words)).await;
    let mut client = port.client().await;

    client.send_stream(json!({})).await;
    client.send("audio-stop", json!({}), &[]).await;
    let first = client.told().await.unwrap();
    client.send_stream(json!({})).await;
    client.send("audio-stop", json!({}), &[]).await;
    let second = client.told().await.unwrap();
    client.send("ping", json!({}), &[]).await;

    assert_eq!((first.kind.as_str(), second.kind.as_str()), ("not-detected", "detection"));
    assert_eq!(client.told().await.unwrap().kind, "pong");
}

#[tokio::test]
async fn stream_may_begin_with_its_first_chunk() {
    let port = SpeechPort::new([Recognition::words("Jarvis, what time is it?")]).await;
    let mut client = port.client().await;

    client.send("detect", json!({}), &[]).await;
    client.send_speech().await;

    assert_eq!(client.told().await.unwrap().kind, "detection");
}

#[tokio::test]
async fn stream_for_an_unknown_name_is_refused_and_read_over() {
    let port = SpeechPort::new([]).await;
    let mut client = port.client().await;

    client.send_stream(json!({ "names": ["friday"] })).await;
    client.send("audio-stop", json!({}), &[]).await;
    client.send("ping", json!({}), &[]).await;

    let refused = client.told().await.unwrap();
    assert_eq!((refused.kind.as_str(), &refused.data["code"]), ("error", &json!("unknown-name")));
    assert_eq!(client.told().await.unwrap().kind, "pong");
}

#[tokio::test]
async fn failure_of_recognition_is_told_in_place_of_a_name() {
    let fails = Recognition::Fails(hearing::TranscribeError::Engine { reason: "no memory".into() });
    let port = SpeechPort::new([fails]).await;
    let mut client = port.client().await;

    client.send_stream(json!({})).await;

    assert_eq!(client.told().await.unwrap().data["code"], "recognition-failed");
}

#[tokio::test]
async fn seventeenth_stream_is_refused_until_another_ends() {
    let port = SpeechPort::new([]).await;
    let mut clients = Vec::new();
    for _ in 0..17 {
        let mut client = port.client().await;
        client.send("detect", json!({}), &[]).await;
        client.send("audio-start", mono(), &[]).await;
        // Its stream is open when the next event is answered.
        client.send("ping", json!({}), &[]).await;
        clients.push((client.told().await.unwrap(), client));
    }

    let codes: Vec<_> = clients.iter().map(|(told, _)| told.data["code"].as_str()).collect();
    assert_eq!(codes[..16], [None; 16]);
    assert_eq!(codes[16], Some("busy"));
    drop(clients.remove(0));
    let (_, mut refused) = clients.pop().unwrap();
    assert_eq!(refused.told().await.unwrap().kind, "pong");
    loop {
        refused.send("audio-start", mono(), &[]).await;
        refused.send("ping", json!({}), &[]).await;
        if refused.told().await.unwrap().kind == "pong" {
            break;
        }
        assert_eq!(refused.told().await.unwrap().kind, "pong");
    }
}
