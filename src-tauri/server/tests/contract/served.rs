//! A door at a free port, and a client.

use std::net::SocketAddr;
use std::sync::Arc;

use assistant::{Assistant, AssistantBuilder, Instance};
use reqwest::{RequestBuilder, Response};
use serde_json::{Value, json};
use settings::{Folders, Scope};
use tempfile::TempDir;
use testkit::{FixedClock, InMemorySecrets, Recognition, ScriptedModel, ScriptedSpeech, ToneVoice, Turn};
use tokio::task::JoinHandle;

/// A door at a free port of this machine.
pub struct Served {
    pub assistant: Assistant,
    pub model: Arc<ScriptedModel>,
    pub voice: ToneVoice,
    pub address: SocketAddr,
    /// May do everything.
    pub key: String,
    client: reqwest::Client,
    serving: JoinHandle<()>,
    folder: TempDir,
}

impl Served {
    pub async fn new(turns: impl IntoIterator<Item = Turn>) -> Self {
        Self::with(turns, json!({}), []).await
    }

    pub async fn with(
        turns: impl IntoIterator<Item = Turn>,
        settings: Value,
        heard: impl IntoIterator<Item = Recognition>,
    ) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let folders = Folders::under(folder.path());
        std::fs::write(folder.path().join("settings.json"), settings.to_string()).unwrap();
        let model = Arc::new(ScriptedModel::new(turns).named("gpt-4o"));
        let voice = ToneVoice::new("tone");
        let parts = AssistantBuilder::new(folders.clone())
            .without_audio()
            .for_one_question()
            .with_model(model.clone())
            .with_voice(Arc::new(voice.clone()))
            .with_recogniser(Arc::new(ScriptedSpeech::new(heard)))
            .with_clock(Arc::new(FixedClock::at("2026-03-04T21:30:00Z")))
            .with_secrets(Arc::new(InMemorySecrets::default()));
        let assistant = Assistant::start(parts, Instance::claim(&folders.data).unwrap()).await.unwrap();
        let all = [Scope::Ask, Scope::Tools, Scope::Memory, Scope::Audio];
        let key = assistant.add_program("kitchen", &all).unwrap().0;
        let (serving, address) = open(&assistant, 0).await;
        Self { assistant, model, voice, address, key, client: reqwest::Client::new(), serving, folder }
    }

    /// Closes the door and opens it anew at the same port. It knows no conversation any more.
    pub async fn restart(&mut self) {
        self.serving.abort();
        let _ = (&mut self.serving).await;
        self.serving = open(&self.assistant, self.address.port()).await.0;
    }

    pub fn get(&self, path: &str) -> RequestBuilder {
        self.client.get(self.url(path)).header("X-API-Key", &self.key)
    }

    pub fn post(&self, path: &str) -> RequestBuilder {
        self.client.post(self.url(path)).header("X-API-Key", &self.key)
    }

    /// A request without a key.
    pub fn strange(&self, method: reqwest::Method, path: &str) -> RequestBuilder {
        self.client.request(method, self.url(path))
    }

    /// Posts JSON; the status and the JSON of the answer.
    pub async fn ask(&self, path: &str, body: Value) -> (u16, Value) {
        read(self.post(path).json(&body).send().await.unwrap()).await
    }

    /// Waits until the door knows the key: it follows the settings a moment later.
    pub async fn is_known(&self) {
        while self.get("/v1/models").send().await.unwrap().status().as_u16() == 401 {
            tokio::task::yield_now().await;
        }
    }

    /// The folder with the socket of the running Jarvis.
    pub fn data_folder(&self) -> std::path::PathBuf {
        Folders::under(self.folder.path()).data
    }

    /// All that the model was told in a request.
    pub fn told(&self, request: usize) -> String {
        let asked = self.model.asked();
        asked[request].messages.iter().map(|message| message.content.as_str()).collect::<Vec<_>>().join("\n")
    }

    fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }
}

/// An address of this machine at which nothing listens.
pub fn free_address() -> SocketAddr {
    std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap()
}

/// The status and the JSON of a response.
pub async fn read(response: Response) -> (u16, Value) {
    let status = response.status().as_u16();
    let text = response.text().await.unwrap();
    (status, serde_json::from_str(&text).unwrap_or_else(|_| panic!("no JSON: {text}")))
}

async fn open(assistant: &Assistant, port: u16) -> (JoinHandle<()>, SocketAddr) {
    let (sender, address) = tokio::sync::oneshot::channel();
    let assistant = assistant.clone();
    let serving = tokio::spawn(async move {
        server::serve_at(assistant, Some(port), |address| sender.send(address).unwrap()).await.unwrap();
    });
    (serving, address.await.unwrap())
}
