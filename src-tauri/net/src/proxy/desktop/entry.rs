//! The entries of an answer: which proxy of a list is used.

use hyper_util::client::proxy::matcher::Matcher;
use url::Url;
use vocabulary::Private;

/// The address of a proxy. Private, because it may contain a password.
pub(super) type ProxyAddress = Private<Url>;

/// Returns the first entry of an answer that can be used; `None` if it says to use no proxy.
///
/// Falls open: if no entry can be used, there is no proxy.
pub(super) fn first_usable(entries: &[String]) -> Option<ProxyAddress> {
    for entry in entries {
        match read(entry) {
            Entry::Direct => return None,
            Entry::Proxy(address) => return Some(address),
            // Only the scheme: what cannot be read as an address may have a password anywhere.
            Entry::Unusable { scheme } => {
                tracing::debug!(scheme, "the desktop names a proxy that cannot be used");
            }
        }
    }
    None
}

/// An entry of an answer.
enum Entry {
    Direct,
    Proxy(ProxyAddress),
    Unusable { scheme: String },
}

/// Reads an entry. Source of the schemes: "GProxyResolver" of the GIO documentation, whose answers the portal passes on.
fn read(entry: &str) -> Entry {
    let Ok(mut address) = Url::parse(entry) else { return Entry::Unusable { scheme: String::new() } };
    let scheme = address.scheme().to_owned();
    let is_supported = match scheme.as_str() {
        "direct" => return Entry::Direct,
        // As other programs of the desktop do: the proxy resolves the names.
        "socks" | "socks5" => address.set_scheme("socks5h").is_ok(),
        "http" | "https" | "socks4a" | "socks5h" => true,
        // Among others `socks4`, which takes addresses only: the guard would not see those that names lead to.
        _ => false,
    };
    // The HTTP client reads addresses with this code too, and takes no proxy if it fails.
    let matcher = Matcher::builder().all(address.as_str()).build();
    let is_read = "http://public.example/".parse().is_ok_and(|uri| matcher.intercept(&uri).is_some());
    if is_supported && is_read { Entry::Proxy(address.into()) } else { Entry::Unusable { scheme } }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::first_of_several(&["http://proxy:3128", "http://other:3128", "direct://"], Some("http://proxy:3128/"))]
    #[case::with_a_password(&["http://me:secret@proxy:3128"], Some("http://me:secret@proxy:3128/"))]
    #[case::over_tls(&["https://proxy"], Some("https://proxy/"))]
    #[case::socks(&["socks://proxy:1080", "direct://"], Some("socks5h://proxy:1080"))]
    #[case::socks_with_names_for_the_proxy(&["socks5://[fd00::1]:1080"], Some("socks5h://[fd00::1]:1080"))]
    #[case::socks_of_addresses_only(&["socks4://proxy:1080", "http://other:3128"], Some("http://other:3128/"))]
    #[case::none(&["direct://", "http://proxy:3128"], None)]
    #[case::no_entry(&[], None)]
    #[case::after_garbage(
        &["", "PROXY proxy:3128", "proxy:3128", "http://", "http://proxy:99999", "socks5://", "socks5://a b",
            "ftp://proxy", "\u{0}", "http://proxy:3128"],
        Some("http://proxy:3128/")
    )]
    #[case::only_garbage(&["quic://proxy:443", "proxy"], None)]
    fn first_usable_entry_is_taken(#[case] entries: &[&str], #[case] expected: Option<&str>) {
        let entries: Vec<_> = entries.iter().map(|entry| (*entry).to_owned()).collect();

        assert_eq!(first_usable(&entries).as_ref().map(|address| address.as_str()), expected);
    }
}
