//! Probes a server for its version and models.

use std::collections::HashMap;
use std::time::Duration;

use net::{Http, NetError, Url};
use secrecy::SecretString;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::ProviderKind;
use crate::identity::parameters_of;
use crate::servers::{api_root, endpoint, versioned_root, with_headers};

/// The servers that are searched while the settings name none, in order of preference. Others get requests only if the
/// settings name them.
pub(super) const SEARCHED: [ProviderKind; 2] = [ProviderKind::Ollama, ProviderKind::OpenAi];

/// The default address of an Ollama server.
const OLLAMA_ADDRESS: &str = "http://127.0.0.1:11434";

/// Default addresses of other local servers: LM Studio, Jan, llama.cpp and LocalAI, vLLM.
/// Source: docs/behaviour/replying.md#model-servers.
const OPENAI_ADDRESSES: [&str; 4] =
    ["http://127.0.0.1:1234", "http://127.0.0.1:1337", "http://127.0.0.1:8080", "http://127.0.0.1:8000"];

/// Without it, the Anthropic API lists 20 models only. Source: its reference, "List models": at most 1000.
const ALL_MODELS: &str = "limit=1000";

/// Local servers respond within milliseconds, and the start of the assistant waits for the slowest probe.
const LOCAL_TIMEOUT: Duration = Duration::from_millis(300);

/// A configured server may be remote, or may have to wake up.
const CONFIGURED_TIMEOUT: Duration = Duration::from_secs(5);

/// An address that may belong to a server.
#[derive(Debug, Clone)]
pub(super) struct Candidate {
    pub(super) provider: ProviderKind,
    pub(super) base_url: Url,
    /// Sent only to an address that the user configured.
    pub(super) api_key: Option<SecretString>,
    pub(super) timeout: Duration,
}

/// The result of probing a candidate.
#[derive(Debug, Clone)]
pub(super) struct ProbeResult {
    pub(super) candidate: Candidate,
    pub(super) result: Result<ServerInfo, ProbeFailure>,
}

/// A language model server.
#[derive(Debug, Clone)]
pub(super) struct ServerInfo {
    pub(super) version: Option<String>,
    /// Chat models, the preferred one first.
    pub(super) models: Vec<String>,
    /// Models that run on a remote machine. Used only if the settings name one.
    pub(super) remote_models: Vec<String>,
    /// The number of parameters that they have, if the server tells.
    pub(super) parameters: HashMap<String, u64>,
}

/// Why a probe failed.
#[derive(Debug, Clone)]
pub(super) enum ProbeFailure {
    /// No connection in time.
    NotRunning,
    /// The API key is missing or wrong.
    KeyRefused { code: u16 },
    /// The address belongs to another program.
    OtherServer,
}

impl Candidate {
    /// The default addresses of a kind of server.
    pub(super) fn defaults(provider: ProviderKind) -> Vec<Self> {
        let addresses: &[&str] = match provider {
            ProviderKind::Ollama => &[OLLAMA_ADDRESS],
            ProviderKind::OpenAi => &OPENAI_ADDRESSES,
            ProviderKind::Anthropic | ProviderKind::Embedded => &[],
        };
        addresses.iter().map(|address| Self::local(provider, address)).collect()
    }

    /// The default address of an Ollama server.
    pub(super) fn ollama() -> Self {
        Self::local(ProviderKind::Ollama, OLLAMA_ADDRESS)
    }

    /// The default addresses of all servers that are searched.
    pub(super) fn searched() -> Vec<Self> {
        SEARCHED.into_iter().flat_map(Self::defaults).collect()
    }

    /// An address from the settings.
    pub(super) fn configured(provider: ProviderKind, base_url: Url, api_key: Option<SecretString>) -> Self {
        Self { provider, base_url, api_key, timeout: CONFIGURED_TIMEOUT }
    }

    fn local(provider: ProviderKind, address: &str) -> Self {
        let base_url = Url::parse(address).expect("the usual addresses are constants");
        Self { provider, base_url, api_key: None, timeout: LOCAL_TIMEOUT }
    }

    /// The address for display.
    pub(super) fn address(&self) -> String {
        self.base_url.as_str().trim_end_matches('/').to_owned()
    }

    /// Requests the version and the models of the server.
    pub(super) async fn probe(self, http: &Http) -> ProbeResult {
        http.allow_origin(&self.base_url);
        let probing = tokio::time::timeout(self.timeout, async {
            match self.provider {
                ProviderKind::Ollama => self.probe_ollama(http).await,
                ProviderKind::OpenAi | ProviderKind::Embedded => {
                    self.probe_list(http, endpoint(&api_root(&self.base_url), "models")).await
                }
                ProviderKind::Anthropic => {
                    let mut url = endpoint(&versioned_root(&self.base_url), "models");
                    url.set_query(Some(ALL_MODELS));
                    self.probe_list(http, url).await
                }
            }
        });
        let result = probing.await.unwrap_or(Err(ProbeFailure::NotRunning));
        ProbeResult { candidate: self, result }
    }

    async fn probe_ollama(&self, http: &Http) -> Result<ServerInfo, ProbeFailure> {
        let tags = self.read::<Tags>(http, endpoint(&self.base_url, "api/tags"));
        let version = self.read::<Version>(http, endpoint(&self.base_url, "api/version"));
        let (tags, version) = tokio::join!(tags, version);
        let tags = tags?;
        let counted =
            |model: &OllamaModel| Some((model.name.clone(), parameters_of(&model.details.parameter_size)?));
        let parameters = tags.models.iter().filter_map(counted).collect();
        let chatting = tags.models.into_iter().filter(OllamaModel::is_chat_model);
        let (remote, local): (Vec<_>, Vec<_>) = chatting.partition(OllamaModel::is_remote);
        let names = |models: Vec<OllamaModel>| models.into_iter().map(|model| model.name).collect();
        Ok(ServerInfo {
            version: version.ok().map(|version| version.version),
            models: names(local),
            remote_models: names(remote),
            parameters,
        })
    }

    /// Reads the models at `url`, where OpenAI and Anthropic list them in the same form.
    async fn probe_list(&self, http: &Http, url: Url) -> Result<ServerInfo, ProbeFailure> {
        let list: ModelList = self.read(http, url).await?;
        let names = list.data.into_iter().map(|model| model.id);
        Ok(ServerInfo {
            version: None,
            models: names.filter(|name| has_chat_name(name)).collect(),
            remote_models: Vec::new(),
            parameters: HashMap::new(),
        })
    }

    async fn read<T: DeserializeOwned>(&self, http: &Http, url: Url) -> Result<T, ProbeFailure> {
        let request = http.get(&url).silence_timeout(self.timeout);
        let request = with_headers(request, self.provider, self.api_key.as_ref());
        let response = request.send().await.map_err(|error| probe_failure(&error))?;
        response.json().await.map_err(|error| probe_failure(&error))
    }
}

fn probe_failure(error: &NetError) -> ProbeFailure {
    match error {
        NetError::Status { code: code @ (401 | 403), .. } => ProbeFailure::KeyRefused { code: *code },
        NetError::Status { .. } | NetError::InvalidJson { .. } | NetError::TooLarge { .. } => {
            ProbeFailure::OtherServer
        }
        _ => ProbeFailure::NotRunning,
    }
}

/// Response of `/api/tags`, newest model first.
#[derive(Deserialize)]
struct Tags {
    models: Vec<OllamaModel>,
}

#[derive(Deserialize)]
struct OllamaModel {
    name: String,
    #[serde(default)]
    details: Details,
    /// Set for models that run on a remote machine.
    #[serde(default)]
    remote_host: Option<String>,
}

#[derive(Deserialize, Default)]
struct Details {
    #[serde(default)]
    family: String,
    /// Such as `7.6B`.
    #[serde(default)]
    parameter_size: String,
}

impl OllamaModel {
    fn is_chat_model(&self) -> bool {
        has_chat_name(&self.name) && !self.details.family.contains("bert")
    }

    /// Old servers show it in the name only.
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

/// Response of `/v1/models`.
#[derive(Deserialize)]
struct ModelList {
    data: Vec<ListedModel>,
}

#[derive(Deserialize)]
struct ListedModel {
    id: String,
}

/// Returns `true` if the name is that of a chat model. Servers also list models for embeddings, speech and images,
/// and only the name shows the difference.
fn has_chat_name(name: &str) -> bool {
    let name = name.to_lowercase();
    let other = ["embed", "minilm", "bge-", "gte-", "e5-", "rerank", "whisper", "tts-", "dall-e"];
    !other.iter().any(|part| name.contains(part))
}

/// Returns `true` if a listed name means the wanted model. The default tag in Ollama names is `:latest`. A server with the
/// Anthropic API lists names with a date, such as `-20250929`, which users leave out.
pub(super) fn is_same_model(provider: ProviderKind, listed: &str, wanted: &str) -> bool {
    let is_alias = match provider {
        ProviderKind::Anthropic => is_dated(listed, wanted.strip_suffix("-latest").unwrap_or(wanted)),
        ProviderKind::Ollama | ProviderKind::OpenAi | ProviderKind::Embedded => {
            listed.strip_suffix(":latest") == Some(wanted)
        }
    };
    listed == wanted || is_alias
}

/// Returns `true` if `listed` is `name` with a date of eight digits.
fn is_dated(listed: &str, name: &str) -> bool {
    let date = listed.strip_prefix(name).and_then(|rest| rest.strip_prefix('-'));
    date.is_some_and(|date| date.len() == 8 && date.bytes().all(|byte| byte.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::chat("qwen3:4b", true)]
    #[case::embedding("nomic-embed-text:latest", false)]
    #[case::other_embedding("BAAI/bge-small-en", false)]
    #[case::speech("whisper-1", false)]
    #[case::instruct("deepseek-coder-instruct", true)]
    fn chat_models_are_recognised_by_their_name(#[case] name: &str, #[case] expected: bool) {
        assert_eq!(has_chat_name(name), expected);
    }

    #[test]
    fn default_tag_may_be_omitted() {
        let is_same = |listed, wanted| is_same_model(ProviderKind::Ollama, listed, wanted);

        assert!(is_same("mistral:latest", "mistral") && is_same("qwen3:4b", "qwen3:4b"));
        assert!(!is_same("mistral:7b", "mistral"));
    }

    #[rstest]
    #[case::whole("claude-sonnet-4-5-20250929", true)]
    #[case::without_the_date("claude-sonnet-4-5", true)]
    #[case::the_newest("claude-sonnet-4-5-latest", true)]
    #[case::another("claude-sonnet-4", false)]
    fn date_of_a_model_may_be_omitted(#[case] wanted: &str, #[case] expected: bool) {
        let listed = "claude-sonnet-4-5-20250929";

        assert_eq!(is_same_model(ProviderKind::Anthropic, listed, wanted), expected);
        assert!(!is_same_model(ProviderKind::OpenAi, listed, "claude-sonnet-4-5"));
    }
}
