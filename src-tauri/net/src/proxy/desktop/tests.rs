//! The proxy of the desktop, told by a fake portal on a bus of its own. Requests go to proxies on loopback only.

use std::time::Duration;

use axum::Router;
use axum::http::HeaderMap;
use axum::http::header::PROXY_AUTHORIZATION;
use rstest::rstest;
use testkit::{ProxyAnswer, ProxyPortal, SessionBus};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::Instant;
use url::Url;

use crate::proxy::SystemProxy;
use crate::{Http, NetError};

const PROXY: &str = "http://127.0.0.1:3128";
/// Far more than a busy machine needs for an answer.
const LONG: Duration = Duration::from_secs(30);
/// The limit if nothing answers.
const SHORT: Duration = Duration::from_secs(1);
const HUB: &str = "http://93.184.215.14/models?name=mine";

/// A desktop with a portal, and a client that asks it.
struct Desktop {
    portal: ProxyPortal,
    http: Http,
    _bus: SessionBus,
}

impl Desktop {
    fn start(answer: ProxyAnswer) -> Self {
        Self::with_limit(answer, LONG)
    }

    fn with_limit(answer: ProxyAnswer, limit: Duration) -> Self {
        let bus = SessionBus::start().unwrap();
        let portal = ProxyPortal::start(bus.address(), answer).unwrap();
        let http = Http::with_proxy(SystemProxy::from_desktop(bus.address(), limit)).unwrap();
        Self { portal, http, _bus: bus }
    }

    async fn is_proxied(&self, url: &str) -> bool {
        is_proxied(&self.http, url).await.unwrap()
    }
}

async fn is_proxied(http: &Http, url: &str) -> Result<bool, NetError> {
    http.route(&Url::parse(url).unwrap()).await.map(|route| route.is_proxied)
}

#[rstest]
#[case::proxy(ProxyAnswer::proxies(&[PROXY, "direct://"]), true)]
#[case::socks(ProxyAnswer::proxies(&["socks5://127.0.0.1:1080"]), true)]
#[case::none(ProxyAnswer::proxies(&["direct://"]), false)]
#[case::proxy_after_garbage(ProxyAnswer::proxies(&["PROXY here", "quic://here", PROXY]), true)]
#[case::garbage(ProxyAnswer::proxies(&["PROXY here"]), false)]
#[case::failure(ProxyAnswer::Failed("no script".to_owned()), false)]
#[tokio::test]
async fn answer_of_the_portal_decides(#[case] answer: ProxyAnswer, #[case] expected: bool) {
    let desktop = Desktop::start(answer);

    let ways = (desktop.is_proxied(HUB).await, desktop.is_proxied(HUB).await);

    assert_eq!(ways, (expected, expected));
    // Once, and without the path and the query.
    assert_eq!(desktop.portal.asked(), ["http://93.184.215.14/"]);
}

#[tokio::test]
async fn each_origin_is_asked_about() {
    let desktop = Desktop::start(ProxyAnswer::proxies(&["direct://"]));

    for url in [HUB, "https://93.184.215.14/", "https://93.184.215.14:8443/a", "https://[2606:4700::1111]/"] {
        desktop.is_proxied(url).await;
    }

    let origins = [
        "http://93.184.215.14/",
        "https://93.184.215.14/",
        "https://93.184.215.14:8443/",
        "https://[2606:4700::1111]/",
    ];
    assert_eq!(desktop.portal.asked(), origins);
}

#[tokio::test]
async fn silent_portal_delays_one_request_by_the_limit() {
    let desktop = Desktop::with_limit(ProxyAnswer::Silent, SHORT);
    let started = Instant::now();

    let first = desktop.is_proxied(HUB).await;
    let first_took = started.elapsed();
    let second = desktop.is_proxied("http://93.184.215.15/").await;

    assert_eq!((first, second), (false, false));
    assert!(first_took >= SHORT, "{first_took:?}");
    assert_eq!(desktop.portal.asked(), ["http://93.184.215.14/"]);
}

#[tokio::test]
async fn desktop_without_the_portal_has_no_proxy() {
    let bus = SessionBus::start().unwrap();
    let http = Http::with_proxy(SystemProxy::from_desktop(bus.address(), LONG)).unwrap();

    assert!(!is_proxied(&http, HUB).await.unwrap());
}

#[tokio::test]
async fn session_without_a_bus_is_not_waited_for() {
    let http = Http::with_proxy(SystemProxy::from_desktop("unix:path=/nonexistent/bus", LONG)).unwrap();
    let started = Instant::now();

    let is_proxied = is_proxied(&http, HUB).await.unwrap();

    assert!(!is_proxied);
    assert!(started.elapsed() < LONG, "{:?}", started.elapsed());
}

#[rstest]
#[case::this_machine("http://localhost:11434/")]
#[case::loopback("http://127.0.0.1:11434/")]
#[case::loopback_v6("http://[::1]:8080/")]
#[case::local_network("http://192.168.1.7:11434/")]
#[case::one_label("http://nas:11434/")]
#[case::name_of_the_local_network("http://nas.local/")]
#[tokio::test]
async fn portal_learns_nothing_of_local_servers(#[case] url: &str) {
    let desktop = Desktop::start(ProxyAnswer::proxies(&[PROXY]));
    desktop.http.allow_origin(&Url::parse(url).unwrap());

    assert!(!desktop.is_proxied(url).await);
    assert_eq!(desktop.portal.asked(), [""; 0]);
}

#[tokio::test]
async fn requests_to_local_servers_open_no_connection_to_the_bus() {
    let bus = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    bus.set_nonblocking(true).unwrap();
    let address = format!("tcp:host=127.0.0.1,port={}", bus.local_addr().unwrap().port());
    let http = Http::with_proxy(SystemProxy::from_desktop(&address, LONG)).unwrap();
    let model_server = Url::parse("http://127.0.0.1:11434/").unwrap();
    http.allow_origin(&model_server);

    assert!(!is_proxied(&http, model_server.as_str()).await.unwrap());
    assert_eq!(bus.accept().unwrap_err().kind(), std::io::ErrorKind::WouldBlock);
}

#[tokio::test]
async fn bus_that_says_nothing_delays_one_request_by_the_limit() {
    let bus = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("tcp:host=127.0.0.1,port={}", bus.local_addr().unwrap().port());
    let http = Http::with_proxy(SystemProxy::from_desktop(&address, SHORT)).unwrap();
    let started = Instant::now();

    assert!(!is_proxied(&http, HUB).await.unwrap());
    let first_took = started.elapsed();
    assert!(!is_proxied(&http, HUB).await.unwrap());
    let second_took = started.elapsed() - first_took;

    assert!(first_took >= SHORT, "{first_took:?}");
    assert!(second_took < SHORT, "{second_took:?}");
}

#[tokio::test]
async fn private_address_is_refused_as_without_a_proxy() {
    let desktop = Desktop::start(ProxyAnswer::proxies(&[PROXY]));

    let refused = is_proxied(&desktop.http, "http://192.168.1.7/").await.unwrap_err();

    assert!(matches!(refused, NetError::AddressNotAllowed { .. }), "{refused:?}");
}

#[tokio::test]
async fn nothing_is_asked_while_offline() {
    let desktop = Desktop::start(ProxyAnswer::proxies(&[PROXY]));
    desktop.http.set_offline(true);

    let refused = is_proxied(&desktop.http, HUB).await.unwrap_err();

    assert!(matches!(refused, NetError::Offline { .. }), "{refused:?}");
    assert_eq!(desktop.portal.asked(), [""; 0]);
}

/// Starts an HTTP proxy that keeps its connections open and answers every request with `words`. Returns its address.
async fn http_proxy(words: &'static str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let answers = Router::new().fallback(move || async move { words });
    tokio::spawn(async move { axum::serve(listener, answers).await });
    address
}

#[tokio::test]
async fn changed_proxy_is_used_when_the_answer_has_expired() {
    let (home, office) = (http_proxy("home").await, http_proxy("office").await);
    let desktop = Desktop::start(ProxyAnswer::proxies(&[&home]));
    let get = async || {
        let response = desktop.http.get(&Url::parse(HUB).unwrap()).send().await.unwrap();
        response.text().await.unwrap()
    };

    let before = get().await;
    desktop.portal.answer_with(ProxyAnswer::proxies(&[&office]));
    let kept = get().await;
    // Paused only here: with a paused clock, the limit of the lookup would pass at once.
    tokio::time::pause();
    tokio::time::advance(Duration::from_secs(30)).await;
    tokio::time::resume();
    let expired = get().await;

    assert_eq!([before, kept, expired], ["home", "home", "office"]);
    let contacts: Vec<_> = desktop
        .http
        .hosts_contacted()
        .into_iter()
        .map(|contact| (contact.host, contact.is_proxied))
        .collect();
    assert_eq!(contacts, [("93.184.215.14".to_owned(), true)]);
}

#[tokio::test]
async fn password_of_the_proxy_is_sent_to_it() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let proxy = format!("http://me:secret@{}", listener.local_addr().unwrap());
    let sees_password = Router::new().fallback(async |headers: HeaderMap| {
        headers[PROXY_AUTHORIZATION].to_str().map(str::to_owned).unwrap_or_default()
    });
    tokio::spawn(async move { axum::serve(listener, sees_password).await });
    let desktop = Desktop::start(ProxyAnswer::proxies(&[&proxy]));

    let response = desktop.http.get(&Url::parse(HUB).unwrap()).send().await.unwrap();

    assert_eq!(response.text().await.unwrap(), "Basic bWU6c2VjcmV0");
}

/// Takes one connection as a SOCKS proxy and answers its request. Returns the host that it was asked for.
/// Source of the messages: RFC 1928.
async fn serve_socks(listener: TcpListener) -> std::io::Result<String> {
    let (mut client, _) = listener.accept().await?;
    // Version 5, one method: no password.
    client.read_exact(&mut [0; 3]).await?;
    client.write_all(&[5, 0]).await?;
    // Version 5, connect, reserved, a name and its length.
    let mut head = [0; 5];
    client.read_exact(&mut head).await?;
    assert_eq!(head[..4], [5, 1, 0, 3]);
    let mut name_and_port = vec![0; usize::from(head[4]) + 2];
    client.read_exact(&mut name_and_port).await?;
    client.write_all(&[5, 0, 0, 1, 0, 0, 0, 0, 0, 0]).await?;
    answer_by_socks(&mut client).await?;
    name_and_port.truncate(head[4].into());
    Ok(String::from_utf8_lossy(&name_and_port).into_owned())
}

async fn answer_by_socks(client: &mut TcpStream) -> std::io::Result<()> {
    let mut request = Vec::new();
    while !request.ends_with(b"\r\n\r\n") {
        request.push(client.read_u8().await?);
    }
    client.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 8\r\n\r\nby socks").await
}

#[tokio::test]
async fn socks_proxy_resolves_the_names() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let proxy = format!("socks5://{}", listener.local_addr().unwrap());
    let desktop = Desktop::start(ProxyAnswer::proxies(&[&proxy, "direct://"]));
    let url = Url::parse("http://hub.invalid/").unwrap();

    let (asked_for, answered) = tokio::join!(serve_socks(listener), desktop.http.get(&url).send());

    assert_eq!(answered.unwrap().text().await.unwrap(), "by socks");
    assert_eq!(asked_for.unwrap(), "hub.invalid");
}

#[tokio::test(flavor = "multi_thread")]
async fn no_connection_to_the_bus_stays_open() {
    let desktop = Desktop::start(ProxyAnswer::proxies(&[PROXY]));

    desktop.is_proxied(HUB).await;

    let closing = async {
        while desktop.portal.has_connected_callers().unwrap() {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(10), closing).await.expect("the connection is closed");
    assert_eq!(desktop.portal.asked().len(), 1);
}
