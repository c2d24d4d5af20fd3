//! The requests of the talk key.

/// The meaning of pressing and releasing the talk key for the words being said. `hearing` obeys first and passes the
/// order on with its events, so that `listening` sees it in the same order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TalkOrder {
    /// The key is held: what is said needs no name, and no pause ends it until the key is released.
    Hold,
    /// The key was tapped: the next words need no name, and a pause ends them.
    Listen,
    /// The user says that the utterance is over: its last word is heard out, and no pause waited for.
    Finish,
    /// The key counts as released, and what is said goes on as usual.
    Release,
    /// The utterance is discarded, and the key no longer listens.
    Discard,
}
