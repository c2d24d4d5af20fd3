//! A request: headers, redirects and timeout.

use std::time::Duration;

use reqwest::header::{
    ACCEPT, ACCEPT_ENCODING, AUTHORIZATION, HeaderMap, HeaderName, HeaderValue, IF_RANGE, LOCATION, RANGE,
    RETRY_AFTER, USER_AGENT,
};
use reqwest::{Body, Method};
use serde::Serialize;
use tokio::time::Instant;
use url::Url;

use crate::client::{Route, host_of};
use crate::guard::RefusedAddress;
use crate::response::{Patience, excerpt_of};
use crate::{Http, NetError, Response};

/// The default for [`Request::silence_timeout`].
const DEFAULT_SILENCE_TIMEOUT: Duration = Duration::from_secs(30);

/// Browsers stop after 20 redirects; model servers use 2 or 3.
const MAX_REDIRECTS: usize = 10;

/// Builder of a request. Nothing is sent before [`Request::send`].
#[must_use = "nothing is sent before `send`"]
pub struct Request {
    http: Http,
    method: Method,
    url: Url,
    headers: HeaderMap,
    body: Option<bytes::Bytes>,
    silence: Duration,
    time_limit: Option<Duration>,
    max_redirects: usize,
    /// The first error of a builder method, returned by `send`.
    invalid: Option<Box<dyn std::error::Error + Send + Sync>>,
}

impl Http {
    /// A `GET` request.
    pub fn get(&self, url: &Url) -> Request {
        Request::new(self.clone(), Method::GET, url.clone())
    }

    /// A `HEAD` request.
    pub fn head(&self, url: &Url) -> Request {
        Request::new(self.clone(), Method::HEAD, url.clone())
    }

    /// A `POST` request with `body` as JSON. Redirects of a `POST` are not followed.
    pub fn post_json(&self, url: &Url, body: &impl Serialize) -> Request {
        Request::new(self.clone(), Method::POST, url.clone()).json(body)
    }
}

impl Request {
    pub(crate) fn new(http: Http, method: Method, url: Url) -> Self {
        Self {
            http,
            method,
            url,
            headers: HeaderMap::new(),
            body: None,
            silence: DEFAULT_SILENCE_TIMEOUT,
            time_limit: None,
            max_redirects: MAX_REDIRECTS,
            invalid: None,
        }
    }

    pub(crate) fn json(mut self, body: &impl Serialize) -> Self {
        match serde_json::to_vec(body) {
            Ok(json) => self.body = Some(json.into()),
            Err(error) => self.invalid = Some(error.into()),
        }
        self.header("content-type", "application/json")
    }

    /// Adds a header.
    pub fn header(mut self, name: &str, value: &str) -> Self {
        match (HeaderName::try_from(name), HeaderValue::try_from(value)) {
            (Ok(name), Ok(value)) => {
                self.headers.insert(name, value);
            }
            (Err(error), _) => self.invalid = Some(error.into()),
            (_, Err(error)) => self.invalid = Some(error.into()),
        }
        self
    }

    /// Adds a header whose value is a secret: it is not printed, and redirects to another origin do not receive it.
    pub fn secret_header(mut self, name: &str, value: &str) -> Self {
        self = self.header(name, value);
        if let Some(value) = self.headers.get_mut(name) {
            value.set_sensitive(true);
        }
        self
    }

    /// Adds a bearer token. Redirects to another origin do not receive it.
    pub fn bearer(mut self, token: &str) -> Self {
        match HeaderValue::try_from(format!("Bearer {token}")) {
            Ok(mut value) => {
                value.set_sensitive(true);
                self.headers.insert(AUTHORIZATION, value);
            }
            Err(error) => self.invalid = Some(error.into()),
        }
        self
    }

    /// Sets how long the host may send nothing: before the headers, and between two chunks of the body.
    pub fn silence_timeout(mut self, silence: Duration) -> Self {
        self.silence = silence;
        self
    }

    /// Sets how long the whole exchange may take, from the first connection to the last byte of the body. Without it, a
    /// host that sends a little now and then may go on for ever.
    pub fn time_limit(mut self, limit: Duration) -> Self {
        self.time_limit = Some(limit);
        self
    }

    /// Sets how many redirects are followed. The default is 10.
    pub fn max_redirects(mut self, redirects: usize) -> Self {
        self.max_redirects = redirects;
        self
    }

    /// Sends the request and waits for the response headers. `GET` and `HEAD` follow redirects, and every hop is
    /// checked like the first address.
    ///
    /// Dropping the future closes the connection.
    ///
    /// # Errors
    ///
    /// [`NetError::AddressNotAllowed`] before anything is sent, [`NetError::Status`] for a status other than 2xx, and
    /// errors of the connection.
    pub async fn send(mut self) -> Result<Response, NetError> {
        if let Some(source) = self.invalid.take() {
            return Err(NetError::BadRequest { host: host_of(&self.url), source });
        }
        let patience = Patience {
            silence: self.silence,
            limit: self.time_limit.map(|limit| (limit, Instant::now() + limit)),
        };
        let mut redirect_headers = Vec::new();
        loop {
            let response = self.send_once(&patience).await?;
            match self.next_hop(&response) {
                Some(next) if redirect_headers.len() < self.max_redirects => {
                    redirect_headers.push(response.headers().clone());
                    self.redirect_to(next);
                }
                Some(_) => return Err(NetError::TooManyRedirects { host: host_of(&self.url) }),
                None if response.status().is_success() => {
                    return Ok(Response::new(response, self.url, redirect_headers, patience));
                }
                None => return Err(self.status_error(response, &patience).await),
            }
        }
    }

    /// Checks the address, records the host, and sends the request to one hop.
    async fn send_once(&self, patience: &Patience) -> Result<reqwest::Response, NetError> {
        let host = host_of(&self.url);
        // Names are resolved for it, and the desktop may be asked.
        let Route { client, is_proxied } = patience.wait(&host, self.http.route(&self.url)).await??;
        let recorded = self.http.contacts().record(&host, self.http.purpose(), is_proxied);
        let mut request = client.request(self.method.clone(), self.url.clone()).headers(self.headers.clone());
        if let Some(body) = &self.body {
            request = request.body(Body::from(body.clone()));
        }
        let error = match patience.wait(&host, request.send()).await? {
            Ok(response) => return Ok(response),
            Err(error) => error.without_url(),
        };
        if is_refused_address(&error) {
            self.http.contacts().remove(recorded);
            Err(NetError::AddressNotAllowed { host })
        } else if error.is_connect() {
            Err(NetError::Unreachable { host, source: error.into() })
        } else if error.is_builder() {
            Err(NetError::BadRequest { host, source: error.into() })
        } else {
            Err(NetError::ConnectionLost { host, source: error.into() })
        }
    }

    /// The target of a redirect, if the response is one and the method allows to follow it.
    fn next_hop(&self, response: &reqwest::Response) -> Option<Url> {
        let is_read = matches!(self.method, Method::GET | Method::HEAD);
        let is_redirect = matches!(response.status().as_u16(), 301 | 302 | 303 | 307 | 308);
        if !(is_read && is_redirect) {
            return None;
        }
        let target = response.headers().get(LOCATION)?.to_str().ok()?;
        self.url.join(target).ok()
    }

    fn redirect_to(&mut self, next: Url) {
        if next.origin() != self.url.origin() {
            // Keys have many names, and they are for the first origin only.
            let public = [ACCEPT, ACCEPT_ENCODING, IF_RANGE, RANGE, USER_AGENT];
            let kept =
                public.into_iter().filter_map(|name| Some((name.clone(), self.headers.get(name)?.clone())));
            self.headers = kept.collect();
        }
        self.url = next;
    }

    async fn status_error(&self, response: reqwest::Response, patience: &Patience) -> NetError {
        let code = response.status().as_u16();
        let seconds = response.headers().get(RETRY_AFTER).and_then(|v| v.to_str().ok()?.trim().parse().ok());
        let host = host_of(&self.url);
        NetError::Status {
            excerpt: excerpt_of(response, &host, patience).await,
            host,
            code,
            // `Retry-After` as a date is rare, and would need a clock in step with the clock of the server.
            retry_after: seconds.map(Duration::from_secs),
        }
    }
}

/// Returns `true` if the address guard caused the error.
fn is_refused_address(error: &reqwest::Error) -> bool {
    let mut cause = std::error::Error::source(error);
    while let Some(inner) = cause {
        if inner.is::<RefusedAddress>() {
            return true;
        }
        cause = inner.source();
    }
    false
}
