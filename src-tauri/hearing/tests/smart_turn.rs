//! Smart Turn with its real model.
#![cfg(feature = "smart_turn")]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should say where")]

use std::path::PathBuf;

use hearing::{EndpointModel, SmartTurn, SmartTurnConfig, TranscribeError};
use rstest::rstest;
use vocabulary::SAMPLE_RATE_HZ;

fn config() -> SmartTurnConfig {
    let folder = std::env::var_os("JARVIS_MODELS")
        .map_or_else(|| settings::Folders::from_environment().unwrap().models, PathBuf::from);
    let model = folder.join("endpoint/smart-turn-v3.2-cpu.onnx");
    assert!(model.is_file(), "{} is missing: run `cargo xtask models`", model.display());
    SmartTurnConfig { library: folder.join("runtime/libonnxruntime.so"), model }
}

/// A tone that rises from 200 Hz by 600 Hz in a second, over one of 3 kHz.
fn sweep(secs: usize) -> Vec<f32> {
    let tau = std::f64::consts::TAU;
    let sample = |i: usize| {
        let t = i as f64 / f64::from(SAMPLE_RATE_HZ);
        0.3 * (tau * (200.0 * t + 300.0 * t * t)).sin() + 0.05 * (tau * 3000.0 * t).sin()
    };
    (0..secs * SAMPLE_RATE_HZ as usize).map(|i| sample(i) as f32).collect()
}

// The numbers are those of the program that the model's authors publish beside it. The network has 8-bit weights: noise of
// 0.0001 in the spectrogram changes these votes by up to 0.05.
#[rstest]
#[case::shorter_than_the_window(2, 0.051)]
#[case::longer_than_the_window(10, 0.779)]
fn votes_are_those_of_the_authors_program(#[case] secs: usize, #[case] expected: f32) {
    let vote = SmartTurn::new(config()).probability_of_end(&sweep(secs)).unwrap();

    assert!((vote - expected).abs() < 0.1, "{vote} in place of {expected}");
}

#[test]
fn any_length_of_sound_has_a_vote() {
    let model = SmartTurn::new(config());
    for samples in [0, 1, 16_000, 16_000 * 29] {
        let vote = model.probability_of_end(&vec![0.0; samples]).unwrap();

        assert!((0.0..=1.0).contains(&vote), "{samples}: {vote}");
    }
}

#[test]
fn missing_and_damaged_files_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let (damaged, missing) = (folder.path().join("damaged.onnx"), folder.path().join("missing.onnx"));
    std::fs::write(&damaged, b"not a network").unwrap();
    let vote = |model: &PathBuf| {
        SmartTurn::new(SmartTurnConfig { model: model.clone(), ..config() }).probability_of_end(&[0.0])
    };

    assert!(matches!(vote(&damaged), Err(TranscribeError::ModelDamaged { path }) if path == damaged));
    assert!(matches!(vote(&missing), Err(TranscribeError::ModelMissing { path }) if path == missing));
}
