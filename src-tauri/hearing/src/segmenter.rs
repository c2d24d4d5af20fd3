//! Where speech begins, pauses and ends.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use vocabulary::{FRAME_DURATION, FRAME_SAMPLES, Frame, energy_rms};

use crate::config::{HearingConfig, frames};

/// So many voiced frames in a row begin an utterance: a click is shorter. The pre-roll gives back what was missed.
const VOICED_TO_BEGIN: usize = 2;

/// The energy of an utterance is that of its last so many frames.
const ENERGY_FRAMES: usize = 10;

/// A frame this much louder than the quiet room, as a factor, still holds voice: soft endings such as an "s" lie well
/// above it, the room itself rarely reaches it.
const ROOM_REACHES: f32 = 2.0;
/// Loudness tells the end of a voice only where the voice was louder than the room by this factor, 18 dB; beside a
/// running television voice activity alone decides.
const CLEARLY_LOUDER: f32 = 8.0;
/// Share of a frame in the running mean of the room's loudness: it settles within a second.
const ROOM_FOLLOWS: f32 = 0.05;

/// What a frame meant for the utterance under way.
#[derive(Debug, Clone, PartialEq)]
pub enum SegmenterEvent {
    /// Speech began at this time, back-dated by the pre-roll.
    Began {
        /// When.
        at: Instant,
    },
    /// Silence has lasted for the hint: the user may be done.
    MayBeOver,
    /// Speech goes on after all.
    WentOn,
    /// The utterance is as long as it may get: it ends here and what follows is a new one.
    TooLong,
}

/// An utterance as sound.
#[derive(Clone, PartialEq)]
pub(crate) struct SpokenSound {
    pub samples: Vec<f32>,
    pub started_at: Instant,
    /// End of the last voiced frame.
    pub ended_at: Instant,
    pub energy_rms: f32,
}

/// Cuts the stream of frames into utterances. Keeps the silence inside them: recognisers need the pauses.
pub struct Segmenter {
    config: HearingConfig,
    /// The newest frames while nobody speaks.
    pre_roll: VecDeque<Frame>,
    voiced_in_a_row: usize,
    /// How loud the room is when nobody speaks, root mean square; zero until that was heard.
    room_rms: f32,
    under_way: Option<UnderWay>,
}

struct UnderWay {
    samples: Vec<f32>,
    started_at: Instant,
    ended_at: Instant,
    /// Samples up to the end of the last voiced frame.
    voiced_until: usize,
    voiced_frames: usize,
    silent_frames: usize,
    /// Its loudest frame, root mean square.
    loudest_rms: f32,
}

impl Segmenter {
    /// A segmenter that has heard nothing yet.
    pub fn new(config: HearingConfig) -> Self {
        Self { config, pre_roll: VecDeque::new(), voiced_in_a_row: 0, room_rms: 0.0, under_way: None }
    }

    /// Runs on new settings from the next frame on; an utterance under way goes on.
    pub fn configure(&mut self, config: HearingConfig) {
        self.config = config;
    }

    /// Takes the next frame. An utterance of `longest` ends there.
    pub fn push(&mut self, frame: &Frame, is_voiced: bool, longest: Duration) -> Option<SegmenterEvent> {
        if self.under_way.is_none() {
            return self.wait_for_speech(frame, is_voiced);
        }
        let hint = frames(self.config.hint).max(1);
        let speech = self.under_way.as_mut()?;
        let rms = energy_rms(&frame.samples);
        speech.loudest_rms = speech.loudest_rms.max(rms);
        // Voice activity lags 0.1 s behind the end of a voice; a frame as quiet as the room before tells at once.
        let is_room =
            speech.loudest_rms > self.room_rms * CLEARLY_LOUDER && rms < self.room_rms * ROOM_REACHES;
        let is_voiced = is_voiced && !is_room;
        speech.samples.extend_from_slice(&frame.samples);
        if is_voiced {
            let went_on = speech.silent_frames >= hint;
            speech.silent_frames = 0;
            speech.voiced_frames += 1;
            speech.voiced_until = speech.samples.len();
            speech.ended_at = frame.captured_at;
            if speech.samples.len() >= frames(longest) * FRAME_SAMPLES {
                return Some(SegmenterEvent::TooLong);
            }
            return went_on.then_some(SegmenterEvent::WentOn);
        }
        speech.silent_frames += 1;
        (speech.silent_frames == hint).then_some(SegmenterEvent::MayBeOver)
    }

    fn wait_for_speech(&mut self, frame: &Frame, is_voiced: bool) -> Option<SegmenterEvent> {
        self.pre_roll.push_back(frame.clone());
        if !is_voiced {
            self.room_rms += ROOM_FOLLOWS * (energy_rms(&frame.samples) - self.room_rms);
        }
        self.voiced_in_a_row = if is_voiced { self.voiced_in_a_row + 1 } else { 0 };
        if self.voiced_in_a_row < VOICED_TO_BEGIN {
            let kept = frames(self.config.pre_roll) + VOICED_TO_BEGIN - 1;
            while self.pre_roll.len() > kept {
                self.pre_roll.pop_front();
            }
            return None;
        }
        let first = self.pre_roll.front().map_or(frame.captured_at, |first| first.captured_at);
        let started_at = first.checked_sub(FRAME_DURATION).unwrap_or(first);
        let samples: Vec<f32> = self.pre_roll.drain(..).flat_map(|frame| frame.samples).collect();
        self.under_way = Some(UnderWay {
            started_at,
            ended_at: frame.captured_at,
            voiced_until: samples.len(),
            samples,
            voiced_frames: self.voiced_in_a_row,
            silent_frames: 0,
            loudest_rms: energy_rms(&frame.samples),
        });
        self.voiced_in_a_row = 0;
        Some(SegmenterEvent::Began { at: started_at })
    }

    /// How long the utterance under way has been silent, in frames; `None` when nobody speaks.
    pub(crate) fn silent_frames(&self) -> Option<usize> {
        self.under_way.as_ref().map(|speech| speech.silent_frames)
    }

    /// Its sound so far.
    pub(crate) fn samples(&self) -> &[f32] {
        self.under_way.as_ref().map_or(&[], |speech| &speech.samples)
    }

    /// Was there more voice in it than a click or a cough has?
    pub(crate) fn is_long_enough(&self) -> bool {
        self.under_way.as_ref().is_some_and(|speech| {
            speech.voiced_frames >= frames(self.config.min_utterance).max(VOICED_TO_BEGIN)
        })
    }

    /// Ends the utterance under way and hands out its sound.
    pub(crate) fn end(&mut self) -> Option<SpokenSound> {
        let speech = self.under_way.take()?;
        let tail = speech.voiced_until.saturating_sub(ENERGY_FRAMES * FRAME_SAMPLES);
        Some(SpokenSound {
            energy_rms: energy_rms(&speech.samples[tail..speech.voiced_until]),
            samples: speech.samples,
            started_at: speech.started_at,
            ended_at: speech.ended_at,
        })
    }

    /// Forgets everything: the stream of sound is a new one.
    pub fn reset(&mut self) {
        self.pre_roll.clear();
        self.voiced_in_a_row = 0;
        self.room_rms = 0.0;
        self.under_way = None;
    }
}

#[cfg(test)]
mod tests {
    use settings::{HearingSettings, ListeningSettings};

    use super::*;

    const LONG: Duration = Duration::from_secs(12);

    /// One character a frame: `v` is voiced, `.` is not.
    fn feed_until(
        segmenter: &mut Segmenter,
        pattern: &str,
        from: Instant,
        longest: Duration,
    ) -> Vec<(usize, SegmenterEvent)> {
        pattern
            .chars()
            .enumerate()
            .filter_map(|(i, c)| {
                let captured_at = from + FRAME_DURATION * (i as u32 + 1);
                let frame = Frame { samples: [if c == 'v' { 0.5 } else { 0.0 }; FRAME_SAMPLES], captured_at };
                segmenter.push(&frame, c == 'v', longest).map(|event| (i, event))
            })
            .collect()
    }

    fn feed(segmenter: &mut Segmenter, pattern: &str, from: Instant) -> Vec<(usize, SegmenterEvent)> {
        feed_until(segmenter, pattern, from, LONG)
    }

    fn segmenter(change: impl FnOnce(&mut HearingConfig)) -> Segmenter {
        let mut config =
            HearingConfig::new(&HearingSettings::default(), &ListeningSettings::default()).unwrap();
        change(&mut config);
        Segmenter::new(config)
    }

    #[test]
    fn speech_begins_with_the_pre_roll_and_keeps_its_pauses() {
        let mut segmenter = segmenter(|_| {});
        let from = Instant::now();

        let events = feed(&mut segmenter, &format!("{}vvv..vv", ".".repeat(50)), from);
        let sound = segmenter.end().unwrap();

        // 12 frames of pre-roll before the two that began it.
        let began = SegmenterEvent::Began { at: from + FRAME_DURATION * 38 };
        assert_eq!(events, [(51, began)]);
        assert_eq!(sound.samples.len(), (12 + 7) * FRAME_SAMPLES);
        assert_eq!(sound.ended_at, from + FRAME_DURATION * 57);
    }

    #[test]
    fn a_single_voiced_frame_is_a_click() {
        assert_eq!(feed(&mut segmenter(|_| {}), "..v..v...", Instant::now()), []);
    }

    #[test]
    fn a_voice_ends_when_the_room_is_quiet_again() {
        let mut segmenter = segmenter(|config| config.hint = Duration::from_millis(60));
        let frame = |level| Frame { samples: [level; FRAME_SAMPLES], captured_at: Instant::now() };
        for _ in 0..100 {
            segmenter.push(&frame(0.01), false, LONG);
        }
        segmenter.push(&frame(0.5), true, LONG);
        segmenter.push(&frame(0.5), true, LONG);

        // Voice activity says "voiced" for a while longer: a soft ending is, the quiet room is not.
        assert_eq!(segmenter.push(&frame(0.03), true, LONG), None);
        assert_eq!(segmenter.silent_frames(), Some(0));
        let after: Vec<_> = (0..3).map(|_| segmenter.push(&frame(0.01), true, LONG)).collect();

        assert_eq!(after, [None, None, Some(SegmenterEvent::MayBeOver)]);
    }

    #[test]
    fn beside_a_loud_room_voice_activity_alone_decides() {
        let mut segmenter = segmenter(|config| config.hint = Duration::from_millis(60));
        let frame = |level| Frame { samples: [level; FRAME_SAMPLES], captured_at: Instant::now() };
        for _ in 0..100 {
            segmenter.push(&frame(0.1), false, LONG);
        }
        segmenter.push(&frame(0.3), true, LONG);
        segmenter.push(&frame(0.3), true, LONG);

        for _ in 0..10 {
            assert_eq!(segmenter.push(&frame(0.15), true, LONG), None);
        }
        assert_eq!(segmenter.silent_frames(), Some(0));
    }

    #[test]
    fn silence_hints_at_the_end_and_speech_takes_it_back() {
        let mut segmenter = segmenter(|config| config.hint = Duration::from_millis(60));

        let events = feed(&mut segmenter, "vv...v....", Instant::now());

        let kinds: Vec<_> = events.into_iter().skip(1).collect();
        assert_eq!(
            kinds,
            [(4, SegmenterEvent::MayBeOver), (5, SegmenterEvent::WentOn), (8, SegmenterEvent::MayBeOver)]
        );
    }

    #[test]
    fn the_longest_utterance_counts_its_pauses_too() {
        let longest = Duration::from_millis(200);

        let events = feed_until(&mut segmenter(|_| {}), "vv......vv", Instant::now(), longest);

        assert_eq!(events.last(), Some(&(9, SegmenterEvent::TooLong)));
    }
}
