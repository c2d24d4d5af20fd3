//! The share of our own voice in what is heard while we speak: the real canceller and detector in a computed room.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "helpers of tests, which show what they measured"
)]

#[path = "support/inputs.rs"]
mod inputs;

use std::process::Command;
use std::sync::Arc;
use std::time::Instant;

use rstest::rstest;
use testkit::{Recognition, Room, ScriptedSpeech, frames_without_echo, white_noise, with_rms};
use tokio_util::sync::CancellationToken;
use vocabulary::{FRAME_DURATION, Frame, HearingEvent, SAMPLE_RATE_HZ, Utterance};

const OUR_REPLY: &str = "Tomorrow it will be cloudy with some rain in the afternoon, and the wind comes from the west. \
    My name is Jarvis. Call me by it anywhere in a sentence.";
const VOICE_RMS: f32 = 0.05;
const ROOM: Room = Room { delay_ms: 80, attenuation_db: 6.0, drift_ppm: 0.0 };

fn spoken(voice: &str, text: &str) -> Vec<f32> {
    // A file, because the header on its standard output has no length.
    let file = tempfile::Builder::new().suffix(".wav").tempfile().unwrap();
    let status = Command::new("espeak-ng").args(["-v", voice, text, "-w"]).arg(file.path()).status();
    assert!(status.expect("espeak-ng is installed: run `cargo xtask system`").success(), "espeak-ng failed");
    audio::decode_speech(&std::fs::read(file.path()).unwrap()).unwrap()
}

fn samples_in(secs: f64) -> usize {
    (secs * f64::from(SAMPLE_RATE_HZ)) as usize
}

/// The utterances heard of our voice, and of a user so loud relative to its echo who begins so long after its end.
async fn heard((text, level_db, after_secs): (&str, f32, f64)) -> Vec<Utterance> {
    let played = with_rms(&spoken("en-us", OUR_REPLY), VOICE_RMS);
    let mut microphone = ROOM.echo_of(&played);
    let echo_rms = VOICE_RMS * 10_f32.powf(-ROOM.attenuation_db / 20.0);
    microphone.resize(played.len() + samples_in(3.0), 0.0);
    let ends_secs = played.len() as f64 / f64::from(SAMPLE_RATE_HZ);
    let words = with_rms(&spoken("en-gb+f3", text), echo_rms * 10_f32.powf(level_db / 20.0));
    for (heard, sample) in microphone[samples_in(ends_secs + after_secs)..].iter_mut().zip(words) {
        *heard += sample;
    }
    for (heard, noise) in microphone.iter_mut().zip(white_noise()) {
        *heard += noise * 0.0015;
    }
    let frames = frames_without_echo(&played, &microphone);
    utterances(frames).await
}

/// The utterances in these frames, with times from their start.
async fn utterances(frames: Vec<Frame>) -> Vec<Utterance> {
    let engine = Arc::new(ScriptedSpeech::new((0..99).map(|_| Recognition::words("evidence."))));
    let (inputs, to_hearing, mut heard) = inputs::inputs(engine, true);
    let hearing = tokio::spawn(hearing::run(inputs, CancellationToken::new()));
    let start = Instant::now();
    for (n, frame) in frames.into_iter().enumerate() {
        let frame = Frame { captured_at: start + FRAME_DURATION * (n + 1) as u32, ..frame };
        to_hearing.send(frame).await.unwrap();
    }
    drop(to_hearing);
    hearing.await.unwrap();
    let mut all = Vec::new();
    while let Some(event) = heard.recv().await {
        if let HearingEvent::Heard(utterance) = event {
            let (from, to) = (utterance.started_at - start, utterance.ended_at - start);
            println!("{:.2} to {:.2} s: {:.2}", from.as_secs_f64(), to.as_secs_f64(), utterance.echo_share);
            all.push(utterance);
        }
    }
    all
}

#[rstest]
#[case::right_behind_our_voice("And how about tomorrow?", 0.0, 0.1)]
#[case::short_answer("Yes.", 0.0, 0.1)]
#[case::short_answer_of_a_quiet_user("Yes.", -10.0, 0.2)]
#[case::request_of_a_user_16_db_below_our_voice("And how about tomorrow?", -16.0, -0.5)]
#[case::over_our_last_words("Tell me the weather for York.", 0.0, -1.0)]
#[case::quiet_over_our_last_words("Tell me the weather for York.", -6.0, -1.0)]
#[case::wholly_over_our_voice("Tell me the weather.", 0.0, -2.5)]
#[tokio::test]
async fn words_of_a_user_are_not_mostly_echo(
    #[case] text: &str,
    #[case] level_db: f32,
    #[case] after_secs: f64,
) {
    let utterances = heard((text, level_db, after_secs)).await;

    // The first one is our voice, before the canceller knows the room.
    let shares: Vec<f32> = utterances.iter().map(|utterance| utterance.echo_share).collect();
    assert!(matches!(shares[..], [ours, .., user] if ours > 0.3 && user < 0.5), "{shares:?}");
}
