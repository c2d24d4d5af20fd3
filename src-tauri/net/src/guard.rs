//! The address guard: which addresses a request may contact.
//!
//! Without a proxy the guard sees every address before the connection uses it ([`PublicOnly`]). With a proxy, the proxy
//! resolves the name and opens the connection. Then the guard checks what it can ([`reach_by_proxy`]): the address if the
//! URL has one, the addresses that this machine finds for the name, and the names that only exist in local networks. What
//! is left are public-looking names that only the proxy can resolve; those are the proxy's to refuse, and the user has
//! chosen the proxy. The desktop is asked for a proxy under the same rules, before the route is chosen: it learns of public
//! addresses only, and of those no more than the origin. Redirects come back to us, so that every hop is checked, through a
//! proxy as without one.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use url::{Host, Url};

/// Returns `true` if `address` belongs to the public internet: not to this machine, the local network, or a special
/// range.
///
/// Source: the IANA special-purpose address registries for IPv4 and IPv6. Excluded: ranges that are not "globally
/// reachable", and ranges that embed another address.
pub fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(v4) => is_public_v4(v4),
        IpAddr::V6(v6) => is_public_v6(v6),
    }
}

/// Returns `true` for an address that a provider shares between customers (carrier-grade NAT, 100.64.0.0/10).
pub fn is_shared(address: IpAddr) -> bool {
    matches!(address, IpAddr::V4(v4) if is_shared_v4(v4))
}

fn is_shared_v4(address: Ipv4Addr) -> bool {
    matches!(address.octets(), [100, 64..=127, ..])
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    if is_shared_v4(address) {
        return false;
    }
    let [a, b, c, _] = address.octets();
    let special = match (a, b, c) {
        (0 | 10 | 127, _, _) => true,
        // Link-local; cloud machines keep their credentials at 169.254.169.254.
        (169, 254, _) => true,
        (172, 16..=31, _) => true,
        // Protocol assignments, documentation, the old 6to4 relay.
        (192, 0, 0 | 2) | (192, 88, 99) => true,
        (192, 168, _) => true,
        // Benchmarks of network gear, then documentation.
        (198, 18 | 19, _) | (198, 51, 100) | (203, 0, 113) => true,
        // Multicast, reserved, broadcast.
        (224.., _, _) => true,
        _ => false,
    };
    !special
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    // An IPv4-mapped address is routed to the IPv4 address.
    if let Some(inner) = address.to_ipv4_mapped() {
        return is_public_v4(inner);
    }
    let parts = address.segments();
    if let [0x64, 0xff9b, 0, 0, 0, 0, high, low] = parts {
        let [a, b] = high.to_be_bytes();
        let [c, d] = low.to_be_bytes();
        return is_public_v4(Ipv4Addr::new(a, b, c, d));
    }
    // Only 2000::/3 is global unicast; unique local, link-local and multicast addresses are outside it.
    let global_unicast = parts[0] & 0xe000 == 0x2000;
    let special = match (parts[0], parts[1]) {
        // Protocol assignments (including Teredo and ORCHID), then documentation.
        (0x2001, 0..=0x1ff | 0xdb8) => true,
        // 6to4 embeds an IPv4 address, which would not be checked.
        (0x2002, _) => true,
        (0x3fff, 0..=0xfff) => true,
        _ => false,
    };
    global_unicast && !special
}

/// The place where an address leads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reach {
    /// To the public internet, as far as is known before the name is resolved.
    Public,
    /// To this machine, the local network, or nowhere.
    Private,
}

/// Returns `true` if a URL leads to this machine by its spelling alone.
pub(crate) fn is_this_machine(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}

/// Returns `true` if a URL may lead to the public web: its scheme is http or https, and its host is not an address or a name of
/// this machine or of a private network. A name may still turn out to be private; a request checks that too.
pub fn is_public_url(url: &Url) -> bool {
    let is_web = matches!(url.scheme(), "http" | "https");
    is_web && !is_this_machine(url) && matches!(reach_of_literal(url), Reach::Public)
}

/// Returns the reach of an address that is written in a URL. Names may still turn out to be private.
pub(crate) fn reach_of_literal(url: &Url) -> Reach {
    let is_public = match url.host() {
        Some(Host::Ipv4(address)) => is_public(address.into()),
        Some(Host::Ipv6(address)) => is_public(address.into()),
        Some(Host::Domain(_)) => true,
        None => false,
    };
    if is_public { Reach::Public } else { Reach::Private }
}

/// The same for a request that a proxy would send, with names resolved as this machine does. A name that this machine
/// cannot resolve is public if it looks so: in many networks with a proxy only the proxy resolves names.
pub(crate) async fn reach_by_proxy(url: &Url) -> Reach {
    match url.host() {
        Some(Host::Domain(name)) if !is_local_name(name) => {
            reach_of_resolved(tokio::net::lookup_host((name, 0)).await)
        }
        _ => reach_of_spelling(url),
    }
}

/// The same for a URL by its spelling alone: nothing is resolved.
pub(crate) fn reach_of_spelling(url: &Url) -> Reach {
    match url.host() {
        Some(Host::Domain(name)) if is_local_name(name) => Reach::Private,
        _ => reach_of_literal(url),
    }
}

/// Returns the reach of the addresses of a name, or that there are none.
fn reach_of_resolved(found: std::io::Result<impl Iterator<Item = SocketAddr>>) -> Reach {
    let is_private = found.is_ok_and(|mut found| found.any(|address| !is_public(address.ip())));
    if is_private { Reach::Private } else { Reach::Public }
}

/// Names that mean something in the local network only. Source: RFC 6761, 6762 and 8375; ICANN's reservation of
/// `internal`. A name of one label is completed by the local network.
fn is_local_name(name: &str) -> bool {
    const LOCAL: [&str; 4] = ["localhost", "local", "internal", "home.arpa"];
    let name = name.trim_end_matches('.').to_lowercase();
    let ends_with = |suffix: &&str| name.strip_suffix(*suffix).is_some_and(|rest| rest.ends_with('.'));
    !name.contains('.') || LOCAL.iter().any(ends_with)
}

/// Resolver for origins that are not configured. Rejects a name if any of its addresses is not public. The
/// connection uses the addresses checked here.
pub(crate) struct PublicOnly;

impl Resolve for PublicOnly {
    fn resolve(&self, name: Name) -> Resolving {
        Box::pin(async move {
            // The client replaces port 0 by the port of the URL.
            let found: Vec<SocketAddr> = tokio::net::lookup_host((name.as_str(), 0)).await?.collect();
            if found.iter().all(|address| is_public(address.ip())) {
                Ok(Box::new(found.into_iter()) as Addrs)
            } else {
                Err(RefusedAddress.into())
            }
        })
    }
}

/// Error of the resolver. `Request::send` finds it in the source chain of the error of the HTTP client.
#[derive(Debug, thiserror::Error)]
#[error("the name resolves to an address that is not public")]
pub(crate) struct RefusedAddress;

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::a_name_server("1.1.1.1", true)]
    #[case::next_to_a_private_range("172.32.0.1", true)]
    #[case::public_v6("2606:4700:4700::1111", true)]
    #[case::mapped_public("::ffff:1.1.1.1", true)]
    #[case::translated_public("64:ff9b::101:101", true)]
    #[case::loopback("127.0.0.1", false)]
    #[case::all_of_loopback("127.8.9.10", false)]
    #[case::unspecified("0.0.0.0", false)]
    #[case::private_ten("10.1.2.3", false)]
    #[case::private_middle("172.16.0.1", false)]
    #[case::private_home("192.168.1.1", false)]
    #[case::carrier_nat("100.64.0.1", false)]
    #[case::cloud_credentials("169.254.169.254", false)]
    #[case::multicast("224.0.0.1", false)]
    #[case::broadcast("255.255.255.255", false)]
    #[case::loopback_v6("::1", false)]
    #[case::unspecified_v6("::", false)]
    #[case::mapped_loopback("::ffff:127.0.0.1", false)]
    #[case::translated_private("64:ff9b::c0a8:101", false)]
    #[case::six_to_four("2002:7f00:1::1", false)]
    #[case::teredo("2001:0:102:304::1", false)]
    #[case::unique_local("fd00::1", false)]
    #[case::link_local("fe80::1", false)]
    #[case::documentation("2001:db8::1", false)]
    fn only_public_addresses_are_allowed(#[case] address: &str, #[case] expected: bool) {
        assert_eq!(is_public(address.parse().unwrap()), expected);
    }

    #[rstest]
    #[case::one_label("http://router/", Reach::Private)]
    #[case::this_machine("http://localhost:9/", Reach::Private)]
    #[case::below_this_machine("http://a.localhost/", Reach::Private)]
    #[case::local_network("http://printer.local/", Reach::Private)]
    #[case::home_network("http://nas.home.arpa./", Reach::Private)]
    #[case::company("http://wiki.internal/", Reach::Private)]
    #[case::private_address("http://192.168.1.1/", Reach::Private)]
    #[case::odd_spelling("http://0x7f.1/", Reach::Private)]
    #[case::public_address("http://1.1.1.1/", Reach::Public)]
    #[tokio::test]
    async fn proxy_is_not_asked_for_local_names(#[case] url: &str, #[case] expected: Reach) {
        assert_eq!(reach_by_proxy(&Url::parse(url).unwrap()).await, expected);
    }

    #[rstest]
    #[case::public(Some(vec!["1.1.1.1", "2606:4700:4700::1111"]), Reach::Public)]
    #[case::one_of_several_private(Some(vec!["1.1.1.1", "192.168.1.1"]), Reach::Private)]
    #[case::name_that_only_the_proxy_knows(None, Reach::Public)]
    fn resolved_addresses_decide_about_a_name(
        #[case] found: Option<Vec<&'static str>>,
        #[case] expected: Reach,
    ) {
        let addresses = |found: Vec<&'static str>| {
            found.into_iter().map(|text| SocketAddr::new(text.parse().unwrap(), 0))
        };

        let found = found.map(addresses).ok_or_else(|| std::io::Error::other("no such name"));

        assert_eq!(reach_of_resolved(found), expected);
    }
}
