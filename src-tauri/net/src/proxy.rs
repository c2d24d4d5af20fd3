//! The proxy that the user has set for the whole system.

use hyper_util::client::proxy::matcher::Matcher;
use url::Url;

/// The proxy of the system: `HTTP_PROXY`, `HTTPS_PROXY`, `ALL_PROXY` and `NO_PROXY`, and what macOS and Windows keep in
/// their settings. Read once, when the client is made.
pub(crate) struct SystemProxy(Matcher);

impl SystemProxy {
    pub fn read() -> Self {
        // The HTTP client reads the same, with the same code.
        Self(Matcher::from_system())
    }

    /// Returns `true` if a request to `url` goes to the proxy.
    pub fn applies_to(&self, url: &Url) -> bool {
        url.as_str().parse().is_ok_and(|uri| self.0.intercept(&uri).is_some())
    }
}
