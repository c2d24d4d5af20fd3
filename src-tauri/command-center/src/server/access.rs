//! Access: for programs on this machine with the key of a paired client, not for web pages.

use std::net::IpAddr;

use vocabulary::Private;

use super::request::NodeRequest;
use crate::wire::API_KEY_HEADER;

/// A node that may ask.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PairedClient {
    /// Its name, without a colon.
    pub id: String,
    /// Its secret.
    pub secret: Private<String>,
}

/// Returns `true` for a request to this machine that no web page sent. A page whose name was bound to our address would
/// send its own name as the host.
pub(super) fn is_from_here(request: &NodeRequest, hosts: &[String]) -> bool {
    let Some(host) = request.header("host").map(|host| host.trim().to_ascii_lowercase()) else {
        return false;
    };
    let name = match host.strip_prefix('[') {
        Some(rest) => rest.split_once(']').map_or("", |(address, _)| address),
        None => host.rsplit_once(':').map_or(host.as_str(), |(name, _)| name),
    };
    let is_loopback =
        name == "localhost" || name.parse::<IpAddr>().is_ok_and(|address| address.is_loopback());
    let is_known = is_loopback || hosts.iter().any(|known| known.eq_ignore_ascii_case(name));
    is_known && request.header("origin").is_none()
}

/// The id of the client whose key the request carries.
pub(super) fn client_of(request: &NodeRequest, clients: &[PairedClient]) -> Option<String> {
    // A secret may have colons, a name has none.
    let (id, secret) = request.header(API_KEY_HEADER)?.split_once(':')?;
    let client = clients.iter().find(|client| client.id == id && !client.secret.is_empty())?;
    is_same_secret(secret.as_bytes(), client.secret.as_bytes()).then(|| client.id.clone())
}

/// Takes as long for a secret that is nearly right as for one that is all wrong.
fn is_same_secret(given: &[u8], known: &[u8]) -> bool {
    let differing = |at: usize, byte: &u8| byte ^ given.get(at).copied().unwrap_or_default();
    let difference = known.iter().enumerate().fold(0, |all, (at, byte)| all | differing(at, byte));
    std::hint::black_box(difference) == 0 && given.len() == known.len()
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    fn with(headers: &[(&str, &str)]) -> NodeRequest {
        let headers = headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        NodeRequest { headers: headers.collect(), ..NodeRequest::default() }
    }

    #[rstest]
    #[case::name(&[("Host", "localhost:7703")], true)]
    #[case::address(&[("HOST", "127.0.0.1:7703")], true)]
    #[case::ipv6(&[("host", "[::1]:7703")], true)]
    #[case::no_port(&[("Host", "127.0.0.1")], true)]
    #[case::configured(&[("Host", "Kitchen.local:7703")], true)]
    #[case::rebound_name(&[("Host", "evil.example:7703")], false)]
    #[case::name_that_begins_alike(&[("Host", "localhost.evil.example")], false)]
    #[case::other_address(&[("Host", "192.168.1.2:7703")], false)]
    #[case::no_host(&[], false)]
    #[case::web_page(&[("Host", "localhost:7703"), ("Origin", "https://evil.example")], false)]
    #[case::local_page(&[("Host", "localhost:7703"), ("Origin", "null")], false)]
    fn only_programs_of_this_machine_may_ask(#[case] headers: &[(&str, &str)], #[case] expected: bool) {
        assert_eq!(is_from_here(&with(headers), &["kitchen.local".to_owned()]), expected);
    }

    #[rstest]
    #[case::key("kitchen:s3:cret", Some("kitchen"))]
    #[case::other_secret("kitchen:s3", None)]
    #[case::longer_secret("kitchen:s3:cret2", None)]
    #[case::other_name("cellar:s3:cret", None)]
    #[case::no_colon("s3cret", None)]
    #[case::empty_secret("open:", None)]
    #[case::nothing("", None)]
    fn key_names_its_client(#[case] key: &str, #[case] expected: Option<&str>) {
        let client =
            |id: &str, secret: &str| PairedClient { id: id.to_owned(), secret: Private(secret.to_owned()) };
        let clients = [client("open", ""), client("kitchen", "s3:cret")];

        assert_eq!(client_of(&with(&[("x-api-key", key)]), &clients).as_deref(), expected);
    }
}
