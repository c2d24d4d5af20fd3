//! Access: for programs on this machine with the key of a paired client, not for web pages.

use std::net::IpAddr;

use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

/// A client that may ask.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PairedClient {
    /// Its name, without a colon.
    id: String,
    /// SHA-256 of its secret.
    secret: [u8; 32],
}

impl PairedClient {
    /// A client with this secret.
    pub fn new(id: impl Into<String>, secret: &str) -> Self {
        Self::with_hash(id, Sha256::digest(secret).into())
    }

    /// A client of whose secret only the SHA-256 is known.
    pub fn with_hash(id: impl Into<String>, secret: [u8; 32]) -> Self {
        Self { id: id.into(), secret }
    }
}

/// Returns `true` for a request to this machine that no web page sent. A page whose name was bound to our address would
/// send its own name as the host.
pub fn is_from_here(host: Option<&str>, origin: Option<&str>, hosts: &[String]) -> bool {
    let Some(host) = host.map(|host| host.trim().to_ascii_lowercase()) else {
        return false;
    };
    let name = match host.strip_prefix('[') {
        Some(rest) => rest.split_once(']').map_or("", |(address, _)| address),
        None => host.rsplit_once(':').map_or(host.as_str(), |(name, _)| name),
    };
    let is_loopback =
        name == "localhost" || name.parse::<IpAddr>().is_ok_and(|address| address.is_loopback());
    let is_known = is_loopback || hosts.iter().any(|known| known.eq_ignore_ascii_case(name));
    is_known && origin.is_none()
}

/// The id of the client whose key this is: its name, a colon and its secret.
pub fn client_of_key(key: &str, clients: &[PairedClient]) -> Option<String> {
    // A secret may have colons, a name has none.
    let (id, secret) = key.split_once(':')?;
    let client = clients.iter().find(|client| client.id == id && !secret.is_empty())?;
    // Takes as long for a secret that is nearly right as for one that is all wrong.
    bool::from(Sha256::digest(secret).ct_eq(&client.secret)).then(|| client.id.clone())
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::name(Some("localhost:7703"), None, true)]
    #[case::address(Some("127.0.0.1:7703"), None, true)]
    #[case::ipv6(Some("[::1]:7703"), None, true)]
    #[case::no_port(Some("127.0.0.1"), None, true)]
    #[case::configured(Some("Kitchen.local:7703"), None, true)]
    #[case::rebound_name(Some("evil.example:7703"), None, false)]
    #[case::name_that_begins_alike(Some("localhost.evil.example"), None, false)]
    #[case::other_address(Some("192.168.1.2:7703"), None, false)]
    #[case::no_host(None, None, false)]
    #[case::web_page(Some("localhost:7703"), Some("https://evil.example"), false)]
    #[case::local_page(Some("localhost:7703"), Some("null"), false)]
    fn only_programs_of_this_machine_may_ask(
        #[case] host: Option<&str>,
        #[case] origin: Option<&str>,
        #[case] expected: bool,
    ) {
        assert_eq!(is_from_here(host, origin, &["kitchen.local".to_owned()]), expected);
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
        let clients = [PairedClient::new("open", ""), PairedClient::new("kitchen", "s3:cret")];

        assert_eq!(client_of_key(key, &clients).as_deref(), expected);
    }
}
