//! Asks a server what it is and which models it has.

use std::time::Duration;

use net::{Http, NetError, Request, Url};
use secrecy::{ExposeSecret, SecretString};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::ProviderKind;
use crate::servers::{api_root, endpoint};

/// Where an Ollama server listens by itself.
const OLLAMA_ADDRESS: &str = "http://127.0.0.1:11434";

/// Where other local servers listen: LM Studio, Jan, llama.cpp and LocalAI, vLLM.
/// Source: behaviour reference, section 12.
const OPENAI_ADDRESSES: [&str; 4] =
    ["http://127.0.0.1:1234", "http://127.0.0.1:1337", "http://127.0.0.1:8080", "http://127.0.0.1:8000"];

/// A server on this machine answers in a few milliseconds; the assistant's start waits for the slowest.
const LOCAL_PATIENCE: Duration = Duration::from_millis(300);

/// A server the user named may be far away, or asleep.
const CONFIGURED_PATIENCE: Duration = Duration::from_secs(5);

/// Where a server may be.
#[derive(Debug, Clone)]
pub(super) struct Place {
    pub(super) provider: ProviderKind,
    pub(super) base_url: Url,
    /// Sent only where the user said whom to ask.
    pub(super) api_key: Option<SecretString>,
    pub(super) patience: Duration,
}

/// What was found there.
#[derive(Debug, Clone)]
pub(super) struct Found {
    pub(super) place: Place,
    pub(super) answer: Result<Server, Silence>,
}

/// A language model server.
#[derive(Debug, Clone)]
pub(super) struct Server {
    pub(super) version: Option<String>,
    /// Every model that chats, the one to prefer first.
    pub(super) models: Vec<String>,
    /// Models it would run on somebody else's machine. Never chosen unless the user names one.
    pub(super) remote_models: Vec<String>,
}

/// Why there was no answer.
#[derive(Debug, Clone)]
pub(super) enum Silence {
    /// Nobody listens there, or not in time.
    NotRunning,
    /// The key is missing or wrong.
    KeyRefused { code: u16 },
    /// Something listens, but it is no such server.
    NotSuchAServer,
}

impl Place {
    /// Where Ollama is by itself.
    pub(super) fn usual_ollama() -> Self {
        Self::local(ProviderKind::Ollama, OLLAMA_ADDRESS)
    }

    /// Where other servers usually are.
    pub(super) fn usual_openai() -> Vec<Self> {
        OPENAI_ADDRESSES.iter().map(|address| Self::local(ProviderKind::OpenAi, address)).collect()
    }

    /// Where the user says.
    pub(super) fn configured(provider: ProviderKind, base_url: Url, api_key: Option<SecretString>) -> Self {
        Self { provider, base_url, api_key, patience: CONFIGURED_PATIENCE }
    }

    fn local(provider: ProviderKind, address: &str) -> Self {
        let base_url = Url::parse(address).expect("the usual addresses are constants");
        Self { provider, base_url, api_key: None, patience: LOCAL_PATIENCE }
    }

    /// The address as it is shown.
    pub(super) fn address(&self) -> String {
        self.base_url.as_str().trim_end_matches('/').to_owned()
    }

    /// Asks who is there.
    pub(super) async fn ask(self, http: &Http) -> Found {
        http.allow_origin(&self.base_url);
        let asked = tokio::time::timeout(self.patience, async {
            match self.provider {
                ProviderKind::Ollama => self.ask_ollama(http).await,
                ProviderKind::OpenAi | ProviderKind::Embedded => self.ask_openai(http).await,
            }
        });
        let answer = asked.await.unwrap_or(Err(Silence::NotRunning));
        Found { place: self, answer }
    }

    async fn ask_ollama(&self, http: &Http) -> Result<Server, Silence> {
        let tags = self.read::<Tags>(http, endpoint(&self.base_url, "api/tags"));
        let version = self.read::<Version>(http, endpoint(&self.base_url, "api/version"));
        let (tags, version) = tokio::join!(tags, version);
        let chatting = tags?.models.into_iter().filter(OllamaModel::chats);
        let (remote, local): (Vec<_>, Vec<_>) = chatting.partition(OllamaModel::is_remote);
        let names = |models: Vec<OllamaModel>| models.into_iter().map(|model| model.name).collect();
        Ok(Server {
            version: version.ok().map(|version| version.version),
            models: names(local),
            remote_models: names(remote),
        })
    }

    async fn ask_openai(&self, http: &Http) -> Result<Server, Silence> {
        let list: ModelList = self.read(http, endpoint(&api_root(&self.base_url), "models")).await?;
        let names = list.data.into_iter().map(|model| model.id);
        Ok(Server {
            version: None,
            models: names.filter(|name| !is_embedding(name)).collect(),
            remote_models: Vec::new(),
        })
    }

    async fn read<T: DeserializeOwned>(&self, http: &Http, url: Url) -> Result<T, Silence> {
        let request = self.signed(http.get(&url)).silence_timeout(self.patience);
        let response = request.send().await.map_err(|error| silence(&error))?;
        response.json().await.map_err(|error| silence(&error))
    }

    fn signed(&self, request: Request) -> Request {
        match &self.api_key {
            Some(key) => request.bearer(key.expose_secret()),
            None => request,
        }
    }
}

fn silence(error: &NetError) -> Silence {
    match error {
        NetError::Status { code: code @ (401 | 403), .. } => Silence::KeyRefused { code: *code },
        NetError::Status { .. } | NetError::Garbled { .. } | NetError::TooLarge { .. } => {
            Silence::NotSuchAServer
        }
        _ => Silence::NotRunning,
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
