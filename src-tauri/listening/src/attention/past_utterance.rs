//! An utterance that the next one may go on with.

use std::time::{Duration, Instant};

use vocabulary::Utterance;

/// Speech that follows a query within this time continues it: the pause was not the end. Measured from the end of the
/// query to the back-dated start of the next utterance.
const MAX_CONTINUATION_GAP: Duration = Duration::from_millis(1200);

/// The words of an utterance, and when it ended.
pub(super) struct PastUtterance {
    pub text: String,
    pub ended_at: Instant,
}

impl PastUtterance {
    pub fn is_continued_by(&self, utterance: &Utterance) -> bool {
        utterance.started_at.saturating_duration_since(self.ended_at) <= MAX_CONTINUATION_GAP
    }
}
