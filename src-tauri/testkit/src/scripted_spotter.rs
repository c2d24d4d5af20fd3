//! A fake first stage with scripted results.

use std::collections::VecDeque;

use hearing::{KeywordSpotter, TranscribeError};
use parking_lot::Mutex;

/// A fake first stage. Each search uses up one result; later ones find no name.
pub struct ScriptedSpotter {
    script: Mutex<VecDeque<Result<bool, TranscribeError>>>,
}

impl ScriptedSpotter {
    /// A first stage with these results.
    pub fn new(script: impl IntoIterator<Item = Result<bool, TranscribeError>>) -> Self {
        Self { script: Mutex::new(script.into_iter().collect()) }
    }
}

impl KeywordSpotter for ScriptedSpotter {
    fn spot(&self, _: &[f32], _: &[String]) -> Result<bool, TranscribeError> {
        self.script.lock().pop_front().unwrap_or(Ok(false))
    }
}
