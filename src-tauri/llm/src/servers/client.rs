//! Sends requests to a server and waits until its answer begins. All providers behind a server share it.

use net::{Http, NetError, Response, Url};
use secrecy::ExposeSecret;
use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

use super::config::ServerConfig;
use super::refusal::{RequestContent, Target, detail_of, drop_refused_field};
use crate::{LlmError, ProviderKind};

/// Fields that some servers refuse, each with a word that the refusal contains.
pub(super) type OptionalFields = &'static [(&'static str, &'static str)];

/// A model on a server, and the connection to it.
pub(super) struct ServerClient {
    http: Http,
    pub(super) config: ServerConfig,
    pub(super) provider: ProviderKind,
    /// A request is repeated without such a field when the server refuses it.
    optional: OptionalFields,
}

impl ServerClient {
    /// Allows the origin of the configured address: the user chose it.
    pub(super) fn new(
        http: Http,
        config: ServerConfig,
        provider: ProviderKind,
        optional: OptionalFields,
    ) -> Self {
        http.allow_origin(&config.base_url);
        Self { http, config, provider, optional }
    }

    /// What the errors of this client name.
    pub(super) fn target(&self) -> Target<'_> {
        Target { provider: self.provider, base_url: &self.config.base_url, model: &self.config.model }
    }

    /// Posts `body`; `None` when `stop` was cancelled before the answer began.
    pub(super) async fn post(
        &self,
        url: &Url,
        mut body: Map<String, Value>,
        content: &RequestContent<'_>,
        stop: &CancellationToken,
    ) -> Result<Option<Response>, LlmError> {
        let mut was_cut = false;
        loop {
            let answer = tokio::select! {
                biased;
                () = stop.cancelled() => return Ok(None),
                answer = self.post_once(url, &body) => answer,
            };
            let error = match answer {
                Ok(response) => return Ok(Some(response)),
                Err(error) => error,
            };
            if let NetError::Status { code: 400 | 422, excerpt, .. } = &error
                && drop_refused_field(&mut body, &detail_of(excerpt), self.optional)
            {
                tracing::debug!("the server refuses an optional field; repeating the request without it");
                continue;
            }
            // After a restart of the server, pooled connections are dead, which shows only when they are used. Repeating
            // is safe: a request has no side effects.
            if matches!(error, NetError::ConnectionLost { .. }) && !was_cut {
                was_cut = true;
                continue;
            }
            return Err(self.target().failure(error, content));
        }
    }

    async fn post_once(&self, url: &Url, body: &Map<String, Value>) -> Result<Response, NetError> {
        let mut request = self.http.post_json(url, body).silence_timeout(self.config.silence_timeout);
        if let Some(key) = &self.config.api_key {
            request = request.bearer(key.expose_secret());
        }
        request.send().await
    }
}
