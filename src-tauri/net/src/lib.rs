//! The HTTP port every outgoing request of the product goes through.
//!
//! A request comes in as an address and perhaps a JSON body; a streamed answer or a typed [`NetError`] goes out.
//! Nothing is contacted but public addresses and the exact origins the user configured
//! ([`Http::allow_origin`]); every redirect is checked again, and the address checked is the address connected
//! to. What was contacted can be shown to the user ([`Http::hosts_contacted`]).
//!
//! System proxies are not used: behind one, nobody could say which address is really connected to.

mod client; // start here
mod request;
mod response;
mod guard;
mod contacts;
mod error;

pub use bytes::Bytes;
pub use client::Http;
pub use contacts::HostContact;
pub use error::NetError;
pub use guard::is_public;
pub use request::Request;
pub use response::{BodyStream, Response};
pub use url::Url;
