//! The progress of spoken replies, and the events to report. Plain values: no clock and no sound.

use std::collections::{BTreeMap, VecDeque};
use std::time::Instant;

use vocabulary::{ReplyId, SpeechEvent};

/// The most stopped replies to remember until they are complete. Only a few replies are active at a time.
const MAX_STOPPED_REPLIES: usize = 32;

/// The active and the stopped replies.
#[derive(Debug, Default)]
pub(super) struct PlaybackLedger {
    active: BTreeMap<ReplyId, ReplyProgress>,
    stopped: VecDeque<ReplyId>,
}

#[derive(Debug, Default)]
struct ReplyProgress {
    /// Pieces that are queued or playing.
    pending_pieces: usize,
    /// When the last piece ended.
    heard_until: Option<Instant>,
    has_started: bool,
    /// No more sentences follow.
    is_complete: bool,
}

impl PlaybackLedger {
    /// Returns `true` if sentences of this reply are spoken: it was not stopped.
    pub(super) fn may_speak(&self, reply: ReplyId) -> bool {
        !self.stopped.contains(&reply)
    }

    /// Adds pieces to speak.
    pub(super) fn add_pieces(&mut self, reply: ReplyId, pieces: usize) {
        self.active.entry(reply).or_default().pending_pieces += pieces;
    }

    /// Notes that a piece started to play. Returns an event for the first piece.
    pub(super) fn piece_started(&mut self, reply: ReplyId, at: Instant) -> Option<SpeechEvent> {
        let progress = self.active.get_mut(&reply)?;
        let is_first = !std::mem::replace(&mut progress.has_started, true);
        is_first.then_some(SpeechEvent::Started { reply, at })
    }

    /// Notes that a piece was played until `until`, or was abandoned. Returns an event for the last piece.
    pub(super) fn piece_ended(&mut self, reply: ReplyId, until: Option<Instant>) -> Option<SpeechEvent> {
        let progress = self.active.get_mut(&reply)?;
        progress.pending_pieces = progress.pending_pieces.saturating_sub(1);
        progress.heard_until = until.or(progress.heard_until);
        self.finish_if_heard(reply)
    }

    /// Notes that no more sentences follow. Returns an event if all were heard.
    pub(super) fn complete(&mut self, reply: ReplyId) -> Option<SpeechEvent> {
        self.stopped.retain(|other| *other != reply);
        self.active.get_mut(&reply)?.is_complete = true;
        self.finish_if_heard(reply)
    }

    /// Stops all active replies until they are complete. Returns the events to report.
    pub(super) fn stop_all(&mut self, at: Instant) -> Vec<SpeechEvent> {
        let incomplete = self.active.iter().filter(|(_, progress)| !progress.is_complete);
        self.stopped.extend(incomplete.map(|(reply, _)| *reply));
        while self.stopped.len() > MAX_STOPPED_REPLIES {
            self.stopped.pop_front();
        }
        self.abandon_all(at)
    }

    /// Ends all active replies, because there is no speaker. Their later sentences are spoken if one appears. Returns the
    /// events to report.
    pub(super) fn abandon_all(&mut self, at: Instant) -> Vec<SpeechEvent> {
        std::mem::take(&mut self.active)
            .into_iter()
            .filter(|(_, progress)| progress.has_started)
            .map(|(reply, _)| SpeechEvent::Interrupted { reply, at })
            .collect()
    }

    /// Returns `true` if no reply is active.
    pub(super) fn is_empty(&self) -> bool {
        self.active.is_empty()
    }

    fn finish_if_heard(&mut self, reply: ReplyId) -> Option<SpeechEvent> {
        let progress = self.active.get(&reply)?;
        if !progress.is_complete || progress.pending_pieces > 0 {
            return None;
        }
        let progress = self.active.remove(&reply)?;
        let heard_until = progress.heard_until.filter(|_| progress.has_started);
        heard_until.map(|at| SpeechEvent::Finished { reply, at })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const REPLY: ReplyId = ReplyId(7);

    #[test]
    fn reply_starts_once_and_finishes_with_its_last_piece() {
        let mut ledger = PlaybackLedger::default();
        let at = Instant::now();

        ledger.add_pieces(REPLY, 2);
        assert_eq!(ledger.piece_started(REPLY, at), Some(SpeechEvent::Started { reply: REPLY, at }));
        assert_eq!(ledger.piece_ended(REPLY, Some(at)), None);
        assert_eq!(ledger.complete(REPLY), None);
        assert_eq!(ledger.piece_started(REPLY, at), None);

        assert_eq!(ledger.piece_ended(REPLY, Some(at)), Some(SpeechEvent::Finished { reply: REPLY, at }));
        assert!(ledger.is_empty());
    }

    #[test]
    fn reply_that_was_not_heard_ends_without_an_event() {
        let mut ledger = PlaybackLedger::default();

        ledger.add_pieces(REPLY, 1);
        assert_eq!(ledger.piece_ended(REPLY, None), None);

        assert_eq!(ledger.complete(REPLY), None);
        assert!(ledger.is_empty());
        assert_eq!(ledger.complete(ReplyId(8)), None);
    }

    #[test]
    fn stopped_reply_stays_silent_until_it_is_complete() {
        let mut ledger = PlaybackLedger::default();
        let at = Instant::now();
        ledger.add_pieces(REPLY, 3);
        ledger.piece_started(REPLY, at);
        ledger.add_pieces(ReplyId(8), 1);

        assert_eq!(ledger.stop_all(at), [SpeechEvent::Interrupted { reply: REPLY, at }]);

        assert!(!ledger.may_speak(REPLY) && !ledger.may_speak(ReplyId(8)));
        assert!(ledger.may_speak(ReplyId(9)));
        assert_eq!(ledger.complete(REPLY), None);
        assert!(ledger.may_speak(REPLY) && !ledger.may_speak(ReplyId(8)));
    }
}
