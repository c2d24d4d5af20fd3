//! A page, a door and an assistant in a temporary folder. Model, voice, sound card and keychain are fakes.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use assistant::{Assistant, AssistantBuilder, Instance};
use audio::{AudioError, Capture, Microphone, Side, frame_queue};
use llm::ChatModel;
use memory::{Dialogue, MemoryService, Participant};
use models::{Catalogue, Http, ModelStore};
use serde_json::{Value, json};
use settings::Folders;
use tauri::ipc::{CallbackFn, InvokeBody, InvokeError, InvokeResponse, InvokeResponseBody};
use tauri::test::{INVOKE_KEY, MockRuntime, mock_builder, mock_context, noop_assets};
use tauri::webview::InvokeRequest;
use tauri::{App, Manager, State, WebviewWindow, WebviewWindowBuilder};
use tempfile::TempDir;
use testkit::{
    FixedClock, InMemorySecrets, ModelHub, ScriptedLoudspeaker, ScriptedModel, ScriptedSpeech, ToneVoice,
    Turn,
};
use tokio::sync::{Notify, mpsc, watch};
use tokio::time::timeout;
use vocabulary::{ConversationId, Origin};

use crate::commands;
use crate::door::Door;
use crate::feed::Feeds;
use crate::page_events::PageEvents;
use crate::talk_key::state::TalkKey;
use crate::tasks::Tasks;

/// The time that a step may take on a loaded machine; usually it takes milliseconds.
pub(super) const TIMEOUT: Duration = Duration::from_secs(30);

/// The way a scene starts.
pub(super) struct SceneOptions {
    pub(super) folder: TempDir,
    pub(super) settings: Value,
    /// `None` means the model of the settings.
    pub(super) model: Option<Arc<dyn ChatModel>>,
    pub(super) has_microphone: bool,
    /// The models there are, and the client that downloads them.
    pub(super) models: (&'static Catalogue, Http),
    pub(super) secrets: InMemorySecrets,
}

impl Default for SceneOptions {
    fn default() -> Self {
        Self {
            folder: tempfile::tempdir().unwrap(),
            // With this provider the assistant looks for no server; only the models page looks at the usual ports.
            settings: json!({"llm": {"provider": "embedded"}}),
            model: Some(Arc::new(ScriptedModel::new([]))),
            has_microphone: true,
            models: ModelHub::unreachable_catalogue(),
            secrets: InMemorySecrets::default(),
        }
    }
}

/// A page of the conversation window, with door and assistant.
pub(super) struct Scene {
    page: WebviewWindow<MockRuntime>,
    /// Every event with the number of its channel.
    pub(super) events: mpsc::UnboundedReceiver<(u32, Value)>,
    pub(super) voice: ToneVoice,
    pub(super) speaker: ScriptedLoudspeaker,
    /// The number of open microphones.
    pub(super) open_microphones: watch::Receiver<usize>,
    pub(super) app: App<MockRuntime>,
    pub(super) folder: TempDir,
}

impl Scene {
    pub(super) async fn new() -> Self {
        Self::with(SceneOptions::default()).await
    }

    pub(super) async fn with_model(turns: impl IntoIterator<Item = Turn>) -> Self {
        let model: Arc<dyn ChatModel> = Arc::new(ScriptedModel::new(turns));
        Self::with(SceneOptions { model: Some(model), ..SceneOptions::default() }).await
    }

    pub(super) async fn with(options: SceneOptions) -> Self {
        let SceneOptions { folder, settings, model, has_microphone, models: (catalogue, http), secrets } =
            options;
        let folders = Folders::under(folder.path());
        let store = ModelStore::with_catalogue(&folders.models, catalogue);
        std::fs::write(folder.path().join("settings.json"), settings.to_string()).unwrap();
        let (voice, speaker) = (ToneVoice::new("tone"), ScriptedLoudspeaker::default());
        let (still, open_microphones) = StillMicrophone::new(has_microphone);
        let mut parts = AssistantBuilder::new(folders.clone())
            .with_microphone(Arc::new(still))
            .with_recogniser(Arc::new(ScriptedSpeech::new([])))
            .with_voice(Arc::new(voice.clone()))
            .with_loudspeaker(Arc::new(speaker.clone()))
            .with_clock(Arc::new(FixedClock::at("2025-09-15T17:53:00Z")))
            .with_secrets(Arc::new(secrets))
            .with_model_files(store, http);
        if let Some(model) = model {
            parts = parts.with_model(model);
        }
        let assistant = Assistant::start(parts, Instance::claim(&folders.data).unwrap()).await.unwrap();

        let (page_events, tasks) = (PageEvents::new(), Tasks::default());
        let door = Door {
            assistant,
            feeds: Feeds::default(),
            page_events,
            talk_key: TalkKey::new().0,
            refused: Notify::new(),
            tasks,
        };
        let (invoke, events) = mpsc::unbounded_channel();
        let app = mock_builder()
            .manage(door)
            .invoke_handler(commands::handler())
            .channel_interceptor(move |_, channel, _, batch| {
                let InvokeResponseBody::Json(batch) = batch else { return false };
                let batch: Vec<Value> = serde_json::from_str(batch).unwrap();
                // When the test ended, nothing receives it.
                batch.into_iter().for_each(|event| drop(invoke.send((channel.0, event))));
                true
            })
            .build(mock_context(noop_assets()))
            .unwrap();
        let page = WebviewWindowBuilder::new(&app, "conversation", Default::default()).build().unwrap();
        Self { page, events, voice, speaker, open_microphones, app, folder }
    }

    pub(super) fn door(&self) -> State<'_, Door> {
        self.app.state()
    }

    /// Calls a command as a page does.
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
        match timeout(TIMEOUT, answer).await.unwrap().unwrap() {
            InvokeResponse::Ok(body) => Ok(body.deserialize().unwrap()),
            InvokeResponse::Err(InvokeError(error)) => Err(error),
        }
    }

    /// Calls a command that must succeed.
    pub(super) async fn invoke(&self, command: &str, arguments: Value) -> Value {
        self.call(command, arguments).await.unwrap()
    }

    pub(super) async fn subscribe(&self) {
        self.invoke("subscribe", json!({"onEvent": "__CHANNEL__:7"})).await;
    }

    /// The next event that matches. Earlier ones are dropped.
    pub(super) async fn event(&mut self, is_it: impl Fn(&Value) -> bool) -> Value {
        self.events_until(is_it).await.pop().unwrap()
    }

    pub(super) async fn event_of_type(&mut self, kind: &str) -> Value {
        self.event(|event| event["type"] == kind).await
    }

    /// All events up to the first that matches.
    pub(super) async fn events_until(&mut self, is_it: impl Fn(&Value) -> bool) -> Vec<Value> {
        let mut seen = Vec::new();
        while !seen.last().is_some_and(&is_it) {
            let event = timeout(TIMEOUT, self.events.recv()).await;
            seen.push(event.unwrap_or_else(|_| panic!("nothing more came after {seen:?}")).unwrap().1);
        }
        seen
    }

    /// The content of the settings file.
    pub(super) fn written(&self) -> Value {
        serde_json::from_slice(&std::fs::read(self.folder.path().join("settings.json")).unwrap()).unwrap()
    }

    /// The conversation, once messages of earlier runs are loaded.
    pub(super) async fn remembering(&self) -> Value {
        let opened = async {
            loop {
                let conversation = self.invoke("conversation", json!({})).await;
                if conversation["messages"] != json!([]) {
                    return conversation;
                }
            }
        };
        timeout(TIMEOUT, opened).await.unwrap()
    }

    pub(super) fn model_file(&self, id: &str) -> PathBuf {
        self.folder.path().join("models").join(id)
    }

    pub(super) fn install(&self, id: &str) {
        std::fs::create_dir_all(self.folder.path().join("models")).unwrap();
        std::fs::write(self.model_file(id), ModelHub::FILE).unwrap();
    }

    /// The status of a model on the models page.
    pub(super) async fn status(&self, id: &str) -> Value {
        status_in(&self.invoke("models", json!({})).await, id)
    }
}

pub(super) fn status_in(models: &Value, id: &str) -> Value {
    let models = models["models"].as_array().unwrap();
    models.iter().find(|model| model["id"] == id).unwrap()["status"]["type"].clone()
}

pub(super) fn refusal(code: &str, message: &str) -> Result<Value, Value> {
    Err(json!({"code": code, "message": message}))
}

/// A microphone that delivers no samples, or is missing.
struct StillMicrophone {
    is_there: bool,
    /// The number of open ones.
    open: watch::Sender<usize>,
}

impl StillMicrophone {
    fn new(is_there: bool) -> (Self, watch::Receiver<usize>) {
        let (open, is_open) = watch::channel(0);
        (Self { is_there, open }, is_open)
    }
}

/// Counts one microphone less when it is closed.
struct OpenMicrophone(watch::Sender<usize>);

impl Drop for OpenMicrophone {
    fn drop(&mut self) {
        self.0.send_modify(|open| *open -= 1);
    }
}

impl Microphone for StillMicrophone {
    fn open(&self) -> Result<Capture, AudioError> {
        if !self.is_there {
            return Err(AudioError::NoDevice { side: Side::Microphone });
        }
        let (sender, frames) = frame_queue();
        self.open.send_modify(|open| *open += 1);
        Ok(Capture::new(frames, (sender, OpenMicrophone(self.open.clone()))))
    }

    fn name(&self) -> String {
        "the still microphone".into()
    }
}

/// Stores messages numbered from zero: the number is both text and time in microseconds.
pub(super) async fn say(folder: &Path, messages: i64) {
    std::fs::create_dir_all(folder.join("data")).unwrap();
    let (service, opening) = MemoryService::start(&folder.join("data").join("jarvis.db"), |_| {});
    let (dialogue, writing) = Dialogue::start(&service);
    let keeping = tokio::spawn(async { tokio::join!(opening, writing) });
    assert!(dialogue.opened(TIMEOUT).await);
    for n in 0..messages {
        dialogue.say(&ConversationId::main(), &Origin::Typed, Participant::User, &n.to_string(), n);
    }
    assert!(dialogue.flush(TIMEOUT).await);
    drop((dialogue, service));
    keeping.await.unwrap();
}

pub(super) fn ids(page: &Value) -> Vec<i64> {
    page["messages"].as_array().unwrap().iter().map(|message| message["id"].as_i64().unwrap()).collect()
}
