//! Which servers may be contacted.

use net::Http;
use url::{Host, Url};

use super::session_error::SessionError;

/// A client for this address; an error if it may not be contacted. The user named the address, so it may be a private one.
pub(super) async fn allowed_client(http: &Http, url: &Url) -> Result<reqwest::Client, SessionError> {
    http.allow_origin(url);
    let client = http.for_purpose(net::Purpose::ToolServer).raw_client(url).await;
    client.map_err(|error| SessionError::Unreachable(error.to_string()))
}

/// Returns `true` if an address leads to this machine by its spelling alone.
pub(super) fn is_this_machine(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}
