//! The address of the server.
//!
//! Source: docs/behaviour/bridge.md#configuration and docs/behaviour/bridge.md#connection.

use url::{Host, Url};

/// Names this machine. The server listens on 127.0.0.1, but this name may mean ::1 first.
const LOCALHOST: &str = "localhost";

/// The address of an Ollama server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerAddress {
    text: String,
    url: Url,
}

impl ServerAddress {
    /// The address that a person wrote. `http://` may be missing; `localhost` becomes 127.0.0.1. `None` if it is none.
    pub fn read(written: &str) -> Option<Self> {
        let written = written.trim();
        let text = if written.contains("://") { written.to_owned() } else { format!("http://{written}") };
        let (scheme, rest) = text.split_once("://")?;
        let is_local = rest.get(..LOCALHOST.len()).is_some_and(|host| host.eq_ignore_ascii_case(LOCALHOST))
            && rest[LOCALHOST.len()..].chars().next().is_none_or(|c| matches!(c, ':' | '/' | '?' | '#'));
        let text =
            if is_local { format!("{scheme}://127.0.0.1{}", &rest[LOCALHOST.len()..]) } else { text.clone() };
        let url = Url::parse(&text).ok()?;
        let is_plain = url.username().is_empty() && url.password().is_none();
        let is_usable = matches!(url.scheme(), "http" | "https") && url.has_host() && is_plain;
        is_usable.then_some(Self { text, url })
    }

    /// The address as it was written, with 127.0.0.1 for `localhost`.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The address as a URL.
    pub fn url(&self) -> &Url {
        &self.url
    }

    /// The URL of a path below the address. A `/v1` at its end belongs to another interface and is left out.
    pub fn endpoint(&self, path: &str) -> Url {
        let mut url = self.url.clone();
        let base = self.url.path().trim_end_matches('/');
        url.set_path(&format!("{}{path}", base.strip_suffix("/v1").unwrap_or(base)));
        url
    }

    /// Returns `true` if the server can only be on this machine, so that it may be started.
    pub fn is_loopback(&self) -> bool {
        match self.url.host() {
            Some(Host::Ipv4(address)) => address.is_loopback(),
            Some(Host::Ipv6(address)) => address.is_loopback(),
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::usual("http://localhost:11434", "http://127.0.0.1:11434", true)]
    #[case::capitals("http://LocalHost:11434/", "http://127.0.0.1:11434/", true)]
    #[case::no_scheme("localhost:11434", "http://127.0.0.1:11434", true)]
    #[case::other_loopback("http://127.8.0.1:1", "http://127.8.0.1:1", true)]
    #[case::six("http://[::1]:11434", "http://[::1]:11434", true)]
    #[case::network("http://192.168.1.5:11434", "http://192.168.1.5:11434", false)]
    #[case::everywhere("http://0.0.0.0:11434", "http://0.0.0.0:11434", false)]
    #[case::name_that_begins_so("http://localhost.example.org", "http://localhost.example.org", false)]
    #[case::name_that_ends_so("http://mylocalhost:1", "http://mylocalhost:1", false)]
    #[case::number_that_begins_so("http://127.0.0.1.example.org", "http://127.0.0.1.example.org", false)]
    #[case::path("https://example.org/localhost", "https://example.org/localhost", false)]
    fn localhost_becomes_its_number(#[case] written: &str, #[case] text: &str, #[case] is_loopback: bool) {
        let address = ServerAddress::read(written).unwrap();

        assert_eq!((address.as_str(), address.is_loopback()), (text, is_loopback));
    }

    #[rstest]
    #[case::nothing("")]
    #[case::words("not an address")]
    #[case::other_scheme("ftp://localhost")]
    #[case::key("http://user:key@localhost")]
    #[case::no_host("http://")]
    fn text_that_is_no_address_is_refused(#[case] written: &str) {
        assert_eq!(ServerAddress::read(written), None);
    }

    #[rstest]
    #[case::plain("http://127.0.0.1:1", "http://127.0.0.1:1/api/chat")]
    #[case::slash("http://127.0.0.1:1/", "http://127.0.0.1:1/api/chat")]
    #[case::other_interface("http://127.0.0.1:1/v1/", "http://127.0.0.1:1/api/chat")]
    #[case::path("http://example.org/ollama", "http://example.org/ollama/api/chat")]
    fn endpoint_is_below_the_address(#[case] written: &str, #[case] expected: &str) {
        assert_eq!(ServerAddress::read(written).unwrap().endpoint("/api/chat").as_str(), expected);
    }
}
