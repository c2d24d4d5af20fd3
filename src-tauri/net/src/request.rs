//! A request on its way: headers, hops and patience.

use std::time::Duration;

use reqwest::header::{AUTHORIZATION, COOKIE, HeaderMap, HeaderName, HeaderValue, LOCATION, RETRY_AFTER};
use reqwest::{Body, Method};
use serde::Serialize;
use url::Url;

use crate::client::host_of;
use crate::guard::RefusedAddress;
use crate::response::excerpt_of;
use crate::{Http, NetError, Response};

/// How long a host may be silent unless the caller says otherwise.
const DEFAULT_SILENCE: Duration = Duration::from_secs(30);

/// Browsers give up after 20 hops, hubs need 2 or 3.
const MAX_REDIRECTS: usize = 10;

/// A request that can still be changed. Nothing goes out before [`Request::send`].
#[must_use = "nothing is sent before `send`"]
pub struct Request {
    http: Http,
    method: Method,
    url: Url,
    headers: HeaderMap,
    body: Option<bytes::Bytes>,
    silence: Duration,
    /// Something that could not be written; told when it is sent, so that building a request reads as one sentence.
    broken: Option<Box<dyn std::error::Error + Send + Sync>>,
}

impl Http {
    /// A request to read `url`.
    pub fn get(&self, url: &Url) -> Request {
        Request::new(self.clone(), Method::GET, url.clone())
    }

    /// A request for the headers of `url` alone.
    pub fn head(&self, url: &Url) -> Request {
        Request::new(self.clone(), Method::HEAD, url.clone())
    }

    /// A request that posts `body` as JSON to `url`. Redirects of a post are not followed.
    pub fn post_json(&self, url: &Url, body: &impl Serialize) -> Request {
        Request::new(self.clone(), Method::POST, url.clone()).json(body)
    }
}

impl Request {
    pub(crate) fn new(http: Http, method: Method, url: Url) -> Self {
        let headers = HeaderMap::new();
        Self { http, method, url, headers, body: None, silence: DEFAULT_SILENCE, broken: None }
    }

    pub(crate) fn json(mut self, body: &impl Serialize) -> Self {
        match serde_json::to_vec(body) {
            Ok(json) => self.body = Some(json.into()),
            Err(error) => self.broken = Some(error.into()),
        }
        self.header("content-type", "application/json")
    }

    /// Adds a header.
    pub fn header(mut self, name: &str, value: &str) -> Self {
        match (HeaderName::try_from(name), HeaderValue::try_from(value)) {
            (Ok(name), Ok(value)) => {
                self.headers.insert(name, value);
            }
            (Err(error), _) => self.broken = Some(error.into()),
            (_, Err(error)) => self.broken = Some(error.into()),
        }
        self
    }

    /// Proves who asks with a token. It is not carried along to another origin by a redirect.
    pub fn bearer(mut self, token: &str) -> Self {
        match HeaderValue::try_from(format!("Bearer {token}")) {
            Ok(mut value) => {
                value.set_sensitive(true);
                self.headers.insert(AUTHORIZATION, value);
            }
            Err(error) => self.broken = Some(error.into()),
        }
        self
    }

    /// How long the host may send nothing: before the headers, and between any two pieces of the body.
    pub fn silence_timeout(mut self, silence: Duration) -> Self {
        self.silence = silence;
        self
    }

    /// Sends it and waits for the headers of the answer; a `GET` or `HEAD` follows redirects, each hop checked like
    /// the first address.
    ///
    /// Cancel-safe in the sense that dropping it closes the connection.
    ///
    /// # Errors
    ///
    /// [`NetError::Refused`] before anything is sent, [`NetError::Status`] for every answer but 2xx, and what the
    /// connection does.
    pub async fn send(mut self) -> Result<Response, NetError> {
        if let Some(source) = self.broken.take() {
            return Err(NetError::BadRequest { host: host_of(&self.url), source });
        }
        let mut on_the_way = Vec::new();
        loop {
            let answer = self.send_once().await?;
            match self.next_hop(&answer) {
                Some(next) if on_the_way.len() < MAX_REDIRECTS => {
                    on_the_way.push(answer.headers().clone());
                    self.turn_to(next);
                }
                Some(_) => return Err(NetError::TooManyRedirects { host: host_of(&self.url) }),
                None if answer.status().is_success() => {
                    return Ok(Response::new(answer, self.url, on_the_way, self.silence));
                }
                None => return Err(self.refusal_of_the_host(answer).await),
            }
        }
    }

    /// One hop: the guard, the list of contacts, the request.
    async fn send_once(&self) -> Result<reqwest::Response, NetError> {
        let client = self.http.client_for(&self.url)?;
        let host = host_of(&self.url);
        self.http.contacts().note(&host);
        let mut request = client.request(self.method.clone(), self.url.clone()).headers(self.headers.clone());
        if let Some(body) = &self.body {
            request = request.body(Body::from(body.clone()));
        }
        let error = match tokio::time::timeout(self.silence, request.send()).await {
            Ok(Ok(answer)) => return Ok(answer),
            Ok(Err(error)) => error.without_url(),
            Err(_) => return Err(NetError::TimedOut { host, silence: self.silence }),
        };
        if is_refusal(&error) {
            self.http.contacts().withdraw(&host);
            Err(NetError::Refused { host })
        } else if error.is_connect() {
            Err(NetError::Unreachable { host, source: error.into() })
        } else if error.is_builder() {
            Err(NetError::BadRequest { host, source: error.into() })
        } else {
            Err(NetError::Cut { host, source: error.into() })
        }
    }

    /// Where the answer sends a reading request, if anywhere.
    fn next_hop(&self, answer: &reqwest::Response) -> Option<Url> {
        let reads = matches!(self.method, Method::GET | Method::HEAD);
        let redirects = matches!(answer.status().as_u16(), 301 | 302 | 303 | 307 | 308);
        if !(reads && redirects) {
            return None;
        }
        let target = answer.headers().get(LOCATION)?.to_str().ok()?;
        self.url.join(target).ok()
    }

    fn turn_to(&mut self, next: Url) {
        if next.origin() != self.url.origin() {
            // What proves who we are was meant for the first host only.
            self.headers.remove(AUTHORIZATION);
            self.headers.remove(COOKIE);
        }
        self.url = next;
    }

    async fn refusal_of_the_host(&self, answer: reqwest::Response) -> NetError {
        let code = answer.status().as_u16();
        let seconds = answer.headers().get(RETRY_AFTER).and_then(|v| v.to_str().ok()?.trim().parse().ok());
        NetError::Status {
            host: host_of(&self.url),
            code,
            excerpt: excerpt_of(answer, self.silence).await,
            // The other form, a date, is rare and needs a clock that agrees with the server's.
            retry_after: seconds.map(Duration::from_secs),
        }
    }
}

/// Did our own guard end it?
fn is_refusal(error: &reqwest::Error) -> bool {
    let mut cause = std::error::Error::source(error);
    while let Some(inner) = cause {
        if inner.is::<RefusedAddress>() {
            return true;
        }
        cause = inner.source();
    }
    false
}
