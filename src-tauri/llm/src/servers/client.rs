//! Sends requests to a server. Shared by all providers.

use std::time::Duration;

use net::{Http, NetError, Request, Response, Url};
use secrecy::{ExposeSecret, SecretString};
use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

use super::config::ServerConfig;
use super::server_error::{RequestContent, Target, detail_of, remove_rejected_field};
use crate::{LlmError, ModelIdentity, ProviderKind};

/// The longest pause that a busy server may ask for. Whether to wait longer is for the user to decide.
const LONGEST_PAUSE: Duration = Duration::from_secs(5);

/// The version of the Anthropic API. Source: its reference, "Versions".
const ANTHROPIC_VERSION: &str = "2023-06-01";

/// The status of an overloaded server. Source: the reference of the Anthropic API, "Errors".
const OVERLOADED: u16 = 529;

/// Request fields that some servers reject, each with a word that the error message then contains.
pub(super) type OptionalFields = &'static [(&'static str, &'static str)];

/// The client for one model on a server.
pub(super) struct ServerClient {
    http: Http,
    pub(super) config: ServerConfig,
    pub(super) provider: ProviderKind,
    /// If the server rejects such a field, the request is repeated without it.
    optional: OptionalFields,
}

impl ServerClient {
    /// Also allows requests to the origin of the address, because the user configured it.
    pub(super) fn new(
        http: Http,
        config: ServerConfig,
        provider: ProviderKind,
        optional: OptionalFields,
    ) -> Self {
        http.allow_origin(&config.base_url);
        Self { http, config, provider, optional }
    }

    /// The server and the model, for error messages.
    pub(super) fn target(&self) -> Target<'_> {
        Target { provider: self.provider, base_url: &self.config.base_url, model: &self.config.model }
    }

    /// The model that it is the client of.
    pub(super) fn identity(&self) -> ModelIdentity {
        let ServerConfig { model, parameters, .. } = &self.config;
        ModelIdentity { parameters: *parameters, ..ModelIdentity::new(self.provider, model.clone()) }
    }

    /// Posts `body`. Returns `None` if `stop` was cancelled before the response started.
    pub(super) async fn post(
        &self,
        url: &Url,
        mut body: Map<String, Value>,
        content: &RequestContent<'_>,
        stop: &CancellationToken,
    ) -> Result<Option<Response>, LlmError> {
        let mut was_retried = false;
        loop {
            let response = tokio::select! {
                biased;
                () = stop.cancelled() => return Ok(None),
                response = self.post_once(url, &body) => response,
            };
            let error = match response {
                Ok(response) => return Ok(Some(response)),
                Err(error) => error,
            };
            if let NetError::Status { code: 400 | 422, excerpt, .. } = &error
                && remove_rejected_field(&mut body, &detail_of(excerpt), self.optional)
            {
                tracing::debug!("the server rejects an optional field; repeating the request without it");
                continue;
            }
            // After a restart of the server, pooled connections fail on first use. Repeating is safe, because a request
            // has no side effects.
            if matches!(error, NetError::ConnectionLost { .. }) && !was_retried {
                was_retried = true;
                continue;
            }
            if let NetError::Status { code: 429 | 503 | OVERLOADED, retry_after: Some(pause), .. } = &error
                && *pause <= LONGEST_PAUSE
                && !was_retried
            {
                tracing::debug!(?pause, "the server is busy and says when to ask again");
                was_retried = true;
                tokio::select! {
                    biased;
                    () = stop.cancelled() => return Ok(None),
                    () = tokio::time::sleep(*pause) => continue,
                }
            }
            return Err(self.target().failure(error, content));
        }
    }

    async fn post_once(&self, url: &Url, body: &Map<String, Value>) -> Result<Response, NetError> {
        let request = self.http.post_json(url, body).silence_timeout(self.config.silence_timeout);
        with_headers(request, self.provider, self.config.api_key.as_ref()).send().await
    }
}

/// Adds the headers that the provider expects with every request, and the key if there is one.
pub(crate) fn with_headers(
    request: Request,
    provider: ProviderKind,
    api_key: Option<&SecretString>,
) -> Request {
    let key = api_key.map(ExposeSecret::expose_secret);
    match provider {
        ProviderKind::Anthropic => {
            let request = request.header("anthropic-version", ANTHROPIC_VERSION);
            match key {
                Some(key) => request.secret_header("x-api-key", key),
                None => request,
            }
        }
        ProviderKind::Ollama | ProviderKind::OpenAi | ProviderKind::Embedded => match key {
            Some(key) => request.bearer(key),
            None => request,
        },
    }
}
