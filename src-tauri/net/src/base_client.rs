//! The settings that all clients of the HTTP library share.

use std::time::Duration;

use reqwest::redirect::Policy;
use reqwest::{Client, ClientBuilder};

use crate::NetError;

/// A host that accepts no connection within this time counts as unreachable. Far above normal round-trip times.
/// Source: the default of common download programs.
pub(crate) const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// Begins a client. Installs the TLS provider of the process if there is none.
pub(crate) fn builder() -> ClientBuilder {
    // An error means that another part of the process has installed one, which works as well.
    let _ = rustls::crypto::ring::default_provider().install_default();
    Client::builder()
        .user_agent(concat!("jarvis/", env!("CARGO_PKG_VERSION")))
        .connect_timeout(CONNECT_TIMEOUT)
        // Redirects are followed by `Request`, which checks every hop.
        .redirect(Policy::none())
}

/// Finishes a client.
///
/// # Errors
///
/// [`NetError::TlsUnavailable`] if the certificates of the system cannot be used.
pub(crate) fn build(builder: ClientBuilder) -> Result<Client, NetError> {
    builder.build().map_err(|error| NetError::TlsUnavailable(error.into()))
}
