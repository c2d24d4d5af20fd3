//! Why the microphone hears nothing.

use vocabulary::{Stage, Trouble};

/// Why the microphone hears nothing.
#[derive(Debug, Clone, PartialEq)]
pub enum MicrophoneUnavailable {
    /// The user muted it.
    Muted,
    /// Listening is switched off in the settings.
    SwitchedOff,
    /// The microphone does not work.
    Broken(Trouble),
}

impl MicrophoneUnavailable {
    /// The same for the user's screen.
    pub fn trouble(self) -> Trouble {
        match self {
            Self::Muted => Trouble::new(Stage::Microphone, "The microphone is muted.", "Unmute it to talk."),
            Self::SwitchedOff => {
                let remedy = "Switch on Listen (listening.enabled) in the settings to talk.";
                Trouble::new(Stage::Microphone, "The microphone is off.", remedy)
            }
            Self::Broken(trouble) => trouble,
        }
    }
}
