//! The HTTP client for all outgoing requests of the product.
//!
//! A request has an address and optionally a JSON body; the result is a streamed response or a typed [`NetError`].
//! Requests go only to public addresses and to the exact origins that the user configured
//! ([`Http::allow_origin`]). Every redirect is checked again, and the connection uses the checked address. All
//! contacted hosts are recorded ([`Http::hosts_contacted`]).
//!
//! A proxy that the user has set for the system is used for public addresses, never for servers on this machine or in
//! the local network. It comes from the environment, on Windows and macOS from the settings of the system, and on Linux
//! from those of the desktop: the module `proxy` tells the order. The guard stays in force; the module `guard` says how the two go together.

mod client; // start here
mod request;
mod response;
mod guard;
mod proxy;
mod base_client;
mod contacts;
mod error;

pub use bytes::Bytes;
pub use client::Http;
pub use contacts::{HostContact, Purpose};
pub use error::NetError;
pub use guard::{is_public, is_public_url, is_shared};
pub use request::Request;
pub use response::{BodyStream, Response};
pub use url::Url;
