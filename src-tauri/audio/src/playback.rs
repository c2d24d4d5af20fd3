//! A loudspeaker of the sound card, through rodio.
//!
//! One thread owns the open device. It resamples sounds, passes them to the [`PlaybackSource`] of the callback, and
//! reports their progress to the [`PlayHandle`]s.

use std::collections::VecDeque;
use std::num::NonZero;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender, SyncSender};
use std::time::{Duration, Instant};

use cpal::BufferSize;
use rodio::{DeviceSinkBuilder, DeviceSinkError, MixerDeviceSink};

use crate::devices::{device_name, find_device, sound_system};
use crate::echo::PlayedSound;
use crate::health::DeviceHealth;
use crate::source::{PlaybackControls, PlaybackSource, Sound, SourceControl, SourceEvent};
use crate::{AudioError, Loudspeaker, PlayEnd, PlayHandle, PlayReporter, Playback, Side, resample};

/// The length of a block of the device. A stop takes two blocks, and so does the first sound. Source: a tone played for
/// 4 s on two cores that four programs and a compiler used too: gaps with 20 ms, none with 30 ms.
const BLOCK_DURATION: Duration = Duration::from_millis(30);
/// Blocks in the queue of the device. Source: cpal, `DEFAULT_PERIODS`.
const BLOCKS_AHEAD: u32 = 2;
/// The interval at which the speaker thread checks the source while a sound plays.
const POLL_INTERVAL: Duration = Duration::from_millis(5);
/// The interval at which it checks the device while nothing plays.
const IDLE_POLL_INTERVAL: Duration = Duration::from_millis(250);
/// A device that takes no sound for this long has failed.
const STALL_TIMEOUT: Duration = Duration::from_secs(5);
/// Queued errors of the sound system. More are dropped: the first one shows the cause.
const MAX_QUEUED_ERRORS: usize = 8;

/// A loudspeaker of the sound card, chosen by part of its name.
#[derive(Debug, Clone)]
pub struct CardLoudspeaker {
    requested: String,
    played: PlayedSound,
}

impl CardLoudspeaker {
    /// The first loudspeaker whose name contains `requested`, ignoring case; empty means the default of the system.
    pub fn new(requested: impl Into<String>) -> Self {
        Self { requested: requested.into(), played: PlayedSound::default() }
    }

    /// Adds what it plays to `played`, for an [`EchoCanceller`](crate::EchoCanceller).
    #[must_use]
    pub fn reporting_to(mut self, played: PlayedSound) -> Self {
        self.played = played;
        self
    }
}

impl Loudspeaker for CardLoudspeaker {
    fn open(&self) -> Result<Box<dyn Playback>, AudioError> {
        let (requests, receiver) = mpsc::channel();
        let (opened, open_result) = mpsc::sync_channel(1);
        let controls = Arc::new(PlaybackControls::default());
        let (requested, shared, played) = (self.requested.clone(), controls.clone(), self.played.clone());
        // The thread ends when `requests` is dropped, so it needs no handle.
        std::thread::Builder::new()
            .name("speaker".into())
            .spawn(move || run(&requested, shared, played, &receiver, &opened))
            .map_err(|error| failed(&self.requested, error))?;
        open_result.recv().map_err(|error| failed(&self.requested, error))??;
        Ok(Box::new(CardPlayback { requests, controls }))
    }

    fn name(&self) -> String {
        if self.requested.trim().is_empty() { "the default speaker".into() } else { self.requested.clone() }
    }
}

struct CardPlayback {
    /// Unbounded: the caller queues a few sentences at most.
    requests: Sender<PlayRequest>,
    controls: Arc<PlaybackControls>,
}

impl Playback for CardPlayback {
    fn play(&mut self, samples: Vec<f32>, rate_hz: u32) -> PlayHandle {
        let duration = Duration::from_secs_f64(samples.len() as f64 / f64::from(rate_hz.max(1)));
        let (reporter, handle) = PlayHandle::new(duration);
        let request = PlayRequest { samples, rate_hz, generation: self.controls.generation(), reporter };
        // When the thread has ended, the reporter is dropped, and the handle ends as lost.
        let _ = self.requests.send(request);
        handle
    }

    fn stop(&mut self) {
        self.controls.stop();
    }

    fn set_volume(&mut self, volume: f32) {
        self.controls.set_volume(volume);
    }
}

struct PlayRequest {
    samples: Vec<f32>,
    rate_hz: u32,
    generation: u64,
    reporter: PlayReporter,
}

/// The speaker thread: opens the device, reports the result, and plays until the playback is dropped.
fn run(
    requested: &str,
    controls: Arc<PlaybackControls>,
    played: PlayedSound,
    requests: &Receiver<PlayRequest>,
    opened: &SyncSender<Result<(), AudioError>>,
) {
    match OpenSpeaker::open(requested, controls, played) {
        Ok(mut speaker) => {
            // If the caller no longer waits, `requests` is closed too, and `play` returns.
            let _ = opened.send(Ok(()));
            if let Err(error) = speaker.play(requests) {
                tracing::warn!(device = %speaker.device, %error, "the speaker was lost");
                // Close the device first: the sound system retries a lost device in a busy loop.
                let reporters = std::mem::take(&mut speaker.reporters);
                drop(speaker);
                fail_requests(reporters, requests, error);
            }
        }
        Err(error) => {
            let _ = opened.send(Err(error));
        }
    }
}

struct OpenSpeaker {
    device: String,
    rate_hz: u32,
    /// The estimated time from the callback until a sample is heard.
    output_delay: Duration,
    control: SourceControl,
    played: PlayedSound,
    /// Sounds that the ring has no room for yet.
    queued: VecDeque<Sound>,
    /// The reporters of the sounds in the ring and in `queued`, in the same order.
    reporters: VecDeque<(u64, PlayReporter)>,
    next_id: u64,
    health: DeviceHealth,
    /// Dropping it closes the device.
    _sink: MixerDeviceSink,
}

impl OpenSpeaker {
    fn open(
        requested: &str,
        controls: Arc<PlaybackControls>,
        played: PlayedSound,
    ) -> Result<Self, AudioError> {
        let host = sound_system();
        let device = find_device(&host, Side::Loudspeaker, requested)?;
        let name = device_name(&device);
        let (sink, reports) = open_sink(device).map_err(|error| from_rodio(&name, error))?;
        let config = sink.config();
        let (channels, rate) = (config.channel_count(), config.sample_rate());
        let block = match config.buffer_size() {
            BufferSize::Fixed(frames) => Duration::from_secs_f64(f64::from(*frames) / f64::from(rate.get())),
            BufferSize::Default => BLOCK_DURATION,
        };
        tracing::info!(device = %name, rate_hz = rate.get(), channels = channels.get(), ?block, "the speaker is open");
        let (source, control) = PlaybackSource::new(channels, rate, controls);
        sink.mixer().add(source);
        Ok(Self {
            rate_hz: rate.get(),
            output_delay: block * BLOCKS_AHEAD,
            control,
            played,
            queued: VecDeque::new(),
            reporters: VecDeque::new(),
            next_id: 0,
            health: DeviceHealth::new(Side::Loudspeaker, &name, reports),
            device: name,
            _sink: sink,
        })
    }

    /// Plays until the requests end.
    ///
    /// # Errors
    ///
    /// When the device is lost.
    fn play(&mut self, requests: &Receiver<PlayRequest>) -> Result<(), AudioError> {
        let mut last_progress = Instant::now();
        let mut samples_out = self.control.samples_out();
        loop {
            let wait = if self.reporters.is_empty() { IDLE_POLL_INTERVAL } else { POLL_INTERVAL };
            match requests.recv_timeout(wait) {
                Ok(request) => self.queue(request)?,
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Ok(()),
            }
            self.health.check(self.control.samples_out(), Instant::now())?;
            self.fill_source();
            self.report();
            self.control.tapped().pass_on(&self.played).map_err(|error| failed(&self.device, error))?;
            if samples_out != self.control.samples_out() || self.reporters.is_empty() {
                samples_out = self.control.samples_out();
                last_progress = Instant::now();
            } else if last_progress.elapsed() > STALL_TIMEOUT {
                return Err(AudioError::Stalled {
                    side: Side::Loudspeaker,
                    device: self.device.clone(),
                    silent_for: STALL_TIMEOUT,
                });
            }
        }
    }

    fn queue(&mut self, request: PlayRequest) -> Result<(), AudioError> {
        let samples = resample::resample(request.samples, request.rate_hz.max(1), self.rate_hz)
            .map_err(|error| failed(&self.device, error))?;
        self.next_id += 1;
        self.queued.push_back(Sound::new(self.next_id, request.generation, samples));
        self.reporters.push_back((self.next_id, request.reporter));
        Ok(())
    }

    fn fill_source(&mut self) {
        while let Some(sound) = self.queued.pop_front() {
            if let Err(sound) = self.control.push(sound) {
                self.queued.push_front(sound);
                return;
            }
        }
    }

    /// Reports what the callback has done since the last call.
    fn report(&mut self) {
        while let Some(event) = self.control.next_event() {
            match event {
                SourceEvent::Started { id, at } => {
                    if let Some((_, reporter)) = self.reporters.iter().find(|(queued_id, _)| *queued_id == id)
                    {
                        reporter.started(at + self.output_delay);
                    }
                }
                SourceEvent::Played { sound, at } => {
                    self.end(sound.id, PlayEnd::Played { at: at + self.output_delay })
                }
                SourceEvent::Stopped { sound, at } => {
                    self.end(sound.id, PlayEnd::Stopped { at: at + self.output_delay });
                }
            }
        }
    }

    fn end(&mut self, id: u64, end: PlayEnd) {
        if let Some(position) = self.reporters.iter().position(|(queued_id, _)| *queued_id == id)
            && let Some((_, reporter)) = self.reporters.remove(position)
        {
            reporter.ended(end);
        }
    }
}

/// Ends all current and later sounds as lost, until the playback is dropped.
fn fail_requests(
    reporters: VecDeque<(u64, PlayReporter)>,
    requests: &Receiver<PlayRequest>,
    error: AudioError,
) {
    let error = Arc::new(error);
    for (_, reporter) in reporters {
        reporter.ended(PlayEnd::Lost(error.clone()));
    }
    while let Ok(request) = requests.recv() {
        request.reporter.ended(PlayEnd::Lost(error.clone()));
    }
}

/// Opens the device with small blocks, or with its own block size if it rejects them.
fn open_sink(device: cpal::Device) -> Result<(MixerDeviceSink, Receiver<cpal::Error>), DeviceSinkError> {
    let (report, reports) = mpsc::sync_channel(MAX_QUEUED_ERRORS);
    // When the queue is full, earlier errors already wait for the thread.
    let on_error = move |error: cpal::Error| drop(report.try_send(error));
    let native = DeviceSinkBuilder::from_device(device.clone())?;
    let rate = native_rate(&device);
    let frames = (BLOCK_DURATION.as_secs_f64() * f64::from(rate)) as u32;
    let small = native.with_buffer_size(BufferSize::Fixed(frames)).with_error_callback(on_error.clone());
    let mut sink = small.open_stream().or_else(|refused| {
        tracing::debug!(%refused, frames, "the speaker rejected the block size");
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
    /// The rate of most sound cards.
    const COMMON_RATE: NonZero<u32> = NonZero::new(48_000).expect("not zero");
    device.default_output_config().map_or(COMMON_RATE.get(), |config| config.sample_rate())
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
