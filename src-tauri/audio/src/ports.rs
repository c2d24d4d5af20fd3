//! What the rest of the assistant needs of a sound card.

use crate::frames::FrameReceiver;
use crate::{AudioError, PlayHandle};

/// Where sound comes from.
pub trait Microphone: Send + Sync {
    /// Opens it; frames arrive until the capture is dropped or fails.
    ///
    /// Blocks for as long as the sound system takes, seconds at worst: call it off the async threads.
    ///
    /// # Errors
    ///
    /// Why there is no sound: no device of that name, access denied, device taken.
    fn open(&self) -> Result<Capture, AudioError>;

    /// What to call it before a user.
    fn name(&self) -> String;
}

/// An open microphone. Dropping it closes the device.
pub struct Capture {
    /// The sound, frame after frame.
    pub frames: FrameReceiver,
    /// Closes the device when dropped.
    _open: Box<dyn Send>,
}

impl Capture {
    /// Frames from `frames`, for as long as `open` is alive: what it holds closes the device when it is dropped.
    pub fn new(frames: FrameReceiver, open: impl Send + 'static) -> Self {
        Self { frames, _open: Box::new(open) }
    }
}

/// Where sound goes.
pub trait Loudspeaker: Send + Sync {
    /// Opens it, silent.
    ///
    /// Blocks for as long as the sound system takes, seconds at worst: call it off the async threads.
    ///
    /// # Errors
    ///
    /// Why nothing can be played: no device of that name, device taken.
    fn open(&self) -> Result<Box<dyn Playback>, AudioError>;

    /// What to call it before a user.
    fn name(&self) -> String;
}

/// An open loudspeaker: sounds queue up and play without a gap. Dropping it falls silent and closes the device.
pub trait Playback: Send {
    /// Queues mono samples, -1.0 to 1.0, of `rate_hz`. Does not wait: the handle tells when they sound.
    ///
    /// After the device was lost every handle ends as [`PlayEnd::Lost`](crate::PlayEnd::Lost) at once.
    fn play(&mut self, samples: Vec<f32>, rate_hz: u32) -> PlayHandle;

    /// Drops all that is queued; the device falls silent within one of its blocks, some 20 ms.
    fn fall_silent(&mut self);

    /// Loudness of everything from now on: 0.0 is silence, 1.0 leaves the samples as they are.
    fn set_volume(&mut self, volume: f32);
}
