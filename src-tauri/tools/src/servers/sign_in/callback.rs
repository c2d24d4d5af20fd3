//! The page to which the browser comes back. It can be reached from this machine only, and for one sign-in.

use std::io;
use std::time::Duration;

use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use url::Url;

/// The path of the page.
const PATH: &str = "/callback";
/// The longest first line of a request, in bytes. Codes have a few hundred.
const MAX_LINE_BYTES: u64 = 16 * 1024;
/// The time in which a request must come.
const REQUEST_LIMIT: Duration = Duration::from_secs(5);
/// The page that the browser shows. It has no words, so that it is right in each language.
const PAGE: &str = "<!doctype html><meta charset=utf-8><title>Jarvis</title>\
    <body style='font:5rem system-ui;text-align:center;padding-top:20vh'>&#10003;</body>";

/// Waits for the browser.
pub(super) struct CallbackListener {
    listener: TcpListener,
    address: String,
}

/// The way in which the browser came back.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Callback {
    /// With a code in this address.
    Agreed(String),
    Refused,
}

impl CallbackListener {
    /// A page of this machine, on a free port.
    pub async fn bind() -> io::Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
        let address = format!("http://{}{PATH}", listener.local_addr()?);
        Ok(Self { listener, address })
    }

    /// The address of the page.
    pub fn address(&self) -> &str {
        &self.address
    }

    /// Waits for the browser with this state. Whatever else asks for the page is turned away: any program can.
    pub async fn wait_for(&self, state: &str) -> Callback {
        loop {
            let Ok((stream, _)) = self.listener.accept().await else {
                // Too many files may be open for a moment.
                tokio::time::sleep(REQUEST_LIMIT).await;
                continue;
            };
            let answered = tokio::time::timeout(REQUEST_LIMIT, self.answer(stream, state));
            if let Ok(Ok(Some(callback))) = answered.await {
                return callback;
            }
        }
    }

    async fn answer(&self, mut stream: TcpStream, state: &str) -> io::Result<Option<Callback>> {
        let mut line = String::new();
        BufReader::new((&mut stream).take(MAX_LINE_BYTES)).read_line(&mut line).await?;
        let callback = callback_of(&line, &self.address, state);
        let response = match callback {
            Some(_) => format!(
                "HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: {}\r\n\
                 cache-control: no-store\r\nreferrer-policy: no-referrer\r\nconnection: close\r\n\r\n{PAGE}",
                PAGE.len()
            ),
            None => "HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\nconnection: close\r\n\r\n".to_owned(),
        };
        // A browser that is closed at once has done its part.
        let _ = stream.write_all(response.as_bytes()).await;
        let _ = stream.shutdown().await;
        Ok(callback)
    }
}

/// The meaning of the first line of a request; `None` if it is another request.
fn callback_of(line: &str, address: &str, state: &str) -> Option<Callback> {
    let target = line.strip_prefix("GET ")?.split(' ').next()?;
    let url = Url::parse(address).ok()?.join(target).ok()?;
    let value = |name: &str| url.query_pairs().find(|(key, _)| key == name).map(|(_, value)| value);
    let is_ours = url.as_str().starts_with(address) && url.path() == PATH;
    let is_expected = !state.is_empty() && value("state").as_deref() == Some(state);
    match () {
        () if !is_ours || !is_expected => None,
        () if value("error").is_some() => Some(Callback::Refused),
        () => value("code").map(|_| Callback::Agreed(url.to_string())),
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::agreed("GET /callback?code=c1&state=s1 HTTP/1.1", Some(Callback::Agreed("http://127.0.0.1:9/callback?code=c1&state=s1".into())))]
    #[case::refused("GET /callback?error=access_denied&state=s1 HTTP/1.1", Some(Callback::Refused))]
    #[case::other_state("GET /callback?code=c1&state=s2 HTTP/1.1", None)]
    #[case::no_state("GET /callback?code=c1 HTTP/1.1", None)]
    #[case::refused_by_another("GET /callback?error=x HTTP/1.1", None)]
    #[case::other_path("GET /favicon.ico?code=c1&state=s1 HTTP/1.1", None)]
    #[case::other_host("GET http://elsewhere.example/callback?code=c1&state=s1 HTTP/1.1", None)]
    #[case::other_method("POST /callback?code=c1&state=s1 HTTP/1.1", None)]
    #[case::nothing("", None)]
    fn only_the_browser_of_this_sign_in_is_let_in(#[case] line: &str, #[case] expected: Option<Callback>) {
        assert_eq!(callback_of(line, "http://127.0.0.1:9/callback", "s1"), expected);
    }

    #[test]
    fn request_without_a_state_is_turned_away_also_when_none_is_expected() {
        assert_eq!(
            callback_of("GET /callback?code=c1&state= HTTP/1.1", "http://127.0.0.1:9/callback", ""),
            None
        );
    }
}
