//! The words of the product as types: what the crates of the path say to each other.
//!
//! The path never depends on itself sideways: `hearing`, `listening`, `replying`, `routing` and `speaking`
//! meet only in these types. No I/O, no clock, no task in here.
//!
//! Read in the order of an utterance: [`Frame`], [`Utterance`], [`Query`], [`ReplyEvent`],
//! [`OutgoingResponse`], [`SpeechEvent`], and [`AssistantEvent`] around them all.

mod sound;
mod utterance;
mod query;
mod reply;
mod outgoing;
mod speech;
mod event;
mod trouble;
mod question;
mod private;
mod clock;

pub use clock::Clock;
pub use event::{AssistantEvent, AssistantState};
pub use outgoing::{Attachment, AttachmentKind, OutgoingResponse};
pub use private::Private;
pub use query::{ConversationId, Language, Origin, Query, ReplyId};
pub use question::{Question, QuestionId};
pub use reply::{Replier, ReplyEvent, ReplyStream};
pub use sound::{FRAME_DURATION, FRAME_SAMPLES, Frame, NoSamples, SAMPLE_RATE_HZ, energy_dbfs, energy_rms};
pub use speech::SpeechEvent;
pub use trouble::{Stage, Trouble};
pub use utterance::{HearingEvent, Utterance, UtteranceId};
