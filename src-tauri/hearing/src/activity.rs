//! Voice activity detection: whether a frame contains speech.

use vocabulary::{FRAME_SAMPLES, energy_rms};

/// Detects speech frame by frame. Implementations may keep state, so each stream of frames needs its own.
pub trait VoiceActivity: Send {
    /// Returns `true` if the next frame contains speech.
    fn is_voiced(&mut self, samples: &[f32; FRAME_SAMPLES]) -> bool;

    /// Discards all state, for a new stream of frames.
    fn reset(&mut self);
}

/// The samples that the detector takes at once: 16 ms.
const WINDOW_SAMPLES: usize = 256;

/// A score at or above this starts speech. Source: the model card of earshot ("over 0.5 is voice").
const SPEECH_START_SCORE: f32 = 0.5;

/// A score below this ends speech. It is lower than [`SPEECH_START_SCORE`], so that soft endings count as speech.
const SPEECH_END_SCORE: f32 = 0.35;

/// A small neural detector. Its weights are compiled in: it needs no file and no native code.
pub struct Earshot {
    detector: Box<earshot::Detector>,
    /// Samples that do not fill a window yet.
    pending: Vec<f32>,
    is_voiced: bool,
}

impl Earshot {
    /// A detector for a new stream of frames.
    pub fn new() -> Self {
        Self {
            detector: earshot::Detector::default_boxed(),
            pending: Vec::with_capacity(WINDOW_SAMPLES + FRAME_SAMPLES),
            is_voiced: false,
        }
    }
}

impl Default for Earshot {
    fn default() -> Self {
        Self::new()
    }
}

impl VoiceActivity for Earshot {
    fn is_voiced(&mut self, samples: &[f32; FRAME_SAMPLES]) -> bool {
        self.pending.extend(samples.iter().map(|s| s.clamp(-1.0, 1.0)));
        let mut highest: Option<f32> = None;
        while self.pending.len() >= WINDOW_SAMPLES {
            let score = self.detector.predict_f32(&self.pending[..WINDOW_SAMPLES]);
            highest = Some(highest.map_or(score, |highest| highest.max(score)));
            self.pending.drain(..WINDOW_SAMPLES);
        }
        if let Some(score) = highest {
            self.is_voiced = score >= if self.is_voiced { SPEECH_END_SCORE } else { SPEECH_START_SCORE };
        }
        self.is_voiced
    }

    fn reset(&mut self) {
        self.detector.reset();
        self.pending.clear();
        self.is_voiced = false;
    }
}

/// Voice activity detection by loudness alone.
pub struct EnergyGate {
    /// Frames at least this loud are speech, root mean square.
    pub min_rms: f32,
}

impl Default for EnergyGate {
    /// Source: docs/behaviour/listening.md#capture (`voice_min_energy`).
    fn default() -> Self {
        Self { min_rms: 0.02 }
    }
}

impl VoiceActivity for EnergyGate {
    fn is_voiced(&mut self, samples: &[f32; FRAME_SAMPLES]) -> bool {
        energy_rms(samples) >= self.min_rms
    }

    fn reset(&mut self) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn silence_is_not_speech_for_any_detector() {
        let silence = [0.0; FRAME_SAMPLES];
        let mut earshot = Earshot::new();

        assert!((0..50).all(|_| !earshot.is_voiced(&silence)));
        assert!(!EnergyGate::default().is_voiced(&silence));
    }

    #[test]
    fn samples_beyond_full_scale_are_clamped() {
        let mut earshot = Earshot::new();

        earshot.is_voiced(&[7.0; FRAME_SAMPLES]);

        assert!(EnergyGate::default().is_voiced(&[0.5; FRAME_SAMPLES]));
    }
}
