//! The first stage in sound: what follows from a search for the name, and from the need of every word.

use vocabulary::HearingEvent;

use super::HearingTask;
use crate::current_utterance::{ClosingUtterance, FinalPass};
use crate::decoder::{PassId, RunningPass};
use crate::retry::UndecodedUtterance;
use crate::speech_to_text::{DecodeEffort, TranscribeError};

impl HearingTask {
    /// Decodes the current utterance while every word counts, with or without the name: for the rules of listening, under
    /// our own voice and while the talk key is held.
    pub(super) fn decode_if_needed(&mut self) {
        let is_open = self.gate.needs_all_words();
        let is_needed = is_open || self.is_key_held || *self.is_voice_playing.borrow();
        if is_needed && self.current.as_ref().is_some_and(|current| !current.is_wanted) {
            self.decode_current();
        }
        if is_open {
            self.decode_uncalled();
        }
    }

    pub(super) async fn accept_name_check(&mut self, id: PassId, found: Result<bool, TranscribeError>) {
        if matches!(found, Err(TranscribeError::Stopped)) {
            return;
        }
        let is_called = self.gate.is_called(found);
        if let Some(index) = self.closing.iter().position(|closing| closing.pass.id == id) {
            return self.accept_closing_check(index, is_called).await;
        }
        let Some(current) = &mut self.current else { return };
        let is_pass = |pass: &RunningPass| pass.id == id;
        let is_partial = current.partial_pass.take_if(|pass| is_pass(pass)).is_some();
        let is_final = matches!(&current.final_pass, FinalPass::Running(pass) if is_pass(pass));
        if !is_partial && !is_final {
            return;
        }
        current.samples_checked = current.samples_decoded;
        if is_called {
            self.decode_current();
        } else if is_final {
            current.final_pass = FinalPass::Uncalled;
            self.end_current_if_silent().await;
        }
    }

    async fn accept_closing_check(&mut self, index: usize, is_called: bool) {
        let Some(closing) = self.closing.remove(index) else { return };
        let utterance = UndecodedUtterance { id: closing.id, audio: closing.audio };
        if !is_called {
            return self.keep_uncalled(utterance).await;
        }
        self.decode_uncalled();
        self.decode_closed(utterance);
    }

    /// Decodes the current utterance from now on, and before it the talk that it may refer to.
    fn decode_current(&mut self) {
        self.decode_uncalled();
        let Some(current) = &mut self.current else { return };
        current.is_wanted = true;
        current.partial_pass = None;
        // Words for the screen come at once.
        current.samples_decoded = 0;
        let is_paused = !matches!(current.final_pass, FinalPass::NotStarted);
        current.final_pass = FinalPass::NotStarted;
        if is_paused {
            self.begin_final_pass();
        }
    }

    /// Decodes the last utterances that nobody needed.
    fn decode_uncalled(&mut self) {
        for utterance in self.gate.take_uncalled() {
            self.decode_closed(utterance);
        }
    }

    /// Decodes an utterance that ended, or later when the queue of passes is full.
    fn decode_closed(&mut self, utterance: UndecodedUtterance) {
        let UndecodedUtterance { id, audio } = utterance;
        let request = self.config.request(self.config.language.clone(), DecodeEffort::Final);
        match self.begin_pass(audio.samples.clone(), request) {
            Some(pass) => self.closing.push_back(ClosingUtterance { id, audio, pass }),
            None => self.retries.push(UndecodedUtterance { id, audio }),
        }
    }

    /// Keeps an utterance without the name: for the screen it had no words.
    pub(super) async fn keep_uncalled(&mut self, utterance: UndecodedUtterance) {
        let event = HearingEvent::Nothing { utterance: utterance.id, at: utterance.audio.ended_at };
        self.gate.keep(utterance);
        self.report(event).await;
    }
}
