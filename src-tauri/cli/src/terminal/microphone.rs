//! The choice whether the microphone is opened.

/// The choice whether the microphone is opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MicrophoneChoice {
    /// Spoken and typed queries.
    Open,
    /// Typed queries only; nothing is spoken either.
    Closed,
}
