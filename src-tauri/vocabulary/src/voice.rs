//! Voices of people: embeddings of speakers, and whose voice an utterance was spoken with.

use serde::{Deserialize, Serialize};

/// The voice of a speaker as the numbers of a model, at length 1. It belongs to the body of a person: it is kept on this
/// computer only, and its `Debug` hides it, so that it reaches no log.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct SpeakerEmbedding(Vec<f32>);

impl SpeakerEmbedding {
    /// Brings the numbers to length 1. `None` when they have none: all zero, or not finite.
    pub fn new(mut numbers: Vec<f32>) -> Option<Self> {
        let length = numbers.iter().map(|number| f64::from(*number).powi(2)).sum::<f64>().sqrt();
        if !length.is_finite() || length == 0.0 {
            return None;
        }
        for number in &mut numbers {
            *number = (f64::from(*number) / length) as f32;
        }
        Some(Self(numbers))
    }

    /// The direction between several embeddings of one speaker. `None` for none, or of models that differ in size.
    pub fn mean(embeddings: &[Self]) -> Option<Self> {
        let size = embeddings.first()?.0.len();
        if embeddings.iter().any(|embedding| embedding.0.len() != size) {
            return None;
        }
        Self::new((0..size).map(|at| embeddings.iter().map(|embedding| embedding.0[at]).sum()).collect())
    }

    /// The cosine of the angle to another embedding, -1.0 to 1.0; 0.0 when another model made it.
    pub fn similarity(&self, other: &Self) -> f32 {
        if self.0.len() != other.0.len() {
            return 0.0;
        }
        self.0.iter().zip(&other.0).map(|(one, other)| one * other).sum()
    }

    /// Its numbers, to store them.
    pub fn numbers(&self) -> &[f32] {
        &self.0
    }
}

impl std::fmt::Debug for SpeakerEmbedding {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SpeakerEmbedding").field("size", &self.0.len()).finish_non_exhaustive()
    }
}

/// A voice that its owner taught us.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EnrolledVoice {
    /// The name that the user gave it.
    pub name: String,
    /// The voice.
    pub embedding: SpeakerEmbedding,
}

/// Whose voice an utterance was spoken with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum VoiceMatch {
    /// Nobody asked, or the model failed.
    #[default]
    NotJudged,
    /// There is too little speech to tell.
    TooShort,
    /// An enrolled voice.
    Enrolled,
    /// None of the enrolled voices.
    Unknown,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn embedding(numbers: &[f32]) -> SpeakerEmbedding {
        SpeakerEmbedding::new(numbers.to_vec()).unwrap()
    }

    #[test]
    fn loudness_of_the_numbers_does_not_matter() {
        assert!((embedding(&[3.0, 4.0]).similarity(&embedding(&[0.6, 0.8])) - 1.0).abs() < 1e-6);
        assert_eq!(embedding(&[1.0, 0.0]).similarity(&embedding(&[0.0, 1.0])), 0.0);
        assert_eq!(SpeakerEmbedding::new(vec![0.0, 0.0]), None);
    }

    #[test]
    fn embeddings_of_different_models_are_never_similar() {
        assert_eq!(embedding(&[1.0]).similarity(&embedding(&[1.0, 0.0])), 0.0);
        assert_eq!(SpeakerEmbedding::mean(&[embedding(&[1.0]), embedding(&[1.0, 0.0])]), None);
    }

    #[test]
    fn debug_shows_no_number_of_a_voice() {
        let voice = EnrolledVoice { name: "Anna".into(), embedding: embedding(&[0.6, 0.8]) };

        assert!(!format!("{voice:?}").contains("0.6"));
    }
}
