//! Requests to sign in, each through the address guard: a server names the addresses, and must not lead into a private network.

use net::{Http, Purpose};
use reqwest::header::{ACCEPT, HeaderValue, LOCATION};
use rmcp::transport::auth::{
    OAuthHttpClient, OAuthHttpClientError, OAuthHttpClientFuture, OAuthHttpRedirectPolicy, OAuthHttpRequest,
};
use std::time::Duration;
use url::Url;

use super::super::reach::is_this_machine;

/// The longest answer, in bytes. Metadata and tokens have a few thousand.
const MAX_BODY_BYTES: usize = 1024 * 1024;
/// Redirects of one request.
const MAX_REDIRECTS: usize = 5;
/// The time that a request may take if nothing is said.
const REQUEST_LIMIT: Duration = Duration::from_secs(30);

/// A client for the requests of a sign-in.
#[derive(Clone)]
pub(super) struct GuardedHttp {
    http: Http,
    /// The server is on this machine, so that its sign-in may be there too.
    is_local: bool,
}

#[derive(Debug, thiserror::Error)]
enum GuardedHttpError {
    #[error("the answer has more than {MAX_BODY_BYTES} bytes")]
    TooLong,
    #[error("the server redirects without end")]
    TooManyRedirects,
    #[error("the request took too long")]
    TimedOut,
}

impl GuardedHttp {
    /// A client that may contact what is public, and this machine if the server is there. What it allows holds for it alone.
    pub fn new(http: &Http, is_local: bool) -> Self {
        Self { http: http.without_allowed_origins().for_purpose(Purpose::ToolServer), is_local }
    }

    /// Fetches a description of a sign-in.
    pub async fn get(&self, url: &Url) -> Result<http::Response<Vec<u8>>, OAuthHttpClientError> {
        let mut request = reqwest::Request::new(reqwest::Method::GET, url.clone());
        request.headers_mut().insert(ACCEPT, HeaderValue::from_static("application/json"));
        self.within(REQUEST_LIMIT, request, OAuthHttpRedirectPolicy::Stop).await
    }

    async fn within(
        &self,
        limit: Duration,
        request: reqwest::Request,
        redirects: OAuthHttpRedirectPolicy,
    ) -> Result<http::Response<Vec<u8>>, OAuthHttpClientError> {
        match tokio::time::timeout(limit, self.send(request, redirects)).await {
            Ok(answer) => answer,
            Err(_) => Err(Box::new(GuardedHttpError::TimedOut)),
        }
    }

    async fn send(
        &self,
        mut request: reqwest::Request,
        redirects: OAuthHttpRedirectPolicy,
    ) -> Result<http::Response<Vec<u8>>, OAuthHttpClientError> {
        for _ in 0..=MAX_REDIRECTS {
            let url = request.url().clone();
            if self.is_local && is_this_machine(&url) {
                self.http.allow_origin(&url);
            }
            let client = self.http.raw_client(&url).await?;
            // Only requests without a body are sent on: others carry codes and tokens.
            let again = request.try_clone().filter(|request| request.method() == reqwest::Method::GET);
            let response = client.execute(request).await.map_err(reqwest::Error::without_url)?;
            let next = redirect(&response, &url).filter(|_| redirects == OAuthHttpRedirectPolicy::Follow);
            match (next, again) {
                (Some(next), Some(mut again)) => {
                    *again.url_mut() = next;
                    request = again;
                }
                _ => return whole(response).await,
            }
        }
        Err(Box::new(GuardedHttpError::TooManyRedirects))
    }
}

impl OAuthHttpClient for GuardedHttp {
    fn execute(&self, request: OAuthHttpRequest) -> OAuthHttpClientFuture<'_> {
        let OAuthHttpRequest { request, redirect_policy, timeout, .. } = request;
        Box::pin(async move {
            let request = reqwest::Request::try_from(request)?;
            self.within(timeout.unwrap_or(REQUEST_LIMIT), request, redirect_policy).await
        })
    }
}

/// The address that a response leads to.
fn redirect(response: &reqwest::Response, from: &Url) -> Option<Url> {
    if !response.status().is_redirection() {
        return None;
    }
    from.join(response.headers().get(LOCATION)?.to_str().ok()?).ok()
}

async fn whole(mut response: reqwest::Response) -> Result<http::Response<Vec<u8>>, OAuthHttpClientError> {
    let mut answer = http::Response::new(Vec::new());
    *answer.status_mut() = response.status();
    *answer.headers_mut() = response.headers().clone();
    while let Some(chunk) = response.chunk().await.map_err(reqwest::Error::without_url)? {
        if answer.body().len() + chunk.len() > MAX_BODY_BYTES {
            return Err(Box::new(GuardedHttpError::TooLong));
        }
        answer.body_mut().extend_from_slice(&chunk);
    }
    Ok(answer)
}
