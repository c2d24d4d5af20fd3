//! Music made by code: four chords with a bass, a melody and drums, at 100 beats a minute.

use std::f64::consts::TAU;

use crate::room::white_noise;

const RATE_HZ: f64 = 16_000.0;
const BEAT_SECS: f64 = 0.6;
const BEATS_OF_CHORD: usize = 4;
/// C, G, A minor, F: semitones from the middle C.
const CHORDS: [[i32; 3]; 4] = [[0, 4, 7], [-5, -1, 2], [-3, 0, 4], [-7, -3, 0]];
/// Notes of the melody as places in the chord, one for each half beat.
const MELODY: [usize; 8] = [0, 1, 2, 1, 2, 0, 1, 2];

/// The four chords twice, 16 kHz mono: 19 s, the same in each run.
pub fn music() -> Vec<f32> {
    let beats = CHORDS.len() * BEATS_OF_CHORD * 2;
    let mut sound = vec![0.0; samples(beats as f64 * BEAT_SECS)];
    let mut noise = white_noise().map(f64::from);
    for beat in 0..beats {
        let at_secs = beat as f64 * BEAT_SECS;
        let chord = CHORDS[beat / BEATS_OF_CHORD % CHORDS.len()];
        if beat.is_multiple_of(BEATS_OF_CHORD) {
            let secs = BEAT_SECS * BEATS_OF_CHORD as f64;
            chord.iter().for_each(|note| add(&mut sound, at_secs, secs, 0.12, tone(*note)));
        }
        add(&mut sound, at_secs, BEAT_SECS, 0.3, tone(chord[0] - 24));
        for half in 0..2 {
            let at_secs = at_secs + BEAT_SECS / 2.0 * half as f64;
            let note = chord[MELODY[(beat * 2 + half) % MELODY.len()]] + 12;
            add(&mut sound, at_secs, BEAT_SECS, 0.15, tone(note));
            add(&mut sound, at_secs, 0.08, 0.1, hi_hat(&mut noise));
        }
        if beat.is_multiple_of(2) {
            add(&mut sound, at_secs, 0.3, 0.6, bass_drum);
        } else {
            add(&mut sound, at_secs, 0.25, 0.3, snare(&mut noise));
        }
    }
    sound.into_iter().map(|sample| sample as f32).collect()
}

fn samples(secs: f64) -> usize {
    (secs * RATE_HZ) as usize
}

/// Adds a sound that begins after `at_secs` and dies away in `secs`.
fn add(sound: &mut [f64], at_secs: f64, secs: f64, volume: f64, mut wave: impl FnMut(f64) -> f64) {
    /// Without it a note begins with a click.
    const ATTACK_SECS: f64 = 0.005;
    let place = sound.iter_mut().skip(samples(at_secs)).take(samples(secs));
    for (n, sample) in place.enumerate() {
        let now_secs = n as f64 / RATE_HZ;
        let fade = (1.0 - now_secs / secs) * (now_secs / ATTACK_SECS).min(1.0);
        *sample += wave(now_secs) * fade * volume;
    }
}

/// A note with six harmonics, like a plucked string. `semitones` count from the middle C.
fn tone(semitones: i32) -> impl FnMut(f64) -> f64 {
    const MIDDLE_C_HZ: f64 = 261.63;
    let hz = MIDDLE_C_HZ * (f64::from(semitones) / 12.0).exp2();
    move |secs| (1..=6).map(|n| (TAU * hz * f64::from(n) * secs).sin() / f64::from(n)).sum()
}

/// A tone that falls from 120 to 50 Hz.
fn bass_drum(secs: f64) -> f64 {
    const FALL_SECS: f64 = 0.05;
    let turns = 50.0 * secs + 70.0 * FALL_SECS * (1.0 - (-secs / FALL_SECS).exp());
    (TAU * turns).sin()
}

fn snare(noise: &mut impl Iterator<Item = f64>) -> impl FnMut(f64) -> f64 {
    |secs| noise.next().unwrap_or_default() + (TAU * 180.0 * secs).sin() * 0.5
}

/// The difference of neighbouring samples of noise: its high frequencies.
fn hi_hat(noise: &mut impl Iterator<Item = f64>) -> impl FnMut(f64) -> f64 {
    let mut before = 0.0;
    move |_| {
        let now = noise.next().unwrap_or_default();
        now - std::mem::replace(&mut before, now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The power of a frequency in a stretch of sound.
    fn power(sound: &[f32], hz: f64) -> f64 {
        let turn = |n: usize| TAU * hz * n as f64 / RATE_HZ;
        let sum = |wave: fn(f64) -> f64| -> f64 {
            sound.iter().enumerate().map(|(n, sample)| f64::from(*sample) * wave(turn(n))).sum()
        };
        (sum(f64::sin).powi(2) + sum(f64::cos).powi(2)) / sound.len() as f64
    }

    #[test]
    fn each_chord_sounds_in_its_bar() {
        let (music, length) = (music(), samples(BEAT_SECS * BEATS_OF_CHORD as f64));
        // A note of each chord, and one that is not in it.
        let notes = [(261.63, 293.66), (293.66, 349.23), (329.63, 293.66), (349.23, 293.66)];

        for (bar, (in_it_hz, other_hz)) in notes.into_iter().enumerate() {
            let bar = &music[bar * length..][..length];
            assert!(power(bar, in_it_hz) > 10.0 * power(bar, other_hz), "{in_it_hz} Hz");
        }
    }

    #[test]
    fn drums_mark_every_beat() {
        let music = music();
        let loudness = |at_secs: f64| vocabulary::energy_rms(&music[samples(at_secs)..][..samples(0.08)]);

        for beat in 1..32 {
            let at_secs = f64::from(beat) * BEAT_SECS;
            assert!(loudness(at_secs + 0.01) > 1.5 * loudness(at_secs - 0.1), "beat {beat}");
        }
    }
}
