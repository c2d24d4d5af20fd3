//! Asks a server what it is and which models it has.

use std::time::Duration;

use net::{Http, NetError, Request, Url};
use secrecy::{ExposeSecret, SecretString};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::ProviderKind;
use crate::servers::{api_root, endpoint};

/// The default address of an Ollama server.
const OLLAMA_ADDRESS: &str = "http://127.0.0.1:11434";

/// Default addresses of other local servers: LM Studio, Jan, llama.cpp and LocalAI, vLLM.
/// Source: behaviour reference, section 12.
const OPENAI_ADDRESSES: [&str; 4] =
    ["http://127.0.0.1:1234", "http://127.0.0.1:1337", "http://127.0.0.1:8080", "http://127.0.0.1:8000"];

/// A server on this machine answers in a few milliseconds; the assistant's start waits for the slowest.
const LOCAL_TIMEOUT: Duration = Duration::from_millis(300);

/// A server the user named may be far away, or asleep.
const CONFIGURED_TIMEOUT: Duration = Duration::from_secs(5);

/// An address where a server may listen.
#[derive(Debug, Clone)]
pub(super) struct Candidate {
    pub(super) provider: ProviderKind,
    pub(super) base_url: Url,
    /// Sent only to an address that the user configured.
    pub(super) api_key: Option<SecretString>,
    pub(super) timeout: Duration,
}

/// The answer of a candidate.
#[derive(Debug, Clone)]
pub(super) struct ProbeResult {
    pub(super) candidate: Candidate,
    pub(super) answer: Result<ServerInfo, ProbeFailure>,
}

/// A language model server.
#[derive(Debug, Clone)]
pub(super) struct ServerInfo {
    pub(super) version: Option<String>,
    /// Chat models, the preferred one first.
    pub(super) models: Vec<String>,
    /// Models that run on a remote machine. Chosen only when the settings name one.
    pub(super) remote_models: Vec<String>,
}

/// Why a probe failed.
#[derive(Debug, Clone)]
pub(super) enum ProbeFailure {
    /// No connection in time.
    NotRunning,
    /// The API key is missing or wrong.
    KeyRefused { code: u16 },
    /// Something else listens there.
    NotSuchAServer,
}

impl Candidate {
    /// The default address of Ollama.
    pub(super) fn usual_ollama() -> Self {
        Self::local(ProviderKind::Ollama, OLLAMA_ADDRESS)
    }

    /// The default addresses of other servers.
    pub(super) fn usual_openai() -> Vec<Self> {
        OPENAI_ADDRESSES.iter().map(|address| Self::local(ProviderKind::OpenAi, address)).collect()
    }

    /// An address of the settings.
    pub(super) fn configured(provider: ProviderKind, base_url: Url, api_key: Option<SecretString>) -> Self {
        Self { provider, base_url, api_key, timeout: CONFIGURED_TIMEOUT }
    }

    fn local(provider: ProviderKind, address: &str) -> Self {
        let base_url = Url::parse(address).expect("the usual addresses are constants");
        Self { provider, base_url, api_key: None, timeout: LOCAL_TIMEOUT }
    }

    /// The address as it is shown.
    pub(super) fn address(&self) -> String {
        self.base_url.as_str().trim_end_matches('/').to_owned()
    }

    /// Asks the server which models it has.
    pub(super) async fn probe(self, http: &Http) -> ProbeResult {
        http.allow_origin(&self.base_url);
        let asked = tokio::time::timeout(self.timeout, async {
            match self.provider {
                ProviderKind::Ollama => self.ask_ollama(http).await,
                ProviderKind::OpenAi | ProviderKind::Embedded => self.ask_openai(http).await,
            }
        });
        let answer = asked.await.unwrap_or(Err(ProbeFailure::NotRunning));
        ProbeResult { candidate: self, answer }
    }

    async fn ask_ollama(&self, http: &Http) -> Result<ServerInfo, ProbeFailure> {
        let tags = self.read::<Tags>(http, endpoint(&self.base_url, "api/tags"));
        let version = self.read::<Version>(http, endpoint(&self.base_url, "api/version"));
        let (tags, version) = tokio::join!(tags, version);
        let chatting = tags?.models.into_iter().filter(OllamaModel::chats);
        let (remote, local): (Vec<_>, Vec<_>) = chatting.partition(OllamaModel::is_remote);
        let names = |models: Vec<OllamaModel>| models.into_iter().map(|model| model.name).collect();
        Ok(ServerInfo {
            version: version.ok().map(|version| version.version),
            models: names(local),
            remote_models: names(remote),
        })
    }

    async fn ask_openai(&self, http: &Http) -> Result<ServerInfo, ProbeFailure> {
        let list: ModelList = self.read(http, endpoint(&api_root(&self.base_url), "models")).await?;
        let names = list.data.into_iter().map(|model| model.id);
        Ok(ServerInfo {
            version: None,
            models: names.filter(|name| !is_embedding(name)).collect(),
            remote_models: Vec::new(),
        })
    }

    async fn read<T: DeserializeOwned>(&self, http: &Http, url: Url) -> Result<T, ProbeFailure> {
        let request = self.signed(http.get(&url)).silence_timeout(self.timeout);
        let response = request.send().await.map_err(|error| probe_failure(&error))?;
        response.json().await.map_err(|error| probe_failure(&error))
    }

    fn signed(&self, request: Request) -> Request {
        match &self.api_key {
            Some(key) => request.bearer(key.expose_secret()),
            None => request,
        }
    }
}

fn probe_failure(error: &NetError) -> ProbeFailure {
    match error {
        NetError::Status { code: code @ (401 | 403), .. } => ProbeFailure::KeyRefused { code: *code },
        NetError::Status { .. } | NetError::InvalidJson { .. } | NetError::TooLarge { .. } => {
            ProbeFailure::NotSuchAServer
        }
        _ => ProbeFailure::NotRunning,
    }
}

/// Answer of `/api/tags`; newest model first.
#[derive(Deserialize)]
struct Tags {
    models: Vec<OllamaModel>,
}

#[derive(Deserialize)]
struct OllamaModel {
    name: String,
    #[serde(default)]
    details: Details,
    /// Set for models that run on somebody else's machine.
    #[serde(default)]
    remote_host: Option<String>,
}

#[derive(Deserialize, Default)]
struct Details {
    #[serde(default)]
    family: String,
}

impl OllamaModel {
    fn chats(&self) -> bool {
        !is_embedding(&self.name) && !self.details.family.contains("bert")
    }

    /// Some names say it too.
    fn is_remote(&self) -> bool {
        self.remote_host.as_ref().is_some_and(|host| !host.is_empty())
            || self.name.ends_with("-cloud")
            || self.name.ends_with(":cloud")
    }
}

#[derive(Deserialize)]
struct Version {
    version: String,
}

/// Answer of `/v1/models`.
#[derive(Deserialize)]
struct ModelList {
    data: Vec<OpenAiModel>,
}

#[derive(Deserialize)]
struct OpenAiModel {
    id: String,
}

/// Servers list models for search, speech and pictures beside those that chat, and nothing but the name tells.
fn is_embedding(name: &str) -> bool {
    let name = name.to_lowercase();
    let other = ["embed", "minilm", "bge-", "gte-", "e5-", "rerank", "whisper", "tts-", "dall-e"];
    other.iter().any(|part| name.contains(part))
}

/// Does the server's list name the model? Ollama's names end in `:latest` where nobody said otherwise.
pub(super) fn names(listed: &str, wanted: &str) -> bool {
    listed == wanted || listed.strip_suffix(":latest") == Some(wanted)
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::chat("qwen3:4b", false)]
    #[case::embedding("nomic-embed-text:latest", true)]
    #[case::other_embedding("BAAI/bge-small-en", true)]
    #[case::speech("whisper-1", true)]
    #[case::instruct("deepseek-coder-instruct", false)]
    fn tells_models_that_chat_from_others(#[case] name: &str, #[case] expected: bool) {
        assert_eq!(is_embedding(name), expected);
    }

    #[test]
    fn the_usual_tag_may_be_left_away() {
        assert!(names("mistral:latest", "mistral") && names("qwen3:4b", "qwen3:4b"));
        assert!(!names("mistral:7b", "mistral"));
    }
}
