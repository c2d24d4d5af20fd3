//! Why there is no sound, and what to do about it.

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

/// Why sound does not come in or go out. Cheap to clone, so that everybody who waits can be told.
#[derive(Debug, Clone, thiserror::Error)]
pub enum AudioError {
    /// The system has no such device at all.
    #[error("there is no {side} on this machine")]
    NoDevice {
        /// What is missing.
        side: Side,
    },
    /// The settings name a device that is not there.
    #[error("no {side} has a name that contains {wanted:?}")]
    NoSuchDevice {
        /// What is missing.
        side: Side,
        /// What the settings ask for.
        wanted: String,
        /// The names there are.
        present: Vec<String>,
    },
    /// The operating system does not let us.
    #[error("the system does not let us use the {side} {device:?}")]
    Denied {
        /// Which side.
        side: Side,
        /// The device's name.
        device: String,
        /// What the sound system said.
        source: cpal::Error,
    },
    /// Another program has it.
    #[error("another program is using the {side} {device:?}")]
    Busy {
        /// Which side.
        side: Side,
        /// The device's name.
        device: String,
        /// What the sound system said.
        source: cpal::Error,
    },
    /// It was there and is gone.
    #[error("the {side} {device:?} was unplugged or switched off")]
    Unplugged {
        /// Which side.
        side: Side,
        /// The device's name.
        device: String,
        /// What the sound system said.
        source: cpal::Error,
    },
    /// It is open but nothing moves.
    #[error("the {side} {device:?} has not moved for {silent_for:?}")]
    Stalled {
        /// Which side.
        side: Side,
        /// The device's name.
        device: String,
        /// For so long.
        silent_for: Duration,
    },
    /// The sound system failed in another way.
    #[error("the {side} {device:?} could not be used")]
    Failed {
        /// Which side.
        side: Side,
        /// The device's name.
        device: String,
        /// What the sound system said.
        source: Arc<dyn std::error::Error + Send + Sync>,
    },
    /// A sound file could not be read.
    #[error("the sound file {path} could not be read")]
    FileUnreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        source: Arc<hound::Error>,
    },
    /// A sound file could not be written.
    #[error("the sound file {path} could not be written")]
    FileUnwritable {
        /// The file.
        path: PathBuf,
        /// Why.
        source: Arc<hound::Error>,
    },
    /// The device was closed by us while something still waited for it.
    #[error("the sound device was closed")]
    Closed,
}

impl AudioError {
    /// What the user can do about it, as one sentence.
    pub fn remedy(&self) -> String {
        match self {
            Self::NoDevice { side: Side::Microphone } => {
                "Plug in a microphone, or type instead: it works again as soon as one is there.".into()
            }
            Self::NoDevice { side: Side::Loudspeaker } => {
                "Plug in a speaker or headphones; until then answers are shown only.".into()
            }
            Self::NoSuchDevice { side, present, .. } if present.is_empty() => {
                format!("Plug it in, or empty the setting audio.{side} to use the system's default.")
            }
            Self::NoSuchDevice { side, present, .. } => format!(
                "Set audio.{side} to part of one of these names, or empty it for the system's default: {}.",
                present.join(", ")
            ),
            Self::Denied { side, .. } => permission_hint(*side),
            Self::Busy { .. } => "Close the program that uses it, or choose another device.".into(),
            Self::Unplugged { side, .. } => {
                format!("Plug the {side} in again or choose another; it is picked up by itself.")
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

    /// The same for the screen.
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

    /// What ended an open device. It worked until now, so whatever the sound system calls it, it went away.
    pub(crate) fn lost(side: Side, device: &str, source: cpal::Error) -> Self {
        match Self::from_cpal(side, device, source.clone()) {
            Self::Failed { .. } => Self::Unplugged { side, device: device.to_owned(), source },
            told => told,
        }
    }

    /// Sorts what the sound system said by what a user can do about it.
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

/// Where each system keeps the switch.
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
    fn a_wrong_name_in_the_settings_is_answered_with_the_names_there_are() {
        let error = AudioError::NoSuchDevice {
            side: Side::Microphone,
            wanted: "Yeti".into(),
            present: vec!["Built-in Audio".into(), "Webcam".into()],
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
    fn a_refusal_of_the_system_is_told_from_a_device_that_is_gone() {
        let said = |kind| AudioError::from_cpal(Side::Loudspeaker, "x", cpal::Error::new(kind));

        assert!(matches!(said(cpal::ErrorKind::PermissionDenied), AudioError::Denied { .. }));
        assert!(matches!(said(cpal::ErrorKind::DeviceNotAvailable), AudioError::Unplugged { .. }));
        assert!(matches!(said(cpal::ErrorKind::UnsupportedConfig), AudioError::Failed { .. }));
    }
}
