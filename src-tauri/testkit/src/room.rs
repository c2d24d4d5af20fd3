//! A computed room: a microphone that hears the loudspeaker.

use std::time::{Duration, Instant};

use audio::{EchoCanceller, PlayedSound};
use vocabulary::{FRAME_SAMPLES, Frame, SAMPLE_RATE_HZ, energy_rms};

const SAMPLES_PER_MS: usize = SAMPLE_RATE_HZ as usize / 1_000;

/// The way from the loudspeaker to the microphone, with 60 ms of reverberation.
#[derive(Debug, Clone, Copy)]
pub struct Room {
    /// From the moment the device takes a sample until the microphone hears it.
    pub delay_ms: usize,
    /// The loss of level on this way.
    pub attenuation_db: f32,
    /// The speed of the clock of the microphone above that of the loudspeaker, in millionths.
    pub drift_ppm: f64,
}

impl Room {
    /// The sound of `played` at the microphone.
    pub fn echo_of(self, played: &[f32]) -> Vec<f32> {
        let reverberation: Vec<f32> = white_noise()
            .take(60 * SAMPLES_PER_MS)
            .enumerate()
            .map(|(n, value)| value * 0.1 * (-(n as f32) / (12 * SAMPLES_PER_MS) as f32).exp())
            .collect();
        let in_room: Vec<f32> = (0..played.len())
            .map(|n| {
                let late: f32 =
                    (1..reverberation.len().min(n)).map(|k| reverberation[k] * played[n - k]).sum();
                played[n] + late
            })
            .collect();
        let in_room = with_rms(&in_room, energy_rms(played) * 10_f32.powf(-self.attenuation_db / 20.0));
        let delay = self.delay_ms * SAMPLES_PER_MS;
        (0..played.len() + delay)
            .map(|n| {
                let at = n as f64 * (1.0 + self.drift_ppm / 1e6) - delay as f64;
                let (first, part) = (at.floor(), (at - at.floor()) as f32);
                let sample = |index: f64| {
                    if index < 0.0 { 0.0 } else { in_room.get(index as usize).copied().unwrap_or(0.0) }
                };
                sample(first) * (1.0 - part) + sample(first + 1.0) * part
            })
            .collect()
    }
}

/// The sound of the microphone after the echo of `played` was taken out.
pub fn without_echo(played: &[f32], microphone: &[f32]) -> Vec<f32> {
    frames_without_echo(played, microphone).iter().flat_map(|frame| frame.samples).collect()
}

/// The frames of the microphone after the echo of `played` was taken out, one by one as in the program.
pub fn frames_without_echo(played: &[f32], microphone: &[f32]) -> Vec<Frame> {
    let start = Instant::now();
    let sound = PlayedSound::default();
    sound.start(start);
    let mut canceller = EchoCanceller::new(sound.clone());
    let mut played = played.chunks(FRAME_SAMPLES);
    let mut clean = Vec::new();
    for (n, heard) in microphone.as_chunks::<FRAME_SAMPLES>().0.iter().enumerate() {
        sound.push(played.next().unwrap_or_default());
        let at = Duration::from_secs_f64(((n + 1) * FRAME_SAMPLES) as f64 / f64::from(SAMPLE_RATE_HZ));
        let mut frame = Frame::new(*heard, start + at);
        canceller.cancel(&mut frame);
        clean.push(frame);
    }
    clean
}

/// The samples with this loudness.
pub fn with_rms(samples: &[f32], rms: f32) -> Vec<f32> {
    let gain = rms / energy_rms(samples);
    samples.iter().map(|sample| sample * gain).collect()
}

/// Noise between -1.0 and 1.0, the same in each run.
pub fn white_noise() -> impl Iterator<Item = f32> {
    let mut state = 1_u32;
    std::iter::from_fn(move || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        Some((state >> 8) as f32 / 8_388_608.0 - 1.0)
    })
}
