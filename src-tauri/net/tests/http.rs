//! Tests against loopback servers, which the client may contact only after they are configured.
#![allow(clippy::unwrap_used, reason = "a helper of tests may fail as loudly as a test")]

use std::time::{Duration, SystemTime};

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::Json;
use axum::http::{HeaderMap, StatusCode};
use axum::response::Redirect;
use axum::routing::{get, post};
use futures::StreamExt;
use net::{Http, NetError, Purpose, Url};
use rstest::rstest;
use tokio::net::TcpListener;

/// Serves `routes` on a free port and returns its address.
async fn serve(routes: Router) -> Url {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = Url::parse(&format!("http://{}/", listener.local_addr().unwrap())).unwrap();
    tokio::spawn(async move { axum::serve(listener, routes).await });
    url
}

/// A client with the origins of `urls` configured.
fn client(urls: &[&Url]) -> Http {
    let http = Http::new().unwrap();
    urls.iter().for_each(|url| http.allow_origin(url));
    http
}

fn serves_text(words: &'static str) -> Router {
    Router::new().route("/", get(move || async move { words }))
}

#[tokio::test]
async fn configured_origin_is_contacted_and_listed() {
    let url = serve(serves_text("hello")).await;
    let http = client(&[&url]);

    let response = http.get(&url).send().await.unwrap().text().await.unwrap();
    http.get(&url).send().await.unwrap();

    assert_eq!(response, "hello");
    let contacted: Vec<_> = http.hosts_contacted().into_iter().map(|host| (host.host, host.times)).collect();
    assert_eq!(contacted, [(format!("127.0.0.1:{}", url.port().unwrap()), 2)]);
}

#[tokio::test]
async fn contacts_are_listed_by_purpose_and_shared_by_clones() {
    let url = serve(serves_text("hello")).await;
    let http = client(&[&url]);
    let started = SystemTime::now();

    http.for_purpose(Purpose::LanguageModel).get(&url).send().await.unwrap();
    let searching = http.without_allowed_origins().for_purpose(Purpose::ProviderSearch);
    let refused = searching.get(&url).send().await.map(|_| ());
    searching.allow_origin(&url);
    searching.get(&url).send().await.unwrap();

    assert!(matches!(refused, Err(NetError::AddressNotAllowed { .. })), "{refused:?}");
    let contacts = http.hosts_contacted();
    let purposes: Vec<_> = contacts.iter().map(|contact| (contact.purpose, contact.times)).collect();
    assert_eq!(purposes, [(Purpose::LanguageModel, 1), (Purpose::ProviderSearch, 1)]);
    assert!(contacts.iter().all(|contact| contact.last >= started && !contact.is_proxied), "{contacts:?}");
}

#[rstest]
#[case::by_number("127.0.0.1")]
#[case::by_name("localhost")]
#[case::by_odd_spelling("0x7f.1")]
#[case::by_hexadecimal_number("0x7f000001")]
#[case::by_decimal_number("2130706433")]
#[case::by_octal_number("0177.0.0.1")]
#[case::by_mapped_address("[::ffff:127.0.0.1]")]
#[tokio::test]
async fn loopback_address_without_configuration_is_rejected(#[case] host: &str) {
    let served = serve(serves_text("secret")).await;
    let url = Url::parse(&format!("http://{host}:{}/", served.port().unwrap())).unwrap();
    let http = client(&[]);

    let error = http.get(&url).send().await.map(|_| ()).unwrap_err();

    assert!(matches!(error, NetError::AddressNotAllowed { .. }), "{error:?}");
    assert!(http.hosts_contacted().is_empty());
}

#[tokio::test]
async fn other_port_of_a_configured_host_is_rejected() {
    let configured = serve(serves_text("hello")).await;
    let other = serve(serves_text("secret")).await;
    let http = client(&[&configured]);

    let error = http.get(&other).send().await.map(|_| ()).unwrap_err();

    assert!(matches!(error, NetError::AddressNotAllowed { .. }), "{error:?}");
}

#[tokio::test]
async fn redirect_to_a_private_address_is_rejected() {
    let inside = serve(serves_text("secret")).await;
    let target = inside.to_string();
    let outside = serve(Router::new().route("/", get(move || async move { Redirect::to(&target) }))).await;
    let http = client(&[&outside]);

    let error = http.get(&outside).send().await.map(|_| ()).unwrap_err();

    let NetError::AddressNotAllowed { host } = error else { panic!("{error:?}") };
    assert_eq!(host, format!("127.0.0.1:{}", inside.port().unwrap()));
}

#[tokio::test]
async fn redirect_to_another_origin_drops_tokens_and_keys() {
    let echo = |headers: HeaderMap| async move {
        let is_there = |name: &str| if headers.contains_key(name) { "1" } else { "0" };
        ["authorization", "x-subscription-token", "range"].map(is_there).concat()
    };
    let inside = serve(Router::new().route("/", get(echo))).await;
    let target = inside.to_string();
    let redirect = move || async move { ([("x-linked-etag", "v1")], Redirect::to(&target)) };
    let outside = serve(Router::new().route("/", get(redirect))).await;
    let http = client(&[&outside, &inside]);

    let request = http.get(&outside).bearer("secret").header("x-subscription-token", "secret");
    let response = request.header("range", "bytes=7-").send().await.unwrap();

    assert_eq!(response.url(), &inside);
    assert_eq!(response.header_of_any_hop("x-linked-etag"), Some("v1"));
    assert_eq!(response.text().await.unwrap(), "001");
}

#[tokio::test]
async fn endless_redirect_is_an_error() {
    let url = serve(Router::new().route("/", get(|| async { Redirect::to("/") }))).await;

    let error = client(&[&url]).get(&url).send().await.map(|_| ()).unwrap_err();

    assert!(matches!(error, NetError::TooManyRedirects { .. }), "{error:?}");
}

#[tokio::test]
async fn scheme_other_than_http_is_rejected() {
    let url = Url::parse("file:///etc/passwd").unwrap();

    let error = client(&[]).get(&url).send().await.map(|_| ()).unwrap_err();

    assert_eq!(error.to_string(), "only http and https addresses can be requested, not file");
}

#[tokio::test]
async fn posted_json_is_answered_by_a_streamed_body() {
    async fn repeat(Json(question): Json<serde_json::Value>) -> Body {
        let words: Vec<_> = question["words"].as_array().unwrap().clone();
        let chunks = words.into_iter().map(|word| Ok::<_, std::io::Error>(Bytes::from(word.to_string())));
        Body::from_stream(futures::stream::iter(chunks.collect::<Vec<_>>()))
    }
    let url = serve(Router::new().route("/", post(repeat))).await;
    let http = client(&[&url]);

    let response = http.post_json(&url, &serde_json::json!({"words": [1, 2, 3]})).send().await.unwrap();
    let chunks: Vec<_> = response.stream().map(|chunk| chunk.unwrap()).collect().await;

    assert_eq!(chunks.concat(), b"123");
}

#[tokio::test]
async fn error_status_has_private_excerpt_and_retry_delay() {
    let busy = || async { (StatusCode::TOO_MANY_REQUESTS, [("retry-after", "7")], "too many of you") };
    let url = serve(Router::new().route("/", get(busy))).await;

    let error = client(&[&url]).get(&url).send().await.map(|_| ()).unwrap_err();

    assert!(error.is_transient());
    assert!(
        !format!("{error:?} {error}").contains("too many of you"),
        "the body of a response is in a message"
    );
    let NetError::Status { code, excerpt, retry_after, .. } = error else { panic!("{error:?}") };
    assert_eq!((code, excerpt.as_str(), retry_after), (429, "too many of you", Some(Duration::from_secs(7))));
}

#[tokio::test]
async fn silence_before_the_headers_times_out() {
    let url = serve(Router::new().route("/", get(std::future::pending::<()>))).await;
    let silence = Duration::from_millis(50);

    let error = client(&[&url]).get(&url).silence_timeout(silence).send().await.map(|_| ()).unwrap_err();

    assert!(matches!(error, NetError::TimedOut { silence: waited, .. } if waited == silence), "{error:?}");
}

#[tokio::test]
async fn silence_within_the_body_times_out() {
    let stall = || async {
        let first = futures::stream::once(async { Ok::<_, std::io::Error>(Bytes::from("first")) });
        Body::from_stream(first.chain(futures::stream::pending()))
    };
    let url = serve(Router::new().route("/", get(stall))).await;
    let request = client(&[&url]).get(&url).silence_timeout(Duration::from_millis(200));

    let mut body = request.send().await.unwrap().stream();

    assert_eq!(body.next().await.unwrap().unwrap(), "first");
    assert!(matches!(body.next().await, Some(Err(NetError::TimedOut { .. }))));
    assert!(body.next().await.is_none());
}

#[tokio::test]
async fn slow_trickle_ends_at_the_time_limit() {
    let trickle = || async {
        let chunks = futures::stream::repeat(()).then(|()| async {
            tokio::time::sleep(Duration::from_millis(20)).await;
            Ok::<_, std::io::Error>(Bytes::from("."))
        });
        Body::from_stream(chunks)
    };
    let url = serve(Router::new().route("/", get(trickle))).await;
    let limit = Duration::from_millis(300);

    let response = client(&[&url]).get(&url).time_limit(limit).send().await.unwrap();
    let error = response.bytes().await.unwrap_err();

    assert!(matches!(error, NetError::TookTooLong { limit: allowed, .. } if allowed == limit), "{error:?}");
}

#[tokio::test]
async fn time_limit_covers_all_redirects() {
    let hop = || async {
        tokio::time::sleep(Duration::from_millis(60)).await;
        Redirect::to("/")
    };
    let url = serve(Router::new().route("/", get(hop))).await;
    let request = client(&[&url]).get(&url).time_limit(Duration::from_millis(150));

    let error = request.send().await.map(|_| ()).unwrap_err();

    assert!(matches!(error, NetError::TookTooLong { .. }), "{error:?}");
}

#[tokio::test]
async fn compressed_body_that_grows_a_thousandfold_is_cut() {
    use std::io::Write;
    let mut bomb = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    let zeros = vec![b'0'; 1024 * 1024];
    (0..64).for_each(|_| bomb.write_all(&zeros).unwrap());
    let bomb = bomb.finish().unwrap();
    let sent = bomb.len();
    let serves = move || async move { ([("content-encoding", "gzip")], bomb) };
    let url = serve(Router::new().route("/", get(serves))).await;
    let http = client(&[&url]);

    let start = http.get(&url).send().await.unwrap().start(512 * 1024).await.unwrap();
    let whole = http.get(&url).send().await.unwrap().bytes().await.map(|_| ()).unwrap_err();

    assert!(sent < 100_000, "{sent}");
    assert_eq!(start.len(), 512 * 1024);
    assert!(matches!(whole, NetError::TooLarge { .. }), "{whole:?}");
}

#[tokio::test]
async fn redirects_beyond_the_limit_of_the_request_are_an_error() {
    let routes = Router::new()
        .route("/", get(|| async { Redirect::to("/second") }))
        .route("/second", get(|| async { Redirect::to("/third") }))
        .route("/third", get(|| async { "here" }));
    let url = serve(routes).await;
    let http = client(&[&url]);

    let far_enough = http.get(&url).max_redirects(2).send().await.map(|_| ());
    let too_far = http.get(&url).max_redirects(1).send().await.map(|_| ());

    assert!(far_enough.is_ok(), "{far_enough:?}");
    assert!(matches!(too_far, Err(NetError::TooManyRedirects { .. })), "{too_far:?}");
}

#[tokio::test]
async fn offline_client_asks_this_machine_only() {
    let url = serve(serves_text("hello")).await;
    let http = client(&[&url]);
    let clone = http.without_allowed_origins().for_purpose(Purpose::WebPage);
    http.set_offline(true);

    let here = http.get(&url).send().await.map(|_| ());
    let elsewhere = clone.get(&Url::parse("https://example.org/").unwrap()).send().await.map(|_| ());

    assert!(here.is_ok(), "{here:?}");
    assert!(matches!(&elsewhere, Err(NetError::Offline { host }) if host == "example.org"), "{elsewhere:?}");
    assert_eq!(http.hosts_contacted().len(), 1);
}

#[tokio::test]
async fn offline_client_connects_to_this_machine_only() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let http = client(&[]).for_purpose(Purpose::Satellite);
    http.set_offline(true);

    let here = http.connect("127.0.0.1", port).await.map(|_| ());
    let elsewhere = http.connect("192.0.2.7", 10_700).await.map(|_| ());
    drop(listener);
    let nobody = http.connect("127.0.0.1", port).await.map(|_| ());

    assert!(here.is_ok(), "{here:?}");
    assert!(
        matches!(&elsewhere, Err(NetError::Offline { host }) if host == "192.0.2.7:10700"),
        "{elsewhere:?}"
    );
    assert!(matches!(nobody, Err(NetError::Unreachable { .. })), "{nobody:?}");
    let contacts = http.hosts_contacted();
    assert_eq!((contacts.len(), contacts[0].purpose, contacts[0].times), (1, Purpose::Satellite, 2));
}

#[tokio::test]
async fn lost_connection_within_the_body_is_transient() {
    let cut = || async {
        let chunks = futures::stream::iter([Ok(Bytes::from("first")), Err(std::io::Error::other("cut"))]);
        // Yielding makes the server send the data before it closes the connection.
        Body::from_stream(chunks.then(|chunk| async {
            tokio::task::yield_now().await;
            chunk
        }))
    };
    let url = serve(Router::new().route("/", get(cut))).await;

    let response = client(&[&url]).get(&url).send().await.unwrap();
    let error = response.bytes().await.unwrap_err();

    assert!(matches!(error, NetError::ConnectionLost { .. }), "{error:?}");
    assert!(error.is_transient());
}

#[tokio::test]
async fn closed_port_is_reported_as_unreachable() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = Url::parse(&format!("http://{}/", listener.local_addr().unwrap())).unwrap();
    drop(listener);

    let error = client(&[&url]).get(&url).send().await.map(|_| ()).unwrap_err();

    assert!(matches!(error, NetError::Unreachable { .. }), "{error:?}");
}

#[tokio::test]
async fn body_without_json_is_reported_as_invalid_json() {
    let url = serve(serves_text("<html>")).await;

    let response = client(&[&url]).get(&url).send().await.unwrap().json::<serde_json::Value>().await;

    assert!(matches!(response, Err(NetError::InvalidJson { .. })));
}
