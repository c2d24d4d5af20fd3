//! Commands of doors and parts to the coordinator.

use std::time::Instant;

use tokio::sync::oneshot;
use vocabulary::{Answer, Language, Origin, ReplyId, Stage, Trouble};

use crate::replies::{NoQuestion, ReplyHandle, ReplyRefused, ReplyRequest, SatelliteReply, SatelliteRequest};

/// Commands of doors and parts to the coordinator.
pub(crate) enum Command {
    /// Answer this in the foreground, or take it as the answer to the question that is asked there. The name of the
    /// reply is sent back at once.
    Ask {
        text: String,
        origin: Origin,
        replaces_previous: bool,
        accepted: oneshot::Sender<Result<ReplyId, ReplyRefused>>,
    },
    /// Answer this in the background.
    Open { request: ReplyRequest, accepted: oneshot::Sender<Result<ReplyHandle, ReplyRefused>> },
    /// Answer this at a satellite.
    OpenAtSatellite {
        request: SatelliteRequest,
        accepted: oneshot::Sender<Result<SatelliteReply, ReplyRefused>>,
    },
    /// Answer the question of the foreground reply.
    Answer { answer: Answer, taken: oneshot::Sender<Result<ReplyId, NoQuestion>> },
    /// End the foreground reply and stop speaking; done when it is silent.
    Stop { done: oneshot::Sender<()> },
    /// The talk key went down: ends the foreground reply and listens, without our name.
    TalkKeyDown { at: Instant },
    /// The talk key came up.
    TalkKeyUp { at: Instant },
    /// Say this aloud, in place of the foreground reply.
    ReadAloud { text: String },
    /// The microphone was muted, or is open again.
    Muted(bool),
    /// Nothing of this reply is about to be heard.
    NothingToHear(ReplyId),
    /// A reply is in a language that no installed voice speaks.
    VoiceMissing {
        language: Language,
        /// The model to download for it.
        download: Option<String>,
    },
    /// A part does not work.
    Trouble(Trouble),
    /// A part works again.
    Recovered(Stage),
    /// All that can be ready is.
    Ready,
}
