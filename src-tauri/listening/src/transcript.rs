//! The rolling minutes of what was said in the room, whoever spoke.
//!
//! Source: behaviour reference, section 1.3.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// An utterance as it stands in the transcript.
#[derive(Clone, PartialEq)]
pub struct Segment {
    /// Its words, trimmed, never empty.
    pub text: String,
    /// When it began.
    pub started_at: Instant,
    /// When it ended.
    pub ended_at: Instant,
    /// It may hold our own voice.
    pub during_speech: bool,
    /// It was answered already.
    pub is_processed: bool,
}

/// Segments of the newest time, oldest first.
pub struct Transcript {
    kept_for: Duration,
    segments: VecDeque<Segment>,
}

/// How long before and after a moment [`Transcript::around`] looks.
const AROUND_BEFORE: Duration = Duration::from_secs(5);
const AROUND_AFTER: Duration = Duration::from_secs(2);

impl Transcript {
    /// A transcript that keeps segments until so long after their end.
    pub fn new(kept_for: Duration) -> Self {
        Self { kept_for, segments: VecDeque::new() }
    }

    /// Adds what was said, and lets go of what is too old. Blank text is not kept.
    pub fn add(
        &mut self,
        text: &str,
        started_at: Instant,
        ended_at: Instant,
        during_speech: bool,
        now: Instant,
    ) {
        let text = text.trim();
        if !text.is_empty() {
            let text = text.to_owned();
            self.segments.push_back(Segment {
                text,
                started_at,
                ended_at,
                during_speech,
                is_processed: false,
            });
        }
        self.prune(now);
    }

    /// Lets go of segments that ended too long ago; says how many.
    pub fn prune(&mut self, now: Instant) -> usize {
        let before = self.segments.len();
        self.segments.retain(|segment| now.saturating_duration_since(segment.ended_at) <= self.kept_for);
        before - self.segments.len()
    }

    /// All segments.
    pub fn all(&self) -> impl DoubleEndedIterator<Item = &Segment> {
        self.segments.iter()
    }

    /// Segments that began at `at` or later.
    pub fn since(&self, at: Instant) -> impl Iterator<Item = &Segment> {
        self.all().filter(move |segment| segment.started_at >= at)
    }

    /// Segments that began before `at`.
    pub fn before(&self, at: Instant) -> impl Iterator<Item = &Segment> {
        self.all().filter(move |segment| segment.started_at < at)
    }

    /// Segments that began from 5 s before to 2 s after `at`.
    pub fn around(&self, at: Instant) -> impl Iterator<Item = &Segment> {
        let is_near = move |segment: &&Segment| {
            at.saturating_duration_since(segment.started_at) <= AROUND_BEFORE
                && segment.started_at.saturating_duration_since(at) <= AROUND_AFTER
        };
        self.all().filter(is_near)
    }

    /// The newest `count` segments, oldest first.
    pub fn last(&self, count: usize) -> impl Iterator<Item = &Segment> {
        self.segments.iter().skip(self.segments.len().saturating_sub(count))
    }

    /// Puts the user's own words in place of the last segment's, once our echo is cut from it. Says whether there was one.
    pub fn replace_last(&mut self, text: &str) -> bool {
        match self.segments.back_mut() {
            Some(last) if !text.trim().is_empty() => {
                last.text = text.trim().to_owned();
                last.during_speech = false;
                true
            }
            _ => false,
        }
    }

    /// The last segment is the user's own after all. Says whether there was one.
    pub fn clear_during_speech(&mut self) -> bool {
        self.segments.back_mut().map(|last| last.during_speech = false).is_some()
    }

    /// The newest unprocessed segment of these words was answered. Says whether there was one.
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
    fn lets_go_of_what_ended_too_long_ago() {
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
    fn the_newest_segment_of_the_same_words_is_marked() {
        let mut transcript = Transcript::new(Duration::from_secs(120));
        let t0 = Instant::now();
        transcript.add("Stop", t0, t0, false, t0);
        transcript.add("stop", t0, t0, false, t0);

        assert!(transcript.mark_processed("STOP "));

        let marks: Vec<bool> = transcript.all().map(|segment| segment.is_processed).collect();
        assert_eq!(marks, [false, true]);
    }
}
