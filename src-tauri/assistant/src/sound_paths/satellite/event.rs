//! Messages between the door of a satellite and its session.

use vocabulary::Trouble;

use crate::sound_paths::speech_service::VoiceSound;

/// The beginning of what a satellite sends next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SatelliteStage {
    /// Our name has to be said first, unless a follow-up needs none.
    Wake,
    /// The satellite has heard the name itself: the next words are a query.
    Query,
}

/// The events for a satellite.
#[derive(Debug, PartialEq)]
pub enum SatelliteEvent {
    /// Our name was said, or the words of a follow-up that needs none.
    NameHeard {
        /// As the settings have it, in lower case.
        name: String,
    },
    /// Somebody began to speak to us.
    SpeechStarted,
    /// The words of a query are complete.
    Query {
        /// The words, without the name.
        text: String,
    },
    /// Somebody wants silence.
    Stopped,
    /// No query came.
    NothingHeard,
    /// These words sound next.
    Words {
        /// A sentence, as it would be shown.
        text: String,
    },
    /// Sound to play after the sound before.
    Sound(VoiceSound),
    /// No more sound follows now. The satellite answers once it has played all of it.
    SoundEnded,
    /// Something does not work.
    Failed(Trouble),
}
