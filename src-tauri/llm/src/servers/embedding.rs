//! Embedding models behind a server: `/api/embed` of Ollama, `/v1/embeddings` of everybody else.

mod roles; // what a model wants to read in front of a text
mod wire;

use std::sync::OnceLock;

use async_trait::async_trait;
use net::{Http, NetError, Url};
use serde_json::{Map, Value, json};
use tokio_util::sync::CancellationToken;

use super::asking::Asking;
use super::config::{ServerConfig, endpoint};
use super::failing::{Asked, Sent};
use super::openai::api_root;
use crate::{EmbedError, EmbedRole, Embedder, EmbedderId, LlmError, ProviderKind, normalised};

/// Texts of one request: few enough that a slow machine answers within its silence timeout and soon notices that
/// nobody waits any more, and as many as the strictest server we know takes.
/// Source: `--max-client-batch-size` of Hugging Face's text embeddings inference.
const BATCH: usize = 32;

/// Ollama shortens what is too long, others refuse it. llama.cpp reads 512 tokens unless it is told otherwise, which
/// are some 2000 letters.
const MAX_CHARS: usize = 2_000;

/// An embedding model on a server.
///
/// Of its [`ServerConfig`] it takes the address, the model, the key, the patience, and how long the model stays
/// loaded.
pub struct ServerEmbedder {
    http: Http,
    config: ServerConfig,
    format: Format,
    dimensions: OnceLock<usize>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Format {
    Ollama,
    OpenAi,
}

impl ServerEmbedder {
    /// A model on an Ollama server; the origin of its address is allowed from here on, for the user chose it.
    pub fn ollama(http: Http, config: ServerConfig) -> Self {
        Self::new(http, config, Format::Ollama)
    }

    /// A model on any server that speaks the OpenAI format; the origin of its address is allowed from here on.
    ///
    /// An address without a path means the usual `/v1`.
    pub fn openai(http: Http, config: ServerConfig) -> Self {
        Self::new(http, config, Format::OpenAi)
    }

    fn new(http: Http, config: ServerConfig, format: Format) -> Self {
        http.allow_origin(&config.base_url);
        Self { http, config, format, dimensions: OnceLock::new() }
    }

    async fn embed_batch(
        &self,
        texts: &[String],
        role: EmbedRole,
        stop: &CancellationToken,
    ) -> Result<Vec<Vec<f32>>, EmbedError> {
        let asked = Asked {
            provider: self.format.provider(),
            base_url: self.config.base_url.clone(),
            model: self.config.model.clone(),
        };
        let sent = Sent { texts: texts.iter().map(String::as_str).collect(), has_tools: false };
        let asking = Asking {
            http: &self.http,
            url: self.format.endpoint(&self.config.base_url),
            api_key: self.config.api_key.as_ref(),
            silence_timeout: self.config.silence_timeout,
            optional: self.format.optional_fields(),
        };
        let answer = asking.post(self.body(texts, role), &asked, &sent, stop).await;
        let answer = answer.map_err(|error| meaning(error, &asked))?.ok_or(EmbedError::Stopped)?;
        let body = tokio::select! {
            biased;
            () = stop.cancelled() => return Err(EmbedError::Stopped),
            body = answer.bytes() => body.map_err(|error: NetError| asked.failure(error, &sent))?,
        };
        let vectors = match self.format {
            Format::Ollama => wire::read_ollama(&body)?,
            Format::OpenAi => wire::read_openai(&body)?,
        };
        if vectors.len() != texts.len() {
            return Err(EmbedError::WrongCount { sent: texts.len(), received: vectors.len() });
        }
        vectors.into_iter().map(|vector| self.checked(vector)).collect()
    }

    fn body(&self, texts: &[String], role: EmbedRole) -> Map<String, Value> {
        let max_chars = if self.format == Format::OpenAi { MAX_CHARS } else { usize::MAX };
        let input: Vec<_> =
            texts.iter().map(|text| roles::worded(&self.config.model, role, text, max_chars)).collect();
        let mut body = Map::new();
        body.insert("model".into(), self.config.model.clone().into());
        body.insert("input".into(), input.into());
        if self.format == Format::Ollama {
            body.insert("truncate".into(), true.into());
            body.insert("keep_alive".into(), format!("{}s", self.config.keep_loaded.as_secs()).into());
        } else {
            body.insert("encoding_format".into(), json!("float"));
        }
        body
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
        let model = &self.config.model;
        EmbedderId(match self.format {
            Format::Ollama => format!("ollama/{model}"),
            // Whoever starts such a server calls the model what they like.
            Format::OpenAi => format!("openai/{model} at {}", self.config.base_url.authority()),
        })
    }

    fn dimensions(&self) -> Option<usize> {
        self.dimensions.get().copied()
    }
}

impl Format {
    fn provider(self) -> ProviderKind {
        match self {
            Self::Ollama => ProviderKind::Ollama,
            Self::OpenAi => ProviderKind::OpenAi,
        }
    }

    fn endpoint(self, base_url: &Url) -> Url {
        match self {
            Self::Ollama => endpoint(base_url, "api/embed"),
            Self::OpenAi => endpoint(&api_root(base_url), "embeddings"),
        }
    }

    /// Fields that some servers refuse, and the word their refusal contains.
    fn optional_fields(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Self::Ollama => &[],
            Self::OpenAi => &[("encoding_format", "encoding_format")],
        }
    }
}

/// What a refusal means when vectors were asked for.
fn meaning(error: LlmError, asked: &Asked) -> EmbedError {
    match error {
        // Ollama and llama.cpp say "does not support embeddings": the one of the model, the other of itself.
        LlmError::Status { detail, .. }
            if asked.provider == ProviderKind::Ollama && detail.contains("support embed") =>
        {
            EmbedError::ModelCannot { provider: asked.provider, model: asked.model.clone() }
        }
        LlmError::Status { code: 404 | 405 | 501, .. } => {
            EmbedError::ServerCannot { provider: asked.provider, address: asked.address() }
        }
        error => error.into(),
    }
}
