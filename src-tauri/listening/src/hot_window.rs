//! The moments after a reply when a follow-up needs no wake word.
//!
//! Source: docs/behaviour/listening.md#follow-up-window.

use std::time::{Duration, Instant};

use vocabulary::Utterance;

/// A change of the hot window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HotWindowChange {
    /// It opened for this long.
    Opened(Duration),
    /// It closed.
    Closed,
}

/// The state of the hot window.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct HotWindow {
    /// The window is open.
    pub is_open: bool,
    /// A reply just ended; the window opens when its echo has ended.
    pub is_about_to_open: bool,
    /// Start of the newest span: when the reply ended.
    pub span_start: Option<Instant>,
    /// End of the newest span: when the window closed.
    pub span_end: Option<Instant>,
}

impl HotWindow {
    /// Returns `true` if speech from `started_at` to `ended_at` was in the window. The time of the speech counts:
    /// recognition takes time, and a slow machine must not lose a follow-up.
    pub fn contains(&self, started_at: Option<Instant>, ended_at: Option<Instant>) -> bool {
        if self.is_open {
            return true;
        }
        let Some(started_at) = started_at else { return self.is_about_to_open };
        if self.is_about_to_open {
            return self.span_start.is_none_or(|span_start| started_at >= span_start);
        }
        let (Some(span_start), Some(span_end)) = (self.span_start, self.span_end) else { return false };
        let started_inside = span_start <= started_at && started_at <= span_end;
        let ended_inside = started_at < span_start && ended_at.is_some_and(|ended_at| span_start <= ended_at);
        started_inside || ended_inside
    }
}

/// Opens and closes the hot window at the right times.
#[derive(Default)]
pub(crate) struct HotWindowTimer {
    window: HotWindow,
    /// When a scheduled window opens.
    opens_at: Option<Instant>,
    /// When an open window closes.
    closes_at: Option<Instant>,
}

impl HotWindowTimer {
    pub fn is_open(&self) -> bool {
        self.window.is_open
    }

    pub fn is_open_or_about_to(&self) -> bool {
        self.window.is_open || self.window.is_about_to_open
    }

    pub fn contains(&self, utterance: &Utterance) -> bool {
        self.window.contains(Some(utterance.started_at), Some(utterance.ended_at))
    }

    /// When [`HotWindowTimer::tick`] has something to do.
    pub fn next_tick(&self) -> Option<Instant> {
        self.opens_at.or(self.closes_at)
    }

    /// Opens or closes the window when it is time; an opened one stays open for `duration`.
    pub fn tick(&mut self, now: Instant, duration: Option<Duration>) -> Option<HotWindowChange> {
        if self.opens_at.is_some_and(|at| at <= now) {
            self.opens_at = None;
            return Some(self.open(now, duration?));
        }
        if self.closes_at.is_some_and(|at| at <= now) {
            return self.close(now);
        }
        None
    }

    /// Opens the window `delay` after the end of a reply. Returns when it opens.
    pub fn schedule(&mut self, reply_ended_at: Instant, delay: Duration) -> Instant {
        self.window =
            HotWindow { is_about_to_open: true, span_start: Some(reply_ended_at), ..HotWindow::default() };
        let opens_at = reply_ended_at + delay;
        self.opens_at = Some(opens_at);
        opens_at
    }

    pub fn open(&mut self, now: Instant, duration: Duration) -> HotWindowChange {
        self.opens_at = None;
        self.window.is_open = true;
        self.window.is_about_to_open = false;
        self.window.span_start = self.window.span_start.or(Some(now));
        self.closes_at = Some(now + duration);
        HotWindowChange::Opened(duration)
    }

    /// Starts a new span: speech from `at` on is in the window once it opens.
    pub fn start_span(&mut self, at: Instant) {
        self.window.span_start = Some(at);
    }

    /// Changes when an open window closes.
    pub fn close_at(&mut self, at: Instant) {
        if self.window.is_open {
            self.closes_at = Some(at);
        }
    }

    /// Closes the window and forgets its span.
    pub fn reset(&mut self, now: Instant) -> Option<HotWindowChange> {
        let change = self.close(now);
        self.window = HotWindow::default();
        change
    }

    fn close(&mut self, now: Instant) -> Option<HotWindowChange> {
        self.opens_at = None;
        self.closes_at = None;
        self.window.is_about_to_open = false;
        let was_open = std::mem::take(&mut self.window.is_open);
        if was_open {
            self.window.span_end = Some(now);
        }
        was_open.then_some(HotWindowChange::Closed)
    }
}

/// Returns `true` if to stop collecting words and send them: the silence or the whole collection is long enough.
pub fn is_collecting_over(
    since_last_voice: Duration,
    since_start: Duration,
    collect: Duration,
    max_collect: Duration,
) -> bool {
    since_last_voice >= collect || since_start >= max_collect
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    /// Span from 10 to 13 s.
    fn window(is_open: bool, is_about_to_open: bool) -> (HotWindow, impl Fn(u64) -> Instant) {
        let zero = Instant::now();
        let at = move |secs| zero + Duration::from_secs(secs);
        (HotWindow { is_open, is_about_to_open, span_start: Some(at(10)), span_end: Some(at(13)) }, at)
    }

    #[rstest]
    #[case::open_contains_everything((true, false), Some(1), None, true)]
    #[case::about_to_open_after_the_span_start((false, true), Some(10), None, true)]
    #[case::about_to_open_before_the_span_start((false, true), Some(9), None, false)]
    #[case::about_to_open_time_unknown((false, true), None, None, true)]
    #[case::closed_but_started_inside((false, false), Some(13), Some(15), true)]
    #[case::closed_but_ended_inside((false, false), Some(8), Some(11), true)]
    #[case::closed_and_ended_before((false, false), Some(8), Some(9), false)]
    #[case::closed_and_started_later((false, false), Some(14), Some(15), false)]
    #[case::closed_time_unknown((false, false), None, None, false)]
    fn speech_is_in_the_window_by_the_time_it_was_said(
        #[case] (is_open, is_about_to_open): (bool, bool),
        #[case] started: Option<u64>,
        #[case] ended: Option<u64>,
        #[case] expected: bool,
    ) {
        let (window, at) = window(is_open, is_about_to_open);

        assert_eq!(window.contains(started.map(&at), ended.map(&at)), expected);
    }
}
