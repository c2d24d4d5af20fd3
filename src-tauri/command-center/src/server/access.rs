//! Access: for programs on this machine with the key of a paired client, not for web pages.

use std::net::{IpAddr, Ipv6Addr};

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
    let host = host.map(|host| host.trim().to_ascii_lowercase());
    let Some(name) = host.as_deref().and_then(host_name) else { return false };
    let is_loopback =
        name == "localhost" || name.parse::<IpAddr>().is_ok_and(|address| address.is_loopback());
    let is_known = is_loopback || hosts.iter().any(|known| known.eq_ignore_ascii_case(name));
    is_known && origin.is_none()
}

/// The name or the address in a host, without its port; `None` if anything else stands there.
fn host_name(host: &str) -> Option<&str> {
    let (name, port) = match host.strip_prefix('[') {
        Some(rest) => rest.split_once(']').filter(|(address, _)| address.parse::<Ipv6Addr>().is_ok())?,
        None => host.split_at(host.find(':').unwrap_or(host.len())),
    };
    let port = if port.is_empty() { port } else { port.strip_prefix(':')? };
    port.chars().all(|digit| digit.is_ascii_digit()).then_some(name)
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
    #[case::empty_host(Some(""), None, false)]
    #[case::no_number_behind_the_colon(Some("localhost:7703@evil.example"), None, false)]
    #[case::name_behind_the_port(Some("localhost:7703:evil.example"), None, false)]
    #[case::name_behind_the_brackets(Some("[::1].evil.example:7703"), None, false)]
    #[case::user_before_the_host(Some("evil.example@localhost:7703"), None, false)]
    #[case::two_hosts(Some("localhost, evil.example"), None, false)]
    #[case::open_bracket(Some("[::1"), None, false)]
    #[case::name_in_brackets(Some("[localhost]:7703"), None, false)]
    #[case::ipv6_without_brackets(Some("::1"), None, false)]
    #[case::ipv6_with_a_zone(Some("[::1%25lo]:7703"), None, false)]
    #[case::dot_at_the_end(Some("127.0.0.1.:7703"), None, false)]
    #[case::short_address(Some("127.1:7703"), None, false)]
    #[case::address_as_a_number(Some("2130706433:7703"), None, false)]
    #[case::any_address(Some("0.0.0.0:7703"), None, false)]
    #[case::other_loopback_address(Some("127.0.0.2:7703"), None, true)]
    #[case::long_ipv6(Some("[0:0:0:0:0:0:0:1]:7703"), None, true)]
    #[case::nothing_behind_the_colon(Some("localhost:"), None, true)]
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
