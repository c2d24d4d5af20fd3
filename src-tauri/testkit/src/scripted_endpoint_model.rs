//! A fake model that votes on the end of utterances.

use std::sync::atomic::{AtomicUsize, Ordering};

use hearing::{EndpointModel, TranscribeError};

/// Gives the same vote each time, and counts them.
pub struct ScriptedEndpointModel {
    /// `None` fails.
    vote: Option<f32>,
    asked: AtomicUsize,
}

impl ScriptedEndpointModel {
    /// A model that gives this probability of the end, or fails.
    pub fn new(vote: Option<f32>) -> Self {
        Self { vote, asked: AtomicUsize::new(0) }
    }

    /// The number of votes it was asked for.
    pub fn asked(&self) -> usize {
        self.asked.load(Ordering::SeqCst)
    }
}

impl EndpointModel for ScriptedEndpointModel {
    fn probability_of_end(&self, _: &[f32]) -> Result<f32, TranscribeError> {
        self.asked.fetch_add(1, Ordering::SeqCst);
        self.vote.ok_or_else(|| TranscribeError::Engine { reason: "no vote in the script".to_owned() })
    }
}
