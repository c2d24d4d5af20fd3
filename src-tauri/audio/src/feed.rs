//! What the sound system's callback drains: the sounds that were queued, one after the other, then silence.
//!
//! Everything that runs in the callback is in [`Feed`]: it takes no lock, allocates nothing and logs nothing. Sounds
//! come in through one lock-free ring and go out through another, since freeing them is not for the callback either.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use rodio::{ChannelCount, SampleRate, Source};
use rtrb::{Consumer, Producer, RingBuffer};

/// Sounds in the callback's ring; the speaker thread keeps the rest.
const SOUNDS: usize = 16;
/// Two marks for each sound that can be under way, with room to spare for a late speaker thread.
const MARKS: usize = 4 * SOUNDS;
/// A voice cut off at once clicks; faded over so long it does not.
const FADE_OUT: Duration = Duration::from_millis(5);

/// What a playback can change while the callback runs.
#[derive(Debug)]
pub(crate) struct Controls {
    /// Counts how often we fell silent; sounds of an older generation are not played any more.
    generation: AtomicU64,
    volume_bits: AtomicU32,
}

impl Default for Controls {
    fn default() -> Self {
        Self { generation: AtomicU64::new(0), volume_bits: AtomicU32::new(1.0_f32.to_bits()) }
    }
}

impl Controls {
    pub(crate) fn generation(&self) -> u64 {
        self.generation.load(Ordering::Relaxed)
    }

    pub(crate) fn fall_silent(&self) {
        self.generation.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn set_volume(&self, volume: f32) {
        let volume = if volume.is_finite() { volume.clamp(0.0, 1.0) } else { 1.0 };
        self.volume_bits.store(volume.to_bits(), Ordering::Relaxed);
    }

    fn volume(&self) -> f32 {
        f32::from_bits(self.volume_bits.load(Ordering::Relaxed))
    }
}

/// Mono samples at the device's rate.
pub(crate) struct Sound {
    pub(crate) id: u64,
    generation: u64,
    samples: Vec<f32>,
    position: usize,
}

impl Sound {
    pub(crate) fn new(id: u64, generation: u64, samples: Vec<f32>) -> Self {
        Self { id, generation, samples, position: 0 }
    }
}

/// What the callback did, with the sounds it is done with.
pub(crate) enum Mark {
    Started { id: u64, at: Instant },
    Played { sound: Sound, at: Instant },
    Silenced { sound: Sound, at: Instant },
}

/// The speaker thread's end.
pub(crate) struct FeedEnd {
    sounds: Producer<Sound>,
    marks: Consumer<Mark>,
    samples_out: Arc<AtomicU64>,
}

impl FeedEnd {
    /// Queues a sound, or gives it back when there is no room yet.
    pub(crate) fn push(&mut self, sound: Sound) -> Result<(), Sound> {
        self.sounds.push(sound).map_err(|rtrb::PushError::Full(sound)| sound)
    }

    pub(crate) fn next_mark(&mut self) -> Option<Mark> {
        self.marks.pop().ok()
    }

    /// Grows while the callback runs.
    pub(crate) fn samples_out(&self) -> u64 {
        self.samples_out.load(Ordering::Relaxed)
    }
}

/// The callback's end. Never ends: with nothing queued it is silent.
pub(crate) struct Feed {
    channels: ChannelCount,
    rate: SampleRate,
    /// Which channel is next; all of them get the same sample.
    channel: u16,
    sample: f32,
    controls: Arc<Controls>,
    sounds: Consumer<Sound>,
    marks: Producer<Mark>,
    samples_out: Arc<AtomicU64>,
    playing: Option<Sound>,
    /// Samples left of the fade, once we are falling silent.
    fade_left: Option<u32>,
    fade_samples: u32,
}

impl Feed {
    pub(crate) fn new(channels: ChannelCount, rate: SampleRate, controls: Arc<Controls>) -> (Self, FeedEnd) {
        let (sounds_in, sounds) = RingBuffer::new(SOUNDS);
        let (marks, marks_out) = RingBuffer::new(MARKS);
        let samples_out = Arc::new(AtomicU64::new(0));
        let fade_samples = (FADE_OUT.as_secs_f64() * f64::from(rate.get())) as u32;
        let feed = Self {
            channels,
            rate,
            channel: 0,
            sample: 0.0,
            controls,
            sounds,
            marks,
            samples_out: samples_out.clone(),
            playing: None,
            fade_left: None,
            fade_samples: fade_samples.max(1),
        };
        (feed, FeedEnd { sounds: sounds_in, marks: marks_out, samples_out })
    }

    /// The next sample of the mono mix.
    fn advance(&mut self) -> f32 {
        self.samples_out.fetch_add(1, Ordering::Relaxed);
        let generation = self.controls.generation();
        if self.playing.is_none() && !self.begin_next(generation) {
            return 0.0;
        }
        let Some(sound) = &mut self.playing else { return 0.0 };
        if sound.generation < generation && self.fade_left.is_none() {
            self.fade_left = Some(self.fade_samples);
        }
        let sample = sound.samples.get(sound.position).copied().unwrap_or(0.0);
        sound.position += 1;
        let is_over = sound.position >= sound.samples.len();
        let gain = self.controls.volume() * self.fade();
        if self.fade_left == Some(0) {
            self.finish(|sound, at| Mark::Silenced { sound, at });
        } else if is_over {
            self.finish(|sound, at| Mark::Played { sound, at });
        }
        sample * gain
    }

    /// Begins the next sound that is still wanted; false when there is none.
    fn begin_next(&mut self, generation: u64) -> bool {
        while let Ok(sound) = self.sounds.pop() {
            let at = Instant::now();
            if sound.generation < generation {
                self.mark(Mark::Silenced { sound, at });
            } else if sound.samples.is_empty() {
                self.mark(Mark::Played { sound, at });
            } else {
                self.mark(Mark::Started { id: sound.id, at });
                self.playing = Some(sound);
                return true;
            }
        }
        false
    }

    /// How loud the fade leaves the next sample, 1.0 when there is none.
    fn fade(&mut self) -> f32 {
        match &mut self.fade_left {
            None => 1.0,
            Some(left) => {
                *left = left.saturating_sub(1);
                *left as f32 / self.fade_samples as f32
            }
        }
    }

    fn finish(&mut self, mark: impl FnOnce(Sound, Instant) -> Mark) {
        self.fade_left = None;
        if let Some(sound) = self.playing.take() {
            self.mark(mark(sound, Instant::now()));
        }
    }

    fn mark(&mut self, mark: Mark) {
        // The ring has room for every sound that can be under way. Were it ever full, the sound would be freed
        // here, and who waits for it would learn of its end when the playback closes.
        let _ = self.marks.push(mark);
    }
}

impl Iterator for Feed {
    type Item = f32;

    fn next(&mut self) -> Option<f32> {
        if self.channel == 0 {
            self.sample = self.advance();
        }
        self.channel = (self.channel + 1) % self.channels.get();
        Some(self.sample)
    }
}

impl Source for Feed {
    fn current_span_len(&self) -> Option<usize> {
        None
    }

    fn channels(&self) -> ChannelCount {
        self.channels
    }

    fn sample_rate(&self) -> SampleRate {
        self.rate
    }

    fn total_duration(&self) -> Option<Duration> {
        None
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZero;

    use super::*;

    fn feed(channels: u16, rate_hz: u32) -> (Feed, FeedEnd, Arc<Controls>) {
        let controls = Arc::new(Controls::default());
        let (feed, end) =
            Feed::new(NonZero::new(channels).unwrap(), NonZero::new(rate_hz).unwrap(), controls.clone());
        (feed, end, controls)
    }

    fn names(end: &mut FeedEnd) -> Vec<String> {
        std::iter::from_fn(|| end.next_mark())
            .map(|mark| match mark {
                Mark::Started { id, .. } => format!("{id} started"),
                Mark::Played { sound, .. } => format!("{} played", sound.id),
                Mark::Silenced { sound, .. } => format!("{} silenced", sound.id),
            })
            .collect()
    }

    fn queue(end: &mut FeedEnd, id: u64, generation: u64, samples: &[f32]) {
        assert!(end.push(Sound::new(id, generation, samples.to_vec())).is_ok());
    }

    #[test]
    fn sounds_follow_each_other_without_a_gap_on_every_channel() {
        let (feed, mut end, _) = feed(2, 1_000);
        queue(&mut end, 1, 0, &[0.1, 0.2]);
        queue(&mut end, 2, 0, &[0.3]);

        let heard: Vec<f32> = feed.take(8).collect();

        assert_eq!(heard, [0.1, 0.1, 0.2, 0.2, 0.3, 0.3, 0.0, 0.0]);
        assert_eq!(names(&mut end), ["1 started", "1 played", "2 started", "2 played"]);
    }

    #[test]
    fn falling_silent_fades_the_sound_under_way_and_drops_those_that_wait() {
        let (mut feed, mut end, controls) = feed(1, 1_000);
        queue(&mut end, 1, 0, &[1.0; 100]);
        queue(&mut end, 2, 0, &[1.0; 100]);
        assert_eq!(feed.next(), Some(1.0));

        controls.fall_silent();
        queue(&mut end, 3, controls.generation(), &[0.5]);
        let heard: Vec<f32> = feed.take(7).collect();

        assert_eq!(heard, [0.8, 0.6, 0.4, 0.2, 0.0, 0.5, 0.0]);
        assert_eq!(names(&mut end), ["1 started", "1 silenced", "2 silenced", "3 started", "3 played"]);
    }

    #[test]
    fn the_volume_holds_from_the_next_sample_on_and_nonsense_leaves_it_full() {
        let (mut feed, mut end, controls) = feed(1, 1_000);
        queue(&mut end, 1, 0, &[1.0; 10]);

        controls.set_volume(0.5);
        let quiet = feed.next();
        controls.set_volume(f32::NAN);
        let full = feed.next();
        controls.set_volume(7.0);
        let clamped = feed.next();

        assert_eq!((quiet, full, clamped), (Some(0.5), Some(1.0), Some(1.0)));
    }

    #[test]
    fn a_sound_of_nothing_is_over_at_once() {
        let (mut feed, mut end, _) = feed(1, 1_000);
        queue(&mut end, 1, 0, &[]);

        assert_eq!(feed.next(), Some(0.0));
        assert_eq!(names(&mut end), ["1 played"]);
    }
}
