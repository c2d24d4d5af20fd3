//! Sounds without words: the ring of an appointment, the earcons, and the tune while we think. All are soft bells.

use std::f32::consts::TAU;
use std::sync::LazyLock;

use crate::Speech;

const RATE_HZ: u32 = 24_000;

/// Overtones of a bell, as multiples of the note, with their loudness.
const PARTIALS: [(f32, f32); 3] = [(1.0, 1.0), (2.0, 0.28), (3.01, 0.12)];

/// A bell begins within 8 ms, so that it does not click.
const ATTACK_SECS: f32 = 0.008;

/// The loudest sample of the ring: a little softer than speech.
const RING_PEAK: f32 = 0.4;

/// The loudest sample of an earcon, at full volume.
const EARCON_PEAK: f32 = 0.4;

/// The loudest sample of the tune, at full volume. Source: docs/behaviour/speaking.md#earcons-and-tune.
const TUNE_PEAK: f32 = 0.38;

/// The chord of the tune, A major, in hertz, and the distance of the two voices of each note, which makes it swell.
const TUNE_HZ: [f32; 3] = [220.0, 275.0, 330.0];
const TUNE_DETUNED_HZ: [f32; 3] = [-1.0, 0.0, 1.0];

/// A pulse of the tune, and the silence after it, in seconds.
const TUNE_PULSE_SECS: f32 = 1.0;

/// A short sound that tells what we do, for a user who does not look at the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Earcon {
    /// We listen: a request should follow.
    Listening,
    /// The request was understood, and we work on it.
    Accepted,
    /// The words could not be recognised.
    Failed,
}

impl Earcon {
    /// Its notes in hertz, from one to the next, and the fade of each, in seconds.
    fn notes(self) -> (&'static [f32], f32, f32) {
        match self {
            Self::Listening => (&[659.26, 987.77], 0.07, 0.16),
            Self::Accepted => (&[830.61], 0.0, 0.12),
            Self::Failed => (&[392.0, 293.66], 0.14, 0.3),
        }
    }

    /// The sound with this volume, 0.0 to 1.0.
    pub(crate) fn sound(self, volume: f32) -> Speech {
        let (notes, step, fade) = self.notes();
        chime(notes, step, fade, EARCON_PEAK * volume)
    }
}

/// The ring of an appointment: three bells that rise, an E major chord.
pub fn ring_tone() -> Speech {
    static TONE: LazyLock<Speech> = LazyLock::new(|| chime(&[659.26, 830.61, 987.77], 0.16, 1.1, RING_PEAK));
    TONE.clone()
}

/// One pulse of the tune with this volume, 0.0 to 1.0, and the silence after it.
pub(crate) fn tune_pulse(volume: f32) -> Speech {
    static PULSE: LazyLock<Vec<f32>> = LazyLock::new(|| {
        let pulse = (0..(TUNE_PULSE_SECS * RATE_HZ as f32) as usize).map(|at| {
            let at = at as f32 / RATE_HZ as f32;
            let envelope = (at / ATTACK_SECS).min(1.0) * (-at * 3.0).exp() * (1.0 - at / TUNE_PULSE_SECS);
            let note = |hz: &f32| TUNE_DETUNED_HZ.iter().map(|by| (TAU * (hz + by) * at).sin()).sum::<f32>();
            envelope * TUNE_HZ.iter().map(note).sum::<f32>()
        });
        with_peak(pulse.collect(), TUNE_PEAK)
    });
    let silence = std::iter::repeat_n(0.0, PULSE.len());
    let samples = PULSE.iter().map(|sample| sample * volume).chain(silence).collect();
    Speech { samples, rate_hz: RATE_HZ }
}

/// Bells struck one after the other, `step` seconds apart, each silent after `fade` seconds.
fn chime(notes: &[f32], step: f32, fade: f32, peak: f32) -> Speech {
    let secs = step * notes.len().saturating_sub(1) as f32 + fade;
    let samples = (0..(secs * RATE_HZ as f32) as usize)
        .map(|at| at as f32 / RATE_HZ as f32)
        .map(|at| notes.iter().enumerate().map(|(n, hz)| bell(*hz, at - n as f32 * step, fade)).sum());
    Speech { samples: with_peak(samples.collect(), peak), rate_hz: RATE_HZ }
}

/// A bell that is struck at zero and silent after `fade` seconds.
fn bell(hz: f32, at: f32, fade: f32) -> f32 {
    if at < 0.0 {
        return 0.0;
    }
    let attack = (at / ATTACK_SECS).min(1.0);
    let end = (1.0 - at / fade).clamp(0.0, 1.0);
    let partial = |(times, loudness): &(f32, f32)| {
        loudness * (-at * 5.0 * times.sqrt()).exp() * (TAU * hz * times * at).sin()
    };
    attack * end * PARTIALS.iter().map(partial).sum::<f32>()
}

fn with_peak(mut samples: Vec<f32>, peak: f32) -> Vec<f32> {
    let loudest = samples.iter().fold(0.0_f32, |loudest, sample| loudest.max(sample.abs()));
    samples.iter_mut().for_each(|sample| *sample *= peak / loudest);
    samples
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::ring(ring_tone(), 1.0..=2.0, RING_PEAK)]
    #[case::listening(Earcon::Listening.sound(0.5), 0.1..=0.25, 0.2)]
    #[case::accepted(Earcon::Accepted.sound(1.0), 0.1..=0.25, 0.4)]
    #[case::failed(Earcon::Failed.sound(1.0), 0.3..=0.5, 0.4)]
    #[case::tune(tune_pulse(0.5), 2.0..=2.0, 0.19)]
    fn sounds_are_short_soft_and_without_clicks(
        #[case] sound: Speech,
        #[case] secs: std::ops::RangeInclusive<f64>,
        #[case] peak: f32,
    ) {
        let samples = &sound.samples;
        let loudest = samples.iter().fold(0.0_f32, |loudest, sample| loudest.max(sample.abs()));

        assert!(secs.contains(&sound.duration().as_secs_f64()), "{sound:?}");
        assert!((loudest - peak).abs() < 0.001, "{loudest}");
        assert!(samples[0].abs() < 0.001 && samples.last().unwrap().abs() < 0.001);
        // The steepest step of a full sine of the highest partial that can be heard at this loudness.
        assert!(samples.windows(2).all(|pair| (pair[1] - pair[0]).abs() < 0.25));
    }

    #[test]
    fn silent_volume_is_silence() {
        assert!(Earcon::Accepted.sound(0.0).samples.iter().all(|sample| *sample == 0.0));
        assert!(tune_pulse(0.0).samples.iter().all(|sample| *sample == 0.0));
    }
}
