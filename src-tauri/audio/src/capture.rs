//! A microphone of the sound card, through cpal.
//!
//! The callback of the sound system mixes all channels into a lock-free ring and does nothing else. A thread reads the
//! ring, resamples, takes out a constant offset and makes frames. The thread also opens and closes the device, because
//! some systems require the same thread for both.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, SyncSender};
use std::time::{Duration, Instant};

use cpal::traits::{DeviceTrait, StreamTrait};
use cpal::{FromSample, SampleFormat, SizedSample, Stream, StreamConfig, SupportedStreamConfig};
use rtrb::{Consumer, Producer, RingBuffer};
use vocabulary::{FRAME_SAMPLES, Frame, SAMPLE_RATE_HZ};

use crate::devices::{device_name, find_device, sound_system};
use crate::health::DeviceHealth;
use crate::offset::OffsetFilter;
use crate::{AudioError, Capture, FrameSender, Microphone, Side, frame_queue, resample};

/// The capacity of the ring. On a busy machine the capture thread can be 100 ms late or more.
const RING_DURATION: Duration = Duration::from_secs(2);
/// The interval at which the capture thread reads the ring: every half frame.
const POLL_INTERVAL: Duration = Duration::from_millis(10);
/// A microphone without samples for this long has failed. Source: docs/behaviour/listening.md#capture.
const STALL_TIMEOUT: Duration = Duration::from_secs(5);
/// Queued errors of the sound system. More are dropped: the first one shows the cause.
const MAX_QUEUED_ERRORS: usize = 8;

/// A microphone of the sound card, chosen by part of its name.
#[derive(Debug, Clone)]
pub struct CardMicrophone {
    requested: String,
}

impl CardMicrophone {
    /// The first microphone whose name contains `requested`, ignoring case; empty means the default of the system.
    pub fn new(requested: impl Into<String>) -> Self {
        Self { requested: requested.into() }
    }
}

impl Microphone for CardMicrophone {
    fn open(&self) -> Result<Capture, AudioError> {
        let (frames, receiver) = frame_queue();
        let (opened, open_result) = mpsc::sync_channel(1);
        let close = CloseOnDrop(Arc::new(AtomicBool::new(false)));
        let closed = close.0.clone();
        let requested = self.requested.clone();
        // The thread ends within one poll interval after `close` is dropped, so it needs no handle.
        std::thread::Builder::new()
            .name("microphone".into())
            .spawn(move || run(&requested, frames, &closed, &opened))
            .map_err(|error| failed(&self.requested, error))?;
        open_result.recv().map_err(|error| failed(&self.requested, error))??;
        Ok(Capture::new(receiver, close))
    }

    fn name(&self) -> String {
        if self.requested.trim().is_empty() {
            "the default microphone".into()
        } else {
            self.requested.clone()
        }
    }
}

struct CloseOnDrop(Arc<AtomicBool>);

impl Drop for CloseOnDrop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// The capture thread: opens the device, reports the result, and delivers frames until the device is closed or lost.
fn run(
    requested: &str,
    frames: FrameSender,
    closed: &AtomicBool,
    opened: &SyncSender<Result<(), AudioError>>,
) {
    match OpenMicrophone::open(requested) {
        Ok(mut microphone) => {
            // If the caller no longer waits, `closed` is set too.
            let _ = opened.send(Ok(()));
            let ended = microphone.deliver_frames(&frames, closed);
            // Close the device first: the sound system retries a lost device in a busy loop.
            drop(microphone);
            if let Err(error) = ended {
                tracing::warn!(%error, "the microphone was lost");
                frames.fail(error);
            }
        }
        Err(error) => {
            let _ = opened.send(Err(error));
        }
    }
}

struct OpenMicrophone {
    device: String,
    ring: Consumer<f32>,
    health: DeviceHealth,
    rate_hz: u32,
    resampler: resample::Stream,
    offset: OffsetFilter,
    /// Dropping it closes the device.
    _stream: Stream,
}

impl OpenMicrophone {
    fn open(requested: &str) -> Result<Self, AudioError> {
        let host = sound_system();
        let device = find_device(&host, Side::Microphone, requested)?;
        let name = device_name(&device);
        let audio_error = |error| AudioError::from_cpal(Side::Microphone, &name, error);
        let mut format_error = None;
        for config in configurations(&device).map_err(audio_error)? {
            match start_stream(&device, &config) {
                Ok((stream, ring, reports)) => {
                    let rate_hz = config.sample_rate();
                    tracing::info!(
                        device = %name, rate_hz, channels = config.channels(), format = ?config.sample_format(),
                        "the microphone is open"
                    );
                    let resampler = resample::Stream::new(rate_hz, SAMPLE_RATE_HZ)
                        .map_err(|error| failed(&name, error))?;
                    let health = DeviceHealth::new(Side::Microphone, &name, reports);
                    let offset = OffsetFilter::default();
                    return Ok(Self {
                        device: name,
                        ring,
                        health,
                        rate_hz,
                        resampler,
                        offset,
                        _stream: stream,
                    });
                }
                Err(error) if is_format_error(&error) => format_error = Some(error),
                Err(error) => return Err(audio_error(error)),
            }
        }
        let format_error = format_error.unwrap_or_else(|| cpal::ErrorKind::UnsupportedConfig.into());
        Err(audio_error(format_error))
    }

    /// Delivers frames until `closed` is set.
    ///
    /// # Errors
    ///
    /// When the device is lost.
    fn deliver_frames(&mut self, frames: &FrameSender, closed: &AtomicBool) -> Result<(), AudioError> {
        let mut last_sound_at = Instant::now();
        let mut samples_moved = 0;
        let mut samples = Vec::new();
        let mut resampled = Vec::new();
        while !closed.load(Ordering::Relaxed) {
            let read_at = Instant::now();
            self.health.check(samples_moved, read_at)?;
            samples.clear();
            drain_ring(&mut self.ring, &mut samples);
            if samples.is_empty() {
                if last_sound_at.elapsed() > STALL_TIMEOUT {
                    return Err(self.stalled(last_sound_at.elapsed()));
                }
            } else {
                last_sound_at = read_at;
                samples_moved += samples.len() as u64;
                let filtered = resampled.len();
                self.resampler.push(&samples, &mut resampled);
                self.offset.apply(&mut resampled[filtered..]);
                send_frames(frames, &mut resampled, read_at);
            }
            std::thread::sleep(POLL_INTERVAL);
        }
        Ok(())
    }

    fn stalled(&self, silent_for: Duration) -> AudioError {
        tracing::debug!(device = %self.device, rate_hz = self.rate_hz, ?silent_for, "no callback");
        AudioError::Stalled { side: Side::Microphone, device: self.device.clone(), silent_for: STALL_TIMEOUT }
    }
}

/// The configurations to try, best first: the default of the device, then the others that it supports.
///
/// We don't request 16 kHz, although it would save the resampling: cards and sound servers that don't support it either
/// fail or resample worse than we do.
fn configurations(device: &cpal::Device) -> Result<Vec<SupportedStreamConfig>, cpal::Error> {
    let default = device.default_input_config();
    let supported = device
        .supported_input_configs()
        .map(|all| all.filter_map(|range| range.try_with_standard_sample_rate()).collect::<Vec<_>>());
    match (default, supported) {
        (Ok(default), supported) => {
            Ok(std::iter::once(default).chain(supported.unwrap_or_default()).collect())
        }
        (Err(_), Ok(supported)) if !supported.is_empty() => Ok(supported),
        (Err(error), _) => Err(error),
    }
}

fn is_format_error(error: &cpal::Error) -> bool {
    use cpal::ErrorKind;
    matches!(
        error.kind(),
        ErrorKind::UnsupportedConfig | ErrorKind::InvalidInput | ErrorKind::UnsupportedOperation
    )
}

type StartedStream = (Stream, Consumer<f32>, mpsc::Receiver<cpal::Error>);

fn start_stream(device: &cpal::Device, config: &SupportedStreamConfig) -> Result<StartedStream, cpal::Error> {
    match config.sample_format() {
        SampleFormat::F32 => start_stream_as::<f32>(device, config.config()),
        SampleFormat::F64 => start_stream_as::<f64>(device, config.config()),
        SampleFormat::I8 => start_stream_as::<i8>(device, config.config()),
        SampleFormat::I16 => start_stream_as::<i16>(device, config.config()),
        SampleFormat::I24 => start_stream_as::<cpal::I24>(device, config.config()),
        SampleFormat::I32 => start_stream_as::<i32>(device, config.config()),
        SampleFormat::U8 => start_stream_as::<u8>(device, config.config()),
        SampleFormat::U16 => start_stream_as::<u16>(device, config.config()),
        SampleFormat::U32 => start_stream_as::<u32>(device, config.config()),
        _ => Err(cpal::ErrorKind::UnsupportedConfig.into()),
    }
}

fn start_stream_as<S>(device: &cpal::Device, config: StreamConfig) -> Result<StartedStream, cpal::Error>
where
    S: SizedSample + 'static,
    f32: FromSample<S>,
{
    let channels = usize::from(config.channels.max(1));
    let (mut ring, samples) =
        RingBuffer::new((f64::from(config.sample_rate) * RING_DURATION.as_secs_f64()) as usize);
    let (report, reports) = mpsc::sync_channel(MAX_QUEUED_ERRORS);
    let stream = device.build_input_stream::<S, _, _>(
        config,
        move |block, _| mix_down(block, channels, &mut ring),
        // When the queue is full, earlier errors already wait for the thread.
        move |error| drop(report.try_send(error)),
        None,
    )?;
    stream.play()?;
    Ok((stream, samples, reports))
}

/// Runs in the callback of the sound system: no lock, no allocation, no log. Samples are lost when the ring is full.
fn mix_down<S>(block: &[S], channels: usize, ring: &mut Producer<f32>)
where
    S: SizedSample,
    f32: FromSample<S>,
{
    let share = 1.0 / channels as f32;
    for sample_of_each_channel in block.chunks_exact(channels) {
        let sum: f32 = sample_of_each_channel.iter().map(|&sample| f32::from_sample_(sample)).sum();
        if ring.push(sum * share).is_err() {
            return;
        }
    }
}

fn drain_ring(ring: &mut Consumer<f32>, samples: &mut Vec<f32>) {
    let chunk = ring.read_chunk(ring.slots()).expect("the ring contains at least this many samples");
    let (older, newer) = chunk.as_slices();
    samples.extend_from_slice(older);
    samples.extend_from_slice(newer);
    chunk.commit_all();
}

/// Sends all complete frames. The newest sample was captured at `newest_at`, with an error of up to one block.
fn send_frames(frames: &FrameSender, samples: &mut Vec<f32>, newest_at: Instant) {
    let complete = samples.len() / FRAME_SAMPLES * FRAME_SAMPLES;
    for (n, chunk) in samples[..complete].chunks_exact(FRAME_SAMPLES).enumerate() {
        let newer = samples.len() - (n + 1) * FRAME_SAMPLES;
        let age = Duration::from_secs_f64(newer as f64 / f64::from(SAMPLE_RATE_HZ));
        let mut frame = Frame::silence(newest_at.checked_sub(age).unwrap_or(newest_at));
        frame.samples.copy_from_slice(chunk);
        frames.send(frame);
    }
    samples.drain(..complete);
}

fn failed(device: &str, error: impl std::error::Error + Send + Sync + 'static) -> AudioError {
    AudioError::Failed { side: Side::Microphone, device: device.to_owned(), source: Arc::new(error) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::CaptureEvent;

    #[test]
    fn channels_are_mixed_and_a_full_ring_loses_only_the_rest() {
        let (mut ring, mut samples) = RingBuffer::new(3);

        mix_down(&[1.0_f32, 0.0, 0.5, 0.5, -1.0, 1.0, 0.25, 0.25], 2, &mut ring);

        let mut taken = Vec::new();
        drain_ring(&mut samples, &mut taken);
        assert_eq!(taken, [0.5, 0.5, 0.0]);
    }

    #[test]
    fn integer_samples_become_fractions_of_full_scale() {
        let (mut ring, mut samples) = RingBuffer::new(8);

        mix_down(&[i16::MIN, 0, i16::MAX], 1, &mut ring);

        let mut taken = Vec::new();
        drain_ring(&mut samples, &mut taken);
        assert_eq!(taken[..2], [-1.0, 0.0]);
        assert!((taken[2] - 1.0).abs() < 0.001);
    }

    #[test]
    fn frame_times_are_earlier_by_the_samples_after_them() {
        let (sender, mut receiver) = frame_queue();
        let now = Instant::now() + Duration::from_secs(1);
        let mut samples = vec![0.25; FRAME_SAMPLES * 2 + 160];

        send_frames(&sender, &mut samples, now);

        let ages: Vec<Duration> = std::iter::from_fn(|| {
            (receiver.dropped() == 0).then(|| match receiver.blocking_recv() {
                Some(CaptureEvent::Frame(frame)) => now - frame.captured_at,
                _ => unreachable!("only frames were sent"),
            })
        })
        .take(2)
        .collect();
        assert_eq!(ages, [Duration::from_millis(30), Duration::from_millis(10)]);
        assert_eq!(samples.len(), 160);
    }
}
