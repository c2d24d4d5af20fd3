//! Recordings to words, words to sound.

use std::io::Cursor;
use std::time::Duration;

use reqwest::multipart::{Form, Part};
use rstest::rstest;
use serde_json::{Value, json};
use testkit::{Recognition, ToneVoice};

use crate::served::{Served, read};

/// A second of silence.
fn recording() -> Vec<u8> {
    let spec = hound::WavSpec {
        channels: 2,
        sample_rate: 44_100,
        bits_per_sample: 16,
        sample_format: hound::SampleFormat::Int,
    };
    let mut file = Cursor::new(Vec::new());
    let mut writer = hound::WavWriter::new(&mut file, spec).unwrap();
    (0..88_200).for_each(|_| writer.write_sample(0_i16).unwrap());
    writer.finalize().unwrap();
    file.into_inner()
}

/// The same with another rate in its header.
fn recording_of_rate(rate: u32) -> Vec<u8> {
    let mut bytes = recording();
    bytes[24..28].copy_from_slice(&rate.to_le_bytes());
    bytes
}

fn form(bytes: Vec<u8>) -> Form {
    Form::new().part("file", Part::bytes(bytes).file_name("speech.wav")).text("model", "whisper-1")
}

async fn hearing(words: &str) -> Served {
    Served::with([], json!({}), [Recognition::words(words)]).await
}

#[tokio::test]
async fn recording_is_transcribed_for_nodes() {
    let served = hearing("turn the light on").await;

    let request = served.post("/api/v0/media/whisper/transcribe").multipart(form(recording()));
    let (status, body) = read(request.send().await.unwrap()).await;

    assert_eq!((status, body["text"].as_str()), (200, Some("turn the light on")));
    assert_eq!(body["speaker"], json!({ "user_id": null, "confidence": 0.0 }));
}

#[tokio::test]
async fn recording_is_transcribed_for_openai_clients() {
    let served = hearing("turn the light on").await;

    let form = form(recording()).text("response_format", "verbose_json");
    let (status, body) =
        read(served.post("/v1/audio/transcriptions").multipart(form).send().await.unwrap()).await;

    assert_eq!((status, body["text"].as_str()), (200, Some("turn the light on")));
    assert_eq!((body["duration"].as_f64(), body["language"].as_str()), (Some(1.0), Some("en")));
}

#[rstest]
#[case::no_sound(form(b"no sound at all".to_vec()), "file")]
#[case::rate_of_no_sound(form(recording_of_rate(1)), "file")]
#[case::rate_beyond_all_cards(form(recording_of_rate(u32::MAX)), "file")]
#[case::nothing(Form::new().text("model", "whisper-1"), "file")]
#[case::subtitles(form(recording()).text("response_format", "srt"), "response_format")]
#[case::subtitles_of_the_web(form(recording()).text("response_format", "vtt"), "response_format")]
#[case::unknown_language(form(recording()).text("language", "klingon"), "language")]
#[case::events(form(recording()).text("stream", "true"), "stream")]
#[case::times_of_words(
    form(recording()).text("timestamp_granularities[]", "word"),
    "timestamp_granularities"
)]
#[case::probabilities(form(recording()).text("include[]", "logprobs"), "include")]
#[tokio::test]
async fn bad_recordings_are_refused(#[case] form: Form, #[case] field: &str) {
    let served = hearing("").await;

    let (status, body) =
        read(served.post("/v1/audio/transcriptions").multipart(form).send().await.unwrap()).await;

    assert_eq!((status, body["error"]["param"].as_str()), (400, Some(field)), "{body}");
    assert!(body["error"]["message"].as_str().unwrap().len() > 20, "{body}");
}

#[rstest]
#[case::words_alone("response_format", "text", "text/plain")]
#[case::no_language("language", "", "application/json")]
#[case::no_events("stream", "false", "application/json")]
#[case::guesses_of_a_model("temperature", "0.2", "application/json")]
#[tokio::test]
async fn options_of_a_recording_that_can_be_met_are_taken(
    #[case] option: &'static str,
    #[case] value: &'static str,
    #[case] kind: &str,
) {
    let served = hearing("turn the light on").await;

    let form = form(recording()).text(option, value);
    let response = served.post("/v1/audio/transcriptions").multipart(form).send().await.unwrap();

    let (status, sent) = (response.status().as_u16(), response.headers()["content-type"].clone());
    assert!(sent.to_str().unwrap().starts_with(kind), "{sent:?}");
    let text = response.text().await.unwrap();
    assert_eq!((status, text.contains("turn the light on")), (200, true), "{text}");
}

#[rstest]
#[case::mp3(json!({ "response_format": "mp3" }), Some("response_format"))]
#[case::opus(json!({ "response_format": "opus" }), Some("response_format"))]
#[case::events(json!({ "stream_format": "sse" }), Some("stream_format"))]
#[case::too_fast(json!({ "speed": 9 }), Some("speed"))]
#[case::too_long(json!({ "input": "a".repeat(4097) }), Some("input"))]
#[case::no_form(json!({}), None)]
#[case::null(json!({ "response_format": null, "speed": null, "voice": null, "stream_format": null }), None)]
#[case::manner(json!({ "instructions": "Speak softly.", "stream_format": "audio" }), None)]
#[tokio::test]
async fn speech_is_made_as_wanted_or_refused(#[case] options: Value, #[case] field: Option<&str>) {
    let served = Served::new([]).await;
    let mut body = json!({ "model": "tts-1", "input": "Good morning.", "voice": "alloy" });
    body.as_object_mut().unwrap().extend(options.as_object().unwrap().clone());

    let response = served.post("/v1/audio/speech").json(&body).send().await.unwrap();

    match field {
        None => assert_eq!(response.headers()["content-type"], "audio/wav"),
        Some(field) => {
            let (status, refused) = read(response).await;
            assert_eq!((status, refused["error"]["param"].as_str()), (400, Some(field)), "{refused}");
        }
    }
}

#[tokio::test]
async fn text_is_spoken_as_wav_and_as_samples() {
    let served = Served::new([]).await;
    let speech = |format: Option<&str>| {
        let body = json!({ "model": "tts-1", "input": "Good morning. It rains.", "voice": "alloy", "response_format": format });
        served.post("/v1/audio/speech").json(&body).send()
    };

    let wav = speech(None).await.unwrap();
    let pcm = speech(Some("pcm")).await.unwrap();
    let (mp3, refused) = read(speech(Some("mp3")).await.unwrap()).await;

    assert_eq!((wav.status().as_u16(), pcm.status().as_u16(), mp3), (200, 200, 400));
    let reader = hound::WavReader::new(Cursor::new(wav.bytes().await.unwrap())).unwrap();
    let seconds = f64::from(reader.duration()) / f64::from(reader.spec().sample_rate);
    let of_samples = pcm.bytes().await.unwrap().len() as f64 / 2.0 / 24_000.0;
    assert!(seconds > 0.1 && (seconds - of_samples).abs() < 0.01, "{seconds} s and {of_samples} s");
    assert_eq!(refused["error"]["param"], "response_format");
    assert!(served.voice.asked().iter().any(|said| said.contains("It rains")), "{:?}", served.voice.asked());
}

#[tokio::test]
async fn longest_number_is_heard_piece_by_piece() {
    let served = Served::new([]).await;
    let digits = "1234567890".repeat(410)[..4096].to_owned();

    let body = json!({ "text": digits });
    let stream = served.post("/api/v0/media/tts/speak/stream").json(&body).send().await.unwrap();
    let status = stream.status().as_u16();
    let sound = stream.bytes().await.unwrap();

    let said = served.voice.asked();
    assert_eq!((status, said.concat()), (200, digits));
    assert!(said.iter().all(|piece| piece.len() <= 60), "{said:?}");
    let samples = 4096 * ToneVoice::PER_CHARACTER.as_millis() as usize * ToneVoice::RATE_HZ as usize / 1000;
    assert_eq!(sound.len(), samples * 2);
}

#[tokio::test]
async fn client_that_hangs_up_stops_the_voice() {
    let served = Served::new([]).await;
    let body = json!({ "text": "It rains. This is endless." });

    let mut stream = served.post("/api/v0/media/tts/speak/stream").json(&body).send().await.unwrap();
    let first = stream.chunk().await.unwrap();
    drop(stream);
    let stopped =
        tokio::time::timeout(Duration::from_secs(20), served.voice.until_stopped("This is endless."));

    assert!(first.is_some_and(|samples| !samples.is_empty()));
    stopped.await.expect("the voice goes on without anybody to hear it");
}

#[tokio::test]
async fn node_gets_sound_whole_and_as_it_is_made() {
    let served = Served::new([]).await;
    let body = json!({ "text": "Good morning." });

    let whole = served.post("/api/v0/media/tts/speak").json(&body).send().await.unwrap();
    let stream = served.post("/api/v0/media/tts/speak/stream").json(&body).send().await.unwrap();
    let (empty, _) = served.ask("/api/v0/media/tts/speak", json!({ "text": " " })).await;

    assert_eq!((whole.status().as_u16(), stream.status().as_u16(), empty), (200, 200, 400));
    assert_eq!(whole.headers()["content-type"], "audio/wav");
    assert_eq!(stream.headers()["x-audio-channels"], "1");
    assert!(!stream.bytes().await.unwrap().is_empty());
}
