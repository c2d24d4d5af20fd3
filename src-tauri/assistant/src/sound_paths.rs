//! Sound in and out: microphones, our voice, and the hearing of sound from elsewhere.

pub(crate) mod capture; // keeps a microphone open
pub(crate) mod microphone; // why nothing is heard
pub(crate) mod ducking; // other programs, quieter while we listen
pub(crate) mod voice; // speech output
pub(crate) mod speech_service; // speech for other programs
pub(crate) mod stream_hearing; // hearing of sound from elsewhere
pub(crate) mod name_spotter; // our name in it
pub(crate) mod satellite; // microphones and loudspeakers in other rooms
