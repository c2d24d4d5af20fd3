//! Another try of utterances that recognition failed on.

use vocabulary::{HearingEvent, UtteranceId};

use super::HearingTask;
use crate::filters::AcceptedWords;
use crate::retry::UndecodedUtterance;
use crate::speech_to_text::{DecodeEffort, TranscribeError};

impl HearingTask {
    /// Keeps an utterance for another try. Nobody speaks any more, whatever its words will be.
    pub(super) async fn postpone(&mut self, utterance: UndecodedUtterance) {
        let event = HearingEvent::Nothing { utterance: utterance.id, at: utterance.audio.ended_at };
        self.retries.push(utterance);
        self.report(event).await;
    }

    pub(super) fn retry_next(&mut self) {
        let Some(oldest) = self.retries.next_due() else { return };
        let (id, samples) = (oldest.id, oldest.audio.samples.clone());
        let request = self.config.request(self.config.language.clone(), DecodeEffort::Final);
        if let Some(pass) = self.begin_pass(samples, request) {
            self.retries.set_running(id, pass);
        }
    }

    pub(super) async fn accept_retry_result(
        &mut self,
        id: UtteranceId,
        outcome: Result<AcceptedWords, TranscribeError>,
    ) {
        match outcome {
            Ok(words) => {
                self.report_recovery().await;
                if let Some(utterance) = self.retries.remove(id) {
                    self.report_utterance(id, utterance.audio, &words).await;
                }
                self.retry_next();
            }
            Err(error) => self.report_failure(&error).await,
        }
    }
}
