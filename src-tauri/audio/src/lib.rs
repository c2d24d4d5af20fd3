//! The sound card, in and out: the only crate that knows it.
//!
//! Sound comes in as [`vocabulary::Frame`]s (20 ms, mono, 16 kHz) through a [`Microphone`] and goes out as mono
//! samples of any rate through a [`Loudspeaker`]. What is said in it is none of our business.
//!
//! A `Microphone` and a `Loudspeaker` are choices, not open devices: opening them gives a [`Capture`] or a [`Playback`],
//! which ends when it is dropped. A device that goes away is an event, never a panic; open again to try again.

mod ports; // start here
mod error;
mod frames;
mod progress;
mod devices;
mod capture;
mod playback;
mod feed;
mod verdict;
mod resample;
mod wav;

pub use capture::CardMicrophone;
pub use devices::{DeviceInfo, DeviceReport, devices};
pub use error::{AudioError, Side};
pub use frames::{CaptureEvent, FRAME_QUEUE_LENGTH, FrameReceiver, FrameSender, frame_queue};
pub use playback::CardLoudspeaker;
pub use ports::{Capture, Loudspeaker, Microphone, Playback};
pub use progress::{PlayEnd, PlayHandle, PlayReporter};
pub use wav::{Pace, WavLoudspeaker, WavMicrophone, read_wav, write_wav};
