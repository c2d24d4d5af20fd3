//! The first stage in sound: an utterance is decoded once the name was spotted in it, or if every word counts.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Instant;

use tokio::sync::watch;
use vocabulary::{SAMPLE_RATE_HZ, UtteranceId};

use crate::current_utterance::CurrentUtterance;
use crate::keyword_spotter::{KeywordSpotter, NameCheck};
use crate::retry::UndecodedUtterance;
use crate::speech_to_text::TranscribeError;
use crate::uncalled::UncalledSpeech;

/// Sound before the new one that is searched once more, for a name that was cut: a name and a hesitation in it are shorter.
const OVERLAP_SAMPLES: usize = SAMPLE_RATE_HZ as usize * 3 / 2;

/// Decides which utterances are decoded, and keeps those that are not.
pub(crate) struct NameGate {
    spotter: watch::Receiver<Option<Arc<dyn KeywordSpotter>>>,
    needs_all_words: watch::Receiver<bool>,
    uncalled: UncalledSpeech,
    /// The utterances that were reported to have no words, the oldest first.
    left_out: VecDeque<UtteranceId>,
    /// The spotter failed, and the log has it.
    has_failed: bool,
}

impl NameGate {
    pub fn new(
        spotter: watch::Receiver<Option<Arc<dyn KeywordSpotter>>>,
        needs_all_words: watch::Receiver<bool>,
    ) -> Self {
        Self {
            spotter,
            needs_all_words,
            uncalled: UncalledSpeech::default(),
            left_out: VecDeque::new(),
            has_failed: false,
        }
    }

    /// Returns `true` if utterances are decoded whether or not the name is in them.
    pub fn is_open(&self) -> bool {
        self.spotter.borrow().is_none() || self.needs_all_words()
    }

    /// Returns `true` if the rules of listening need every word now.
    pub fn needs_all_words(&self) -> bool {
        *self.needs_all_words.borrow()
    }

    /// The search in the sound of an utterance that was not searched yet. `None` when the utterance is to be decoded.
    pub fn check(
        &self,
        utterance: &CurrentUtterance,
        samples: &[f32],
        names: &[String],
    ) -> Option<NameCheck> {
        let spotter = self.spotter.borrow().clone().filter(|_| !utterance.is_wanted)?;
        let from = utterance.samples_checked.saturating_sub(OVERLAP_SAMPLES);
        Some(NameCheck { spotter, samples: samples[from..].to_vec(), names: names.to_vec() })
    }

    /// Returns `true` if the name was found. Falls open: after an error of the spotter everything is decoded.
    pub fn is_called(&mut self, found: Result<bool, TranscribeError>) -> bool {
        match found {
            Ok(is_called) => {
                self.has_failed = false;
                is_called
            }
            Err(error) => {
                if !std::mem::replace(&mut self.has_failed, true) {
                    tracing::warn!(%error, "the name cannot be looked for in sound; everything is recognised");
                }
                true
            }
        }
    }

    /// Keeps an utterance that is not decoded.
    pub fn keep(&mut self, utterance: UndecodedUtterance) {
        /// More than wait for a pass at once.
        const MAX_LEFT_OUT: usize = 16;
        self.left_out.push_back(utterance.id);
        if self.left_out.len() > MAX_LEFT_OUT {
            self.left_out.pop_front();
        }
        self.uncalled.keep(utterance);
    }

    /// Returns `true` if this utterance was reported to have no words, because nobody said the name.
    pub fn was_left_out(&self, id: UtteranceId) -> bool {
        self.left_out.contains(&id)
    }

    /// Takes the utterances before now that were not decoded, oldest first.
    pub fn take_uncalled(&mut self) -> Vec<UndecodedUtterance> {
        self.uncalled.take_recent(Instant::now())
    }
}
