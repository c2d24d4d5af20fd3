//! The port to a first stage that looks for a name in sound, before any word is recognised.

use std::sync::Arc;

use crate::speech_to_text::TranscribeError;

/// Looks for names in sound, with far less work than recognition. Blocking: call it on its own thread, one call at a time.
pub trait KeywordSpotter: Send + Sync {
    /// Returns `true` if one of `names` is probably said in these mono samples at [`vocabulary::SAMPLE_RATE_HZ`].
    ///
    /// Falls open: `true` as well if a name cannot be looked for.
    ///
    /// # Errors
    ///
    /// The model cannot be loaded or run. After an error the next call loads it again.
    fn spot(&self, samples: &[f32], names: &[String]) -> Result<bool, TranscribeError>;
}

/// A search for the names in some sound.
pub(crate) struct NameCheck {
    pub spotter: Arc<dyn KeywordSpotter>,
    pub samples: Vec<f32>,
    pub names: Vec<String>,
}
