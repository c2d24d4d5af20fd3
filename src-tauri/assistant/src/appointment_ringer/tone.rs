//! The tone: three soft bells that rise, an E major chord.

use std::f32::consts::TAU;
use std::sync::LazyLock;

use speaking::Speech;

const RATE_HZ: u32 = 24_000;

/// E5, G sharp 5 and B5, in hertz.
const NOTES_HZ: [f32; 3] = [659.26, 830.61, 987.77];

/// From one note to the next, in seconds.
const STEP_SECS: f32 = 0.16;

/// The fade of the last note, in seconds.
const FADE_SECS: f32 = 1.1;

/// Overtones of a bell, as multiples of the note, with their loudness.
const PARTIALS: [(f32, f32); 3] = [(1.0, 1.0), (2.0, 0.28), (3.01, 0.12)];

/// The loudest sample: a little softer than speech.
const PEAK: f32 = 0.4;

/// The tone, made once.
pub(super) fn tone() -> Speech {
    static TONE: LazyLock<Speech> = LazyLock::new(|| Speech { samples: samples(), rate_hz: RATE_HZ });
    TONE.clone()
}

fn samples() -> Vec<f32> {
    let secs = STEP_SECS * (NOTES_HZ.len() - 1) as f32 + FADE_SECS;
    let mut samples: Vec<f32> = (0..(secs * RATE_HZ as f32) as usize)
        .map(|at| at as f32 / RATE_HZ as f32)
        .map(|at| NOTES_HZ.iter().enumerate().map(|(step, hz)| bell(*hz, at - step as f32 * STEP_SECS)).sum())
        .collect();
    let loudest = samples.iter().fold(0.0_f32, |loudest, sample| loudest.max(sample.abs()));
    samples.iter_mut().for_each(|sample| *sample *= PEAK / loudest);
    samples
}

/// A bell that is struck at zero. It begins within 8 ms, so that it does not click, and is silent after [`FADE_SECS`].
fn bell(hz: f32, at: f32) -> f32 {
    if at < 0.0 {
        return 0.0;
    }
    let attack = (at / 0.008).min(1.0);
    let end = (1.0 - at / FADE_SECS).clamp(0.0, 1.0);
    let partial = |(times, loudness): &(f32, f32)| {
        loudness * (-at * 5.0 * times.sqrt()).exp() * (TAU * hz * times * at).sin()
    };
    attack * end * PARTIALS.iter().map(partial).sum::<f32>()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tone_is_short_soft_and_without_clicks() {
        let samples = tone().samples;
        let secs = samples.len() as f32 / RATE_HZ as f32;
        let loudest = samples.iter().fold(0.0_f32, |loudest, sample| loudest.max(sample.abs()));

        assert!((1.0..2.0).contains(&secs), "{secs}");
        assert!((loudest - PEAK).abs() < 0.001, "{loudest}");
        assert!(samples[0].abs() < 0.001 && samples.last().unwrap().abs() < 0.001);
        // The steepest step of a full sine of the highest partial that can be heard at this loudness.
        assert!(samples.windows(2).all(|pair| (pair[1] - pair[0]).abs() < 0.25));
    }
}
