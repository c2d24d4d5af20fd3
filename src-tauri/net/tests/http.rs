//! The client against servers on this machine, which it may only contact when they were configured.
#![allow(clippy::unwrap_used, reason = "a helper of tests may fail as loudly as a test")]

use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::Json;
use axum::http::{HeaderMap, StatusCode};
use axum::response::Redirect;
use axum::routing::{get, post};
use futures::StreamExt;
use net::{Http, NetError, Url};
use rstest::rstest;
use tokio::net::TcpListener;

/// Serves `routes` on a free port and tells its address.
async fn serve(routes: Router) -> Url {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = Url::parse(&format!("http://{}/", listener.local_addr().unwrap())).unwrap();
    tokio::spawn(async move { axum::serve(listener, routes).await });
    url
}

/// A client that may contact `urls`.
fn client(urls: &[&Url]) -> Http {
    let http = Http::new().unwrap();
    urls.iter().for_each(|url| http.allow_origin(url));
    http
}

fn says(words: &'static str) -> Router {
    Router::new().route("/", get(move || async move { words }))
}

#[tokio::test]
async fn a_configured_origin_is_contacted_and_listed() {
    let url = serve(says("hello")).await;
    let http = client(&[&url]);

    let answer = http.get(&url).send().await.unwrap().text().await.unwrap();
    http.get(&url).send().await.unwrap();

    assert_eq!(answer, "hello");
    let contacted: Vec<_> = http.hosts_contacted().into_iter().map(|host| (host.host, host.times)).collect();
    assert_eq!(contacted, [(format!("127.0.0.1:{}", url.port().unwrap()), 2)]);
}

#[rstest]
#[case::by_number("127.0.0.1")]
#[case::by_name("localhost")]
#[case::by_odd_spelling("0x7f.1")]
#[case::by_mapped_address("[::ffff:127.0.0.1]")]
#[tokio::test]
async fn this_machine_is_refused_unless_it_was_configured(#[case] host: &str) {
    let served = serve(says("secret")).await;
    let url = Url::parse(&format!("http://{host}:{}/", served.port().unwrap())).unwrap();
    let http = client(&[]);

    let error = http.get(&url).send().await.map(|_| ()).unwrap_err();

    assert!(matches!(error, NetError::Refused { .. }), "{error:?}");
    assert!(http.hosts_contacted().is_empty());
}

#[tokio::test]
async fn another_port_of_a_configured_host_is_refused() {
    let configured = serve(says("hello")).await;
    let other = serve(says("secret")).await;
    let http = client(&[&configured]);

    let error = http.get(&other).send().await.map(|_| ()).unwrap_err();

    assert!(matches!(error, NetError::Refused { .. }), "{error:?}");
}

#[tokio::test]
async fn a_redirect_to_a_private_address_is_refused() {
    let inside = serve(says("secret")).await;
    let target = inside.to_string();
    let outside = serve(Router::new().route("/", get(move || async move { Redirect::to(&target) }))).await;
    let http = client(&[&outside]);

    let error = http.get(&outside).send().await.map(|_| ()).unwrap_err();

    let NetError::Refused { host } = error else { panic!("{error:?}") };
    assert_eq!(host, format!("127.0.0.1:{}", inside.port().unwrap()));
}

#[tokio::test]
async fn a_redirect_to_a_configured_origin_is_followed_without_the_token() {
    let echo =
        |headers: HeaderMap| async move { format!("token: {}", headers.contains_key("authorization")) };
    let inside = serve(Router::new().route("/", get(echo))).await;
    let target = inside.to_string();
    let redirect = move || async move { ([("x-linked-etag", "v1")], Redirect::to(&target)) };
    let outside = serve(Router::new().route("/", get(redirect))).await;
    let http = client(&[&outside, &inside]);

    let answer = http.get(&outside).bearer("secret").send().await.unwrap();

    assert_eq!(answer.url(), &inside);
    assert_eq!(answer.header_on_the_way("x-linked-etag"), Some("v1"));
    assert_eq!(answer.text().await.unwrap(), "token: false");
}

#[tokio::test]
async fn a_redirect_without_end_is_given_up() {
    let url = serve(Router::new().route("/", get(|| async { Redirect::to("/") }))).await;

    let error = client(&[&url]).get(&url).send().await.map(|_| ()).unwrap_err();

    assert!(matches!(error, NetError::TooManyRedirects { .. }), "{error:?}");
}

#[tokio::test]
async fn only_the_web_is_spoken() {
    let url = Url::parse("file:///etc/passwd").unwrap();

    let error = client(&[]).get(&url).send().await.map(|_| ()).unwrap_err();

    assert_eq!(error.to_string(), "only http and https addresses can be requested, not file");
}

#[tokio::test]
async fn json_is_posted_and_its_answer_streams() {
    async fn repeat(Json(question): Json<serde_json::Value>) -> Body {
        let words: Vec<_> = question["words"].as_array().unwrap().clone();
        let pieces = words.into_iter().map(|word| Ok::<_, std::io::Error>(Bytes::from(word.to_string())));
        Body::from_stream(futures::stream::iter(pieces.collect::<Vec<_>>()))
    }
    let url = serve(Router::new().route("/", post(repeat))).await;
    let http = client(&[&url]);

    let answer = http.post_json(&url, &serde_json::json!({"words": [1, 2, 3]})).send().await.unwrap();
    let pieces: Vec<_> = answer.stream().map(|piece| piece.unwrap()).collect().await;

    assert_eq!(pieces.concat(), b"123");
}

#[tokio::test]
async fn a_refusal_of_the_host_has_its_status_words_and_wish() {
    let busy = || async { (StatusCode::TOO_MANY_REQUESTS, [("retry-after", "7")], "too many of you") };
    let url = serve(Router::new().route("/", get(busy))).await;

    let error = client(&[&url]).get(&url).send().await.map(|_| ()).unwrap_err();

    assert!(error.is_transient());
    assert!(!format!("{error:?} {error}").contains("too many of you"), "words of a server reached a message");
    let NetError::Status { code, excerpt, retry_after, .. } = error else { panic!("{error:?}") };
    assert_eq!((code, excerpt.as_str(), retry_after), (429, "too many of you", Some(Duration::from_secs(7))));
}

#[tokio::test]
async fn a_host_that_is_silent_before_its_answer_is_given_up() {
    let url = serve(Router::new().route("/", get(std::future::pending::<()>))).await;
    let silence = Duration::from_millis(50);

    let error = client(&[&url]).get(&url).silence_timeout(silence).send().await.map(|_| ()).unwrap_err();

    assert!(matches!(error, NetError::TimedOut { silence: waited, .. } if waited == silence), "{error:?}");
}

#[tokio::test]
async fn a_host_that_falls_silent_within_its_answer_is_given_up() {
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
async fn a_stream_that_is_cut_says_so() {
    let cut = || async {
        let pieces = futures::stream::iter([Ok(Bytes::from("first")), Err(std::io::Error::other("cut"))]);
        // Pausing makes the server send what it has before it hangs up.
        Body::from_stream(pieces.then(|piece| async {
            tokio::task::yield_now().await;
            piece
        }))
    };
    let url = serve(Router::new().route("/", get(cut))).await;

    let answer = client(&[&url]).get(&url).send().await.unwrap();
    let error = answer.bytes().await.unwrap_err();

    assert!(matches!(error, NetError::Cut { .. }), "{error:?}");
    assert!(error.is_transient());
}

#[tokio::test]
async fn nobody_at_the_address_is_unreachable() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = Url::parse(&format!("http://{}/", listener.local_addr().unwrap())).unwrap();
    drop(listener);

    let error = client(&[&url]).get(&url).send().await.map(|_| ()).unwrap_err();

    assert!(matches!(error, NetError::Unreachable { .. }), "{error:?}");
}

#[tokio::test]
async fn something_else_than_json_is_garbled() {
    let url = serve(says("<html>")).await;

    let answer = client(&[&url]).get(&url).send().await.unwrap().json::<serde_json::Value>().await;

    assert!(matches!(answer, Err(NetError::Garbled { .. })));
}
