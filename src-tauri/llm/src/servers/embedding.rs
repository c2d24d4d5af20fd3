//! Embedding models behind a server: `/api/embed` of Ollama, `/v1/embeddings` of everybody else.

mod roles; // what a model wants to read in front of a text
mod wire;

use std::sync::OnceLock;

use async_trait::async_trait;
use net::{Http, NetError, Url};
use serde_json::{Map, Value, json};
use tokio_util::sync::CancellationToken;

use super::client::ServerClient;
use super::config::{ServerConfig, endpoint};
use super::openai::api_root;
use super::refusal::RequestContent;
use crate::{EmbedError, EmbedRole, Embedder, EmbedderId, LlmError, ProviderKind, normalised};

/// Texts of one request: few enough that a slow machine answers within its silence timeout and soon notices that
/// nobody waits any more, and as many as the strictest server we know takes.
/// Source: `--max-client-batch-size` of Hugging Face's text embeddings inference.
const BATCH: usize = 32;

/// Ollama shortens what is too long, others refuse it. llama.cpp reads 512 tokens unless it is told otherwise, which
/// are some 2000 letters.
const MAX_CHARS: usize = 2_000;

/// Fields that some servers refuse, and the word their refusal contains.
const OPTIONAL_FIELDS: [(&str, &str); 1] = [("encoding_format", "encoding_format")];

/// An embedding model on a server.
///
/// Of its [`ServerConfig`] it takes the address, the model, the key, the patience, and how long the model stays
/// loaded.
pub struct ServerEmbedder {
    client: ServerClient,
    dimensions: OnceLock<usize>,
}

impl ServerEmbedder {
    /// A model on an Ollama server; the origin of its address is allowed from here on, for the user chose it.
    pub fn ollama(http: Http, config: ServerConfig) -> Self {
        Self::new(ServerClient::new(http, config, ProviderKind::Ollama, &[]))
    }

    /// A model on any server that speaks the OpenAI format; the origin of its address is allowed from here on.
    ///
    /// An address without a path means the usual `/v1`.
    pub fn openai(http: Http, config: ServerConfig) -> Self {
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
        let answer = self.client.post(&self.endpoint(), self.body(texts, role), &content, stop).await;
        let answer = answer.map_err(|error| self.embed_error(error))?.ok_or(EmbedError::Stopped)?;
        let body = tokio::select! {
            biased;
            () = stop.cancelled() => return Err(EmbedError::Stopped),
            body = answer.bytes() => {
                body.map_err(|error: NetError| self.client.target().failure(error, &content))?
            }
        };
        let vectors = if self.is_ollama() { wire::read_ollama(&body)? } else { wire::read_openai(&body)? };
        if vectors.len() != texts.len() {
            return Err(EmbedError::WrongCount { sent: texts.len(), received: vectors.len() });
        }
        vectors.into_iter().map(|vector| self.checked(vector)).collect()
    }

    fn body(&self, texts: &[String], role: EmbedRole) -> Map<String, Value> {
        let config = &self.client.config;
        let max_chars = if self.is_ollama() { usize::MAX } else { MAX_CHARS };
        let input: Vec<_> =
            texts.iter().map(|text| roles::worded(&config.model, role, text, max_chars)).collect();
        let mut body = Map::new();
        body.insert("model".into(), config.model.clone().into());
        body.insert("input".into(), input.into());
        if self.is_ollama() {
            body.insert("truncate".into(), true.into());
            body.insert("keep_alive".into(), format!("{}s", config.keep_loaded.as_secs()).into());
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

    /// What a refusal means for embeddings.
    fn embed_error(&self, error: LlmError) -> EmbedError {
        let target = self.client.target();
        match error {
            // Ollama and llama.cpp say "does not support embeddings": the one of the model, the other of itself.
            LlmError::Status { detail, .. } if self.is_ollama() && detail.contains("support embed") => {
                EmbedError::ModelCannot { provider: target.provider, model: target.model.to_owned() }
            }
            LlmError::Status { code: 404 | 405 | 501, .. } => {
                EmbedError::ServerCannot { provider: target.provider, address: target.address() }
            }
            error => error.into(),
        }
    }

    fn checked(&self, vector: Vec<f32>) -> Result<Vec<f32>, EmbedError> {
        let vector = normalised(vector)?;
        let (expected, found) = (*self.dimensions.get_or_init(|| vector.len()), vector.len());
        if expected == found { Ok(vector) } else { Err(EmbedError::OtherDimensions { expected, found }) }
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
        for batch in texts.chunks(BATCH) {
            vectors.extend(self.embed_batch(batch, role, &stop).await?);
        }
        Ok(vectors)
    }

    fn id(&self) -> EmbedderId {
        let config = &self.client.config;
        EmbedderId(match self.is_ollama() {
            true => format!("ollama/{}", config.model),
            // Model names of such servers are chosen by whoever starts them, so the address belongs to the id.
            false => format!("openai/{} at {}", config.model, config.base_url.authority()),
        })
    }

    fn dimensions(&self) -> Option<usize> {
        self.dimensions.get().copied()
    }
}
