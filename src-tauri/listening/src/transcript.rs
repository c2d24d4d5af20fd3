//! The transcript: everything that was said in the last minutes, by any person or by us.
//!
//! Source: docs/behaviour/listening.md#transcript.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// An utterance as it stands in the transcript.
#[derive(Clone, PartialEq)]
pub struct Segment {
    /// Its words, trimmed, never empty.
    pub text: String,
    /// When it started.
    pub started_at: Instant,
    /// When it ended.
    pub ended_at: Instant,
    /// We were speaking, or our echo could still be heard, when it started.
    pub may_contain_echo: bool,
    /// It was answered.
    pub is_processed: bool,
}

/// The newest segments, oldest first.
pub struct Transcript {
    max_age: Duration,
    segments: VecDeque<Segment>,
}

/// The time before and after a moment that [`Transcript::around`] searches.
const MAX_BEFORE: Duration = Duration::from_secs(5);
const MAX_AFTER: Duration = Duration::from_secs(2);

impl Transcript {
    /// An empty transcript that keeps a segment for `max_age` after its end.
    pub fn new(max_age: Duration) -> Self {
        Self { max_age, segments: VecDeque::new() }
    }

    /// Keeps segments for `max_age` from the next one on.
    pub(crate) fn set_max_age(&mut self, max_age: Duration) {
        self.max_age = max_age;
    }

    /// Adds a segment and removes those that are too old. Blank text is ignored.
    pub fn add(
        &mut self,
        text: &str,
        started_at: Instant,
        ended_at: Instant,
        may_contain_echo: bool,
        now: Instant,
    ) {
        let text = text.trim();
        if !text.is_empty() {
            let text = text.to_owned();
            self.segments.push_back(Segment {
                text,
                started_at,
                ended_at,
                may_contain_echo,
                is_processed: false,
            });
        }
        self.prune(now);
    }

    /// Removes the segments that are too old. Returns their number.
    pub fn prune(&mut self, now: Instant) -> usize {
        let before = self.segments.len();
        self.segments.retain(|segment| now.saturating_duration_since(segment.ended_at) <= self.max_age);
        before - self.segments.len()
    }

    /// All segments, oldest first.
    pub fn all(&self) -> impl DoubleEndedIterator<Item = &Segment> {
        self.segments.iter()
    }

    /// Segments that started at `at` or later.
    pub fn since(&self, at: Instant) -> impl Iterator<Item = &Segment> {
        self.all().filter(move |segment| segment.started_at >= at)
    }

    /// Segments that started before `at`.
    pub fn before(&self, at: Instant) -> impl Iterator<Item = &Segment> {
        self.all().filter(move |segment| segment.started_at < at)
    }

    /// Segments that started from 5 s before to 2 s after `at`.
    pub fn around(&self, at: Instant) -> impl Iterator<Item = &Segment> {
        let is_near = move |segment: &&Segment| {
            at.saturating_duration_since(segment.started_at) <= MAX_BEFORE
                && segment.started_at.saturating_duration_since(at) <= MAX_AFTER
        };
        self.all().filter(is_near)
    }

    /// The newest `count` segments, oldest first.
    pub fn last(&self, count: usize) -> impl Iterator<Item = &Segment> {
        self.segments.iter().skip(self.segments.len().saturating_sub(count))
    }

    /// Replaces the text of the last segment with the words of the user, without our echo. Returns whether there was one.
    pub fn replace_last(&mut self, text: &str) -> bool {
        match self.segments.back_mut() {
            Some(last) if !text.trim().is_empty() => {
                last.text = text.trim().to_owned();
                last.may_contain_echo = false;
                true
            }
            _ => false,
        }
    }

    /// Marks the last segment as free of echo. Returns whether there was one.
    pub fn clear_during_speech(&mut self) -> bool {
        self.segments.back_mut().map(|last| last.may_contain_echo = false).is_some()
    }

    /// Marks the newest unprocessed segment with this text as answered. Returns whether there was one.
    pub fn mark_processed(&mut self, text: &str) -> bool {
        let text = text.trim().to_lowercase();
        let newest =
            self.segments.iter_mut().rev().find(|s| !s.is_processed && s.text.to_lowercase() == text);
        newest.map(|segment| segment.is_processed = true).is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts<'t>(segments: impl Iterator<Item = &'t Segment>) -> Vec<&'t str> {
        segments.map(|segment| segment.text.as_str()).collect()
    }

    #[test]
    fn segments_that_ended_too_long_ago_are_removed() {
        let mut transcript = Transcript::new(Duration::from_secs(120));
        let t0 = Instant::now();
        let secs = |s| t0 + Duration::from_secs(s);

        transcript.add(" first ", t0, secs(1), false, secs(1));
        transcript.add("   ", secs(2), secs(3), false, secs(3));
        transcript.add("second", secs(100), secs(121), false, secs(121));

        assert_eq!(texts(transcript.all()), ["first", "second"]);
        assert_eq!(transcript.prune(secs(122)), 1);
        assert_eq!(texts(transcript.last(5)), ["second"]);
        assert_eq!(texts(transcript.last(0)), Vec::<&str>::new());
    }

    #[test]
    fn newest_segment_with_the_same_text_is_marked() {
        let mut transcript = Transcript::new(Duration::from_secs(120));
        let t0 = Instant::now();
        transcript.add("Stop", t0, t0, false, t0);
        transcript.add("stop", t0, t0, false, t0);

        assert!(transcript.mark_processed("STOP "));

        let marks: Vec<bool> = transcript.all().map(|segment| segment.is_processed).collect();
        assert_eq!(marks, [false, true]);
    }
}
