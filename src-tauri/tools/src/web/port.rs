//! The port to the web.

use std::time::Duration;

use async_trait::async_trait;
use net::Purpose;
use url::Url;

/// Fetches addresses of the web.
#[async_trait]
pub trait WebFetch: Send + Sync {
    /// Sends one request and reads the answer. Public addresses only; each redirect is checked like the first address.
    ///
    /// # Errors
    ///
    /// [`WebError`]. A status other than success is one.
    async fn fetch(&self, request: WebRequest) -> Result<WebResponse, WebError>;
}

/// A request without a body.
#[derive(Debug, Clone)]
pub struct WebRequest {
    /// The address.
    pub url: Url,
    /// Its purpose, in the list of contacted hosts.
    pub purpose: Purpose,
    /// Headers by name. A value may be a key, so it is never logged.
    pub headers: Vec<(&'static str, String)>,
    /// The time for everything, from the connection to the last byte.
    pub time_limit: Duration,
    /// Redirects that are followed.
    pub max_redirects: usize,
    /// Bytes of the body that are read; the rest is left out.
    pub max_bytes: usize,
}

impl WebRequest {
    /// A request for at most half a megabyte, with up to three redirects.
    pub(super) fn new(url: Url, purpose: Purpose, time_limit: Duration) -> Self {
        Self { url, purpose, headers: Vec::new(), time_limit, max_redirects: 3, max_bytes: 512 * 1024 }
    }

    pub(super) fn header(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((name, value.into()));
        self
    }
}

/// An answer with a status of success.
#[derive(Debug, Clone)]
pub struct WebResponse {
    /// The status, 2xx.
    pub status: u16,
    /// The address after all redirects.
    pub url: Url,
    /// The header `Content-Type`, if there is one.
    pub content_type: Option<String>,
    /// The start of the body, decompressed.
    pub body: Vec<u8>,
}

impl WebResponse {
    /// The body as JSON.
    pub(super) fn json<T: serde::de::DeserializeOwned>(&self) -> Result<T, WebError> {
        serde_json::from_slice(&self.body).map_err(|_| WebError::Unreadable)
    }
}

/// Why an address could not be fetched.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WebError {
    /// The server answered with this status.
    #[error("the server answered with status {0}")]
    Status(u16),
    /// It took too long.
    #[error("it took too long")]
    TimedOut,
    /// The user has switched the network off.
    #[error("Jarvis is set to work offline")]
    Offline,
    /// The address, or one it redirects to, is not public.
    #[error("the address is not a public one")]
    NotPublic,
    /// The site asks programs not to read the page, and the user respects that.
    #[error("the site asks programs not to read it, and the setting web.robots respects that")]
    Robots,
    /// The server cannot be reached, or the connection broke.
    #[error("the server could not be reached")]
    Unreachable,
    /// The answer is not in the expected form.
    #[error("the answer could not be read")]
    Unreadable,
}
