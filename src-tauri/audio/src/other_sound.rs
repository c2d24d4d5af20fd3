//! The port to the sound of other programs, which can be made quieter for a while.

use std::io;

/// The sound of other programs.
pub trait OtherSound: Send + Sync {
    /// Makes what other programs play now quieter, once until it is restored.
    ///
    /// Blocks for some milliseconds, two seconds at worst: do not call it on an async thread.
    ///
    /// # Errors
    ///
    /// [`OtherSoundError`]; then some or all of it is as loud as before.
    fn lower(&self) -> Result<(), OtherSoundError>;

    /// Gives it its volume back, also what a run before made quieter that ended too early. A volume that was changed meanwhile
    /// stays. Returns `false` if a program plays nothing now, but would be quieter when it plays again: call this again later.
    /// Blocks like [`OtherSound::lower`].
    ///
    /// # Errors
    ///
    /// [`OtherSoundError`]; the next call tries again.
    fn restore(&self) -> Result<bool, OtherSoundError>;
}

/// The reason why the sound of other programs was left as it is.
#[derive(Debug, thiserror::Error)]
pub enum OtherSoundError {
    /// `pactl` did not run.
    #[error("the program pactl did not run")]
    Program(#[source] io::Error),
    /// The sound server refused, or there is none.
    #[error("the sound server refused: {reason}")]
    Refused {
        /// In its own words.
        reason: String,
    },
    /// It answered something else than expected.
    #[error("the sound server described its streams in an unknown form")]
    Unreadable(#[source] serde_json::Error),
    /// The volumes to restore could not be written down, so nothing was changed.
    #[error("the volumes to restore were not written down")]
    Note(#[source] io::Error),
}
