//! A real loudspeaker, through rodio.
//!
//! One thread owns the open device: it takes sounds in, changes their rate and passes them to the [`Feed`] that the
//! sound system's callback drains, and turns what the feed reports back into progress for who waits.

use std::collections::VecDeque;
use std::num::NonZero;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender, SyncSender};
use std::time::{Duration, Instant};

use cpal::BufferSize;
use rodio::{DeviceSinkBuilder, DeviceSinkError, MixerDeviceSink};

use crate::devices::{chosen, device_name, sound_system};
use crate::feed::{Controls, Feed, FeedEnd, Mark, Sound};
use crate::verdict::Verdict;
use crate::{AudioError, Loudspeaker, PlayEnd, PlayHandle, PlayReporter, Playback, Side, resample};

/// Sound the device takes at a time: falling silent takes two of them, and so does the first sound. Source: a tone
/// played for 4 s while four programs and a compiler wanted our two cores; at 20 ms now and then a gap, at 30 ms none.
const BLOCK: Duration = Duration::from_millis(30);
/// Blocks in the device's own queue. Source: cpal, `DEFAULT_PERIODS`.
const BLOCKS_AHEAD: u32 = 2;
/// How often the speaker thread looks for news while something sounds.
const LOOK_EVERY: Duration = Duration::from_millis(5);
/// How often it looks while nothing does.
const LOOK_WHEN_IDLE: Duration = Duration::from_millis(250);
/// A device that takes no sound for so long is broken.
const STALLED_AFTER: Duration = Duration::from_secs(5);
/// Reports of the sound system that may wait; more are dropped, as the first one tells what is wrong.
const REPORTS: usize = 8;

/// A loudspeaker of the sound card, chosen by part of its name.
#[derive(Debug, Clone)]
pub struct CardLoudspeaker {
    wanted: String,
}

impl CardLoudspeaker {
    /// The first loudspeaker whose name contains `wanted`, whatever the case; empty is the system's default.
    pub fn new(wanted: impl Into<String>) -> Self {
        Self { wanted: wanted.into() }
    }
}

impl Loudspeaker for CardLoudspeaker {
    fn open(&self) -> Result<Box<dyn Playback>, AudioError> {
        let (orders, taken) = mpsc::channel();
        let (opened, is_open) = mpsc::sync_channel(1);
        let controls = Arc::new(Controls::default());
        let (wanted, shared) = (self.wanted.clone(), controls.clone());
        // It ends by itself when `orders` is dropped; nobody has to wait for it.
        std::thread::Builder::new()
            .name("speaker".into())
            .spawn(move || run(&wanted, shared, &taken, &opened))
            .map_err(|error| failed(&self.wanted, error))?;
        is_open.recv().map_err(|error| failed(&self.wanted, error))??;
        Ok(Box::new(CardPlayback { orders, controls }))
    }

    fn name(&self) -> String {
        if self.wanted.trim().is_empty() { "the default speaker".into() } else { self.wanted.clone() }
    }
}

struct CardPlayback {
    /// Unbounded, but each order is one sentence that somebody awaits.
    orders: Sender<Order>,
    controls: Arc<Controls>,
}

impl Playback for CardPlayback {
    fn play(&mut self, samples: Vec<f32>, rate_hz: u32) -> PlayHandle {
        let lasts = Duration::from_secs_f64(samples.len() as f64 / f64::from(rate_hz.max(1)));
        let (reporter, handle) = PlayHandle::new(lasts);
        let order = Order { samples, rate_hz, generation: self.controls.generation(), reporter };
        // When the thread is gone the reporter is dropped, and the handle ends as lost.
        let _ = self.orders.send(order);
        handle
    }

    fn fall_silent(&mut self) {
        self.controls.fall_silent();
    }

    fn set_volume(&mut self, volume: f32) {
        self.controls.set_volume(volume);
    }
}

/// A sound to play.
struct Order {
    samples: Vec<f32>,
    rate_hz: u32,
    generation: u64,
    reporter: PlayReporter,
}

/// The life of the speaker thread: open, tell how that went, play until the playback is dropped.
fn run(
    wanted: &str,
    controls: Arc<Controls>,
    orders: &Receiver<Order>,
    opened: &SyncSender<Result<(), AudioError>>,
) {
    match Playing::open(wanted, controls) {
        Ok(mut playing) => {
            // Nobody waits any more when the caller has gone away: then `orders` ends too.
            let _ = opened.send(Ok(()));
            if let Err(error) = playing.play(orders) {
                tracing::warn!(device = %playing.device, %error, "the speaker was lost");
                // Closed before anybody is told: the sound system retries a dead device as fast as it can.
                let reporters = std::mem::take(&mut playing.reporters);
                drop(playing);
                lose(reporters, orders, error);
            }
        }
        Err(error) => {
            let _ = opened.send(Err(error));
        }
    }
}

struct Playing {
    device: String,
    rate_hz: u32,
    /// From the callback to the ear, as far as we know it.
    heard_after: Duration,
    feed: FeedEnd,
    /// Sounds that the feed has no room for yet.
    waiting: VecDeque<Sound>,
    /// Who awaits the sounds in the feed and in `waiting`, in their order.
    reporters: VecDeque<(u64, PlayReporter)>,
    next_id: u64,
    verdict: Verdict,
    /// Held for its drop, which closes the device.
    _sink: MixerDeviceSink,
}

impl Playing {
    fn open(wanted: &str, controls: Arc<Controls>) -> Result<Self, AudioError> {
        let host = sound_system();
        let device = chosen(&host, Side::Loudspeaker, wanted)?;
        let name = device_name(&device);
        let (sink, reports) = open_sink(device).map_err(|error| from_rodio(&name, error))?;
        let config = sink.config();
        let (channels, rate) = (config.channel_count(), config.sample_rate());
        let block = match config.buffer_size() {
            BufferSize::Fixed(frames) => Duration::from_secs_f64(f64::from(*frames) / f64::from(rate.get())),
            BufferSize::Default => BLOCK,
        };
        tracing::info!(device = %name, rate_hz = rate.get(), channels = channels.get(), ?block, "the speaker is open");
        let (source, feed) = Feed::new(channels, rate, controls);
        sink.mixer().add(source);
        Ok(Self {
            rate_hz: rate.get(),
            heard_after: block * BLOCKS_AHEAD,
            feed,
            waiting: VecDeque::new(),
            reporters: VecDeque::new(),
            next_id: 0,
            verdict: Verdict::new(Side::Loudspeaker, &name, reports),
            device: name,
            _sink: sink,
        })
    }

    /// Plays until nobody can order any more; an error is the loss of the device.
    fn play(&mut self, orders: &Receiver<Order>) -> Result<(), AudioError> {
        let mut moved_at = Instant::now();
        let mut samples_out = self.feed.samples_out();
        loop {
            let wait = if self.reporters.is_empty() { LOOK_WHEN_IDLE } else { LOOK_EVERY };
            match orders.recv_timeout(wait) {
                Ok(order) => self.take(order)?,
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Ok(()),
            }
            self.verdict.check(self.feed.samples_out(), Instant::now())?;
            self.pass_on();
            self.report();
            if samples_out != self.feed.samples_out() || self.reporters.is_empty() {
                samples_out = self.feed.samples_out();
                moved_at = Instant::now();
            } else if moved_at.elapsed() > STALLED_AFTER {
                return Err(AudioError::Stalled {
                    side: Side::Loudspeaker,
                    device: self.device.clone(),
                    silent_for: STALLED_AFTER,
                });
            }
        }
    }

    fn take(&mut self, order: Order) -> Result<(), AudioError> {
        let samples = resample::resample(order.samples, order.rate_hz.max(1), self.rate_hz)
            .map_err(|error| failed(&self.device, error))?;
        self.next_id += 1;
        self.waiting.push_back(Sound::new(self.next_id, order.generation, samples));
        self.reporters.push_back((self.next_id, order.reporter));
        Ok(())
    }

    fn pass_on(&mut self) {
        while let Some(sound) = self.waiting.pop_front() {
            if let Err(sound) = self.feed.push(sound) {
                self.waiting.push_front(sound);
                return;
            }
        }
    }

    /// Tells those who wait what the callback has done since the last look.
    fn report(&mut self) {
        while let Some(mark) = self.feed.next_mark() {
            match mark {
                Mark::Started { id, at } => {
                    if let Some((_, reporter)) = self.reporters.iter().find(|(known, _)| *known == id) {
                        reporter.started(at + self.heard_after);
                    }
                }
                Mark::Played { sound, at } => {
                    self.end(sound.id, PlayEnd::Played { at: at + self.heard_after })
                }
                Mark::Silenced { sound, at } => {
                    self.end(sound.id, PlayEnd::Silenced { at: at + self.heard_after });
                }
            }
        }
    }

    fn end(&mut self, id: u64, end: PlayEnd) {
        if let Some(position) = self.reporters.iter().position(|(known, _)| *known == id)
            && let Some((_, reporter)) = self.reporters.remove(position)
        {
            reporter.ended(end);
        }
    }
}

/// Tells everybody that nothing more will sound, until the playback is dropped.
fn lose(reporters: VecDeque<(u64, PlayReporter)>, orders: &Receiver<Order>, error: AudioError) {
    let error = Arc::new(error);
    for (_, reporter) in reporters {
        reporter.ended(PlayEnd::Lost(error.clone()));
    }
    while let Ok(order) = orders.recv() {
        order.reporter.ended(PlayEnd::Lost(error.clone()));
    }
}

/// Opens the device with small blocks, and with its own where it refuses them.
fn open_sink(device: cpal::Device) -> Result<(MixerDeviceSink, Receiver<cpal::Error>), DeviceSinkError> {
    let (report, reports) = mpsc::sync_channel(REPORTS);
    // When the queue is full the thread already has something to act on.
    let on_error = move |error: cpal::Error| drop(report.try_send(error));
    let native = DeviceSinkBuilder::from_device(device.clone())?;
    let rate = native_rate(&device);
    let frames = (BLOCK.as_secs_f64() * f64::from(rate)) as u32;
    let small = native.with_buffer_size(BufferSize::Fixed(frames)).with_error_callback(on_error.clone());
    let mut sink = small.open_stream().or_else(|refused| {
        tracing::debug!(%refused, frames, "the speaker wants other blocks");
        DeviceSinkBuilder::from_device(device)?
            .with_buffer_size(BufferSize::Default)
            .with_error_callback(on_error)
            .open_sink_or_fallback()
    })?;
    sink.log_on_drop(false);
    Ok((sink, reports))
}

fn native_rate(device: &cpal::Device) -> u32 {
    use cpal::traits::DeviceTrait;
    /// What most cards run at.
    const USUAL: NonZero<u32> = NonZero::new(48_000).expect("not zero");
    device.default_output_config().map_or(USUAL.get(), |config| config.sample_rate())
}

fn from_rodio(device: &str, error: DeviceSinkError) -> AudioError {
    match error {
        DeviceSinkError::PlayError(error)
        | DeviceSinkError::DefaultSinkConfigError(error)
        | DeviceSinkError::BuildError(error)
        | DeviceSinkError::SupportedConfigsError(error) => {
            AudioError::from_cpal(Side::Loudspeaker, device, error)
        }
        DeviceSinkError::NoDevice => AudioError::NoDevice { side: Side::Loudspeaker },
        other => failed(device, other),
    }
}

fn failed(device: &str, error: impl std::error::Error + Send + Sync + 'static) -> AudioError {
    AudioError::Failed { side: Side::Loudspeaker, device: device.to_owned(), source: Arc::new(error) }
}
