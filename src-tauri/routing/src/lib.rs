//! Hands a reply to the channel its query came from.
//!
//! Channels are registered in [`Channels`]. [`Channels::open`] opens the one of a query's origin, and every event of
//! the reply that a user sees passes through that [`Delivery`]. It decides how, never what: it reads reply events and
//! the [`vocabulary::OutgoingResponse`] that closes them, and nothing else. It never fails as a whole and never writes
//! history; each part has its own typed outcome.
//!
//! Source: docs/behaviour/routing.md.

mod delivery; // from the first event to the last attachment: start here
mod heard; // what was spoken
mod outcome; // what arrived
mod feedback; // what is done if nothing did
mod channels; // which channels there are
mod channel; // the port

pub use channel::{Channel, ChannelError, DeliveryNote};
pub use channels::{ChannelId, Channels, NoSuchChannel, Registration};
pub use delivery::Delivery;
pub use feedback::{Feedback, RunEnd, feedback};
pub use outcome::{Outcome, PartFailure};
