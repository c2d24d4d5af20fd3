//! The same recording is heard alike on every machine, however busy.
#![cfg(feature = "whisper")]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should say where")]

#[path = "support/inputs.rs"]
mod inputs;

use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;
use std::time::Instant;

use hearing::{Whisper, WhisperConfig};
use rstest::rstest;
use testkit::{LateRecogniser, white_noise};
use tokio::sync::mpsc::error::TrySendError;
use tokio_util::sync::CancellationToken;
use vocabulary::{FRAME_DURATION, FRAME_SAMPLES, Frame, HearingEvent, energy_rms};

/// The speed of the machine beside the recording.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Pace {
    /// Every pass is over before the next frame.
    Free,
    /// Every pass lasts until no more sound can wait for it.
    Busy,
}

fn whisper() -> Whisper {
    let folder = std::env::var_os("JARVIS_MODELS")
        .map_or_else(|| settings::Folders::from_environment().unwrap().models, PathBuf::from);
    let model = folder.join("speech/ggml-base-q8_0.bin");
    assert!(model.is_file(), "{} is missing: run `cargo xtask models`", model.display());
    Whisper::new(WhisperConfig { model, threads: 1, likely_language: None })
}

/// Sentences with a pause of a second between them, in white noise that is 10 dB quieter.
fn in_noise(voice: &str, sentences: &[&str]) -> Vec<f32> {
    let silence = |secs: f64| vec![0.0_f32; (secs * 16_000.0) as usize];
    let mut samples = silence(0.6);
    for text in sentences {
        // A file, because the header on its standard output has no length.
        let file = tempfile::Builder::new().suffix(".wav").tempfile().unwrap();
        let status =
            Command::new("espeak-ng").args(["-v", voice, "-s", "150", text, "-w"]).arg(file.path()).status();
        assert!(status.expect("espeak-ng is installed: run `cargo xtask system`").success());
        samples.extend(audio::decode_speech(&std::fs::read(file.path()).unwrap()).unwrap());
        samples.extend(silence(1.0));
    }
    samples.extend(silence(1.0));
    let noise_rms = energy_rms(&samples) / 10_f32.powf(0.5);
    samples
        .iter()
        .zip(white_noise())
        .map(|(sample, noise)| sample + noise * noise_rms * 3_f32.sqrt())
        .collect()
}

/// The words heard, and where each utterance began and ended, in frames.
async fn heard(samples: &[f32], pace: Pace) -> Vec<(String, u128, u128)> {
    let (recogniser, held) = LateRecogniser::new(Arc::new(whisper()));
    let mut held = (pace == Pace::Busy).then_some(held);
    let (inputs, frames, mut received) = inputs::inputs(Arc::new(recogniser), false);
    let hearing = tokio::spawn(hearing::run(inputs, CancellationToken::new()));
    let start = Instant::now();
    for (n, chunk) in samples.as_chunks::<FRAME_SAMPLES>().0.iter().enumerate() {
        let mut frame = Frame::new(*chunk, start + FRAME_DURATION * (n + 1) as u32);
        while let Err(TrySendError::Full(unsent)) = frames.try_send(frame) {
            frame = unsent;
            if let Some(held) = &held {
                held.release();
            }
            tokio::task::yield_now().await;
        }
    }
    held.take();
    drop(frames);
    hearing.await.unwrap();
    let mut all = Vec::new();
    while let Some(event) = received.recv().await {
        if let HearingEvent::Heard(utterance) = event {
            let frame_of = |at: Instant| (at - start).as_millis() / FRAME_DURATION.as_millis();
            all.push((utterance.text, frame_of(utterance.started_at), frame_of(utterance.ended_at)));
        }
    }
    all
}

/// Hears the sentences on both machines, and returns the words.
async fn words_on_any_machine(voice: &str, sentences: &[&str]) -> String {
    let samples = in_noise(voice, sentences);

    let on_a_free_machine = heard(&samples, Pace::Free).await;

    assert_eq!(heard(&samples, Pace::Busy).await, on_a_free_machine);
    on_a_free_machine.into_iter().map(|(text, ..)| text).collect::<Vec<_>>().join(" ").to_lowercase()
}

#[tokio::test(flavor = "multi_thread")]
async fn noisy_name_alone_is_heard_on_any_machine() {
    let words = words_on_any_machine("en-us", &["Jarvis."]).await;

    assert!(words.contains("jarvis"), "{words}");
}

mod slow {
    use super::*;

    #[rstest]
    #[case::order_behind_a_pause("en-gb", &["Jarvis.", "What time is it in London?"])]
    #[case::order("en-gb-scotland", &["Jarvis, set a timer for ten minutes."])]
    #[ignore = "slow: long recordings, decoded twice"]
    #[tokio::test(flavor = "multi_thread")]
    async fn noisy_order_is_heard_on_any_machine(#[case] voice: &str, #[case] sentences: &[&str]) {
        let words = words_on_any_machine(voice, sentences).await;

        assert!(words.contains("jarvis"), "{words}");
    }
}
