//! The port to a model that hears from the sound if somebody has finished speaking.

use crate::speech_to_text::TranscribeError;

/// Judges the end of an utterance by its sound: melody, pace and the last words. Blocking: call it on its own thread.
pub trait EndpointModel: Send + Sync {
    /// Returns the probability that the user has finished, 0.0 to 1.0. The mono samples at
    /// [`vocabulary::SAMPLE_RATE_HZ`] begin with the utterance and end in the silence after it.
    ///
    /// # Errors
    ///
    /// An error of the file or of the engine. After it the next call loads the model again.
    fn probability_of_end(&self, samples: &[f32]) -> Result<f32, TranscribeError>;
}
