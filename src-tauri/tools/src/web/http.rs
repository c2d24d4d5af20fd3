//! The port to the web, with the guarded HTTP client.

use async_trait::async_trait;
use net::{Http, NetError};

use super::port::{WebError, WebFetch, WebRequest, WebResponse};

/// Fetches through the HTTP client of the whole program: its address guard, its proxy, its list of contacted hosts.
pub struct HttpWeb {
    http: Http,
}

impl HttpWeb {
    /// With this client.
    pub fn new(http: Http) -> Self {
        Self { http }
    }
}

#[async_trait]
impl WebFetch for HttpWeb {
    async fn fetch(&self, request: WebRequest) -> Result<WebResponse, WebError> {
        let mut sent = self
            .http
            .for_purpose(request.purpose)
            .get(&request.url)
            .silence_timeout(request.time_limit)
            .time_limit(request.time_limit)
            .max_redirects(request.max_redirects);
        for (name, value) in &request.headers {
            sent = sent.header(name, value);
        }
        let response = sent.send().await.map_err(|error| web_error(&error))?;
        let (status, url) = (response.status(), response.url().clone());
        let content_type = response.header("content-type").map(str::to_owned);
        let body = response.start(request.max_bytes).await.map_err(|error| web_error(&error))?;
        Ok(WebResponse { status, url, content_type, body })
    }
}

fn web_error(error: &NetError) -> WebError {
    match error {
        NetError::Status { code, .. } => WebError::Status(*code),
        NetError::TimedOut { .. } | NetError::TookTooLong { .. } => WebError::TimedOut,
        NetError::Offline { .. } => WebError::Offline,
        NetError::AddressNotAllowed { .. } | NetError::UnsupportedScheme { .. } => WebError::NotPublic,
        _ => WebError::Unreachable,
    }
}
