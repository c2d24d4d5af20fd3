//! A server with an address, over streamable HTTP.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use futures::{StreamExt, TryStreamExt};
use net::Http;
use reqwest::header::{HeaderName, HeaderValue};
use rmcp::model::ClientJsonRpcMessage;
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::common::client_side_sse::BoxedSseResponse;
use rmcp::transport::streamable_http_client::{
    StreamableHttpClient, StreamableHttpClientTransportConfig, StreamableHttpError,
    StreamableHttpPostResponse, StreamableHttpResponseLimits,
};
use url::Url;

use super::lines::Overlong;
use super::reach::allowed_client;
use super::session_error::SessionError;
use super::sign_in::Tokens;

/// The connection to a server that the user named.
pub(super) async fn connect(
    http: &Http,
    url: &Url,
    headers: &BTreeMap<String, String>,
    overlong: Overlong,
    tokens: Option<Tokens>,
) -> Result<StreamableHttpClientTransport<SilentClient>, SessionError> {
    allowed_client(http, url).await?;
    let mut config = StreamableHttpClientTransportConfig::with_uri(url.as_str());
    for (name, value) in headers {
        let bad = || SessionError::Unreachable(format!("the header {name} cannot be sent"));
        let name = HeaderName::from_bytes(name.as_bytes()).map_err(|_| bad())?;
        let mut value = HeaderValue::from_str(value).map_err(|_| bad())?;
        value.set_sensitive(true);
        config.custom_headers.insert(name, value);
    }
    let client = SilentClient { http: http.clone(), url: url.clone(), overlong, tokens };
    Ok(StreamableHttpClientTransport::with_client(client, config))
}

/// A client whose errors do not contain the address: it may have a key in it, and the transport logs them. It notes when a
/// message is too long, which the transport keeps for itself.
#[derive(Clone)]
pub(super) struct SilentClient {
    http: Http,
    url: Url,
    overlong: Overlong,
    /// Of the user who signed in; fetched anew when they end.
    tokens: Option<Tokens>,
}

impl SilentClient {
    /// The client for one request: the user may have switched the network off since the last one.
    async fn client(&self) -> Answer<reqwest::Client> {
        let allowed = allowed_client(&self.http, &self.url).await;
        allowed.map_err(|refused| StreamableHttpError::Io(std::io::Error::other(refused.to_string())))
    }

    /// The token of a request.
    async fn token(&self, given: Option<String>) -> Answer<Option<String>> {
        match &self.tokens {
            Some(tokens) => Ok(Some(tokens.get_access_token().await?)),
            None => Ok(given),
        }
    }

    fn watched(&self, events: BoxedSseResponse) -> BoxedSseResponse {
        let overlong = self.overlong.clone();
        let noting = events.inspect_err(move |error| {
            if error.to_string().contains(TOO_LONG) {
                overlong.set();
            }
        });
        noting.boxed()
    }

    fn watched_post(&self, response: StreamableHttpPostResponse) -> StreamableHttpPostResponse {
        match response {
            StreamableHttpPostResponse::Sse(events, session) => {
                StreamableHttpPostResponse::Sse(self.watched(events), session)
            }
            other => other,
        }
    }
}

/// A part of the text of the error that a message is too long; its type is not public.
const TOO_LONG: &str = "exceeded the maximum size";

type Answer<T> = Result<T, StreamableHttpError<reqwest::Error>>;
type Headers = HashMap<HeaderName, HeaderValue>;

fn silent<T>(answer: Answer<T>) -> Answer<T> {
    answer.map_err(|error| match error {
        StreamableHttpError::Client(error) => StreamableHttpError::Client(error.without_url()),
        other => other,
    })
}

impl StreamableHttpClient for SilentClient {
    type Error = reqwest::Error;

    async fn post_message(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session: Option<Arc<str>>,
        auth: Option<String>,
        headers: Headers,
    ) -> Answer<StreamableHttpPostResponse> {
        let auth = self.token(auth).await?;
        let posted = silent(self.client().await?.post_message(uri, message, session, auth, headers).await);
        posted.map(|response| self.watched_post(response))
    }

    async fn post_message_with_response_limits(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session: Option<Arc<str>>,
        auth: Option<String>,
        headers: Headers,
        limits: StreamableHttpResponseLimits,
    ) -> Answer<StreamableHttpPostResponse> {
        let (client, auth) = (self.client().await?, self.token(auth).await?);
        let posted =
            client.post_message_with_response_limits(uri, message, session, auth, headers, limits).await;
        silent(posted).map(|response| self.watched_post(response))
    }

    async fn delete_session(
        &self,
        uri: Arc<str>,
        session: Arc<str>,
        auth: Option<String>,
        headers: Headers,
    ) -> Answer<()> {
        let auth = self.token(auth).await?;
        silent(self.client().await?.delete_session(uri, session, auth, headers).await)
    }

    async fn get_stream(
        &self,
        uri: Arc<str>,
        session: Option<Arc<str>>,
        last_event: Option<String>,
        auth: Option<String>,
        headers: Headers,
    ) -> Answer<BoxedSseResponse> {
        let auth = self.token(auth).await?;
        let events = silent(self.client().await?.get_stream(uri, session, last_event, auth, headers).await);
        events.map(|events| self.watched(events))
    }

    async fn get_stream_with_max_sse_event_size(
        &self,
        uri: Arc<str>,
        session: Option<Arc<str>>,
        last_event: Option<String>,
        auth: Option<String>,
        headers: Headers,
        max_size: usize,
    ) -> Answer<BoxedSseResponse> {
        let (client, auth) = (self.client().await?, self.token(auth).await?);
        let events =
            client.get_stream_with_max_sse_event_size(uri, session, last_event, auth, headers, max_size);
        silent(events.await).map(|events| self.watched(events))
    }
}
