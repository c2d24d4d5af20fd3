//! Speech that was not decoded because nobody said the name, kept for the talk that a question refers to.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use crate::retry::UndecodedUtterance;

/// The most utterances kept. Source: the words that a question points to are mostly in the sentence before, and each
/// utterance costs a pass of 0.3 s before the question is decoded.
const MAX_UTTERANCES: usize = 3;
/// Older speech is no talk that a question refers to.
const MAX_AGE: Duration = Duration::from_secs(30);

/// The last utterances without the name. Kept in memory only.
#[derive(Default)]
pub(crate) struct UncalledSpeech {
    /// Oldest first.
    utterances: VecDeque<UndecodedUtterance>,
}

impl UncalledSpeech {
    /// Keeps an utterance. When there are too many, the oldest is dropped.
    pub fn keep(&mut self, utterance: UndecodedUtterance) {
        let ended_at = utterance.audio.ended_at;
        self.utterances.retain(|kept| ended_at.saturating_duration_since(kept.audio.ended_at) <= MAX_AGE);
        self.utterances.push_back(utterance);
        while self.utterances.len() > MAX_UTTERANCES {
            self.utterances.pop_front();
        }
    }

    /// Takes the utterances that ended not long before `now`, oldest first.
    pub fn take_recent(&mut self, now: Instant) -> Vec<UndecodedUtterance> {
        let is_recent = |utterance: &UndecodedUtterance| {
            now.saturating_duration_since(utterance.audio.ended_at) <= MAX_AGE
        };
        self.utterances.drain(..).filter(is_recent).collect()
    }
}

#[cfg(test)]
mod tests {
    use vocabulary::UtteranceId;

    use super::*;
    use crate::echo_share::EchoShare;
    use crate::segmenter::UtteranceAudio;

    #[test]
    fn newest_utterances_of_half_a_minute_are_taken_once() {
        let now = Instant::now();
        let mut uncalled = UncalledSpeech::default();

        for (id, secs_ago) in [(0, 29), (1, 31), (2, 30), (3, 5)] {
            let ended_at = now.checked_sub(Duration::from_secs(secs_ago)).unwrap();
            let audio = UtteranceAudio {
                samples: vec![0.1],
                started_at: ended_at,
                ended_at,
                captured_until: ended_at,
                energy_rms: 0.1,
                echo: EchoShare::default(),
            };
            uncalled.keep(UndecodedUtterance { id: UtteranceId(id), audio });
        }
        let ids: Vec<u64> = uncalled.take_recent(now).into_iter().map(|utterance| utterance.id.0).collect();

        // The first one is too many, the second one too old.
        assert_eq!(ids, [2, 3]);
        assert!(uncalled.take_recent(now).is_empty());
    }
}
