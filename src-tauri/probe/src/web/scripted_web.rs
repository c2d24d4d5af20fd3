//! A web whose answers a script gives.

use std::sync::Arc;

use ::tools::WebConfig;
use ::tools::builtin::WebParts;
use ::tools::web::weather::WeatherApis;
use ::tools::web::{KeyUnreadable, SearchApis, SearchKey, WebError, WebFetch, WebRequest, WebResponse};
use async_trait::async_trait;
use parking_lot::Mutex;
use secrecy::SecretString;

/// The answer to a request, and a name for the record of requests if they are counted.
type Answer = dyn Fn(&WebRequest) -> (Option<String>, Result<WebResponse, WebError>) + Send + Sync;

/// A web that answers by a function and records what it was asked.
pub(super) struct ScriptedWeb {
    answer: Box<Answer>,
    asked: Mutex<Vec<String>>,
}

impl ScriptedWeb {
    pub fn new(
        answer: impl Fn(&WebRequest) -> (Option<String>, Result<WebResponse, WebError>) + Send + Sync + 'static,
    ) -> Self {
        Self { answer: Box::new(answer), asked: Mutex::default() }
    }

    /// The names of the requests, each once in a row.
    pub fn asked(&self) -> Vec<String> {
        let mut asked = self.asked.lock().clone();
        asked.dedup();
        asked
    }
}

#[async_trait]
impl WebFetch for ScriptedWeb {
    async fn fetch(&self, request: WebRequest) -> Result<WebResponse, WebError> {
        let (name, answer) = (self.answer)(&request);
        self.asked.lock().extend(name);
        answer
    }
}

/// A web where nothing is reached.
pub(crate) fn no_web() -> WebParts {
    let config = WebConfig::from(&settings::Settings::default());
    WebParts {
        web: Arc::new(ScriptedWeb::new(|_| (None, Err(WebError::Unreachable)))),
        search_apis: SearchApis::default(),
        search_key: Arc::new(ScriptedKey(false)),
        weather_apis: WeatherApis::default(),
        user_place: None,
        place_reader: None,
        config: tokio::sync::watch::channel(config).1,
    }
}

/// An answer with this body.
pub(super) fn body(request: &WebRequest, status: u16, body: impl Into<Vec<u8>>) -> WebResponse {
    WebResponse { status, url: request.url.clone(), content_type: None, body: body.into() }
}

/// A keychain with a key, or without one.
pub(super) struct ScriptedKey(pub bool);

#[async_trait]
impl SearchKey for ScriptedKey {
    async fn brave(&self) -> Result<Option<SecretString>, KeyUnreadable> {
        Ok(self.0.then(|| "a key".into()))
    }
}
