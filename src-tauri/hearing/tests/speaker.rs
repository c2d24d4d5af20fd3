//! The comparison of voices with its real model, on speech made by espeak-ng.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should say where")]

use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use audio::decode_speech;
use hearing::{CamPlusPlus, SpeakerEmbedder, SpeakerError, match_voice};
use rstest::rstest;
use vocabulary::{EnrolledVoice, SAMPLE_RATE_HZ, VoiceMatch};

fn model() -> CamPlusPlus {
    let folder = std::env::var_os("JARVIS_MODELS")
        .map_or_else(|| settings::Folders::from_environment().unwrap().models, PathBuf::from);
    let file = folder.join("speakers/campplus_cn_en_common.pt");
    assert!(file.is_file(), "{} is missing: run `cargo xtask models`", file.display());
    CamPlusPlus::new(file)
}

fn spoken(text: &str, voice: &str) -> Vec<f32> {
    let output = Command::new("espeak-ng").args(["-v", voice, "-s", "155", "--stdout", text]).output();
    let mut wav = output.expect("espeak-ng is installed: run `cargo xtask system`").stdout;
    // It cannot know the lengths while it writes to a pipe.
    let length = u32::try_from(wav.len()).unwrap();
    wav[4..8].copy_from_slice(&(length - 8).to_le_bytes());
    wav[40..44].copy_from_slice(&(length - 44).to_le_bytes());
    decode_speech(&wav).unwrap()
}

// The voices of espeak-ng share much of their sound; these two are as different as those of people.
#[rstest]
#[case::the_same_voice("en-us+m3", VoiceMatch::Enrolled)]
#[case::a_woman("en-us+f2", VoiceMatch::Unknown)]
fn voice_is_known_in_another_sentence(#[case] voice: &str, #[case] expected: VoiceMatch) {
    let model = model();
    let enrolled =
        spoken("The meeting was moved to Thursday at three, so put that into my calendar.", "en-us+m3");
    let enrolled = [EnrolledVoice { name: "Anna".into(), embedding: model.embed(&enrolled).unwrap() }];

    let heard =
        model.embed(&spoken("Jarvis, what is the weather going to be like tomorrow?", voice)).unwrap();

    assert_eq!(match_voice(&heard, &enrolled, Duration::from_secs(3)), expected);
}

#[test]
fn sound_of_a_moment_has_no_voice() {
    let heard = model().embed(&vec![0.1; SAMPLE_RATE_HZ as usize / 4]);

    assert!(matches!(heard, Err(SpeakerError::TooShort)));
}

#[test]
fn missing_and_damaged_models_are_told_apart() {
    let folder = tempfile::tempdir().unwrap();
    let damaged = folder.path().join("damaged.pt");
    std::fs::write(&damaged, "no archive").unwrap();
    let embed = |file| CamPlusPlus::new(file).embed(&vec![0.1; SAMPLE_RATE_HZ as usize]);

    assert!(matches!(embed(folder.path().join("none.pt")), Err(SpeakerError::ModelMissing { .. })));
    assert!(matches!(embed(damaged), Err(SpeakerError::ModelUnreadable { .. })));
}
