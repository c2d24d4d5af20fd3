//! Which replies are being spoken, and what there is to tell of them. Plain values, no clock and no sound.

use std::collections::{BTreeMap, VecDeque};
use std::time::Instant;

use vocabulary::{ReplyId, SpeechEvent};

/// Silenced replies that are remembered, until they are finished. A few can be under way at a time.
const SILENCED: usize = 32;

/// The replies under way.
#[derive(Debug, Default)]
pub(super) struct PlaybackLedger {
    open: BTreeMap<ReplyId, Account>,
    silenced: VecDeque<ReplyId>,
}

#[derive(Debug, Default)]
struct Account {
    /// Pieces that were said and have neither been heard to their end nor given up.
    pending: usize,
    heard_until: Option<Instant>,
    has_started: bool,
    /// No more sentences come.
    is_complete: bool,
}

impl PlaybackLedger {
    /// May this reply still speak?
    pub(super) fn may_speak(&self, reply: ReplyId) -> bool {
        !self.silenced.contains(&reply)
    }

    /// So many pieces more are to be spoken.
    pub(super) fn said(&mut self, reply: ReplyId, pieces: usize) {
        self.open.entry(reply).or_default().pending += pieces;
    }

    /// A piece begins to be heard at `at`: what to tell before it, if it is the first.
    pub(super) fn started(&mut self, reply: ReplyId, at: Instant) -> Option<SpeechEvent> {
        let account = self.open.get_mut(&reply)?;
        let is_first = !std::mem::replace(&mut account.has_started, true);
        is_first.then_some(SpeechEvent::Started { reply, at })
    }

    /// A piece was heard until `until`, or given up: what to tell if it was the last.
    pub(super) fn done(&mut self, reply: ReplyId, until: Option<Instant>) -> Option<SpeechEvent> {
        let account = self.open.get_mut(&reply)?;
        account.pending = account.pending.saturating_sub(1);
        account.heard_until = until.or(account.heard_until);
        self.conclude(reply)
    }

    /// No more sentences come: what to tell if all of them were heard already.
    pub(super) fn complete(&mut self, reply: ReplyId) -> Option<SpeechEvent> {
        self.silenced.retain(|known| *known != reply);
        self.open.get_mut(&reply)?.is_complete = true;
        self.conclude(reply)
    }

    /// All replies under way were silenced at `at`, and stay so until they are finished: what to tell.
    pub(super) fn silence(&mut self, at: Instant) -> Vec<SpeechEvent> {
        let incomplete = self.open.iter().filter(|(_, account)| !account.is_complete);
        self.silenced.extend(incomplete.map(|(reply, _)| *reply));
        while self.silenced.len() > SILENCED {
            self.silenced.pop_front();
        }
        self.give_up(at)
    }

    /// Nothing that was said can be heard any more since `at`; what is said from now on may: what to tell.
    pub(super) fn give_up(&mut self, at: Instant) -> Vec<SpeechEvent> {
        std::mem::take(&mut self.open)
            .into_iter()
            .filter(|(_, account)| account.has_started)
            .map(|(reply, _)| SpeechEvent::Interrupted { reply, at })
            .collect()
    }

    /// Is no reply under way?
    pub(super) fn is_empty(&self) -> bool {
        self.open.is_empty()
    }

    fn conclude(&mut self, reply: ReplyId) -> Option<SpeechEvent> {
        let account = self.open.get(&reply)?;
        if !account.is_complete || account.pending > 0 {
            return None;
        }
        let account = self.open.remove(&reply)?;
        let heard_until = account.heard_until.filter(|_| account.has_started);
        heard_until.map(|at| SpeechEvent::Finished { reply, at })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const REPLY: ReplyId = ReplyId(7);

    #[test]
    fn a_reply_starts_once_and_finishes_with_its_last_piece() {
        let mut ledger = PlaybackLedger::default();
        let at = Instant::now();

        ledger.said(REPLY, 2);
        assert_eq!(ledger.started(REPLY, at), Some(SpeechEvent::Started { reply: REPLY, at }));
        assert_eq!(ledger.done(REPLY, Some(at)), None);
        assert_eq!(ledger.complete(REPLY), None);
        assert_eq!(ledger.started(REPLY, at), None);

        assert_eq!(ledger.done(REPLY, Some(at)), Some(SpeechEvent::Finished { reply: REPLY, at }));
        assert!(ledger.is_empty());
    }

    #[test]
    fn a_reply_that_nobody_heard_ends_without_a_word() {
        let mut ledger = PlaybackLedger::default();

        ledger.said(REPLY, 1);
        assert_eq!(ledger.done(REPLY, None), None);

        assert_eq!(ledger.complete(REPLY), None);
        assert!(ledger.is_empty());
        assert_eq!(ledger.complete(ReplyId(8)), None);
    }

    #[test]
    fn a_silenced_reply_stays_silent_until_it_is_finished() {
        let mut ledger = PlaybackLedger::default();
        let at = Instant::now();
        ledger.said(REPLY, 3);
        ledger.started(REPLY, at);
        ledger.said(ReplyId(8), 1);

        assert_eq!(ledger.silence(at), [SpeechEvent::Interrupted { reply: REPLY, at }]);

        assert!(!ledger.may_speak(REPLY) && !ledger.may_speak(ReplyId(8)));
        assert!(ledger.may_speak(ReplyId(9)));
        assert_eq!(ledger.complete(REPLY), None);
        assert!(ledger.may_speak(REPLY) && !ledger.may_speak(ReplyId(8)));
    }
}
