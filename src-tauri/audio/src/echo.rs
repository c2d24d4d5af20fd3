//! Takes our own sound out of that of the microphone.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use sonora_aec3::block::Block;
use sonora_aec3::block_processor::BlockProcessor;
use sonora_aec3::common::BLOCK_SIZE;
use sonora_aec3::config::EchoCanceller3Config;
use vocabulary::{FRAME_DURATION, FRAME_SAMPLES, Frame, SAMPLE_RATE_HZ, energy_rms};

/// The value of a full-scale sample for the canceller.
const FULL_SCALE: f32 = 32_768.0;
/// The longest way from the callback of the loudspeaker to the microphone: buffers of both devices, the room and its
/// reverberation. After that, frames pass unchanged.
const LONGEST_ECHO: Duration = Duration::from_secs(2);
/// Played sound that is kept. An open microphone reads it at once; without one it is dropped.
const LONGEST_MEMORY: Duration = Duration::from_secs(5);
/// The position in the played sound follows the samples, because the times of frames vary by a block of the device.
/// A larger difference means that frames were lost.
const LARGEST_JITTER: Duration = Duration::from_millis(80);
/// The played sound is read this much later than it was handed to the device, because it arrives up to 5 ms late. The echo
/// itself is later still: the device plays a block of 30 ms first.
const READING_DELAY: Duration = Duration::from_millis(10);

/// The weight of a block of 4 ms in the mean powers: they follow changes in 40 ms.
const BLOCK_WEIGHT: f32 = 0.1;
/// Suppression takes more than 15 dB from an echo that the adaptive filter left, and less than 10 dB from words of the user.
const USER_RATIO: f32 = 0.1;
/// The suppressed sound of a user is at least 6 dB louder than the noise of the room, which passes both.
const NOISE_RATIO: f32 = 4.0;
/// The rise of the noise level per block, 8 dB a second: the comfort noise of the suppression grows during its first seconds.
const NOISE_RISE: f32 = 1.0074;
/// The least noise of a room, -70 dB of full scale.
const LEAST_NOISE: f32 = 100.0;
/// Most pauses inside a word are shorter than 300 ms.
const USER_BLOCKS: u32 = 75;
/// The weight of a block in the mean powers by which the echo becomes known: they follow changes in 200 ms.
const ECHO_BLOCK_WEIGHT: f32 = 0.02;
/// The adaptive filter knows the echo once it leaves 6 dB less of the sound. Of sound that is no echo it leaves all but 1 dB.
const KNOWN_ECHO_RATIO: f32 = 0.25;

/// The sound that a loudspeaker has played, with its times. Clones share it.
#[derive(Clone, Default)]
pub struct PlayedSound {
    runs: Arc<Mutex<VecDeque<Run>>>,
}

impl std::fmt::Debug for PlayedSound {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PlayedSound").finish_non_exhaustive()
    }
}

/// Samples without a gap, on the clock of the loudspeaker.
struct Run {
    /// When the first sample was handed to the device.
    started_at: Instant,
    /// Samples already dropped from its front.
    dropped: usize,
    samples: VecDeque<f32>,
}

impl PlayedSound {
    /// Begins a run of samples, the first of which was handed to the device at `at`.
    pub fn start(&self, at: Instant) {
        let mut runs = self.runs.lock();
        runs.push_back(Run { started_at: at, dropped: 0, samples: VecDeque::new() });
    }

    /// Adds samples with a rate of [`SAMPLE_RATE_HZ`] to the current run.
    pub fn push(&self, samples: &[f32]) {
        let mut runs = self.runs.lock();
        let Some(run) = runs.back_mut() else { return };
        run.samples.extend(samples);
        let surplus = run.samples.len().saturating_sub(samples_in(LONGEST_MEMORY));
        run.drop_front(surplus);
        let newest_end = run.end();
        runs.retain(|run| run.end() + LONGEST_MEMORY >= newest_end);
    }

    /// The samples of each run that is kept.
    #[cfg(test)]
    pub(crate) fn runs(&self) -> Vec<Vec<f32>> {
        self.runs.lock().iter().map(|run| run.samples.iter().copied().collect()).collect()
    }
}

impl Run {
    fn end(&self) -> Instant {
        self.started_at + duration_of(self.dropped + self.samples.len())
    }

    /// A frame of samples from `position` on, silence outside of the run. Drops the samples before it.
    fn read(&mut self, position: i64) -> [f32; FRAME_SAMPLES] {
        let missing = position.min(0).unsigned_abs() as usize;
        let position = position.max(0) as usize;
        self.drop_front(position.saturating_sub(self.dropped).min(self.samples.len()));
        let mut frame = [0.0; FRAME_SAMPLES];
        let offset = position.saturating_sub(self.dropped);
        for (sample, played) in frame.iter_mut().skip(missing).zip(self.samples.iter().skip(offset)) {
            *sample = *played;
        }
        frame
    }

    fn drop_front(&mut self, count: usize) {
        self.samples.drain(..count);
        self.dropped += count;
    }
}

/// Chooses between the two results of the canceller.
///
/// The adaptive filter leaves the words of the user as they are, and 12 to 40 dB less of the echo. Suppression leaves 48 to
/// 75 dB less, but it removes parts of words spoken at the same time, and all of them while it takes them for an echo: with
/// headphones, and in the first seconds. So it counts for nothing until the filter shows that there is an echo.
/// Source: `tests/echo.rs`.
#[derive(Default)]
struct Mix {
    /// Of the heard and the linear sound, over a longer time.
    echo_powers: (f32, f32),
    /// The filter took an echo out of the sound.
    is_echo_known: bool,
    /// Of the linear and the suppressed sound, once there was one.
    mean_powers: Option<(f32, f32)>,
    /// The lowest suppressed power lately.
    noise_power: Option<f32>,
    /// Blocks in which the user is still taken to speak.
    user_blocks_left: u32,
    /// The share of the linear result, 0.0 to 1.0.
    share: f32,
}

impl Mix {
    /// The share of the linear result at the start and at the end of a block with these loudnesses.
    fn shares(&mut self, heard: f32, linear: f32, suppressed: f32) -> (f32, f32) {
        let (linear_block, suppressed_block) = (linear * linear, suppressed * suppressed);
        self.note_echo(heard * heard, linear_block);
        let (mut linear, mut suppressed) = self.mean_powers.unwrap_or((linear_block, suppressed_block));
        linear += (linear_block - linear) * BLOCK_WEIGHT;
        suppressed += (suppressed_block - suppressed) * BLOCK_WEIGHT;
        self.mean_powers = Some((linear, suppressed));
        let noise =
            self.noise_power.map_or(suppressed, |noise| suppressed.min(noise * NOISE_RISE)).max(LEAST_NOISE);
        self.noise_power = Some(noise);
        if suppressed > noise * NOISE_RATIO && suppressed > linear * USER_RATIO {
            self.user_blocks_left = USER_BLOCKS;
        } else {
            self.user_blocks_left = self.user_blocks_left.saturating_sub(1);
        }
        let before = self.share;
        self.share = if self.user_blocks_left > 0 || !self.is_echo_known { 1.0 } else { 0.0 };
        (before, self.share)
    }

    fn note_echo(&mut self, heard_block: f32, linear_block: f32) {
        let (heard, linear) = &mut self.echo_powers;
        *heard += (heard_block - *heard) * ECHO_BLOCK_WEIGHT;
        *linear += (linear_block - *linear) * ECHO_BLOCK_WEIGHT;
        self.is_echo_known |= *heard > LEAST_NOISE * NOISE_RATIO && *linear < *heard * KNOWN_ECHO_RATIO;
    }
}

/// Takes what was played out of the frames of a microphone. Without played sound it does nothing.
///
/// The echo may arrive up to half a second after the sound was handed to the device; its delay is estimated, and followed
/// when the clocks of the devices differ.
pub struct EchoCanceller {
    played: PlayedSound,
    processor: BlockProcessor,
    played_block: Block,
    heard_block: Block,
    linear_block: Block,
    mix: Mix,
    /// The run that is read and the position in it; before its start the position is negative.
    reading: Option<(Instant, i64)>,
}

impl EchoCanceller {
    /// A canceller of the echo of `played`.
    pub fn new(played: PlayedSound) -> Self {
        let mut config = EchoCanceller3Config::default();
        config.filter.export_linear_aec_output = true;
        let block = || Block::new(1, 1);
        Self {
            played,
            processor: BlockProcessor::new(&config, SAMPLE_RATE_HZ as usize, 1, 1),
            played_block: block(),
            heard_block: block(),
            linear_block: block(),
            mix: Mix::default(),
            reading: None,
        }
    }

    /// Takes the echo out of the next frame of the microphone, and notes its loudness. Returns `false` if nothing was played
    /// lately, so that the frame is unchanged.
    pub fn cancel(&mut self, frame: &mut Frame) -> bool {
        let Some(reference) = self.reference_for(frame.captured_at) else { return false };
        let heard_rms = energy_rms(&frame.samples);
        for (played, heard) in
            reference.chunks_exact(BLOCK_SIZE).zip(frame.samples.chunks_exact_mut(BLOCK_SIZE))
        {
            self.cancel_block(played, heard);
        }
        let left_rms = energy_rms(&frame.samples);
        frame.echo_rms = (heard_rms.powi(2) - left_rms.powi(2)).max(0.0).sqrt();
        true
    }

    fn cancel_block(&mut self, played: &[f32], heard: &mut [f32]) {
        let heard_rms = energy_rms(heard) * FULL_SCALE;
        let is_saturated = heard.iter().any(|sample| sample.abs() > 0.99);
        fill(&mut self.played_block, played);
        fill(&mut self.heard_block, heard);
        self.processor.buffer_render(&self.played_block);
        self.processor.process_capture(
            false,
            is_saturated,
            Some(&mut self.linear_block),
            &mut self.heard_block,
        );
        let (linear, suppressed) = (self.linear_block.view(0, 0), self.heard_block.view(0, 0));
        let shares = self.mix.shares(heard_rms, energy_rms(linear), energy_rms(suppressed));
        for (n, sample) in heard.iter_mut().enumerate() {
            let share = shares.0 + (shares.1 - shares.0) * n as f32 / BLOCK_SIZE as f32;
            *sample = (linear[n] * share + suppressed[n] * (1.0 - share)) / FULL_SCALE;
        }
    }

    /// The sound that was played during the frame which ended at `captured_at`; `None` if its echo is over.
    fn reference_for(&mut self, captured_at: Instant) -> Option<[f32; FRAME_SAMPLES]> {
        let mut runs = self.played.runs.lock();
        while runs.len() > 1 && runs[1].started_at <= captured_at {
            runs.pop_front();
        }
        let run = runs.front_mut().filter(|run| run.started_at <= captured_at)?;
        if captured_at > run.end() + LONGEST_ECHO {
            runs.clear();
            self.reading = None;
            return None;
        }
        let by_time = samples_in(captured_at.saturating_duration_since(run.started_at)) as i64
            - samples_in(FRAME_DURATION + READING_DELAY) as i64;
        let position = match self.reading {
            Some((run_start, position))
                if run_start == run.started_at
                    && position.abs_diff(by_time) <= samples_in(LARGEST_JITTER) as u64 =>
            {
                position
            }
            _ => by_time,
        };
        self.reading = Some((run.started_at, position + FRAME_SAMPLES as i64));
        Some(run.read(position))
    }
}

fn samples_in(duration: Duration) -> usize {
    (duration.as_secs_f64() * f64::from(SAMPLE_RATE_HZ)) as usize
}

fn duration_of(samples: usize) -> Duration {
    Duration::from_secs_f64(samples as f64 / f64::from(SAMPLE_RATE_HZ))
}

fn fill(block: &mut Block, samples: &[f32]) {
    for (scaled, sample) in block.view_mut(0, 0).iter_mut().zip(samples) {
        *scaled = sample * FULL_SCALE;
    }
}
