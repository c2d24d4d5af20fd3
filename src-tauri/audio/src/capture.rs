//! A real microphone, through cpal.
//!
//! The callback of the sound system mixes its channels down into a lock-free ring and does nothing else. A thread
//! takes the samples out, changes their rate and cuts frames. The thread also opens and closes the device, since
//! some systems want both on the same thread.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, SyncSender};
use std::time::{Duration, Instant};

use cpal::traits::{DeviceTrait, StreamTrait};
use cpal::{FromSample, SampleFormat, SizedSample, Stream, StreamConfig, SupportedStreamConfig};
use rtrb::{Consumer, Producer, RingBuffer};
use vocabulary::{FRAME_SAMPLES, Frame, SAMPLE_RATE_HZ};

use crate::devices::{chosen, device_name, sound_system};
use crate::verdict::Verdict;
use crate::{AudioError, Capture, FrameSender, Microphone, Side, frame_queue, resample};

/// Sound the ring holds while the capture thread is late: on a busy machine threads wait for 100 ms and more.
const RING: Duration = Duration::from_secs(2);
/// How often the capture thread looks into the ring: half a frame.
const LOOK_EVERY: Duration = Duration::from_millis(10);
/// An open microphone that brings nothing for so long is broken. Source: behaviour reference, section 1.1.
const STALLED_AFTER: Duration = Duration::from_secs(5);
/// Reports of the sound system that may wait; more are dropped, as the first one tells what is wrong.
const REPORTS: usize = 8;

/// A microphone of the sound card, chosen by part of its name.
#[derive(Debug, Clone)]
pub struct CardMicrophone {
    wanted: String,
}

impl CardMicrophone {
    /// The first microphone whose name contains `wanted`, whatever the case; empty is the system's default.
    pub fn new(wanted: impl Into<String>) -> Self {
        Self { wanted: wanted.into() }
    }
}

impl Microphone for CardMicrophone {
    fn open(&self) -> Result<Capture, AudioError> {
        let (frames, receiver) = frame_queue();
        let (opened, is_open) = mpsc::sync_channel(1);
        let close = CloseOnDrop(Arc::new(AtomicBool::new(false)));
        let closed = close.0.clone();
        let wanted = self.wanted.clone();
        // It ends by itself within one look after `close` is dropped; nobody has to wait for it.
        std::thread::Builder::new()
            .name("microphone".into())
            .spawn(move || run(&wanted, frames, &closed, &opened))
            .map_err(|error| failed(&self.wanted, error))?;
        is_open.recv().map_err(|error| failed(&self.wanted, error))??;
        Ok(Capture::new(receiver, close))
    }

    fn name(&self) -> String {
        if self.wanted.trim().is_empty() { "the default microphone".into() } else { self.wanted.clone() }
    }
}

struct CloseOnDrop(Arc<AtomicBool>);

impl Drop for CloseOnDrop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// The life of the capture thread: open, tell how that went, hand on frames until closed or lost.
fn run(wanted: &str, frames: FrameSender, closed: &AtomicBool, opened: &SyncSender<Result<(), AudioError>>) {
    match Listening::open(wanted) {
        Ok(mut listening) => {
            // Nobody waits any more when the caller has gone away: then `closed` is set too.
            let _ = opened.send(Ok(()));
            let ended = listening.listen(&frames, closed);
            // Closed before anybody is told: the sound system retries a dead device as fast as it can.
            drop(listening);
            if let Err(error) = ended {
                tracing::warn!(%error, "the microphone was lost");
                frames.lose(error);
            }
        }
        Err(error) => {
            let _ = opened.send(Err(error));
        }
    }
}

struct Listening {
    device: String,
    ring: Consumer<f32>,
    verdict: Verdict,
    rate_hz: u32,
    resampler: resample::Stream,
    /// Held for its drop, which closes the device.
    _stream: Stream,
}

impl Listening {
    fn open(wanted: &str) -> Result<Self, AudioError> {
        let host = sound_system();
        let device = chosen(&host, Side::Microphone, wanted)?;
        let name = device_name(&device);
        let because = |error| AudioError::from_cpal(Side::Microphone, &name, error);
        let mut refusal = None;
        for config in configurations(&device).map_err(because)? {
            match start(&device, &config) {
                Ok((stream, ring, reports)) => {
                    let rate_hz = config.sample_rate();
                    tracing::info!(
                        device = %name, rate_hz, channels = config.channels(), format = ?config.sample_format(),
                        "the microphone is open"
                    );
                    let resampler = resample::Stream::new(rate_hz, SAMPLE_RATE_HZ)
                        .map_err(|error| failed(&name, error))?;
                    let verdict = Verdict::new(Side::Microphone, &name, reports);
                    return Ok(Self { device: name, ring, verdict, rate_hz, resampler, _stream: stream });
                }
                Err(error) if is_about_the_format(&error) => refusal = Some(error),
                Err(error) => return Err(because(error)),
            }
        }
        let refusal = refusal.unwrap_or_else(|| cpal::ErrorKind::UnsupportedConfig.into());
        Err(because(refusal))
    }

    /// Hands on frames until `closed` is set; an error is the loss of the device.
    fn listen(&mut self, frames: &FrameSender, closed: &AtomicBool) -> Result<(), AudioError> {
        let mut last_sound = Instant::now();
        let mut moved = 0;
        let mut samples = Vec::new();
        let mut resampled = Vec::new();
        while !closed.load(Ordering::Relaxed) {
            let taken_at = Instant::now();
            self.verdict.check(moved, taken_at)?;
            samples.clear();
            take_all(&mut self.ring, &mut samples);
            if samples.is_empty() {
                if last_sound.elapsed() > STALLED_AFTER {
                    return Err(self.stalled(last_sound.elapsed()));
                }
            } else {
                last_sound = taken_at;
                moved += samples.len() as u64;
                self.resampler.push(&samples, &mut resampled);
                hand_on(frames, &mut resampled, taken_at);
            }
            std::thread::sleep(LOOK_EVERY);
        }
        Ok(())
    }

    fn stalled(&self, silent_for: Duration) -> AudioError {
        tracing::debug!(device = %self.device, rate_hz = self.rate_hz, ?silent_for, "no callback");
        AudioError::Stalled { side: Side::Microphone, device: self.device.clone(), silent_for: STALLED_AFTER }
    }
}

/// How to open it, best first: as it comes, then whatever it says it can do.
///
/// Asking for 16 kHz would spare us the resampling, but cards and sound servers that cannot do it either refuse or
/// resample worse than we do.
fn configurations(device: &cpal::Device) -> Result<Vec<SupportedStreamConfig>, cpal::Error> {
    let native = device.default_input_config();
    let others = device
        .supported_input_configs()
        .map(|all| all.filter_map(|range| range.try_with_standard_sample_rate()).collect::<Vec<_>>());
    match (native, others) {
        (Ok(native), others) => Ok(std::iter::once(native).chain(others.unwrap_or_default()).collect()),
        (Err(_), Ok(others)) if !others.is_empty() => Ok(others),
        (Err(error), _) => Err(error),
    }
}

fn is_about_the_format(error: &cpal::Error) -> bool {
    use cpal::ErrorKind as Kind;
    matches!(error.kind(), Kind::UnsupportedConfig | Kind::InvalidInput | Kind::UnsupportedOperation)
}

type Started = (Stream, Consumer<f32>, mpsc::Receiver<cpal::Error>);

fn start(device: &cpal::Device, config: &SupportedStreamConfig) -> Result<Started, cpal::Error> {
    match config.sample_format() {
        SampleFormat::F32 => start_as::<f32>(device, config.config()),
        SampleFormat::F64 => start_as::<f64>(device, config.config()),
        SampleFormat::I8 => start_as::<i8>(device, config.config()),
        SampleFormat::I16 => start_as::<i16>(device, config.config()),
        SampleFormat::I24 => start_as::<cpal::I24>(device, config.config()),
        SampleFormat::I32 => start_as::<i32>(device, config.config()),
        SampleFormat::U8 => start_as::<u8>(device, config.config()),
        SampleFormat::U16 => start_as::<u16>(device, config.config()),
        SampleFormat::U32 => start_as::<u32>(device, config.config()),
        _ => Err(cpal::ErrorKind::UnsupportedConfig.into()),
    }
}

fn start_as<S>(device: &cpal::Device, config: StreamConfig) -> Result<Started, cpal::Error>
where
    S: SizedSample + 'static,
    f32: FromSample<S>,
{
    let channels = usize::from(config.channels.max(1));
    let (mut ring, samples) = RingBuffer::new((f64::from(config.sample_rate) * RING.as_secs_f64()) as usize);
    let (report, reports) = mpsc::sync_channel(REPORTS);
    let stream = device.build_input_stream::<S, _, _>(
        config,
        move |block, _| mix_down(block, channels, &mut ring),
        // When the queue is full the thread already has something to act on.
        move |error| drop(report.try_send(error)),
        None,
    )?;
    stream.play()?;
    Ok((stream, samples, reports))
}

/// Runs in the sound system's callback: no lock, no allocation, no log. What the ring cannot hold is lost.
fn mix_down<S>(block: &[S], channels: usize, ring: &mut Producer<f32>)
where
    S: SizedSample,
    f32: FromSample<S>,
{
    let share = 1.0 / channels as f32;
    for moment in block.chunks_exact(channels) {
        let sum: f32 = moment.iter().map(|&sample| f32::from_sample_(sample)).sum();
        if ring.push(sum * share).is_err() {
            return;
        }
    }
}

fn take_all(ring: &mut Consumer<f32>, samples: &mut Vec<f32>) {
    let chunk = ring.read_chunk(ring.slots()).expect("no more is asked for than there is");
    let (older, newer) = chunk.as_slices();
    samples.extend_from_slice(older);
    samples.extend_from_slice(newer);
    chunk.commit_all();
}

/// Cuts whole frames off the front. The newest sample in hand was captured at `newest_at`, give or take a block.
fn hand_on(frames: &FrameSender, samples: &mut Vec<f32>, newest_at: Instant) {
    let whole = samples.len() / FRAME_SAMPLES * FRAME_SAMPLES;
    for (n, piece) in samples[..whole].chunks_exact(FRAME_SAMPLES).enumerate() {
        let newer = samples.len() - (n + 1) * FRAME_SAMPLES;
        let age = Duration::from_secs_f64(newer as f64 / f64::from(SAMPLE_RATE_HZ));
        let mut frame = Frame::silence(newest_at.checked_sub(age).unwrap_or(newest_at));
        frame.samples.copy_from_slice(piece);
        frames.send(frame);
    }
    samples.drain(..whole);
}

fn failed(device: &str, error: impl std::error::Error + Send + Sync + 'static) -> AudioError {
    AudioError::Failed { side: Side::Microphone, device: device.to_owned(), source: Arc::new(error) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::CaptureEvent;

    #[test]
    fn all_channels_are_heard_and_a_full_ring_only_loses_the_rest() {
        let (mut ring, mut samples) = RingBuffer::new(3);

        mix_down(&[1.0_f32, 0.0, 0.5, 0.5, -1.0, 1.0, 0.25, 0.25], 2, &mut ring);

        let mut taken = Vec::new();
        take_all(&mut samples, &mut taken);
        assert_eq!(taken, [0.5, 0.5, 0.0]);
    }

    #[test]
    fn whole_numbers_become_fractions_of_full_scale() {
        let (mut ring, mut samples) = RingBuffer::new(8);

        mix_down(&[i16::MIN, 0, i16::MAX], 1, &mut ring);

        let mut taken = Vec::new();
        take_all(&mut samples, &mut taken);
        assert_eq!(taken[..2], [-1.0, 0.0]);
        assert!((taken[2] - 1.0).abs() < 0.001);
    }

    #[test]
    fn frames_are_dated_back_by_what_came_after_them() {
        let (sender, mut receiver) = frame_queue();
        let now = Instant::now() + Duration::from_secs(1);
        let mut samples = vec![0.25; FRAME_SAMPLES * 2 + 160];

        hand_on(&sender, &mut samples, now);

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
