//! Divides the stream of frames into utterances.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use vocabulary::{FRAME_DURATION, FRAME_SAMPLES, Frame, energy_rms};

use crate::config::{HearingConfig, frames};
use crate::echo_share::EchoShare;

/// Consecutive voiced frames that start an utterance: a click is shorter. The pre-roll contains the start of the speech.
const VOICED_FRAMES_TO_START: usize = 2;

/// The last frames of an utterance that its energy is measured on.
const ENERGY_FRAMES: usize = 10;

/// A quieter frame, relative to the background, contains no voice: soft endings such as an "s" are well above this
/// factor, and the background rarely reaches it.
const MAX_BACKGROUND_FACTOR: f32 = 2.0;
/// Loudness decides about the end of speech only when the voice was louder than the background by this factor, 18 dB.
/// When a television is on, voice activity detection alone decides.
const MIN_VOICE_FACTOR: f32 = 8.0;
/// The weight of a frame in the running mean of the background: the mean settles within a second.
const BACKGROUND_SMOOTHING: f32 = 0.05;

/// The way a frame changed the current utterance.
#[derive(Debug, Clone, PartialEq)]
pub enum SegmenterEvent {
    /// An utterance started.
    SpeechStarted {
        /// When its first voiced frame began, less the pre-roll.
        at: Instant,
    },
    /// The silence has lasted for [`SpeechLimits::pause`]: the utterance may be over.
    PauseStarted,
    /// The user speaks again after a [`SegmenterEvent::PauseStarted`].
    SpeechResumed,
    /// The utterance reached its maximum length: it ends here, and a new one follows.
    MaxLengthReached,
}

/// The audio of an utterance.
#[derive(Clone, PartialEq)]
pub(crate) struct UtteranceAudio {
    pub samples: Vec<f32>,
    pub started_at: Instant,
    /// End of the last voiced frame.
    pub ended_at: Instant,
    /// End of the last frame, after the closing silence.
    pub captured_until: Instant,
    pub energy_rms: f32,
    pub echo: EchoShare,
}

/// The limits of the length of speech and its pauses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SpeechLimits {
    /// Silence that counts as a pause.
    pub pause: Duration,
    /// The longest utterance.
    pub max_length: Duration,
}

/// Divides the stream of frames into utterances. Keeps the silence inside them: recognisers need the pauses.
pub struct Segmenter {
    config: HearingConfig,
    /// The newest frames without speech, also those at the end of an utterance: speech that follows at once begins in them.
    pre_roll: VecDeque<Frame>,
    voiced_in_a_row: usize,
    /// Mean loudness of the frames without speech, root mean square; zero before the first one.
    background_rms: f32,
    current: Option<CurrentSpeech>,
}

struct CurrentSpeech {
    samples: Vec<f32>,
    started_at: Instant,
    ended_at: Instant,
    captured_until: Instant,
    /// Samples up to the end of the last voiced frame.
    voiced_until: usize,
    voiced_frames: usize,
    silent_frames: usize,
    /// The current silence was reported as a pause.
    is_paused: bool,
    /// The root mean square of the loudest frame.
    loudest_rms: f32,
    echo: EchoShare,
}

impl Segmenter {
    /// A segmenter without a current utterance.
    pub fn new(config: HearingConfig) -> Self {
        Self { config, pre_roll: VecDeque::new(), voiced_in_a_row: 0, background_rms: 0.0, current: None }
    }

    /// Uses new settings from the next frame on; the current utterance continues.
    pub fn configure(&mut self, config: HearingConfig) {
        self.config = config;
    }

    /// Adds the next frame. `limits` may change from frame to frame.
    pub fn push(&mut self, frame: &Frame, is_voiced: bool, limits: SpeechLimits) -> Option<SegmenterEvent> {
        if self.current.is_none() {
            return self.wait_for_speech(frame, is_voiced);
        }
        let speech = self.current.as_mut()?;
        let rms = energy_rms(&frame.samples);
        speech.loudest_rms = speech.loudest_rms.max(rms);
        // Voice activity detection reports the end of speech 0.1 s late; the loudness shows it at once.
        let is_background = speech.loudest_rms > self.background_rms * MIN_VOICE_FACTOR
            && rms < self.background_rms * MAX_BACKGROUND_FACTOR;
        let is_voiced = is_voiced && !is_background;
        speech.samples.extend_from_slice(&frame.samples);
        speech.captured_until = frame.captured_at;
        if is_voiced {
            self.pre_roll.clear();
            speech.echo.add(frame);
            let has_resumed = std::mem::take(&mut speech.is_paused);
            speech.silent_frames = 0;
            speech.voiced_frames += 1;
            speech.voiced_until = speech.samples.len();
            speech.ended_at = frame.captured_at;
            if speech.samples.len() >= frames(limits.max_length) * FRAME_SAMPLES {
                return Some(SegmenterEvent::MaxLengthReached);
            }
            return has_resumed.then_some(SegmenterEvent::SpeechResumed);
        }
        speech.silent_frames += 1;
        let starts_pause = !speech.is_paused && speech.silent_frames >= frames(limits.pause).max(1);
        speech.is_paused |= starts_pause;
        self.keep_before_speech(frame);
        starts_pause.then_some(SegmenterEvent::PauseStarted)
    }

    fn keep_before_speech(&mut self, frame: &Frame) {
        self.pre_roll.push_back(frame.clone());
        let max_frames = frames(self.config.pre_roll) + VOICED_FRAMES_TO_START - 1;
        while self.pre_roll.len() > max_frames {
            self.pre_roll.pop_front();
        }
    }

    fn wait_for_speech(&mut self, frame: &Frame, is_voiced: bool) -> Option<SegmenterEvent> {
        if !is_voiced {
            self.background_rms += BACKGROUND_SMOOTHING * (energy_rms(&frame.samples) - self.background_rms);
        }
        self.voiced_in_a_row = if is_voiced { self.voiced_in_a_row + 1 } else { 0 };
        if self.voiced_in_a_row < VOICED_FRAMES_TO_START {
            self.keep_before_speech(frame);
            return None;
        }
        self.pre_roll.push_back(frame.clone());
        let mut echo = EchoShare::default();
        self.pre_roll.iter().rev().take(self.voiced_in_a_row).for_each(|frame| echo.add(frame));
        let first = self.pre_roll.front().map_or(frame.captured_at, |first| first.captured_at);
        let started_at = first.checked_sub(FRAME_DURATION).unwrap_or(first);
        let samples: Vec<f32> = self.pre_roll.drain(..).flat_map(|frame| frame.samples).collect();
        self.current = Some(CurrentSpeech {
            started_at,
            ended_at: frame.captured_at,
            captured_until: frame.captured_at,
            voiced_until: samples.len(),
            samples,
            voiced_frames: self.voiced_in_a_row,
            silent_frames: 0,
            is_paused: false,
            loudest_rms: energy_rms(&frame.samples),
            echo,
        });
        self.voiced_in_a_row = 0;
        Some(SegmenterEvent::SpeechStarted { at: started_at })
    }

    /// Consecutive silent frames at the end of the current utterance; `None` without one.
    pub(crate) fn silent_frames(&self) -> Option<usize> {
        self.current.as_ref().map(|speech| speech.silent_frames)
    }

    /// The voiced part of the current utterance.
    pub(crate) fn voiced(&self) -> Duration {
        self.current.as_ref().map_or(Duration::ZERO, |speech| FRAME_DURATION * speech.voiced_frames as u32)
    }

    /// The samples of the current utterance.
    pub(crate) fn samples(&self) -> &[f32] {
        self.current.as_ref().map_or(&[], |speech| &speech.samples)
    }

    /// Returns `true` if the current utterance is voiced for this time, and for more than a click.
    pub(crate) fn is_voiced_for(&self, least: Duration) -> bool {
        let min_frames = frames(least).max(VOICED_FRAMES_TO_START);
        self.current.as_ref().is_some_and(|speech| speech.voiced_frames >= min_frames)
    }

    /// Ends the current utterance and returns its audio.
    pub(crate) fn end(&mut self) -> Option<UtteranceAudio> {
        let speech = self.current.take()?;
        let tail = speech.voiced_until.saturating_sub(ENERGY_FRAMES * FRAME_SAMPLES);
        Some(UtteranceAudio {
            energy_rms: energy_rms(&speech.samples[tail..speech.voiced_until]),
            samples: speech.samples,
            started_at: speech.started_at,
            ended_at: speech.ended_at,
            captured_until: speech.captured_until,
            echo: speech.echo,
        })
    }

    /// Forgets the sound before the next utterance: it belongs to what the user discarded.
    pub(crate) fn forget_pre_roll(&mut self) {
        self.pre_roll.clear();
    }

    /// The start of the current utterance, or `None` without one.
    pub(crate) fn started_at(&self) -> Option<Instant> {
        self.current.as_ref().map(|speech| speech.started_at)
    }

    /// Puts sound before the current utterance, which then starts where that sound does. What both contain is kept once.
    pub(crate) fn prepend(&mut self, mut before: UtteranceAudio) {
        let Some(speech) = &mut self.current else { return };
        let in_both = before.captured_until.saturating_duration_since(speech.started_at);
        before.samples.truncate(before.samples.len().saturating_sub(frames(in_both) * FRAME_SAMPLES));
        speech.voiced_until += before.samples.len();
        speech.started_at = before.started_at;
        speech.echo.join(before.echo);
        speech.samples.splice(0..0, before.samples);
    }

    /// Discards all state, for a new stream of frames.
    pub fn reset(&mut self) {
        self.pre_roll.clear();
        self.voiced_in_a_row = 0;
        self.background_rms = 0.0;
        self.current = None;
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use settings::{HearingSettings, ListeningSettings};

    use super::*;

    const LIMITS: SpeechLimits =
        SpeechLimits { pause: Duration::from_millis(60), max_length: Duration::from_secs(12) };

    /// One character is one frame: `v` is voiced, `.` is not.
    fn feed_until(
        segmenter: &mut Segmenter,
        pattern: &str,
        from: Instant,
        limits: SpeechLimits,
    ) -> Vec<(usize, SegmenterEvent)> {
        pattern
            .chars()
            .enumerate()
            .filter_map(|(i, c)| {
                let captured_at = from + FRAME_DURATION * (i as u32 + 1);
                let frame = Frame::new([if c == 'v' { 0.5 } else { 0.0 }; FRAME_SAMPLES], captured_at);
                segmenter.push(&frame, c == 'v', limits).map(|event| (i, event))
            })
            .collect()
    }

    fn feed(segmenter: &mut Segmenter, pattern: &str, from: Instant) -> Vec<(usize, SegmenterEvent)> {
        feed_until(segmenter, pattern, from, LIMITS)
    }

    fn segmenter() -> Segmenter {
        Segmenter::new(
            HearingConfig::new(&HearingSettings::default(), &ListeningSettings::default()).unwrap(),
        )
    }

    #[test]
    fn utterance_contains_the_pre_roll_and_its_pauses() {
        let mut segmenter = segmenter();
        let from = Instant::now();

        let events = feed(&mut segmenter, &format!("{}vvv..vv", ".".repeat(50)), from);
        let sound = segmenter.end().unwrap();

        // 12 frames of pre-roll before the two that started it.
        let began = SegmenterEvent::SpeechStarted { at: from + FRAME_DURATION * 38 };
        assert_eq!(events, [(51, began)]);
        assert_eq!(sound.samples.len(), (12 + 7) * FRAME_SAMPLES);
        assert_eq!(sound.ended_at, from + FRAME_DURATION * 57);
    }

    #[rstest]
    #[case::click("vv......", 0, true)]
    #[case::click_for_the_time_of_a_word("vv......", 75, false)]
    #[case::cough("v.vv....", 75, false)]
    #[case::word_with_a_closed_mouth("vv..vv..", 75, true)]
    #[case::seven_frames("vvvvvvv.", 150, false)]
    #[case::eight_frames("vvvvvvvv", 150, true)]
    fn only_voiced_frames_count(#[case] sound: &str, #[case] least_ms: u64, #[case] expected: bool) {
        let mut segmenter = segmenter();

        feed(&mut segmenter, sound, Instant::now());

        assert_eq!(segmenter.is_voiced_for(Duration::from_millis(least_ms)), expected);
    }

    /// The second utterance has its whole pre-roll, however soon it follows.
    #[rstest]
    #[case::at_once("..............", "vv", 14)]
    #[case::after_a_tenth_of_a_second("..............", ".....vv", 14)]
    #[case::after_a_second("..............", "..................................................vv", 14)]
    #[case::after_a_short_closing_silence("...", "..vv", 7)]
    #[case::cut_off_at_the_longest_length("", "vv", 2)]
    fn utterance_that_follows_soon_keeps_its_first_sound(
        #[case] closing: &str,
        #[case] next: &str,
        #[case] expected_frames: usize,
    ) {
        let (mut segmenter, from) = (segmenter(), Instant::now());
        let first = format!("{}vvvv{closing}", ".".repeat(20));
        feed(&mut segmenter, &first, from);
        let first_until = segmenter.end().unwrap().ended_at;

        feed(&mut segmenter, next, from + FRAME_DURATION * first.len() as u32);

        let second = segmenter.end().unwrap();
        assert_eq!(second.samples.len(), expected_frames * FRAME_SAMPLES);
        assert!(second.started_at >= first_until, "it contains words of the first one");
    }

    #[test]
    fn discarded_sound_is_not_before_the_next_utterance() {
        let mut segmenter = segmenter();
        feed(&mut segmenter, "vvvv......", Instant::now());
        segmenter.end().unwrap();

        segmenter.forget_pre_roll();
        feed(&mut segmenter, ".vv", Instant::now());

        assert_eq!(segmenter.end().unwrap().samples.len(), 3 * FRAME_SAMPLES);
    }

    #[test]
    fn silence_between_two_joined_utterances_is_kept_once() {
        let (mut segmenter, from) = (segmenter(), Instant::now());
        let first = format!("{}vvvv{}", ".".repeat(20), ".".repeat(15));
        feed(&mut segmenter, &first, from);
        let before = segmenter.end().unwrap();
        feed(&mut segmenter, "...vv", from + FRAME_DURATION * first.len() as u32);

        segmenter.prepend(before);

        // 12 frames of pre-roll, the two utterances and the 18 frames between them.
        assert_eq!(segmenter.end().unwrap().samples.len(), (12 + 4 + 18 + 2) * FRAME_SAMPLES);
    }

    #[test]
    fn single_voiced_frame_starts_no_utterance() {
        assert_eq!(feed(&mut segmenter(), "..v..v...", Instant::now()), []);
    }

    #[test]
    fn speech_ends_when_the_frames_are_as_quiet_as_before() {
        let mut segmenter = segmenter();
        let frame = |level| Frame::new([level; FRAME_SAMPLES], Instant::now());
        for _ in 0..100 {
            segmenter.push(&frame(0.01), false, LIMITS);
        }
        segmenter.push(&frame(0.5), true, LIMITS);
        segmenter.push(&frame(0.5), true, LIMITS);

        // Every frame is reported as voiced: the soft ending counts as speech, the quiet background does not.
        assert_eq!(segmenter.push(&frame(0.03), true, LIMITS), None);
        assert_eq!(segmenter.silent_frames(), Some(0));
        let after: Vec<_> = (0..3).map(|_| segmenter.push(&frame(0.01), true, LIMITS)).collect();

        assert_eq!(after, [None, None, Some(SegmenterEvent::PauseStarted)]);
    }

    #[test]
    fn loud_background_leaves_the_end_to_voice_activity() {
        let mut segmenter = segmenter();
        let frame = |level| Frame::new([level; FRAME_SAMPLES], Instant::now());
        for _ in 0..100 {
            segmenter.push(&frame(0.1), false, LIMITS);
        }
        segmenter.push(&frame(0.3), true, LIMITS);
        segmenter.push(&frame(0.3), true, LIMITS);

        for _ in 0..10 {
            assert_eq!(segmenter.push(&frame(0.15), true, LIMITS), None);
        }
        assert_eq!(segmenter.silent_frames(), Some(0));
    }

    #[test]
    fn pause_is_reported_and_later_speech_resumes() {
        let mut segmenter = segmenter();

        let events = feed(&mut segmenter, "vv...v....", Instant::now());

        let kinds: Vec<_> = events.into_iter().skip(1).collect();
        assert_eq!(
            kinds,
            [
                (4, SegmenterEvent::PauseStarted),
                (5, SegmenterEvent::SpeechResumed),
                (8, SegmenterEvent::PauseStarted)
            ]
        );
    }

    #[test]
    fn maximum_length_of_an_utterance_includes_pauses() {
        let limits = SpeechLimits { max_length: Duration::from_millis(200), ..LIMITS };

        let events = feed_until(&mut segmenter(), "vv......vv", Instant::now(), limits);

        assert_eq!(events.last(), Some(&(9, SegmenterEvent::MaxLengthReached)));
    }

    #[test]
    fn shorter_limit_during_a_silence_reports_its_pause() {
        let mut segmenter = segmenter();
        let long = SpeechLimits { pause: Duration::from_millis(200), ..LIMITS };
        feed_until(&mut segmenter, "vv.....", Instant::now(), long);

        let events = feed(&mut segmenter, "..", Instant::now());

        assert_eq!(events, [(0, SegmenterEvent::PauseStarted)]);
    }
}
