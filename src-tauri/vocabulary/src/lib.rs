//! The types that the crates of the path share.
//!
//! `hearing`, `listening`, `replying`, `routing` and `speaking` do not depend on each other: they share these types.
//! No I/O, no clock, no task in here.
//!
//! Read in the order of an utterance: [`Frame`], [`Utterance`], [`Query`], [`ReplyEvent`],
//! [`OutgoingResponse`], [`SpeechEvent`], then [`AssistantEvent`], which reports them all.

mod sound;
mod utterance;
mod voice;
mod query;
mod caller;
mod reply;
mod outgoing;
mod delivery;
mod speech;
mod talk;
mod ring;
mod event;
mod trouble;
mod question;
mod tool_call;
mod trace;
mod private;
mod clock;

pub use caller::{
    CALLER_PATIENCE, Caller, CallerCall, CallerResult, CallerTool, CallerTools, EarlierMessage,
};
pub use clock::Clock;
pub use delivery::{DeliveryTrace, ReplyPart};
pub use event::{AssistantEvent, AssistantState};
pub use outgoing::{Attachment, AttachmentKind, OutgoingResponse, behind_loudspeaker, words_to_speak};
pub use private::Private;
pub use query::{ConversationId, Language, Origin, Query, ReplyId};
pub use question::{Answer, Question, QuestionId};
pub use reply::{Replier, ReplyControls, ReplyEvent, ReplyStream};
pub use ring::{Ring, RingKind, RingOutcome};
pub use sound::{FRAME_DURATION, FRAME_SAMPLES, Frame, NoSamples, SAMPLE_RATE_HZ, energy_dbfs, energy_rms};
pub use speech::SpeechEvent;
pub use talk::TalkOrder;
pub use tool_call::{ToolCallId, ToolOutcome};
pub use trace::{ModelCall, ModelCallOutcome, ReplyTrace, StageTrace, ToolCallTrace};
pub use trouble::{Stage, Trouble};
pub use utterance::{HearingEvent, Utterance, UtteranceId};
pub use voice::{EnrolledVoice, SpeakerEmbedding, VoiceMatch};
