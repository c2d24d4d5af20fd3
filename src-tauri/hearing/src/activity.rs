//! Is somebody speaking in this frame?

use vocabulary::{FRAME_SAMPLES, energy_rms};

/// Tells speech from everything else, frame by frame. One per stream of sound: it may remember.
pub trait VoiceActivity: Send {
    /// Does the next frame hold speech?
    fn is_voiced(&mut self, samples: &[f32; FRAME_SAMPLES]) -> bool;

    /// Forgets what came before; called when the stream of sound is a new one.
    fn reset(&mut self);
}

/// Samples of one step of the detector: 16 ms.
const STEP: usize = 256;

/// Scores at or above this begin speech. Source: the model card of earshot ("over 0.5 is voice").
const BEGINS_AT: f32 = 0.5;

/// Scores below this end speech: a lower bar than the one that begins it, so that soft endings stay in.
const ENDS_BELOW: f32 = 0.35;

/// A small neural detector with its weights inside: no file, no native code.
pub struct Earshot {
    detector: Box<earshot::Detector>,
    /// Samples that did not fill a step yet, then the next frame's.
    waiting: Vec<f32>,
    is_voiced: bool,
}

impl Earshot {
    /// A detector that has heard nothing yet.
    pub fn new() -> Self {
        Self {
            detector: earshot::Detector::default_boxed(),
            waiting: Vec::with_capacity(STEP + FRAME_SAMPLES),
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
        self.waiting.extend(samples.iter().map(|s| s.clamp(-1.0, 1.0)));
        let mut loudest: Option<f32> = None;
        while self.waiting.len() >= STEP {
            let score = self.detector.predict_f32(&self.waiting[..STEP]);
            loudest = Some(loudest.map_or(score, |other| other.max(score)));
            self.waiting.drain(..STEP);
        }
        if let Some(score) = loudest {
            self.is_voiced = score >= if self.is_voiced { ENDS_BELOW } else { BEGINS_AT };
        }
        self.is_voiced
    }

    fn reset(&mut self) {
        self.detector.reset();
        self.waiting.clear();
        self.is_voiced = false;
    }
}

/// Voice activity by loudness alone: the fallback where the detector cannot be used.
pub struct EnergyGate {
    /// Frames at least so loud are speech, root mean square.
    pub min_rms: f32,
}

impl Default for EnergyGate {
    /// Source: behaviour reference, section 1.1 (`voice_min_energy`).
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
    fn silence_is_no_speech_for_either() {
        let silence = [0.0; FRAME_SAMPLES];
        let mut earshot = Earshot::new();

        assert!((0..50).all(|_| !earshot.is_voiced(&silence)));
        assert!(!EnergyGate::default().is_voiced(&silence));
    }

    #[test]
    fn samples_beyond_full_scale_are_taken_as_full_scale() {
        let mut earshot = Earshot::new();

        earshot.is_voiced(&[7.0; FRAME_SAMPLES]);

        assert!(EnergyGate::default().is_voiced(&[0.5; FRAME_SAMPLES]));
    }
}
