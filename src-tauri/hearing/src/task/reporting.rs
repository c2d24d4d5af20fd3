//! Reports of what was heard, and of what went wrong.

use vocabulary::{HearingEvent, Stage, Utterance, UtteranceId};

use super::HearingTask;
use crate::filters::AcceptedWords;
use crate::segmenter::UtteranceAudio;
use crate::speech_to_text::TranscribeError;

impl HearingTask {
    /// Reports words of the current utterance.
    pub(super) async fn report_partial(&mut self, words: &AcceptedWords) {
        if let (Some(current), false) = (&self.current, words.text.is_empty()) {
            let utterance = current.id;
            self.report(HearingEvent::Partial { utterance, text: words.text.clone() }).await;
        }
    }

    /// Reports the words of an utterance that ended. Without words its sound is kept for the next utterance.
    pub(super) async fn report_utterance(
        &mut self,
        id: UtteranceId,
        audio: UtteranceAudio,
        words: &AcceptedWords,
    ) {
        let is_earlier = self.gate.was_left_out(id);
        if words.text.is_empty() && is_earlier {
            return;
        }
        if words.text.is_empty() {
            let at = audio.ended_at;
            self.wordless.keep(audio);
            if let Some(started_at) = self.segmenter.started_at() {
                self.prepend_wordless(started_at);
            }
            return self.report(HearingEvent::Nothing { utterance: id, at }).await;
        }
        let heard = Utterance {
            id,
            text: words.text.clone(),
            language: words.language.clone(),
            started_at: audio.started_at,
            ended_at: audio.ended_at,
            energy_rms: audio.energy_rms,
            echo_share: audio.echo.value(),
            confidence: words.confidence,
            voice: words.voice,
        };
        self.report(if is_earlier { HearingEvent::EarlierTalk(heard) } else { HearingEvent::Heard(heard) })
            .await;
    }

    pub(super) async fn report_failure(&mut self, error: &TranscribeError) {
        if matches!(error, TranscribeError::Stopped) || self.is_failing {
            return;
        }
        self.is_failing = true;
        tracing::warn!(%error, "speech recognition failed");
        self.report(HearingEvent::Trouble(error.trouble())).await;
    }

    pub(super) async fn report_recovery(&mut self) {
        if std::mem::take(&mut self.is_failing) {
            self.report(HearingEvent::Recovered(Stage::Recognition)).await;
        }
    }

    pub(super) async fn report(&mut self, event: HearingEvent) {
        // A closed channel means that the assistant is shutting down.
        let _ = self.events.send(event).await;
    }
}
