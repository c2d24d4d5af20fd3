//! A response: headers, and the body as a stream.

use std::pin::Pin;
use std::time::Duration;

use bytes::Bytes;
use futures::{Stream, StreamExt};
use reqwest::header::HeaderMap;
use serde::de::DeserializeOwned;
use tokio::time::Instant;
use url::Url;
use vocabulary::Private;

use crate::NetError;
use crate::client::host_of;

/// Bodies that are read as a whole are JSON or short text; a longer body is a server error.
const MAX_BODY_BYTES: u64 = 16 * 1024 * 1024;

/// Maximum length of the excerpt of an error body. Source: the longest error seen, a chat template.
const EXCERPT_CHARS: usize = 2_000;

/// The chunks of a body. Ends after the first error.
pub type BodyStream = Pin<Box<dyn Stream<Item = Result<Bytes, NetError>> + Send>>;

/// A successful response whose body has not been read yet.
pub struct Response {
    response: reqwest::Response,
    url: Url,
    redirect_headers: Vec<HeaderMap>,
    patience: Patience,
}

/// The time limits of a host.
#[derive(Debug, Clone)]
pub(crate) struct Patience {
    /// Between two signs of life.
    pub silence: Duration,
    /// For the whole exchange, and when that time is over.
    pub limit: Option<(Duration, Instant)>,
}

impl Patience {
    /// Waits for the next sign of life of `host`.
    pub(crate) async fn wait<T>(&self, host: &str, life: impl Future<Output = T>) -> Result<T, NetError> {
        let silent_at = Instant::now() + self.silence;
        let (until, error) = match self.limit {
            Some((limit, end)) if end < silent_at => {
                (end, NetError::TookTooLong { host: host.to_owned(), limit })
            }
            _ => (silent_at, NetError::TimedOut { host: host.to_owned(), silence: self.silence }),
        };
        tokio::time::timeout_at(until, life).await.map_err(|_| error)
    }
}

impl Response {
    pub(crate) fn new(
        response: reqwest::Response,
        url: Url,
        redirect_headers: Vec<HeaderMap>,
        patience: Patience,
    ) -> Self {
        Self { response, url, redirect_headers, patience }
    }

    /// The status code, always 2xx.
    pub fn status(&self) -> u16 {
        self.response.status().as_u16()
    }

    /// The final address, after all redirects.
    pub fn url(&self) -> &Url {
        &self.url
    }

    /// A header of the response, if it exists and is valid text.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.response.headers().get(name)?.to_str().ok()
    }

    /// A header of the first hop that has it: of a redirect or of the final response. Model servers publish checksums
    /// with the redirect.
    pub fn header_of_any_hop(&self, name: &str) -> Option<&str> {
        let hops = self.redirect_headers.iter().chain([self.response.headers()]);
        hops.filter_map(|headers| headers.get(name)?.to_str().ok()).next()
    }

    /// Length of the body in bytes, if the host announces it and sends the body uncompressed.
    pub fn content_length(&self) -> Option<u64> {
        self.response.content_length()
    }

    /// The body as a stream. Dropping the stream closes the connection.
    pub fn stream(self) -> BodyStream {
        let host = host_of(&self.url);
        let patience = self.patience;
        let chunks = futures::stream::unfold(Some(self.response), move |response| {
            let (host, patience) = (host.clone(), patience.clone());
            async move {
                let mut response = response?;
                match patience.wait(&host, response.chunk()).await {
                    Ok(Ok(Some(bytes))) => Some((Ok(bytes), Some(response))),
                    Ok(Ok(None)) => None,
                    Ok(Err(error)) => Some((
                        Err(NetError::ConnectionLost { host, source: error.without_url().into() }),
                        None,
                    )),
                    Err(error) => Some((Err(error), None)),
                }
            }
        });
        Box::pin(chunks)
    }

    /// The whole body.
    ///
    /// # Errors
    ///
    /// [`NetError::TooLarge`] above 16 MiB, and errors of the connection.
    pub async fn bytes(self) -> Result<Vec<u8>, NetError> {
        let host = host_of(&self.url);
        let mut whole = Vec::new();
        let mut chunks = self.stream();
        while let Some(chunk) = chunks.next().await {
            whole.extend_from_slice(&chunk?);
            if whole.len() as u64 > MAX_BODY_BYTES {
                return Err(NetError::TooLarge { host, limit: MAX_BODY_BYTES });
            }
        }
        Ok(whole)
    }

    /// The first `limit` bytes of the body, counted after decompression. The connection is closed when there is more.
    ///
    /// # Errors
    ///
    /// Errors of the connection.
    pub async fn start(self, limit: usize) -> Result<Vec<u8>, NetError> {
        let mut start = Vec::new();
        let mut chunks = self.stream();
        while start.len() < limit
            && let Some(chunk) = chunks.next().await
        {
            start.extend_from_slice(&chunk?);
        }
        start.truncate(limit);
        Ok(start)
    }

    /// The whole body as text. Invalid UTF-8 becomes replacement characters.
    ///
    /// # Errors
    ///
    /// As [`Response::bytes`].
    pub async fn text(self) -> Result<String, NetError> {
        Ok(String::from_utf8_lossy(&self.bytes().await?).into_owned())
    }

    /// The whole body as JSON.
    ///
    /// # Errors
    ///
    /// [`NetError::InvalidJson`], and as [`Response::bytes`].
    pub async fn json<T: DeserializeOwned>(self) -> Result<T, NetError> {
        let host = host_of(&self.url);
        serde_json::from_slice(&self.bytes().await?).map_err(|source| NetError::InvalidJson { host, source })
    }
}

/// The start of the body of an error response. Errors while reading are ignored, because the status is enough.
pub(crate) async fn excerpt_of(
    mut response: reqwest::Response,
    host: &str,
    patience: &Patience,
) -> Private<String> {
    let mut start = Vec::new();
    while start.len() < EXCERPT_CHARS {
        match patience.wait(host, response.chunk()).await {
            Ok(Ok(Some(bytes))) => start.extend_from_slice(&bytes),
            Ok(Ok(None) | Err(_)) | Err(_) => break,
        }
    }
    Private(String::from_utf8_lossy(&start).chars().take(EXCERPT_CHARS).collect())
}
