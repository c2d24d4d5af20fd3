//! Sends a request to a server and waits for its answer to begin.

use std::time::Duration;

use net::{Http, NetError, Response, Url};
use secrecy::{ExposeSecret, SecretString};
use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

use super::failing::{Asked, Sent, detail_of, drop_refused_field};
use crate::LlmError;

/// One request on its way to a server.
pub(super) struct Asking<'a> {
    pub(super) http: &'a Http,
    pub(super) url: Url,
    pub(super) api_key: Option<&'a SecretString>,
    pub(super) silence_timeout: Duration,
    /// Fields the server may refuse, with the word its refusal would contain; the request is then repeated without.
    pub(super) optional: &'a [(&'a str, &'a str)],
}

impl Asking<'_> {
    /// Posts `body`; `None` when `stop` was cancelled before the answer began.
    pub(super) async fn post(
        &self,
        mut body: Map<String, Value>,
        asked: &Asked,
        sent: &Sent<'_>,
        stop: &CancellationToken,
    ) -> Result<Option<Response>, LlmError> {
        let mut was_cut = false;
        loop {
            let answer = tokio::select! {
                biased;
                () = stop.cancelled() => return Ok(None),
                answer = self.post_once(&body) => answer,
            };
            let error = match answer {
                Ok(response) => return Ok(Some(response)),
                Err(error) => error,
            };
            if let NetError::Status { code: 400 | 422, excerpt, .. } = &error
                && drop_refused_field(&mut body, &detail_of(excerpt), self.optional)
            {
                tracing::debug!("the server does not know a field; asking again without it");
                continue;
            }
            // A server that was restarted leaves dead connections behind, which only using them shows. Asking twice
            // does no harm: an answer has no side effects.
            if matches!(error, NetError::Cut { .. }) && !was_cut {
                was_cut = true;
                continue;
            }
            return Err(asked.failure(error, sent));
        }
    }

    async fn post_once(&self, body: &Map<String, Value>) -> Result<Response, NetError> {
        let mut request = self.http.post_json(&self.url, body).silence_timeout(self.silence_timeout);
        if let Some(key) = self.api_key {
            request = request.bearer(key.expose_secret());
        }
        request.send().await
    }
}
