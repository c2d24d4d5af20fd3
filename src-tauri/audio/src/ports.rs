//! The ports to the sound card.

use crate::frames::FrameReceiver;
use crate::{AudioError, PlayHandle};

/// A source of sound.
pub trait Microphone: Send + Sync {
    /// Opens the device. Frames arrive until the capture is dropped or fails.
    ///
    /// Blocks while the sound system opens it, seconds at worst: do not call it on an async thread.
    ///
    /// # Errors
    ///
    /// [`AudioError`] when no device has this name, access is denied, or another program uses it.
    fn open(&self) -> Result<Capture, AudioError>;

    /// The name that the user sees.
    fn name(&self) -> String;
}

/// An open microphone. Dropping it closes the device.
pub struct Capture {
    /// The sound as frames.
    pub frames: FrameReceiver,
    /// Closes the device when dropped.
    _device: Box<dyn Send>,
}

impl Capture {
    /// A capture of `frames`. `device` must close the device when it is dropped.
    pub fn new(frames: FrameReceiver, device: impl Send + 'static) -> Self {
        Self { frames, _device: Box::new(device) }
    }
}

/// A destination of sound.
pub trait Loudspeaker: Send + Sync {
    /// Opens the device. It is silent until the first sound.
    ///
    /// Blocks while the sound system opens it, seconds at worst: do not call it on an async thread.
    ///
    /// # Errors
    ///
    /// [`AudioError`] when no device has this name or another program uses it.
    fn open(&self) -> Result<Box<dyn Playback>, AudioError>;

    /// The name that the user sees.
    fn name(&self) -> String;
}

/// An open loudspeaker with a queue of sounds, played without gaps. Dropping it stops the sound and closes the device.
pub trait Playback: Send {
    /// Queues mono samples, -1.0 to 1.0, with a rate of `rate_hz`. Returns at once; the handle reports the progress.
    ///
    /// After the device was lost, every handle ends as [`PlayEnd::Lost`](crate::PlayEnd::Lost) at once.
    fn play(&mut self, samples: Vec<f32>, rate_hz: u32) -> PlayHandle;

    /// Stops the current sound and drops the queue. The device is silent within about 20 ms, one of its blocks.
    fn stop(&mut self);

    /// Sets the volume from now on: 0.0 is silence, 1.0 leaves the samples unchanged.
    fn set_volume(&mut self, volume: f32);
}
