//! The echo of real speech, made in a computed room.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "helpers of tests, which show what they measured"
)]

use std::process::Command;
use std::time::{Duration, Instant};

use audio::{EchoCanceller, PlayedSound, decode_speech};
use rstest::rstest;
use testkit::{Room, with_rms, without_echo};
use vocabulary::{FRAME_SAMPLES, Frame, SAMPLE_RATE_HZ, energy_rms};

const OUR_REPLY: &str = "Tomorrow it will be cloudy with some rain in the afternoon, and the wind comes from the west. \
    The train to Leeds leaves at ten past nine from the second platform, and it takes a little more than two hours. \
    You have three meetings before noon, and your sister has her birthday on Friday.";
const USER: &str = "Stop, I wanted to know the weather in Paris instead of London.";
/// The time in which the canceller may learn the room.
const LEARNING: Duration = Duration::from_secs(3);

fn spoken(voice: &str, text: &str) -> Vec<f32> {
    let file = tempfile::NamedTempFile::new().unwrap();
    let status = Command::new("espeak-ng").args(["-v", voice, text, "-w"]).arg(file.path()).status().unwrap();
    assert!(status.success(), "espeak-ng failed");
    decode_speech(&std::fs::read(file.path()).unwrap()).unwrap()
}

fn samples_in(duration: Duration) -> usize {
    (duration.as_secs_f64() * f64::from(SAMPLE_RATE_HZ)) as usize
}

fn decibels(ratio: f32) -> f32 {
    20.0 * ratio.log10()
}

/// The likeness of two sounds, 0.0 to 1.0, by their loudness in blocks of 20 ms.
fn likeness(one: &[f32], other: &[f32]) -> f32 {
    let loudness = |samples: &[f32]| -> Vec<f32> { samples.chunks(FRAME_SAMPLES).map(energy_rms).collect() };
    let (one, other) = (loudness(one), loudness(other));
    let centred = |values: &[f32]| -> Vec<f32> {
        let mean = values.iter().sum::<f32>() / values.len() as f32;
        values.iter().map(|value| value - mean).collect()
    };
    let (one, other) = (centred(&one), centred(&other));
    let product = |a: &[f32], b: &[f32]| -> f32 { a.iter().zip(b).map(|(a, b)| a * b).sum() };
    product(&one, &other) / (product(&one, &one) * product(&other, &other)).sqrt()
}

#[rstest]
#[case::near_and_loud(20, 0.0, 0.0)]
#[case::near_and_quiet(20, 20.0, 0.0)]
#[case::usual(80, 6.0, 0.0)]
#[case::clocks_that_differ(80, 6.0, 100.0)]
#[case::clocks_that_differ_the_other_way(80, 6.0, -100.0)]
#[case::far_and_loud(200, 0.0, 0.0)]
#[case::far_and_quiet(200, 20.0, 100.0)]
fn our_voice_is_taken_out_of_the_microphone(
    #[case] delay_ms: usize,
    #[case] attenuation_db: f32,
    #[case] drift_ppm: f64,
) {
    let played = with_rms(&spoken("en-us", OUR_REPLY), 0.1);
    let heard = Room { delay_ms, attenuation_db, drift_ppm }.echo_of(&played);

    let clean = without_echo(&played, &heard);

    let learnt = samples_in(LEARNING)..clean.len();
    let start = decibels(energy_rms(&heard[..learnt.start]) / energy_rms(&clean[..learnt.start]));
    let loss = decibels(energy_rms(&heard[learnt.clone()]) / energy_rms(&clean[learnt]));
    println!(
        "{delay_ms} ms, {attenuation_db} dB, {drift_ppm} ppm: {start:.1} dB at first, {loss:.1} dB after 3 s"
    );
    assert!(loss > 20.0, "{loss:.1} dB");
}

#[rstest]
#[case::near_and_loud(20, 0.0, 0.0)]
#[case::usual(80, 0.0, 0.0)]
#[case::far_with_other_clock(200, 0.0, 100.0)]
fn user_who_speaks_over_our_voice_is_heard(
    #[case] delay_ms: usize,
    #[case] attenuation_db: f32,
    #[case] drift_ppm: f64,
) {
    let played = with_rms(&spoken("en-us", OUR_REPLY), 0.1);
    let mut heard = Room { delay_ms, attenuation_db, drift_ppm }.echo_of(&played);
    let user = with_rms(&spoken("en-gb+f3", USER), 0.1);
    let from = samples_in(Duration::from_secs(5));
    for (heard, user) in heard[from..].iter_mut().zip(&user) {
        *heard += user;
    }

    let clean = without_echo(&played, &heard);

    let during = from..from + user.len();
    let (before, after) = (likeness(&heard[during.clone()], &user), likeness(&clean[during.clone()], &user));
    let level = decibels(energy_rms(&clean[during]) / energy_rms(&user));
    println!(
        "{delay_ms} ms, {drift_ppm} ppm: likeness {before:.2} before, {after:.2} after, level {level:.1} dB"
    );
    assert!(after > 0.8 && after > before, "{before:.2} to {after:.2}");
    assert!(level > -8.0, "{level:.1} dB");
}

#[rstest]
#[case::at_the_start(0.3)]
#[case::a_moment_later(1.5)]
#[case::in_the_middle(5.0)]
fn user_with_headphones_is_heard_unchanged_while_we_speak(#[case] from_secs: f64) {
    let played = with_rms(&spoken("en-us", OUR_REPLY), 0.1);
    let user = with_rms(&spoken("en-gb+f3", USER), 0.1);
    let from = samples_in(Duration::from_secs_f64(from_secs));
    let mut heard = vec![0.0; played.len()];
    heard[from..from + user.len()].copy_from_slice(&user);

    let clean = without_echo(&played, &heard);

    let during = from..from + user.len();
    let likeness = likeness(&clean[during.clone()], &user);
    let level = decibels(energy_rms(&clean[during]) / energy_rms(&user));
    println!("after {from_secs} s: likeness {likeness:.3}, level {level:.1} dB");
    assert!(likeness > 0.98 && level > -1.0, "{likeness:.3}, {level:.1} dB");
}

#[test]
fn frames_are_unchanged_when_nothing_was_played_lately() {
    let start = Instant::now();
    let played = PlayedSound::default();
    played.start(start);
    played.push(&[0.5; FRAME_SAMPLES]);
    let mut canceller = EchoCanceller::new(played);
    let heard = Frame::new([0.25; FRAME_SAMPLES], start + Duration::from_secs(3));

    let mut frame = heard.clone();
    let is_changed = canceller.cancel(&mut frame);

    assert_eq!((is_changed, frame), (false, heard));
}
