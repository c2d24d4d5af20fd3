//! The moments after a reply when a follow-up needs no wake word.
//!
//! Source: behaviour reference, section 1.6.

use std::time::{Duration, Instant};

/// Where the hot window stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct HotWindow {
    /// The window is open.
    pub is_open: bool,
    /// A reply just ended; the window opens as soon as its echo has died away.
    pub is_about_to_open: bool,
    /// Start of the newest span: when the reply ended.
    pub span_start: Option<Instant>,
    /// End of the newest span: when the window closed.
    pub span_end: Option<Instant>,
}

impl HotWindow {
    /// Did speech from `started_at` to `ended_at` fall into the window? Judged by when it was *said*, for recognition
    /// takes time and a slow machine must not make us deaf.
    pub fn holds(&self, started_at: Option<Instant>, ended_at: Option<Instant>) -> bool {
        if self.is_open {
            return true;
        }
        let Some(started_at) = started_at else { return self.is_about_to_open };
        if self.is_about_to_open {
            return self.span_start.is_none_or(|span_start| started_at >= span_start);
        }
        let (Some(span_start), Some(span_end)) = (self.span_start, self.span_end) else { return false };
        let began_inside = span_start <= started_at && started_at <= span_end;
        let ran_into_it = started_at < span_start && ended_at.is_some_and(|ended_at| span_start <= ended_at);
        began_inside || ran_into_it
    }
}

/// Is what was collected so far to be sent now? Either the silence is long enough, or the whole is.
pub fn is_collecting_over(
    since_last_voice: Duration,
    since_start: Duration,
    collect: Duration,
    longest: Duration,
) -> bool {
    since_last_voice >= collect || since_start >= longest
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
    #[case::open_holds_everything((true, false), Some(1), None, true)]
    #[case::about_to_open_from_the_span_on((false, true), Some(10), None, true)]
    #[case::about_to_open_but_earlier((false, true), Some(9), None, false)]
    #[case::about_to_open_time_unknown((false, true), None, None, true)]
    #[case::closed_but_said_inside((false, false), Some(13), Some(15), true)]
    #[case::closed_and_ran_into_it((false, false), Some(8), Some(11), true)]
    #[case::closed_and_over_before((false, false), Some(8), Some(9), false)]
    #[case::closed_and_later((false, false), Some(14), Some(15), false)]
    #[case::closed_time_unknown((false, false), None, None, false)]
    fn judges_by_when_it_was_said(
        #[case] (is_open, is_about_to_open): (bool, bool),
        #[case] started: Option<u64>,
        #[case] ended: Option<u64>,
        #[case] expected: bool,
    ) {
        let (window, at) = window(is_open, is_about_to_open);

        assert_eq!(window.holds(started.map(&at), ended.map(&at)), expected);
    }
}
