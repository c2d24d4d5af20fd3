//! Hands a reply to the channel its query came from.
//!
//! Decides how, never what: reads reply events and the [`vocabulary::OutgoingResponse`] that closes them, and nothing
//! else. Never fails as a whole, never writes history; each part has its own typed outcome.
//!
//! Source: the transport contract, "Variant B".

mod deliver; // from first sentence to last attachment: start here
mod channel;

pub use channel::{Channel, ChannelError, Part};
pub use deliver::{Delivery, Outcome, PartFailure, Voice, deliver};
