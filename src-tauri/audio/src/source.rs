//! The source of samples for the callback of the sound system: the queued sounds one after the other, then silence.
//!
//! Everything that runs in the callback is in [`PlaybackSource`]: it takes no lock, allocates nothing and logs nothing.
//! Sounds come in through one lock-free ring and go out through another, because the callback must not free memory.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use rodio::{ChannelCount, SampleRate, Source};
use rtrb::{Consumer, Producer, RingBuffer};

use crate::tap::{Tap, TapReader};

/// Sounds in the ring of the callback; the speaker thread keeps the rest.
const MAX_QUEUED_SOUNDS: usize = 16;
/// Two events for each queued sound, and the same again for a late speaker thread.
const MAX_QUEUED_EVENTS: usize = 4 * MAX_QUEUED_SOUNDS;
/// The fade of a stopped sound: without one, it ends with a click.
const FADE_OUT: Duration = Duration::from_millis(5);

/// Values that can change while the callback runs.
#[derive(Debug)]
pub(crate) struct PlaybackControls {
    /// The number of stops so far; sounds of an older generation are not played.
    generation: AtomicU64,
    volume_bits: AtomicU32,
}

impl Default for PlaybackControls {
    fn default() -> Self {
        Self { generation: AtomicU64::new(0), volume_bits: AtomicU32::new(1.0_f32.to_bits()) }
    }
}

impl PlaybackControls {
    pub(crate) fn generation(&self) -> u64 {
        self.generation.load(Ordering::Relaxed)
    }

    pub(crate) fn stop(&self) {
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

/// An event of the callback. It returns the sounds that ended.
pub(crate) enum SourceEvent {
    Started { id: u64, at: Instant },
    Played { sound: Sound, at: Instant },
    Stopped { sound: Sound, at: Instant },
}

/// Controls a [`PlaybackSource`] from the speaker thread.
pub(crate) struct SourceControl {
    sounds: Producer<Sound>,
    events: Consumer<SourceEvent>,
    samples_out: Arc<AtomicU64>,
    tapped: TapReader,
}

impl SourceControl {
    /// The samples that the callback has played.
    pub(crate) fn tapped(&mut self) -> &mut TapReader {
        &mut self.tapped
    }

    /// Queues a sound. Returns it when the queue is full.
    pub(crate) fn push(&mut self, sound: Sound) -> Result<(), Sound> {
        self.sounds.push(sound).map_err(|rtrb::PushError::Full(sound)| sound)
    }

    pub(crate) fn next_event(&mut self) -> Option<SourceEvent> {
        self.events.pop().ok()
    }

    /// The number of samples that the callback has taken.
    pub(crate) fn samples_out(&self) -> u64 {
        self.samples_out.load(Ordering::Relaxed)
    }
}

/// The samples for the callback. It never ends: without sounds it is silent.
pub(crate) struct PlaybackSource {
    channels: ChannelCount,
    rate: SampleRate,
    /// The next channel; all channels get the same sample.
    channel: u16,
    sample: f32,
    controls: Arc<PlaybackControls>,
    sounds: Consumer<Sound>,
    events: Producer<SourceEvent>,
    samples_out: Arc<AtomicU64>,
    tap: Tap,
    playing: Option<Sound>,
    /// The samples left of the fade while the sound is being stopped.
    fade_left: Option<u32>,
    fade_samples: u32,
}

impl PlaybackSource {
    pub(crate) fn new(
        channels: ChannelCount,
        rate: SampleRate,
        controls: Arc<PlaybackControls>,
    ) -> (Self, SourceControl) {
        let (sounds_in, sounds) = RingBuffer::new(MAX_QUEUED_SOUNDS);
        let (events, events_out) = RingBuffer::new(MAX_QUEUED_EVENTS);
        let samples_out = Arc::new(AtomicU64::new(0));
        let (tap, tapped) = Tap::new(rate.get());
        let fade_samples = (FADE_OUT.as_secs_f64() * f64::from(rate.get())) as u32;
        let source = Self {
            channels,
            rate,
            channel: 0,
            sample: 0.0,
            controls,
            sounds,
            events,
            samples_out: samples_out.clone(),
            tap,
            playing: None,
            fade_left: None,
            fade_samples: fade_samples.max(1),
        };
        (source, SourceControl { sounds: sounds_in, events: events_out, samples_out, tapped })
    }

    /// The next sample of the mono mix.
    fn next_sample(&mut self) -> f32 {
        self.samples_out.fetch_add(1, Ordering::Relaxed);
        let generation = self.controls.generation();
        if self.playing.is_none() && !self.start_next(generation) {
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
            self.finish(|sound, at| SourceEvent::Stopped { sound, at });
        } else if is_over {
            self.finish(|sound, at| SourceEvent::Played { sound, at });
        }
        sample * gain
    }

    /// Starts the next sound that was not stopped. Returns false when there is none.
    fn start_next(&mut self, generation: u64) -> bool {
        while let Ok(sound) = self.sounds.pop() {
            let at = Instant::now();
            if sound.generation < generation {
                self.report(SourceEvent::Stopped { sound, at });
            } else if sound.samples.is_empty() {
                self.report(SourceEvent::Played { sound, at });
            } else {
                self.report(SourceEvent::Started { id: sound.id, at });
                self.playing = Some(sound);
                return true;
            }
        }
        false
    }

    /// The gain of the fade for the next sample; 1.0 without a fade.
    fn fade(&mut self) -> f32 {
        match &mut self.fade_left {
            None => 1.0,
            Some(left) => {
                *left = left.saturating_sub(1);
                *left as f32 / self.fade_samples as f32
            }
        }
    }

    fn finish(&mut self, event: impl FnOnce(Sound, Instant) -> SourceEvent) {
        self.fade_left = None;
        if let Some(sound) = self.playing.take() {
            self.report(event(sound, Instant::now()));
        }
    }

    fn report(&mut self, event: SourceEvent) {
        // The ring has room for all events. If it were full, the sound would be freed here, and its end would be
        // reported when the playback closes.
        let _ = self.events.push(event);
    }
}

impl Iterator for PlaybackSource {
    type Item = f32;

    fn next(&mut self) -> Option<f32> {
        if self.channel == 0 {
            self.sample = self.next_sample();
            self.tap.push(self.sample, self.playing.is_some());
        }
        self.channel = (self.channel + 1) % self.channels.get();
        Some(self.sample)
    }
}

impl Source for PlaybackSource {
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

    fn source(channels: u16, rate_hz: u32) -> (PlaybackSource, SourceControl, Arc<PlaybackControls>) {
        let controls = Arc::new(PlaybackControls::default());
        let (source, control) = PlaybackSource::new(
            NonZero::new(channels).unwrap(),
            NonZero::new(rate_hz).unwrap(),
            controls.clone(),
        );
        (source, control, controls)
    }

    fn names(control: &mut SourceControl) -> Vec<String> {
        std::iter::from_fn(|| control.next_event())
            .map(|event| match event {
                SourceEvent::Started { id, .. } => format!("{id} started"),
                SourceEvent::Played { sound, .. } => format!("{} played", sound.id),
                SourceEvent::Stopped { sound, .. } => format!("{} stopped", sound.id),
            })
            .collect()
    }

    fn queue(control: &mut SourceControl, id: u64, generation: u64, samples: &[f32]) {
        assert!(control.push(Sound::new(id, generation, samples.to_vec())).is_ok());
    }

    #[test]
    fn sounds_play_without_a_gap_on_every_channel() {
        let (source, mut control, _) = source(2, 1_000);
        queue(&mut control, 1, 0, &[0.1, 0.2]);
        queue(&mut control, 2, 0, &[0.3]);

        let played: Vec<f32> = source.take(8).collect();

        assert_eq!(played, [0.1, 0.1, 0.2, 0.2, 0.3, 0.3, 0.0, 0.0]);
        assert_eq!(names(&mut control), ["1 started", "1 played", "2 started", "2 played"]);
    }

    #[test]
    fn stop_fades_the_playing_sound_and_drops_the_queued_ones() {
        let (mut source, mut control, controls) = source(1, 1_000);
        queue(&mut control, 1, 0, &[1.0; 100]);
        queue(&mut control, 2, 0, &[1.0; 100]);
        assert_eq!(source.next(), Some(1.0));

        controls.stop();
        queue(&mut control, 3, controls.generation(), &[0.5]);
        let played: Vec<f32> = source.take(7).collect();

        assert_eq!(played, [0.8, 0.6, 0.4, 0.2, 0.0, 0.5, 0.0]);
        assert_eq!(names(&mut control), ["1 started", "1 stopped", "2 stopped", "3 started", "3 played"]);
    }

    #[test]
    fn volume_applies_from_the_next_sample_and_is_clamped() {
        let (mut source, mut control, controls) = source(1, 1_000);
        queue(&mut control, 1, 0, &[1.0; 10]);

        controls.set_volume(0.5);
        let quiet = source.next();
        controls.set_volume(f32::NAN);
        let full = source.next();
        controls.set_volume(7.0);
        let clamped = source.next();

        assert_eq!((quiet, full, clamped), (Some(0.5), Some(1.0), Some(1.0)));
    }

    #[test]
    fn sound_without_samples_ends_at_once() {
        let (mut source, mut control, _) = source(1, 1_000);
        queue(&mut control, 1, 0, &[]);

        assert_eq!(source.next(), Some(0.0));
        assert_eq!(names(&mut control), ["1 played"]);
    }
}
