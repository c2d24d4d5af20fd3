//! An answer whose headers are here and whose body still comes.

use std::pin::Pin;
use std::time::Duration;

use bytes::Bytes;
use futures::{Stream, StreamExt};
use reqwest::header::HeaderMap;
use serde::de::DeserializeOwned;
use url::Url;
use vocabulary::Private;

use crate::NetError;
use crate::client::host_of;

/// Answers read as a whole are JSON or short text: more is a mistake of the server.
const MAX_WHOLE_BODY_BYTES: u64 = 16 * 1024 * 1024;

/// Enough of an error's body to see what it says. Source: the longest error we met, a model's chat template.
const EXCERPT_CHARS: usize = 2_000;

/// The body as it arrives. Ends after the first error.
pub type BodyStream = Pin<Box<dyn Stream<Item = Result<Bytes, NetError>> + Send>>;

/// A successful answer: its body comes as a stream or as a whole.
pub struct Response {
    answer: reqwest::Response,
    url: Url,
    on_the_way: Vec<HeaderMap>,
    silence: Duration,
}

impl Response {
    pub(crate) fn new(
        answer: reqwest::Response,
        url: Url,
        on_the_way: Vec<HeaderMap>,
        silence: Duration,
    ) -> Self {
        Self { answer, url, on_the_way, silence }
    }

    /// The status code, always 2xx.
    pub fn status(&self) -> u16 {
        self.answer.status().as_u16()
    }

    /// The address that answered, after all redirects.
    pub fn url(&self) -> &Url {
        &self.url
    }

    /// A header of the answer, if it is there and readable.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.answer.headers().get(name)?.to_str().ok()
    }

    /// A header of the first redirect or answer that has it: hubs publish checksums with the redirect.
    pub fn header_on_the_way(&self, name: &str) -> Option<&str> {
        let hops = self.on_the_way.iter().chain([self.answer.headers()]);
        hops.filter_map(|headers| headers.get(name)?.to_str().ok()).next()
    }

    /// How many bytes the body has, where the host says so and sends it unpacked.
    pub fn content_length(&self) -> Option<u64> {
        self.answer.content_length()
    }

    /// The body as it arrives; dropping the stream closes the connection.
    pub fn stream(self) -> BodyStream {
        let host = host_of(&self.url);
        let silence = self.silence;
        let pieces = futures::stream::unfold(Some(self.answer), move |answer| {
            let host = host.clone();
            async move {
                let mut answer = answer?;
                match tokio::time::timeout(silence, answer.chunk()).await {
                    Ok(Ok(Some(bytes))) => Some((Ok(bytes), Some(answer))),
                    Ok(Ok(None)) => None,
                    Ok(Err(error)) => {
                        Some((Err(NetError::Cut { host, source: error.without_url().into() }), None))
                    }
                    Err(_) => Some((Err(NetError::TimedOut { host, silence }), None)),
                }
            }
        });
        Box::pin(pieces)
    }

    /// The whole body.
    ///
    /// # Errors
    ///
    /// [`NetError::TooLarge`] when it is longer than 16 MiB, and what the connection does.
    pub async fn bytes(self) -> Result<Vec<u8>, NetError> {
        let host = host_of(&self.url);
        let mut whole = Vec::new();
        let mut pieces = self.stream();
        while let Some(piece) = pieces.next().await {
            whole.extend_from_slice(&piece?);
            if whole.len() as u64 > MAX_WHOLE_BODY_BYTES {
                return Err(NetError::TooLarge { host, limit: MAX_WHOLE_BODY_BYTES });
            }
        }
        Ok(whole)
    }

    /// The whole body as text; what is not UTF-8 becomes replacement characters.
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
    /// [`NetError::Garbled`] when it is something else, and as [`Response::bytes`].
    pub async fn json<T: DeserializeOwned>(self) -> Result<T, NetError> {
        let host = host_of(&self.url);
        serde_json::from_slice(&self.bytes().await?).map_err(|source| NetError::Garbled { host, source })
    }
}

/// The beginning of an answer that is no success. What cannot be read is left out: the status says enough.
pub(crate) async fn excerpt_of(mut answer: reqwest::Response, silence: Duration) -> Private<String> {
    let mut start = Vec::new();
    while start.len() < EXCERPT_CHARS {
        match tokio::time::timeout(silence, answer.chunk()).await {
            Ok(Ok(Some(bytes))) => start.extend_from_slice(&bytes),
            Ok(Ok(None) | Err(_)) | Err(_) => break,
        }
    }
    Private(String::from_utf8_lossy(&start).chars().take(EXCERPT_CHARS).collect())
}
