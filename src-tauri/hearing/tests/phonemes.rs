//! The name in sound with the real model, on speech made by espeak-ng.
#![cfg(feature = "phonemes")]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should say where")]

use std::path::PathBuf;
use std::process::Command;

use hearing::{KeywordSpotter, PhonemeSpotter, PhonemeSpotterFiles, TranscribeError};
use rstest::rstest;
use vocabulary::SAMPLE_RATE_HZ;

fn files() -> PhonemeSpotterFiles {
    let folder = std::env::var_os("JARVIS_MODELS")
        .map_or_else(|| settings::Folders::from_environment().unwrap().models, PathBuf::from);
    let file = |name: &str| {
        let file = folder.join("speech/hama").join(name);
        assert!(file.is_file(), "{} is missing: run `cargo xtask models`", file.display());
        file
    };
    PhonemeSpotterFiles {
        library: folder.join("runtime/libonnxruntime.so"),
        recogniser: file("asr_waveform_fp16.onnx"),
        encoder: file("encoder.onnx"),
        decoder: file("decoder_step.onnx"),
        vocabulary: file("g2p_vocab.json"),
    }
}

/// Speech at 16 kHz, mono, with a little silence around it.
fn spoken(text: &str) -> Vec<f32> {
    let output = Command::new("espeak-ng").args(["-v", "en-us", "-s", "155", "--stdout", text]).output();
    let wav = output.expect("espeak-ng is installed: run `cargo xtask system`").stdout;
    let mut reader = hound::WavReader::new(std::io::Cursor::new(wav)).unwrap();
    let step = f64::from(reader.spec().sample_rate) / f64::from(SAMPLE_RATE_HZ);
    let samples: Vec<f32> =
        reader.samples::<i16>().map_while(Result::ok).map(|s| f32::from(s) / 32768.0).collect();
    let length = (samples.len() as f64 / step) as usize;
    // Between two samples, because picking the nearest one distorts the speech.
    let sample_at = |place: f64| {
        let (before, share) = (place as usize, place.fract() as f32);
        samples[before] * (1.0 - share) + samples[(before + 1).min(samples.len() - 1)] * share
    };
    let speech = (0..length).map(|i| sample_at(i as f64 * step));
    let silence = || std::iter::repeat_n(0.0, 4000);
    silence().chain(speech).chain(silence()).collect()
}

#[rstest]
#[case::name_first("Jarvis, what time is it?", "jarvis", true)]
#[case::name_last("What is the capital of Norway, Jarvis?", "jarvis", true)]
#[case::other_name("Computer, what time is it?", "computer", true)]
#[case::name_of_two_words("Hello Mister Watson, what time is it?", "mister watson", true)]
#[case::talk("We should leave at nine to catch the train.", "jarvis", false)]
#[case::similar_words("Travis and Harvey are coming for dinner.", "jarvis", false)]
#[case::name_that_cannot_be_looked_for("We should leave at nine.", "джарвис", true)]
fn name_is_spotted_in_speech(#[case] text: &str, #[case] name: &str, #[case] expected: bool) {
    let spotter = PhonemeSpotter::new(files());

    assert_eq!(spotter.spot(&spoken(text), &[name.to_owned()]).unwrap(), expected);
}

#[test]
fn other_names_count_as_well() {
    let spotter = PhonemeSpotter::new(files());
    let sound = spoken("Friday, what time is it?");

    let is_spotted = |names: &[&str]| {
        spotter.spot(&sound, &names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>()).unwrap()
    };

    assert!(!is_spotted(&["jarvis"]));
    assert!(is_spotted(&["jarvis", "friday"]));
}

#[test]
fn missing_file_is_named() {
    let spotter = PhonemeSpotter::new(PhonemeSpotterFiles { encoder: "/models/none.onnx".into(), ..files() });

    let error = spotter.spot(&[0.0; 16_000], &["jarvis".to_owned()]).unwrap_err();

    assert!(matches!(error, TranscribeError::ModelMissing { path } if path.ends_with("none.onnx")));
}
