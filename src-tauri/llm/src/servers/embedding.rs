//! Embedding models on servers: `/api/embed` of Ollama, `/v1/embeddings` of other servers.

mod prefixes; // prefixes that models expect before a text
mod response;

use std::sync::OnceLock;

use async_trait::async_trait;
use net::{Http, NetError, Purpose, Url};
use serde_json::{Map, Value, json};
use tokio_util::sync::CancellationToken;

use super::client::ServerClient;
use super::config::{ServerConfig, endpoint};
use super::openai::api_root;
use super::server_error::RequestContent;
use crate::{EmbedError, EmbedRole, Embedder, EmbedderId, LlmError, ProviderKind, normalised};

/// Number of texts per request: few enough for a slow machine to respond within the timeout and to stop soon after a
/// cancellation, and as many as the strictest known server accepts.
/// Source: `--max-client-batch-size` of Hugging Face's text embeddings inference.
const BATCH_SIZE: usize = 32;

/// Maximum length of a text for servers other than Ollama, which reject longer texts. The default of llama.cpp is
/// 512 tokens, about 2,000 characters.
const MAX_CHARS: usize = 2_000;

/// Request fields that some servers reject, each with a word that the error message then contains.
const OPTIONAL_FIELDS: [(&str, &str); 1] = [("encoding_format", "encoding_format")];

/// An embedding model on a server.
///
/// Uses these fields of [`ServerConfig`]: address, model, key, timeout and `keep_alive`.
pub struct ServerEmbedder {
    client: ServerClient,
    dimensions: OnceLock<usize>,
}

impl ServerEmbedder {
    /// A model on an Ollama server. Also allows requests to the origin of the address, because the user configured it.
    pub fn ollama(http: Http, config: ServerConfig) -> Self {
        Self::new(ServerClient::new(http.for_purpose(Purpose::Embedding), config, ProviderKind::Ollama, &[]))
    }

    /// A model on a server with the OpenAI API. Also allows requests to the origin of the address.
    ///
    /// An address without a path means the default path `/v1`.
    pub fn openai(http: Http, config: ServerConfig) -> Self {
        let http = http.for_purpose(Purpose::Embedding);
        Self::new(ServerClient::new(http, config, ProviderKind::OpenAi, &OPTIONAL_FIELDS))
    }

    fn new(client: ServerClient) -> Self {
        Self { client, dimensions: OnceLock::new() }
    }

    async fn embed_batch(
        &self,
        texts: &[String],
        role: EmbedRole,
        stop: &CancellationToken,
    ) -> Result<Vec<Vec<f32>>, EmbedError> {
        let content = RequestContent { texts: texts.iter().map(String::as_str).collect(), has_tools: false };
        let response = self.client.post(&self.endpoint(), self.body(texts, role), &content, stop).await;
        let response = response.map_err(|error| self.embed_error(error))?.ok_or(EmbedError::Cancelled)?;
        let body = tokio::select! {
            biased;
            () = stop.cancelled() => return Err(EmbedError::Cancelled),
            body = response.bytes() => {
                body.map_err(|error: NetError| self.client.target().failure(error, &content))?
            }
        };
        let vectors =
            if self.is_ollama() { response::parse_ollama(&body)? } else { response::parse_openai(&body)? };
        if vectors.len() != texts.len() {
            return Err(EmbedError::WrongCount { sent: texts.len(), received: vectors.len() });
        }
        vectors.into_iter().map(|vector| self.checked(vector)).collect()
    }

    fn body(&self, texts: &[String], role: EmbedRole) -> Map<String, Value> {
        let config = &self.client.config;
        let max_chars = if self.is_ollama() { usize::MAX } else { MAX_CHARS };
        let input: Vec<_> =
            texts.iter().map(|text| prefixes::with_prefix(&config.model, role, text, max_chars)).collect();
        let mut body = Map::new();
        body.insert("model".into(), config.model.clone().into());
        body.insert("input".into(), input.into());
        if self.is_ollama() {
            body.insert("truncate".into(), true.into());
            body.insert("keep_alive".into(), format!("{}s", config.keep_alive.as_secs()).into());
        } else {
            body.insert("encoding_format".into(), json!("float"));
        }
        body
    }

    fn is_ollama(&self) -> bool {
        self.client.provider == ProviderKind::Ollama
    }

    fn endpoint(&self) -> Url {
        let base_url = &self.client.config.base_url;
        match self.is_ollama() {
            true => endpoint(base_url, "api/embed"),
            false => endpoint(&api_root(base_url), "embeddings"),
        }
    }

    /// The meaning of a server error for embeddings.
    fn embed_error(&self, error: LlmError) -> EmbedError {
        let target = self.client.target();
        match error {
            // Ollama writes "does not support embeddings" about the model, llama.cpp about the server.
            LlmError::Status { detail, .. } if self.is_ollama() && detail.contains("support embed") => {
                EmbedError::ModelUnsupported { provider: target.provider, model: target.model.to_owned() }
            }
            LlmError::Status { code: 404 | 405 | 501, .. } => {
                EmbedError::ServerUnsupported { provider: target.provider, address: target.address() }
            }
            error => error.into(),
        }
    }

    fn checked(&self, vector: Vec<f32>) -> Result<Vec<f32>, EmbedError> {
        let vector = normalised(vector)?;
        let (expected, found) = (*self.dimensions.get_or_init(|| vector.len()), vector.len());
        if expected == found { Ok(vector) } else { Err(EmbedError::DimensionsChanged { expected, found }) }
    }
}

#[async_trait]
impl Embedder for ServerEmbedder {
    async fn embed(
        &self,
        texts: &[String],
        role: EmbedRole,
        stop: CancellationToken,
    ) -> Result<Vec<Vec<f32>>, EmbedError> {
        let mut vectors = Vec::with_capacity(texts.len());
        for batch in texts.chunks(BATCH_SIZE) {
            vectors.extend(self.embed_batch(batch, role, &stop).await?);
        }
        Ok(vectors)
    }

    fn id(&self) -> EmbedderId {
        let config = &self.client.config;
        EmbedderId(match self.is_ollama() {
            true => format!("ollama/{}", config.model),
            // Users name the models of such servers freely, so the id contains the address too.
            false => format!("openai/{} at {}", config.model, config.base_url.authority()),
        })
    }

    fn dimensions(&self) -> Option<usize> {
        self.dimensions.get().copied()
    }
}
