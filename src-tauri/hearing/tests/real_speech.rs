//! The hearing task with the real detector and the real recogniser, on speech made by espeak-ng.
#![cfg(feature = "whisper")]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should say where")]

use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use hearing::{Earshot, HearingConfig, HearingInputs, PassTiming, SpeechToText, Whisper, WhisperConfig};
use settings::{HearingSettings, ListeningSettings};
use tokio::sync::{mpsc, watch};
use tokio_util::sync::CancellationToken;
use vocabulary::{FRAME_DURATION, FRAME_SAMPLES, Frame, HearingEvent, SAMPLE_RATE_HZ};

fn speech_model() -> PathBuf {
    let folder = std::env::var_os("JARVIS_MODELS")
        .map_or_else(|| settings::Folders::from_environment().unwrap().models, PathBuf::from);
    let model = folder.join("speech/ggml-base-q8_0.bin");
    assert!(model.is_file(), "{} is missing: run `cargo xtask models`", model.display());
    model
}

/// Speech at 16 kHz, mono.
fn spoken(text: &str) -> Vec<f32> {
    let output = Command::new("espeak-ng").args(["-v", "en-gb", "-s", "150", "--stdout", text]).output();
    let wav = output.expect("espeak-ng is installed: run `cargo xtask system`").stdout;
    let mut reader = hound::WavReader::new(std::io::Cursor::new(wav)).unwrap();
    let rate = f64::from(reader.spec().sample_rate);
    let samples: Vec<f32> =
        reader.samples::<i16>().map_while(Result::ok).map(|s| f32::from(s) / 32768.0).collect();
    let step = rate / f64::from(SAMPLE_RATE_HZ);
    let length = (samples.len() as f64 / step) as usize;
    // Between two samples, because picking the nearest one distorts the speech.
    let sample_at = |place: f64| {
        let (before, share) = (place as usize, place.fract() as f32);
        samples[before] * (1.0 - share) + samples[(before + 1).min(samples.len() - 1)] * share
    };
    (0..length).map(|i| sample_at(i as f64 * step)).collect()
}

struct TestTask {
    frames: mpsc::Sender<Frame>,
    events: mpsc::Receiver<HearingEvent>,
    _settings: Vec<Box<dyn std::any::Any>>,
}

fn start_task(engine: Arc<dyn SpeechToText>) -> TestTask {
    let (frames, frames_to_task) = mpsc::channel(64);
    let (events, received) = mpsc::channel(256);
    let config = HearingConfig::new(&HearingSettings::default(), &ListeningSettings::default()).unwrap();
    let (config, config_changes) = watch::channel(config);
    let (engine, engine_changes) = watch::channel(engine);
    let (voice, is_voice_playing) = watch::channel(false);
    let (orders, orders_to_task) = mpsc::channel::<vocabulary::TalkOrder>(8);
    let inputs = HearingInputs {
        frames: frames_to_task,
        config: config_changes,
        engine: engine_changes,
        keyword_spotter: watch::channel(None).1,
        needs_all_words: watch::channel(false).1,
        endpoint_model: watch::channel(None).1,
        is_voice_playing,
        orders: orders_to_task,
        activity: Box::new(Earshot::new()),
        timing: PassTiming::Live,
        events,
    };
    tokio::spawn(hearing::run(inputs, CancellationToken::new()));
    TestTask {
        frames,
        events: received,
        _settings: vec![Box::new(config), Box::new(engine), Box::new(voice), Box::new(orders)],
    }
}

/// Sends the samples in real time.
async fn play(frames: &mpsc::Sender<Frame>, samples: &[f32]) {
    let mut clock = tokio::time::interval(FRAME_DURATION);
    for chunk in samples.chunks(FRAME_SAMPLES) {
        clock.tick().await;
        let mut frame = Frame::silence(Instant::now());
        frame.samples[..chunk.len()].copy_from_slice(chunk);
        frames.send(frame).await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn spoken_question_becomes_an_english_utterance() {
    let whisper = Whisper::new(WhisperConfig {
        model: speech_model(),
        // The threads of ggml spin while they wait: when other tests run too, one thread is the fastest.
        threads: 1,
        likely_language: None,
    });
    whisper.warm_up().unwrap();
    let mut task = start_task(Arc::new(whisper));
    let question = spoken("Jarvis, what time is it in London right now?");
    let second = vec![0.0; SAMPLE_RATE_HZ as usize];

    let player = task.frames.clone();
    let said = tokio::spawn(async move {
        play(&player, &second[..8000]).await;
        play(&player, &question).await;
        for _ in 0..60 {
            play(&player, &second).await;
        }
    });
    let heard = loop {
        let event = tokio::time::timeout(Duration::from_secs(60), task.events.recv()).await.unwrap().unwrap();
        match event {
            HearingEvent::Heard(utterance) => break utterance,
            HearingEvent::Trouble(trouble) => panic!("{trouble}"),
            _ => {}
        }
    };
    said.abort();

    let text = heard.text.to_lowercase();
    assert!(text.contains("what time is it in london"), "{text}");
    assert_eq!(heard.language.unwrap().code(), "en");
}
