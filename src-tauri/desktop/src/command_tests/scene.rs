//! A page, a door and an assistant in a folder of their own. Model, voice, sound card and keychain are fakes.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use assistant::{Assistant, AssistantBuilder, Instance};
use audio::{AudioError, Capture, Microphone, Side, frame_queue};
use llm::ChatModel;
use memory::{Dialogue, MemoryService, Participant};
use models::{Catalogue, ModelStore};
use net::{Http, Url};
use serde_json::{Value, json};
use settings::Folders;
use tauri::ipc::{CallbackFn, InvokeBody, InvokeError, InvokeResponse, InvokeResponseBody};
use tauri::test::{INVOKE_KEY, MockRuntime, mock_builder, mock_context, noop_assets};
use tauri::webview::InvokeRequest;
use tauri::{App, Manager, State, WebviewWindow, WebviewWindowBuilder};
use tempfile::TempDir;
use testkit::{
    FixedClock, InMemorySecrets, ScriptedLoudspeaker, ScriptedModel, ScriptedSpeech, ToneVoice, Turn,
};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Notify, mpsc};
use tokio::time::timeout;
use vocabulary::{ConversationId, Origin};

use crate::commands;
use crate::door::Door;
use crate::feed::Feeds;
use crate::library::Library;
use crate::news::News;
use crate::talk_key::state::TalkKey;
use crate::tasks::Tasks;

/// Anything here takes milliseconds; a machine under load may take so long.
pub(super) const PATIENCE: Duration = Duration::from_secs(30);

/// What every model file of the tests is made of.
pub(super) const FILE: &[u8] = b"ears";

/// What a scene begins with.
pub(super) struct Before {
    pub(super) folder: TempDir,
    pub(super) settings: Value,
    /// `None`: the one that the settings name.
    pub(super) model: Option<Arc<dyn ChatModel>>,
    pub(super) has_microphone: bool,
    /// Where models are downloaded.
    pub(super) hub: String,
    pub(super) secrets: InMemorySecrets,
}

impl Default for Before {
    fn default() -> Self {
        Self {
            folder: tempfile::tempdir().unwrap(),
            // With this provider the assistant looks for no server; only the models page looks at the usual ports.
            settings: json!({"llm": {"provider": "embedded"}}),
            model: Some(Arc::new(ScriptedModel::new([]))),
            has_microphone: true,
            hub: "http://127.0.0.1:9".into(),
            secrets: InMemorySecrets::default(),
        }
    }
}

/// A page of the conversation window, and all that is behind it.
pub(super) struct Scene {
    page: WebviewWindow<MockRuntime>,
    /// The channel an event came by, and the event.
    pub(super) events: mpsc::UnboundedReceiver<(u32, Value)>,
    pub(super) voice: ToneVoice,
    pub(super) speaker: ScriptedLoudspeaker,
    pub(super) app: App<MockRuntime>,
    pub(super) folder: TempDir,
}

impl Scene {
    pub(super) async fn new() -> Self {
        Self::after(Before::default()).await
    }

    pub(super) async fn with_model(turns: impl IntoIterator<Item = Turn>) -> Self {
        let model: Arc<dyn ChatModel> = Arc::new(ScriptedModel::new(turns));
        Self::after(Before { model: Some(model), ..Before::default() }).await
    }

    pub(super) async fn after(before: Before) -> Self {
        let Before { folder, settings, model, has_microphone, hub, secrets } = before;
        let folders = Folders::under(folder.path());
        std::fs::write(folder.path().join("settings.json"), settings.to_string()).unwrap();
        let (voice, speaker) = (ToneVoice::new("tone"), ScriptedLoudspeaker::default());
        let mut parts = AssistantBuilder::of_this_machine(folders.clone())
            .with_microphone(Arc::new(StillMicrophone { is_there: has_microphone }))
            .with_recogniser(Arc::new(ScriptedSpeech::new([])))
            .with_voice(Arc::new(voice.clone()))
            .with_loudspeaker(Arc::new(speaker.clone()))
            .with_clock(Arc::new(FixedClock::at("2025-09-15T17:53:00Z")))
            .with_secrets(Arc::new(secrets));
        if let Some(model) = model {
            parts = parts.with_model(model);
        }
        let assistant = Assistant::start(parts, Instance::claim(&folders.data).unwrap()).await.unwrap();

        let http = Http::new().unwrap();
        http.allow_origin(&Url::parse(&hub).unwrap());
        let (news, tasks) = (News::new(), Tasks::default());
        let store = ModelStore::with_catalogue(&folders.models, catalogue(&hub));
        let door = Door {
            library: Library::new(assistant.clone(), store, http, news.clone(), tasks.clone()),
            assistant,
            feeds: Feeds::default(),
            news,
            talk_key: TalkKey::new().0,
            refused: Notify::new(),
            tasks,
        };
        let (tell, events) = mpsc::unbounded_channel();
        let app = mock_builder()
            .manage(door)
            .invoke_handler(commands::handler())
            .channel_interceptor(move |_, channel, _, batch| {
                let InvokeResponseBody::Json(batch) = batch else { return false };
                let batch: Vec<Value> = serde_json::from_str(batch).unwrap();
                // Once a test is over nobody listens.
                batch.into_iter().for_each(|event| drop(tell.send((channel.0, event))));
                true
            })
            .build(mock_context(noop_assets()))
            .unwrap();
        let page = WebviewWindowBuilder::new(&app, "conversation", Default::default()).build().unwrap();
        Self { page, events, voice, speaker, app, folder }
    }

    pub(super) fn door(&self) -> State<'_, Door> {
        self.app.state()
    }

    /// What a page gets for this call.
    pub(super) async fn call(&self, command: &str, arguments: Value) -> Result<Value, Value> {
        let (answered, answer) = tokio::sync::oneshot::channel();
        let request = InvokeRequest {
            cmd: command.into(),
            callback: CallbackFn(0),
            error: CallbackFn(1),
            url: self.page.url().unwrap(),
            body: InvokeBody::Json(arguments),
            headers: Default::default(),
            invoke_key: INVOKE_KEY.to_owned(),
        };
        self.page
            .as_ref()
            .clone()
            .on_message(request, Box::new(move |_, _, response, _, _| drop(answered.send(response))));
        match timeout(PATIENCE, answer).await.unwrap().unwrap() {
            InvokeResponse::Ok(body) => Ok(body.deserialize().unwrap()),
            InvokeResponse::Err(InvokeError(error)) => Err(error),
        }
    }

    /// What a page gets for a call that cannot fail.
    pub(super) async fn tell(&self, command: &str, arguments: Value) -> Value {
        self.call(command, arguments).await.unwrap()
    }

    pub(super) async fn subscribe(&self) {
        self.tell("subscribe", json!({"onEvent": "__CHANNEL__:7"})).await;
    }

    /// The next event that is so. Those before it are forgotten.
    pub(super) async fn event(&mut self, is_it: impl Fn(&Value) -> bool) -> Value {
        self.events_until(is_it).await.pop().unwrap()
    }

    pub(super) async fn event_of_type(&mut self, kind: &str) -> Value {
        self.event(|event| event["type"] == kind).await
    }

    /// All events up to the first that is so.
    pub(super) async fn events_until(&mut self, is_it: impl Fn(&Value) -> bool) -> Vec<Value> {
        let mut seen = Vec::new();
        while !seen.last().is_some_and(&is_it) {
            let event = timeout(PATIENCE, self.events.recv()).await;
            seen.push(event.unwrap_or_else(|_| panic!("nothing more came after {seen:?}")).unwrap().1);
        }
        seen
    }

    /// What was written into the settings file.
    pub(super) fn written(&self) -> Value {
        serde_json::from_slice(&std::fs::read(self.folder.path().join("settings.json")).unwrap()).unwrap()
    }

    /// The page, once what was said in earlier runs is there.
    pub(super) async fn remembering(&self) -> Value {
        let opened = async {
            loop {
                let conversation = self.tell("conversation", json!({})).await;
                if conversation["messages"] != json!([]) {
                    return conversation;
                }
            }
        };
        timeout(PATIENCE, opened).await.unwrap()
    }

    pub(super) fn model_file(&self, id: &str) -> PathBuf {
        self.folder.path().join("models").join(id)
    }

    pub(super) fn install(&self, id: &str) {
        std::fs::create_dir_all(self.folder.path().join("models")).unwrap();
        std::fs::write(self.model_file(id), FILE).unwrap();
    }

    /// How much of a model the models page says is here.
    pub(super) async fn status(&self, id: &str) -> Value {
        status_in(&self.tell("models", json!({})).await, id)
    }
}

pub(super) fn status_in(models: &Value, id: &str) -> Value {
    let models = models["models"].as_array().unwrap();
    models.iter().find(|model| model["id"] == id).unwrap()["status"]["type"].clone()
}

pub(super) fn refused(code: &str, message: &str) -> Result<Value, Value> {
    Err(json!({"code": code, "message": message}))
}

/// Opens, if it is there, and hears nothing.
struct StillMicrophone {
    is_there: bool,
}

impl Microphone for StillMicrophone {
    fn open(&self) -> Result<Capture, AudioError> {
        if !self.is_there {
            return Err(AudioError::NoDevice { side: Side::Microphone });
        }
        let (sender, frames) = frame_queue();
        Ok(Capture::new(frames, sender))
    }

    fn name(&self) -> String {
        "the still microphone".into()
    }
}

/// A model for each purpose, each one file that is named as it.
fn catalogue(hub: &str) -> &'static Catalogue {
    let entry = |(id, purpose, engine): (&str, &str, &str)| {
        json!({
            "id": id, "purpose": purpose, "engine": engine, "label": id, "languages": ["en"], "licence": "MIT",
            "ram_bytes": 0, "minimum": {"ram_bytes": 0, "cores": 1}, "description": "",
            "files": [{"name": id, "variants": [{
                "label": "", "size_bytes": FILE.len(), "urls": [format!("{hub}/{id}")],
                "sha256": "97e1f3fc7beaed63fc4ae087b78f13a31b2c0c925747f7713ed067b1e7d289a1",
            }]}],
        })
    };
    let entries = [
        ("ears", "speech_to_text", "whisper"),
        ("voice", "voice", "piper"),
        ("brain", "language_model", "llama"),
        ("library", "runtime", "onnx_runtime"),
    ];
    let text = json!({"entries": entries.map(entry)}).to_string();
    Box::leak(Box::new(Catalogue::parse(&text).unwrap()))
}

/// Sends so much of [`FILE`] to everybody who asks, and then nothing more. The connections stay open in the hands of
/// the test.
pub(super) async fn hub(sent: &'static [u8]) -> (String, mpsc::UnboundedReceiver<TcpStream>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let (hand_on, connections) = mpsc::unbounded_channel();
    tokio::spawn(async move {
        while let Ok((mut connection, _)) = listener.accept().await {
            let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n", FILE.len());
            // Whoever hangs up wants no more.
            let _ = connection.read(&mut [0; 4096]).await;
            let _ = connection.write_all(&[head.as_bytes(), sent].concat()).await;
            let _ = hand_on.send(connection);
        }
    });
    (format!("http://{address}"), connections)
}

/// Writes so many messages into the database: their numbers, at as many microseconds.
pub(super) async fn say(folder: &Path, messages: i64) {
    std::fs::create_dir_all(folder.join("data")).unwrap();
    let (service, opening) = MemoryService::start(&folder.join("data").join("jarvis.db"), |_| {});
    let (dialogue, writing) = Dialogue::start(&service);
    let keeping = tokio::spawn(async { tokio::join!(opening, writing) });
    assert!(dialogue.opened(PATIENCE).await);
    for n in 0..messages {
        dialogue.say(&ConversationId::main(), &Origin::Typed, Participant::User, &n.to_string(), n);
    }
    assert!(dialogue.flush(PATIENCE).await);
    drop((dialogue, service));
    keeping.await.unwrap();
}

pub(super) fn ids(page: &Value) -> Vec<i64> {
    page["messages"].as_array().unwrap().iter().map(|message| message["id"].as_i64().unwrap()).collect()
}
