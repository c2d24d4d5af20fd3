//! Input and output of sound. No other crate uses the sound card.
//!
//! The sound of other programs can be made quieter through [`OtherSound`].
//!
//! Sound comes in as [`vocabulary::Frame`]s (20 ms, mono, 16 kHz) through a [`Microphone`] and goes out as mono
//! samples of any rate through a [`Loudspeaker`]. This crate knows nothing about speech.
//!
//! A `Microphone` or a `Loudspeaker` names a device. Opening it gives a [`Capture`] or a [`Playback`]; dropping that
//! closes the device. When a device fails, an event reports it; open the device again to retry.

mod ports; // start here
mod error;
mod frames;
mod progress;
mod devices;
mod capture;
mod playback;
mod echo; // our own sound in the microphone
mod tap; // the samples that were played
mod source; // the samples that the callback plays
mod health; // whether an open device still works
mod resample;
mod offset; // of a microphone
mod wav;
mod other_sound; // that of other programs
#[cfg(target_os = "linux")]
mod sound_server; // where it is made quieter
mod framing; // frames of sound that comes from no device

pub use capture::CardMicrophone;
pub use devices::{DeviceInfo, DeviceReport, devices};
pub use echo::{EchoCanceller, PlayedSound};
pub use error::{AudioError, Side};
pub use frames::{CaptureEvent, FRAME_QUEUE_LENGTH, FrameReceiver, FrameSender, frame_queue};
pub use framing::Framer;
pub use other_sound::{OtherSound, OtherSoundError};
pub use playback::CardLoudspeaker;
pub use ports::{Capture, Loudspeaker, Microphone, Playback};
pub use progress::{PlayEnd, PlayHandle, PlayReporter};
#[cfg(target_os = "linux")]
pub use sound_server::SoundServer;
pub use wav::{
    Pace, SoundUnreadable, WavLoudspeaker, WavMicrophone, decode_speech, read_wav, resampled, write_wav,
};
