//! Errors of sound devices and sound files, and their remedies.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use vocabulary::{Stage, Trouble};

/// Which side of the sound card.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Side {
    /// Sound comes in.
    Microphone,
    /// Sound goes out.
    Loudspeaker,
}

impl std::fmt::Display for Side {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Microphone => "microphone",
            Self::Loudspeaker => "speaker",
        })
    }
}

/// Why sound does not come in or go out. Cheap to clone, so that one error can end many sounds.
#[derive(Debug, Clone, thiserror::Error)]
pub enum AudioError {
    /// The system has no device of this side.
    #[error("there is no {side} on this machine")]
    NoDevice {
        /// Which side.
        side: Side,
    },
    /// The settings name a device that does not exist.
    #[error("no {side} has a name that contains {requested:?}")]
    NoSuchDevice {
        /// Which side.
        side: Side,
        /// The name in the settings.
        requested: String,
        /// The names of the devices.
        available: Vec<String>,
    },
    /// The operating system denies access.
    #[error("the system denies access to the {side} {device:?}")]
    Denied {
        /// Which side.
        side: Side,
        /// The device's name.
        device: String,
        /// The error of the sound system.
        source: cpal::Error,
    },
    /// Another program uses the device.
    #[error("another program is using the {side} {device:?}")]
    Busy {
        /// Which side.
        side: Side,
        /// The device's name.
        device: String,
        /// The error of the sound system.
        source: cpal::Error,
    },
    /// The device worked and is no longer available.
    #[error("the {side} {device:?} was unplugged or switched off")]
    Unplugged {
        /// Which side.
        side: Side,
        /// The device's name.
        device: String,
        /// The error of the sound system.
        source: cpal::Error,
    },
    /// The device is open but transfers no samples.
    #[error("the {side} {device:?} has transferred no sound for {silent_for:?}")]
    Stalled {
        /// Which side.
        side: Side,
        /// The device's name.
        device: String,
        /// The time without samples.
        silent_for: Duration,
    },
    /// The sound system failed in another way.
    #[error("the {side} {device:?} could not be used")]
    Failed {
        /// Which side.
        side: Side,
        /// The device's name.
        device: String,
        /// The error of the sound system.
        source: Arc<dyn std::error::Error + Send + Sync>,
    },
    /// A sound file could not be read.
    #[error("the sound file {path} could not be read")]
    FileUnreadable {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: Arc<hound::Error>,
    },
    /// A sound file could not be written.
    #[error("the sound file {path} could not be written")]
    FileUnwritable {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: Arc<hound::Error>,
    },
    /// We closed the device before a sound had ended.
    #[error("the sound device was closed")]
    Closed,
}

impl AudioError {
    /// The remedy, as one sentence.
    pub fn remedy(&self) -> String {
        match self {
            Self::NoDevice { side: Side::Microphone } => {
                "Plug in a microphone, or type instead. A new microphone works at once.".into()
            }
            Self::NoDevice { side: Side::Loudspeaker } => {
                "Plug in a speaker or headphones. Until then, answers appear on the screen only.".into()
            }
            Self::NoSuchDevice { side, available, .. } if available.is_empty() => {
                format!("Plug it in, or empty the setting audio.{side} to use the system's default.")
            }
            Self::NoSuchDevice { side, available, .. } => format!(
                "Set audio.{side} to part of one of these names, or empty it for the system's default: {}.",
                available.join(", ")
            ),
            Self::Denied { side, .. } => permission_hint(*side),
            Self::Busy { .. } => "Close the program that uses it, or choose another device.".into(),
            Self::Unplugged { side, .. } => {
                format!("Plug the {side} in again or choose another. It works at once.")
            }
            Self::Stalled { side: Side::Microphone, .. } => permission_hint(Side::Microphone),
            Self::Stalled { side: Side::Loudspeaker, .. } | Self::Failed { .. } => {
                "Check the device in the system's sound settings, or run `jarvis doctor`.".into()
            }
            Self::FileUnreadable { .. } => "Name a WAV file that exists and that you may read.".into(),
            Self::FileUnwritable { .. } => {
                "Name a file in a folder that exists and that you may write to, on a disk with room.".into()
            }
            Self::Closed => "Open the device again.".into(),
        }
    }

    /// This error as the user sees it.
    pub fn trouble(&self) -> Trouble {
        Trouble::from_error(self.stage(), self, self.remedy())
    }

    fn stage(&self) -> Stage {
        match self {
            Self::NoDevice { side }
            | Self::NoSuchDevice { side, .. }
            | Self::Denied { side, .. }
            | Self::Busy { side, .. }
            | Self::Unplugged { side, .. }
            | Self::Stalled { side, .. }
            | Self::Failed { side, .. } => match side {
                Side::Microphone => Stage::Microphone,
                Side::Loudspeaker => Stage::Loudspeaker,
            },
            Self::FileUnreadable { .. } => Stage::Microphone,
            Self::FileUnwritable { .. } | Self::Closed => Stage::Loudspeaker,
        }
    }

    /// The error of an open device that is lost. It worked before, so an unspecific error means that it was unplugged.
    pub(crate) fn lost(side: Side, device: &str, source: cpal::Error) -> Self {
        match Self::from_cpal(side, device, source.clone()) {
            Self::Failed { .. } => Self::Unplugged { side, device: device.to_owned(), source },
            other => other,
        }
    }

    /// The error with its remedy for an error of the sound system.
    pub(crate) fn from_cpal(side: Side, device: &str, source: cpal::Error) -> Self {
        use cpal::ErrorKind as Kind;
        let device = device.to_owned();
        match source.kind() {
            Kind::PermissionDenied => Self::Denied { side, device, source },
            Kind::DeviceBusy => Self::Busy { side, device, source },
            Kind::DeviceNotAvailable | Kind::HostUnavailable | Kind::StreamInvalidated => {
                Self::Unplugged { side, device, source }
            }
            _ => Self::Failed { side, device, source: Arc::new(source) },
        }
    }
}

/// The place where the user allows access on this system.
fn permission_hint(side: Side) -> String {
    if cfg!(target_os = "macos") {
        format!("Allow it under System Settings, Privacy & Security, {side}, then start again.")
    } else if cfg!(target_os = "windows") {
        format!("Allow desktop apps to use it under Settings, Privacy & security, {side}.")
    } else {
        format!(
            "Check that the {side} is not muted or taken in the system's sound settings, and that your user may \
             use it (group `audio` where there is no PipeWire or PulseAudio)."
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remedy_for_an_unknown_device_lists_the_available_names() {
        let error = AudioError::NoSuchDevice {
            side: Side::Microphone,
            requested: "Yeti".into(),
            available: vec!["Built-in Audio".into(), "Webcam".into()],
        };

        assert_eq!(
            error.trouble(),
            Trouble::new(
                Stage::Microphone,
                "No microphone has a name that contains \"Yeti\".",
                "Set audio.microphone to part of one of these names, or empty it for the system's default: \
                 Built-in Audio, Webcam."
            )
        );
    }

    #[test]
    fn denied_access_differs_from_an_unplugged_device() {
        let from_cpal = |kind| AudioError::from_cpal(Side::Loudspeaker, "x", cpal::Error::new(kind));

        assert!(matches!(from_cpal(cpal::ErrorKind::PermissionDenied), AudioError::Denied { .. }));
        assert!(matches!(from_cpal(cpal::ErrorKind::DeviceNotAvailable), AudioError::Unplugged { .. }));
        assert!(matches!(from_cpal(cpal::ErrorKind::UnsupportedConfig), AudioError::Failed { .. }));
    }
}
