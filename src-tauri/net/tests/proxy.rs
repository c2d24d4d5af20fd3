//! The proxy of the system, on loopback. Environment variables belong to a whole process, so the client runs in one of its
//! own.
#![allow(clippy::unwrap_used, reason = "a helper of tests may fail as loudly as a test")]

use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::process::Command;
use std::sync::mpsc;

use net::{Http, NetError, Purpose, Url};

/// Public addresses, never reached: the proxy answers in their place.
const HUB: &str = "http://93.184.215.14/model.onnx";
const HUB_TLS: &str = "https://93.184.215.14/model.onnx";
const REDIRECTING: &str = "http://93.184.215.15/";

/// Answers each connection with what `answer` makes of the request line. The receiver gets all request lines.
fn serve(answer: fn(&str) -> &'static str) -> (SocketAddr, mpsc::Receiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let (seen, lines) = mpsc::channel();
    std::thread::spawn(move || {
        for connection in listener.incoming() {
            let line = answer_one(connection.unwrap(), answer);
            // A test that has ended asks for nothing more.
            let _ = seen.send(line);
        }
    });
    (address, lines)
}

fn answer_one(mut connection: TcpStream, answer: fn(&str) -> &'static str) -> String {
    let mut lines = BufReader::new(connection.try_clone().unwrap()).lines();
    let first = lines.next().unwrap().unwrap();
    // The request has to be read to its end, or closing the connection would reset it.
    for line in lines {
        if line.unwrap().is_empty() {
            break;
        }
    }
    connection.write_all(answer(&first).as_bytes()).unwrap();
    first
}

fn proxy(line: &str) -> &'static str {
    match line.split(' ').collect::<Vec<_>>()[..] {
        ["GET", HUB | "http://hub.invalid/model.onnx", _] => {
            "HTTP/1.1 200 OK\r\ncontent-length: 9\r\nconnection: close\r\n\r\nby proxy."
        }
        ["GET", REDIRECTING, _] => {
            "HTTP/1.1 302 Found\r\nlocation: http://127.0.0.1:9/\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
        }
        _ => "HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\nconnection: close\r\n\r\n",
    }
}

/// Runs a test of this file in a process with these variables, and no others of proxies. Returns its output.
fn run_inside(test: &str, variables: &[(&str, &str)]) -> String {
    let mut inside = Command::new(std::env::current_exe().unwrap());
    inside.args([test, "--exact", "--ignored"]).env_remove("REQUEST_METHOD");
    for name in ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"] {
        inside.env_remove(name).env_remove(name.to_lowercase());
    }
    let output = inside.envs(variables.iter().copied()).output().unwrap();
    let said =
        [output.stdout, output.stderr].map(|said| String::from_utf8_lossy(&said).into_owned()).concat();
    assert!(output.status.success() && said.contains("1 passed"), "{said}");
    said
}

#[test]
fn system_proxy_is_asked_for_public_addresses_only() {
    let (address, lines) = serve(proxy);
    let proxy = format!("http://{address}");

    run_inside("inside_a_system_with_a_proxy", &[("HTTP_PROXY", &proxy), ("HTTPS_PROXY", &proxy)]);

    let asked: Vec<_> = lines.try_iter().collect();
    assert_eq!(
        asked,
        [
            format!("GET {HUB} HTTP/1.1"),
            "CONNECT 93.184.215.14:443 HTTP/1.1".to_owned(),
            format!("GET {REDIRECTING} HTTP/1.1"),
        ]
    );
}

#[tokio::test]
#[ignore = "run by its parent test"]
async fn inside_a_system_with_a_proxy() {
    let http = Http::new().unwrap().for_purpose(Purpose::ModelDownload);
    let get = async |url: &str| http.get(&Url::parse(url).unwrap()).send().await;
    let (server, _lines) =
        serve(|_| "HTTP/1.1 200 OK\r\ncontent-length: 9\r\nconnection: close\r\n\r\ndirectly.");
    let model_server = format!("http://{server}/");

    let downloaded = get(HUB).await.unwrap().text().await.unwrap();
    let refused_tunnel = get(HUB_TLS).await.map(|_| ()).unwrap_err();
    let not_configured = get(&model_server).await.map(|_| ()).unwrap_err();
    let local_name = get("http://router/").await.map(|_| ()).unwrap_err();
    let redirected = get(REDIRECTING).await.map(|_| ()).unwrap_err();
    http.allow_origin(&Url::parse(&model_server).unwrap());
    let asked_directly = get(&model_server).await.unwrap().text().await.unwrap();

    assert_eq!(downloaded, "by proxy.");
    assert!(matches!(refused_tunnel, NetError::Unreachable { .. }), "{refused_tunnel:?}");
    for refused in [not_configured, local_name, redirected] {
        assert!(matches!(refused, NetError::AddressNotAllowed { .. }), "{refused:?}");
    }
    assert_eq!(asked_directly, "directly.");
    let contacts: Vec<_> =
        http.hosts_contacted().into_iter().map(|host| (host.host, host.is_proxied)).collect();
    let expected =
        [(server.to_string(), false), ("93.184.215.14".to_owned(), true), ("93.184.215.15".to_owned(), true)];
    assert_eq!(contacts, expected);
}

/// The proxy that the portal of the desktop tells.
#[cfg(target_os = "linux")]
mod desktop {
    use testkit::{ProxyAnswer, ProxyPortal, SessionBus};
    use tracing_subscriber::filter::LevelFilter;

    use super::*;

    /// A name that only the proxy can resolve.
    const HUB_BY_NAME: &str = "http://hub.invalid/model.onnx";

    /// A password of the proxy, and how it is sent.
    const PASSWORD: [&str; 2] = ["Tr0ub4dor", "bWU6VHIwdWI0ZG9y"];

    #[test]
    fn proxy_of_the_desktop_is_used_and_its_password_is_not_logged() {
        let (address, lines) = serve(proxy);
        let bus = SessionBus::start().unwrap();
        let entry = format!("http://me:{}@{address}", PASSWORD[0]);
        let portal = ProxyPortal::start(bus.address(), ProxyAnswer::proxies(&[&entry])).unwrap();

        let said = run_inside(
            "desktop::inside_a_desktop_with_a_proxy",
            &[("DBUS_SESSION_BUS_ADDRESS", bus.address())],
        );

        let asked: Vec<_> = lines.try_iter().collect();
        assert_eq!(asked, [format!("GET {HUB} HTTP/1.1"), format!("GET {HUB_BY_NAME} HTTP/1.1")]);
        assert_eq!(portal.asked(), ["http://93.184.215.14/", "http://hub.invalid/"]);
        assert!(said.contains("TRACE"), "{said}");
        assert!(!PASSWORD.iter().any(|password| said.contains(password)), "{said}");
    }

    #[test]
    fn variables_of_the_environment_win_over_the_desktop() {
        let (address, lines) = serve(proxy);
        let bus = SessionBus::start().unwrap();
        let portal =
            ProxyPortal::start(bus.address(), ProxyAnswer::proxies(&["http://127.0.0.1:9"])).unwrap();

        run_inside(
            "desktop::inside_a_desktop_with_variables",
            &[
                ("DBUS_SESSION_BUS_ADDRESS", bus.address()),
                ("all_proxy", &format!("http://{address}")),
                ("NO_PROXY", "hub.invalid"),
            ],
        );

        assert_eq!(lines.try_iter().collect::<Vec<_>>(), [format!("GET {HUB} HTTP/1.1")]);
        assert_eq!(portal.asked(), [""; 0]);
    }

    #[tokio::test]
    #[ignore = "run by its parent test"]
    async fn inside_a_desktop_with_variables() {
        let http = Http::new().unwrap();

        let downloaded = http.get(&Url::parse(HUB).unwrap()).send().await.unwrap();
        // The variables make an exception of this name, which has no address.
        let excepted = http.get(&Url::parse(HUB_BY_NAME).unwrap()).send().await.map(|_| ()).unwrap_err();

        assert_eq!(downloaded.text().await.unwrap(), "by proxy.");
        assert!(matches!(excepted, NetError::Unreachable { .. }), "{excepted:?}");
        let contacts: Vec<_> =
            http.hosts_contacted().into_iter().map(|contact| (contact.host, contact.is_proxied)).collect();
        assert_eq!(contacts, [("93.184.215.14".to_owned(), true), ("hub.invalid".to_owned(), false)]);
    }

    #[tokio::test]
    #[ignore = "run by its parent test"]
    async fn inside_a_desktop_with_a_proxy() {
        tracing_subscriber::fmt().with_max_level(LevelFilter::TRACE).init();
        let http = Http::new().unwrap();

        for url in [HUB, HUB_BY_NAME] {
            let downloaded = http.get(&Url::parse(url).unwrap()).send().await.unwrap();
            assert_eq!(downloaded.text().await.unwrap(), "by proxy.");
        }

        let contacts = http.hosts_contacted();
        assert!(contacts.iter().all(|contact| contact.is_proxied), "{contacts:?}");
    }
}
