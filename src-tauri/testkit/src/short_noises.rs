//! Short noises of a room, made by code: 16 kHz mono, the same in each run.

use std::f32::consts::TAU;

use crate::room::white_noise;

const RATE_HZ: f32 = 16_000.0;

/// A click, three knocks, a door, a cough, a clap and a glass, each with a loudest sample of 1.0.
pub fn short_noises() -> [(&'static str, Vec<f32>); 6] {
    [
        ("click", burst(&[], 0.004)),
        ("knocks", repeated(&burst(&[180.0, 420.0], 0.06), 3, 0.25)),
        ("door", burst(&[70.0, 110.0, 250.0], 0.25)),
        ("cough", repeated(&cough(), 2, 0.4)),
        ("clap", repeated(&burst(&[1_200.0], 0.03), 2, 0.3)),
        ("glass", repeated(&burst(&[2_300.0, 4_100.0], 0.2), 2, 0.35)),
    ]
    .map(|(name, sound)| (name, with_full_scale(sound)))
}

/// Noise and these tones, which die away in `secs`.
fn burst(tones_hz: &[f32], secs: f32) -> Vec<f32> {
    let length = (secs * 3.0 * RATE_HZ) as usize;
    let sound = white_noise().take(length).enumerate().map(|(n, noise)| {
        let at_secs = n as f32 / RATE_HZ;
        let tones: f32 = tones_hz.iter().map(|hz| (TAU * hz * at_secs).sin()).sum();
        let share = if tones_hz.is_empty() { 1.0 } else { 0.3 };
        (noise * share + tones) * (-at_secs / secs * 2.0).exp()
    });
    sound.collect()
}

/// Breath that bursts out, then a voice of 140 Hz in it, both through the mouth.
fn cough() -> Vec<f32> {
    let length = (0.35 * RATE_HZ) as usize;
    let source = white_noise().take(length).enumerate().map(|(n, noise)| {
        let at_secs = n as f32 / RATE_HZ;
        let breath = noise * (-at_secs / 0.08).exp();
        let pulse = (at_secs * 140.0).fract() * 2.0 - 1.0;
        let voice = pulse * 0.5 * (-((at_secs - 0.12) / 0.07).powi(2)).exp();
        breath + voice
    });
    let source: Vec<f32> = source.collect();
    let mouth = [(700.0, 0.96), (1_300.0, 0.94)];
    let parts = mouth.map(|(hz, width)| resonance(&source, hz, width));
    (0..length).map(|n| parts.iter().map(|part| part[n]).sum()).collect()
}

/// The sound through a resonance of this frequency; `width` below 1.0 is its pole.
fn resonance(sound: &[f32], hz: f32, width: f32) -> Vec<f32> {
    let (near, far) = (2.0 * width * (TAU * hz / RATE_HZ).cos(), width * width);
    let (mut last, mut before) = (0.0, 0.0);
    let step = |sample: &f32| {
        let next = sample + near * last - far * before;
        (before, last) = (last, next);
        next
    };
    sound.iter().map(step).collect()
}

fn repeated(sound: &[f32], times: usize, every_secs: f32) -> Vec<f32> {
    let every = (every_secs * RATE_HZ) as usize;
    let mut all = vec![0.0; every * (times - 1) + sound.len()];
    for time in 0..times {
        for (sample, value) in all[time * every..].iter_mut().zip(sound) {
            *sample += value;
        }
    }
    all
}

fn with_full_scale(sound: Vec<f32>) -> Vec<f32> {
    let loudest = sound.iter().fold(f32::MIN_POSITIVE, |loudest, sample| loudest.max(sample.abs()));
    sound.into_iter().map(|sample| sample / loudest).collect()
}
