//! The progress of spoken replies, and what to report. Plain values: no clock and no sound.

use std::collections::{BTreeMap, VecDeque};
use std::time::Instant;

use vocabulary::{ReplyId, SpeechEvent};

use super::messages::{SpeechReport, Unheard};

/// The most replies to remember until they are complete. Only a few replies are active at a time.
const MAX_REPLIES: usize = 32;

/// The active and the stopped replies.
#[derive(Debug, Default)]
pub(super) struct PlaybackLedger {
    active: BTreeMap<ReplyId, ReplyProgress>,
    stopped: VecDeque<ReplyId>,
    /// Replies that are not complete: the reason why nothing of them was heard, or `None` if something was.
    heard: VecDeque<(ReplyId, Option<Unheard>)>,
}

#[derive(Debug, Default)]
struct ReplyProgress {
    /// Pieces that are queued or playing.
    pending_pieces: usize,
    /// When the last piece ended; before that, when the first one started.
    heard_until: Option<Instant>,
    has_started: bool,
    /// It was reported that the reply is silent, and nothing of it sounded since.
    is_silence_told: bool,
    /// No more sentences follow, or none before the answer to a question.
    is_complete: bool,
    /// No more sentences follow, so that nobody asks any more if it was heard.
    is_over: bool,
}

impl PlaybackLedger {
    /// Returns `true` if sentences of this reply are spoken: it was not stopped.
    pub(super) fn may_speak(&self, reply: ReplyId) -> bool {
        !self.stopped.contains(&reply)
    }

    /// Adds pieces to speak.
    pub(super) fn add_pieces(&mut self, reply: ReplyId, pieces: usize) {
        let progress = self.active.entry(reply).or_default();
        progress.pending_pieces += pieces;
        // After the answer to a question a reply goes on.
        progress.is_complete = progress.is_over;
    }

    /// Notes that a piece started to play. Returns a report for the first piece.
    pub(super) fn piece_started(&mut self, reply: ReplyId, at: Instant) -> Option<SpeechReport> {
        let progress = self.active.get_mut(&reply)?;
        progress.is_silence_told = false;
        // Its piece may be lost before it ends.
        progress.heard_until.get_or_insert(at);
        let is_first = !std::mem::replace(&mut progress.has_started, true);
        if is_first && !progress.is_over {
            self.heard.retain(|(other, _)| *other != reply);
            self.keep(reply, None);
        }
        is_first.then_some(SpeechReport::Speech(SpeechEvent::Started { reply, at }))
    }

    /// Notes that words of a reply are not heard.
    pub(super) fn note_unheard(&mut self, reply: ReplyId, reason: Unheard) {
        let is_over = self.active.get(&reply).is_some_and(|progress| progress.is_over);
        if !is_over && !self.heard.iter().any(|(other, _)| *other == reply) {
            self.keep(reply, Some(reason));
        }
    }

    /// The reason why nothing of a reply was heard; `None` if something was, or is still to be. A loudspeaker that is away is
    /// a reason also while pieces wait for it.
    pub(super) fn unheard(&self, reply: ReplyId) -> Option<Unheard> {
        let (_, reason) = self.heard.iter().find(|(other, _)| *other == reply)?;
        reason.filter(|reason| *reason == Unheard::NoLoudspeaker || !self.is_pending(reply))
    }

    /// Returns `true` if pieces of a reply are queued, and nothing is known yet about what is heard of it.
    pub(super) fn is_undecided(&self, reply: ReplyId) -> bool {
        self.is_pending(reply) && !self.heard.iter().any(|(other, _)| *other == reply)
    }

    fn is_pending(&self, reply: ReplyId) -> bool {
        self.active.get(&reply).is_some_and(|progress| progress.pending_pieces > 0)
    }

    fn keep(&mut self, reply: ReplyId, reason: Option<Unheard>) {
        self.heard.push_back((reply, reason));
        if self.heard.len() > MAX_REPLIES {
            self.heard.pop_front();
        }
    }

    /// Notes that a piece was played until `until`, or was abandoned. Returns a report for the last piece.
    pub(super) fn piece_ended(&mut self, reply: ReplyId, until: Option<Instant>) -> Option<SpeechReport> {
        let progress = self.active.get_mut(&reply)?;
        progress.pending_pieces = progress.pending_pieces.saturating_sub(1);
        progress.heard_until = until.or(progress.heard_until);
        self.end_if_over(reply)
    }

    /// Notes that no more sentences follow. Returns a report unless some are still to be heard.
    pub(super) fn complete(&mut self, reply: ReplyId) -> Option<SpeechReport> {
        self.heard.retain(|(other, _)| *other != reply);
        if let Some(progress) = self.active.get_mut(&reply) {
            progress.is_over = true;
        }
        self.pause(reply)
    }

    /// Notes that no more sentences follow before the answer to a question. Returns a report unless some are still to be heard.
    pub(super) fn pause(&mut self, reply: ReplyId) -> Option<SpeechReport> {
        self.stopped.retain(|other| *other != reply);
        let nothing_to_hear = SpeechReport::NothingToHear { reply };
        let Some(progress) = self.active.get_mut(&reply) else { return Some(nothing_to_hear) };
        progress.is_complete = true;
        // The words since the last report wait for the speaker, too.
        let is_silent = progress.is_silence_told;
        self.end_if_over(reply).or(is_silent.then_some(nothing_to_hear))
    }

    /// Stops all active replies until they are complete. Returns what to report.
    pub(super) fn stop_all(&mut self, at: Instant) -> Vec<SpeechReport> {
        let incomplete = self.active.iter().filter(|(_, progress)| !progress.is_complete);
        self.stopped.extend(incomplete.map(|(reply, _)| *reply));
        while self.stopped.len() > MAX_REPLIES {
            self.stopped.pop_front();
        }
        self.end_all(at)
    }

    /// Notes that the speaker does not open. The pieces of all active replies wait for it. Returns what to report.
    pub(super) fn speaker_is_away(&mut self, at: Instant) -> Vec<SpeechReport> {
        let replies: Vec<ReplyId> = self.active.keys().copied().collect();
        replies.into_iter().for_each(|reply| self.note_unheard(reply, Unheard::NoLoudspeaker));
        self.active.iter_mut().filter_map(|(reply, progress)| progress.fall_silent(*reply, at)).collect()
    }

    /// Notes that the speaker is open: what waits for it is still to be heard.
    pub(super) fn speaker_is_back(&mut self) {
        let mut heard = std::mem::take(&mut self.heard);
        heard.retain(|(reply, reason)| *reason != Some(Unheard::NoLoudspeaker) || !self.is_pending(*reply));
        self.heard = heard;
        self.active.values_mut().for_each(|progress| progress.is_silence_told = false);
    }

    /// Ends all active replies, because there is no speaker. Their later sentences are spoken if one appears. Returns
    /// what to report.
    pub(super) fn lose_all(&mut self, at: Instant) -> Vec<SpeechReport> {
        let replies: Vec<ReplyId> = self.active.keys().copied().collect();
        replies.into_iter().for_each(|reply| self.note_unheard(reply, Unheard::NoLoudspeaker));
        self.end_all(at)
    }

    fn end_all(&mut self, at: Instant) -> Vec<SpeechReport> {
        let active = std::mem::take(&mut self.active);
        active.into_iter().filter_map(|(reply, mut progress)| progress.fall_silent(reply, at)).collect()
    }

    /// Returns `true` if no reply is active.
    pub(super) fn is_empty(&self) -> bool {
        self.active.is_empty()
    }

    fn end_if_over(&mut self, reply: ReplyId) -> Option<SpeechReport> {
        let progress = self.active.get(&reply)?;
        if !progress.is_complete || progress.pending_pieces > 0 {
            return None;
        }
        let progress = self.active.remove(&reply)?;
        match progress.heard_until.filter(|_| progress.has_started) {
            Some(at) => Some(SpeechReport::Speech(SpeechEvent::Finished { reply, at })),
            None => (!progress.is_silence_told).then_some(SpeechReport::NothingToHear { reply }),
        }
    }
}

impl ReplyProgress {
    /// Notes that nothing of it sounds any more. Returns a report, unless that was reported.
    fn fall_silent(&mut self, reply: ReplyId, at: Instant) -> Option<SpeechReport> {
        let was_told = std::mem::replace(&mut self.is_silence_told, true);
        match std::mem::take(&mut self.has_started) {
            true => Some(SpeechReport::Speech(SpeechEvent::Interrupted { reply, at })),
            false => (!was_told).then_some(SpeechReport::NothingToHear { reply }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const REPLY: ReplyId = ReplyId(7);

    fn started(reply: ReplyId, at: Instant) -> Option<SpeechReport> {
        Some(SpeechReport::Speech(SpeechEvent::Started { reply, at }))
    }

    fn finished(reply: ReplyId, at: Instant) -> Option<SpeechReport> {
        Some(SpeechReport::Speech(SpeechEvent::Finished { reply, at }))
    }

    fn interrupted(reply: ReplyId, at: Instant) -> SpeechReport {
        SpeechReport::Speech(SpeechEvent::Interrupted { reply, at })
    }

    fn nothing_to_hear(reply: ReplyId) -> SpeechReport {
        SpeechReport::NothingToHear { reply }
    }

    #[test]
    fn reply_starts_once_and_finishes_with_its_last_piece() {
        let mut ledger = PlaybackLedger::default();
        let at = Instant::now();

        ledger.add_pieces(REPLY, 2);
        assert_eq!(ledger.piece_started(REPLY, at), started(REPLY, at));
        assert_eq!(ledger.piece_ended(REPLY, Some(at)), None);
        assert_eq!(ledger.complete(REPLY), None);
        assert_eq!(ledger.piece_started(REPLY, at), None);

        assert_eq!(ledger.piece_ended(REPLY, Some(at)), finished(REPLY, at));
        assert!(ledger.is_empty());
    }

    #[test]
    fn reply_that_started_and_was_lost_finishes() {
        let (mut ledger, at) = (PlaybackLedger::default(), Instant::now());
        ledger.add_pieces(REPLY, 1);
        ledger.piece_started(REPLY, at);
        assert_eq!(ledger.complete(REPLY), None);

        assert_eq!(ledger.piece_ended(REPLY, None), finished(REPLY, at));
        assert!(ledger.is_empty());
    }

    #[test]
    fn reply_that_goes_on_after_its_question_finishes_at_its_end() {
        let (mut ledger, at) = (PlaybackLedger::default(), Instant::now());
        ledger.add_pieces(REPLY, 1);
        ledger.piece_started(REPLY, at);
        assert_eq!(ledger.pause(REPLY), None);
        ledger.add_pieces(REPLY, 1);

        assert_eq!(ledger.piece_ended(REPLY, Some(at)), None);
        assert_eq!(ledger.piece_ended(REPLY, Some(at)), None, "more may follow");

        assert_eq!(ledger.complete(REPLY), finished(REPLY, at));
    }

    #[test]
    fn reply_that_was_not_heard_ends_without_an_event_of_the_voice() {
        let mut ledger = PlaybackLedger::default();

        ledger.add_pieces(REPLY, 1);
        assert_eq!(ledger.piece_ended(REPLY, None), None);

        assert_eq!(ledger.complete(REPLY), Some(nothing_to_hear(REPLY)));
        assert!(ledger.is_empty());
        assert_eq!(ledger.complete(ReplyId(8)), Some(nothing_to_hear(ReplyId(8))), "it has no words");
    }

    #[test]
    fn reply_is_unheard_if_nothing_of_it_sounded_or_waits() {
        let (mut ledger, at) = (PlaybackLedger::default(), Instant::now());
        let heard = ReplyId(8);
        ledger.add_pieces(heard, 2);
        ledger.piece_started(heard, at);

        ledger.add_pieces(REPLY, 1);
        ledger.note_unheard(REPLY, Unheard::NoVoice);
        assert_eq!(ledger.unheard(REPLY), None, "a sentence waits");
        ledger.lose_all(at);

        assert_eq!([ledger.unheard(REPLY), ledger.unheard(heard)], [Some(Unheard::NoVoice), None]);
        ledger.complete(REPLY);
        assert_eq!(ledger.unheard(REPLY), None, "it is over");
    }

    #[test]
    fn reply_that_waits_for_the_speaker_is_unheard_until_it_is_back() {
        let (mut ledger, at) = (PlaybackLedger::default(), Instant::now());
        let begun = ReplyId(8);
        ledger.add_pieces(REPLY, 1);
        ledger.add_pieces(begun, 1);
        ledger.piece_started(begun, at);
        assert!(ledger.is_undecided(REPLY) && !ledger.is_undecided(begun));

        assert_eq!(ledger.speaker_is_away(at), [nothing_to_hear(REPLY), interrupted(begun, at)]);
        assert_eq!(ledger.speaker_is_away(at), [], "it is told once");
        assert_eq!([ledger.unheard(REPLY), ledger.unheard(begun)], [Some(Unheard::NoLoudspeaker), None]);
        assert_eq!(ledger.pause(REPLY), Some(nothing_to_hear(REPLY)), "a question waits, too");
        ledger.speaker_is_back();

        assert_eq!(ledger.unheard(REPLY), None);
        for reply in [REPLY, begun] {
            assert_eq!(ledger.piece_started(reply, at), started(reply, at));
        }
    }

    #[test]
    fn reply_that_was_heard_before_its_question_stays_heard() {
        let (mut ledger, at) = (PlaybackLedger::default(), Instant::now());
        ledger.add_pieces(REPLY, 1);
        ledger.piece_started(REPLY, at);
        ledger.piece_ended(REPLY, Some(at));

        assert_eq!(ledger.pause(REPLY), finished(REPLY, at));
        ledger.note_unheard(REPLY, Unheard::NoLoudspeaker);

        assert_eq!(ledger.unheard(REPLY), None);
    }

    #[test]
    fn nothing_is_kept_of_a_reply_that_is_over() {
        let (mut ledger, at) = (PlaybackLedger::default(), Instant::now());
        let unheard = ReplyId(8);
        for reply in [REPLY, unheard] {
            ledger.add_pieces(reply, 1);
            ledger.complete(reply);
        }

        ledger.piece_started(REPLY, at);
        ledger.lose_all(at);

        assert!(ledger.heard.is_empty(), "{:?}", ledger.heard);
    }

    #[test]
    fn stopped_reply_stays_silent_until_it_is_complete() {
        let mut ledger = PlaybackLedger::default();
        let at = Instant::now();
        ledger.add_pieces(REPLY, 3);
        ledger.piece_started(REPLY, at);
        ledger.add_pieces(ReplyId(8), 1);

        assert_eq!(ledger.stop_all(at), [interrupted(REPLY, at), nothing_to_hear(ReplyId(8))]);

        assert!(!ledger.may_speak(REPLY) && !ledger.may_speak(ReplyId(8)));
        assert!(ledger.may_speak(ReplyId(9)));
        ledger.complete(REPLY);
        assert!(ledger.may_speak(REPLY) && !ledger.may_speak(ReplyId(8)));
    }
}
