//! The way to the Command Center: HTTP to the one address of the settings.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use command_center::{
    API_KEY_HEADER, CommandCenterHttp, Endpoint, MAX_RESPONSE_BYTES, RawSoundFormat, RawSoundReader,
    UnreadableSound, WireResponse, api_key,
};
use futures::StreamExt;
use net::{BodyStream, Http, NetError, Purpose, Request, Url};
use secrecy::ExposeSecret;
use serde_json::{Value, json};
use settings::SecretStore;
use vocabulary::Private;

use super::NodeConfig;
use crate::secrets::secret_names::{NODE_KEY, stored_secret};

/// The longest wait for the beginning of a sound: the voice here takes about 0.3 s.
const SOUND_SILENCE: Duration = Duration::from_secs(8);

/// Most bytes of sound for one sentence: a minute and a half of 48 kHz.
const MAX_SOUND_BYTES: usize = 8 * 1024 * 1024;

/// The Command Center made no sound of a text.
#[derive(Debug, thiserror::Error)]
pub(super) enum CenterVoiceError {
    /// It was not reached, or refused.
    #[error(transparent)]
    Net(#[from] NetError),
    /// Its sound has an unknown form.
    #[error(transparent)]
    Unreadable(#[from] UnreadableSound),
    /// No sound came for a text with words.
    #[error("it sent no sound")]
    Nothing,
}

/// The way to one Command Center, for one reply.
pub(super) struct CenterHttp {
    http: Http,
    address: Url,
    key: Option<Private<String>>,
    has_answered: AtomicBool,
    /// The first request did not reach it, so that the others need not be tried: the user waits for an answer.
    is_out_of_reach: AtomicBool,
}

impl CenterHttp {
    /// Reads the key of the node from the keychain. Contacts nobody.
    pub async fn new(http: &Http, secrets: &Arc<dyn SecretStore>, config: &NodeConfig) -> Self {
        // Origins that are allowed to other parts are not allowed here, and this one is not allowed to them.
        let http = http.without_allowed_origins().for_purpose(Purpose::CommandCenter);
        http.allow_origin(&config.address);
        let secret = stored_secret(secrets, NODE_KEY).await;
        let secret = secret.as_ref().map_or("", |secret| secret.expose_secret());
        Self {
            http,
            address: config.address.clone(),
            key: api_key(&config.node_id, secret),
            has_answered: AtomicBool::new(false),
            is_out_of_reach: AtomicBool::new(false),
        }
    }

    fn url(&self, endpoint: Endpoint) -> Url {
        let mut url = self.address.clone();
        url.set_path(&format!("{}{}", self.address.path().trim_end_matches('/'), endpoint.path()));
        url
    }

    fn request(&self, endpoint: Endpoint, body: &Value) -> Request {
        let request = self.http.post_json(&self.url(endpoint), body).time_limit(endpoint.timeout());
        match &self.key {
            Some(Private(key)) => request.secret_header(API_KEY_HEADER, key),
            None => request,
        }
    }

    /// The sound of a text, in the voice of the Command Center, as it comes.
    pub async fn speak(&self, text: &str) -> Result<CenterSound, CenterVoiceError> {
        let request = self.request(Endpoint::Speak, &json!({ "text": text })).silence_timeout(SOUND_SILENCE);
        let response = request.send().await?;
        let format = RawSoundFormat::from_headers(|name| response.header(name))?;
        let (rate_hz, reader) = (format.rate_hz(), format.reader());
        Ok(CenterSound { rate_hz, reader, chunks: response.stream(), room: MAX_SOUND_BYTES })
    }

    fn note_failure(&self, endpoint: Endpoint, error: &NetError) {
        tracing::info!(?endpoint, %error, "the Command Center did not answer");
        let is_first_word = matches!(endpoint, Endpoint::Start | Endpoint::Command);
        let has_no_answer = !self.has_answered.load(Ordering::Relaxed);
        // A connection that broke off may work at the next try.
        if is_first_word && has_no_answer && !matches!(error, NetError::ConnectionLost { .. }) {
            self.is_out_of_reach.store(true, Ordering::Relaxed);
        }
    }
}

/// A sound on its way.
pub(super) struct CenterSound {
    /// Samples per second.
    pub rate_hz: u32,
    reader: RawSoundReader,
    chunks: BodyStream,
    /// Bytes that may still come.
    room: usize,
}

impl CenterSound {
    /// The next samples; `None` after the last ones. Cancel-safe.
    pub async fn next(&mut self) -> Option<Result<Vec<f32>, CenterVoiceError>> {
        if self.room == 0 {
            return None;
        }
        match self.chunks.next().await? {
            Ok(chunk) => {
                let taken = &chunk[..chunk.len().min(self.room)];
                self.room -= taken.len();
                Some(Ok(self.reader.read(taken)))
            }
            Err(error) => Some(Err(error.into())),
        }
    }
}

#[async_trait]
impl CommandCenterHttp for CenterHttp {
    async fn post(&self, endpoint: Endpoint, body: &Value) -> Option<WireResponse> {
        if self.is_out_of_reach.load(Ordering::Relaxed) {
            return None;
        }
        let request = self.request(endpoint, body).silence_timeout(endpoint.timeout());
        let answer = match request.send().await {
            Ok(response) => {
                let status = response.status();
                let body = response.start(MAX_RESPONSE_BYTES + 1).await;
                body.map(|body| WireResponse { status, body })
            }
            Err(NetError::Status { code, excerpt, .. }) => {
                Ok(WireResponse { status: code, body: excerpt.0.into_bytes() })
            }
            Err(error) => Err(error),
        };
        match answer {
            Ok(answer) => {
                self.has_answered.store(true, Ordering::Relaxed);
                Some(answer)
            }
            Err(error) => {
                self.note_failure(endpoint, &error);
                None
            }
        }
    }
}
