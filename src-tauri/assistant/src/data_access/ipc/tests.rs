//! The local socket with a whole assistant behind it, and callers that do not behave.

mod pulls;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use interprocess::local_socket::tokio::{Stream, prelude::*};
use models::{Catalogue, Http, ModelStore};
use serde_json::{Value, json};
use settings::Folders;
use testkit::{InMemorySecrets, ModelHub, ScriptedLoudspeaker, ScriptedModel, ToneVoice, Turn};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::sync::broadcast::error::RecvError;
use vocabulary::{AssistantEvent, Origin, Private, SpeechEvent};

use super::protocol::{Greeting, MAX_REQUEST_BYTES, PROTOCOL_VERSION, READING_TIMEOUT};
use super::server::MAX_CALLERS;
use super::socket::name_in;
use super::{Connection, IpcError};
use crate::assistant::Assistant;
use crate::builder::AssistantBuilder;
use crate::data_access::instance::Instance;
use crate::data_access::requests::{
    AskRequest, MemoryAnswer, MemoryRequest, ModelsAnswer, ModelsRequest, Request, Response, SettingsAnswer,
    SettingsRequest,
};
use crate::views::{ModelStatus, ReplyView};

/// A running assistant in a folder of its own.
struct Running {
    folder: tempfile::TempDir,
    assistant: Assistant,
    model: Arc<ScriptedModel>,
}

impl Running {
    async fn start(turns: impl IntoIterator<Item = Turn>) -> Self {
        Self::with_models(turns, ModelHub::unreachable_catalogue()).await
    }

    async fn with_models(
        turns: impl IntoIterator<Item = Turn>,
        (catalogue, http): (&'static Catalogue, Http),
    ) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let store = ModelStore::with_catalogue(Folders::under(folder.path()).models, catalogue);
        Self::built_in(folder, turns, |builder| builder.with_model_files(store, http)).await
    }

    async fn built(
        turns: impl IntoIterator<Item = Turn>,
        adapt: impl FnOnce(AssistantBuilder) -> AssistantBuilder,
    ) -> Self {
        Self::built_in(tempfile::tempdir().unwrap(), turns, adapt).await
    }

    async fn built_in(
        folder: tempfile::TempDir,
        turns: impl IntoIterator<Item = Turn>,
        adapt: impl FnOnce(AssistantBuilder) -> AssistantBuilder,
    ) -> Self {
        std::fs::write(folder.path().join("settings.json"), r#"{"memory": {"embeddings": "off"}}"#).unwrap();
        let folders = Folders::under(folder.path());
        let instance = Instance::claim(&folders.data).unwrap();
        let model = Arc::new(ScriptedModel::new(turns));
        let builder = AssistantBuilder::new(folders)
            .without_audio()
            .for_one_question()
            .with_model(model.clone())
            .with_secrets(Arc::new(InMemorySecrets::default()));
        Self { folder, assistant: Assistant::start(adapt(builder), instance).await.unwrap(), model }
    }

    fn data(&self) -> std::path::PathBuf {
        self.folder.path().join("data")
    }

    async fn answer(&self, request: Request) -> Vec<Response> {
        let mut connection = Connection::open(&self.data(), &request).await.unwrap();
        let mut responses = Vec::new();
        loop {
            responses.push(connection.next().await.unwrap());
            if responses.last().unwrap().is_last() {
                return responses;
            }
        }
    }

    async fn add(&self, text: &str) -> Vec<Response> {
        let text = Private(text.to_owned());
        self.answer(Request::Memory(MemoryRequest::AddFact { node: 2, text })).await
    }
}

/// A caller that writes what it likes.
async fn raw(data: &Path) -> BufReader<Stream> {
    BufReader::new(Stream::connect(name_in(data).unwrap()).await.unwrap())
}

async fn line(caller: &mut BufReader<Stream>) -> Value {
    let mut line = String::new();
    caller.read_line(&mut line).await.unwrap();
    serde_json::from_str(&line).unwrap_or(Value::Null)
}

async fn write(caller: &BufReader<Stream>, text: &[u8]) -> std::io::Result<()> {
    let mut stream = caller.get_ref();
    stream.write_all(text).await
}

fn greeting() -> Vec<u8> {
    let mut line = serde_json::to_vec(&Greeting::ours()).unwrap();
    line.push(b'\n');
    line
}

#[tokio::test]
async fn memory_requests_are_executed_by_the_running_assistant() {
    let running = Running::start([]).await;

    let added = running.add("Lives in Leeds.").await;
    let shown = running.answer(Request::Memory(MemoryRequest::Show { id: "fact-1".parse().unwrap() })).await;
    let unknown = running.answer(Request::Memory(MemoryRequest::RetractFact { fact: 9 })).await;

    let answer = MemoryAnswer::FactAdded { fact: 1, is_new: true };
    assert_eq!(added, [Response::Memory(Box::new(answer)), Response::Done]);
    assert!(
        matches!(&shown[0], Response::Memory(answer) if matches!(&**answer, MemoryAnswer::Fact(details) if details.fact.text == "Lives in Leeds."))
    );
    assert!(matches!(&unknown[..], [Response::Failed(trouble)] if trouble.message.contains("fact-9")));
    running.assistant.shut_down().await;
}

#[tokio::test]
async fn changed_setting_holds_at_once_in_the_running_assistant() {
    let running = Running::start([]).await;

    let key = "listening.wake_word".to_owned();
    let set = running.answer(Request::Settings(SettingsRequest::Set { key, value: json!("friday") })).await;
    let current = running.answer(Request::Settings(SettingsRequest::Current)).await;

    assert_eq!(set, [Response::Done]);
    assert_eq!(running.assistant.settings().current().listening.wake_word, "friday");
    let Response::Settings(SettingsAnswer::Current { values, .. }) = &current[0] else {
        panic!("{current:?}")
    };
    assert_eq!(values["listening"]["wake_word"], "friday");
    running.assistant.shut_down().await;
}

/// The status of each model in the answers.
fn statuses(responses: &[Response]) -> Vec<ModelStatus> {
    let models = responses.iter().filter_map(|response| match response {
        Response::Models(answer) => match &**answer {
            ModelsAnswer::Model { model } => Some(model.status.clone()),
            ModelsAnswer::Models { .. } | ModelsAnswer::Pull { .. } => None,
        },
        _ => None,
    });
    models.collect()
}

#[tokio::test]
async fn model_is_downloaded_verified_and_deleted_by_the_running_assistant() {
    let hub = ModelHub::start().await;
    let running = Running::with_models([], hub.catalogue()).await;
    let (id, ids) = ("voice".to_owned(), vec!["voice".to_owned()]);

    let fetched = running.answer(Request::Models(ModelsRequest::Fetch { ids })).await;
    let verified = running.answer(Request::Models(ModelsRequest::Verify { id: id.clone() })).await;
    let is_installed = running.folder.path().join("models/voice").exists();
    let deleted = running.answer(Request::Models(ModelsRequest::Delete { id })).await;

    assert_eq!(
        (fetched.last(), statuses(&fetched).last()),
        (Some(&Response::Done), Some(&ModelStatus::Ready))
    );
    assert!(matches!(statuses(&fetched)[0], ModelStatus::Downloading { .. }), "{fetched:?}");
    assert_eq!(statuses(&verified), [ModelStatus::Ready]);
    assert!(is_installed && !running.folder.path().join("models/voice").exists());
    assert_eq!(statuses(&deleted), [ModelStatus::Absent]);
    running.assistant.shut_down().await;
}

#[tokio::test]
async fn cancelled_download_is_paused_and_keeps_its_part() {
    let mut hub = ModelHub::sending(&ModelHub::FILE[..2]).await;
    let running = Running::with_models([], hub.catalogue()).await;
    let request = Request::Models(ModelsRequest::Fetch { ids: vec!["voice".to_owned()] });

    let mut connection = Connection::open(&running.data(), &request).await.unwrap();
    let _download = hub.connections.recv().await.unwrap();
    connection.cancel().await.unwrap();
    while let Ok(response) = connection.next().await {
        assert_ne!(response, Response::Done);
    }

    assert!(!running.assistant.model_library().is_downloading("voice"));
    running.assistant.shut_down().await;
}

#[tokio::test]
async fn unknown_model_is_refused_before_anything_is_downloaded() {
    let mut hub = ModelHub::start().await;
    let running = Running::with_models([], hub.catalogue()).await;
    let ids = vec!["voice".to_owned(), "no-such-model".to_owned()];

    let responses = running.answer(Request::Models(ModelsRequest::Fetch { ids })).await;

    let [Response::Failed(trouble)] = &responses[..] else { panic!("{responses:?}") };
    assert!(trouble.message.contains("no-such-model"), "{trouble}");
    assert!(hub.connections.try_recv().is_err());
    running.assistant.shut_down().await;
}

#[tokio::test]
async fn question_is_answered_and_ends_in_one_last_response() {
    let running = Running::start([Turn::says("It rains.")]).await;

    let responses = running.answer(Request::Ask(AskRequest::new("does it rain?"))).await;

    let done = Response::Reply(ReplyView::Done { text: "It rains.".into() });
    assert_eq!(responses[responses.len() - 2..], [done, Response::Done]);
    running.assistant.shut_down().await;
}

#[tokio::test]
async fn hang_up_stops_the_reply_while_the_model_is_silent() {
    let running = Running::start([Turn::hangs_after("It"), Turn::says("Yes.")]).await;
    let question = |text: &str| Request::Ask(AskRequest::new(text));
    let mut events = running.assistant.subscribe();

    let connection = Connection::open(&running.data(), &question("does it rain?")).await.unwrap();
    while running.model.asked().is_empty() {
        tokio::task::yield_now().await;
    }
    drop(connection);
    // The end of the reply is an event, without another question to supersede it.
    let ended = async {
        loop {
            let event = events.recv().await.unwrap();
            if matches!(
                event,
                vocabulary::AssistantEvent::Reply { event: vocabulary::ReplyEvent::Done(_), .. }
            ) {
                return;
            }
        }
    };

    tokio::time::timeout(std::time::Duration::from_secs(20), ended).await.unwrap();
    running.assistant.shut_down().await;
}

#[tokio::test]
async fn request_of_ten_megabytes_is_refused() {
    let running = Running::start([]).await;

    let text = "x".repeat(10_000_000);
    let here = Connection::open(&running.data(), &Request::Ask(AskRequest::new(&text))).await;
    let mut caller = raw(&running.data()).await;
    line(&mut caller).await;
    write(&caller, &greeting()).await.unwrap();
    write(&caller, format!("\"{text}\"\n").as_bytes()).await.unwrap();
    let there = line(&mut caller).await;

    assert!(matches!(here, Err(IpcError::TooLong)));
    assert_eq!(there["response"], "failed");
    assert!(there["of"]["message"].as_str().unwrap().contains(&MAX_REQUEST_BYTES.to_string()), "{there}");
    running.assistant.shut_down().await;
}

/// A question in a conversation of its own.
fn question(text: &str) -> Request {
    Request::Ask(AskRequest { is_temporary: true, ..AskRequest::new(text) })
}

/// All of an answer to a question.
fn text_of(responses: &[Response]) -> Option<&str> {
    responses.iter().find_map(|response| match response {
        Response::Reply(ReplyView::Done { text }) => Some(text.as_str()),
        _ => None,
    })
}

#[tokio::test]
async fn two_hundred_callers_are_answered_while_a_reply_is_spoken() {
    let spoken = "One sentence is long enough to be spoken. Another one follows it at once.";
    let turns = std::iter::once(Turn::says(spoken)).chain((0..200).map(|_| Turn::says("It rains.")));
    let (voice, loudspeaker) = (ToneVoice::new("tone"), ScriptedLoudspeaker::default());
    let sound = (Arc::new(voice.clone()), Arc::new(loudspeaker.clone()));
    let running =
        Running::built(turns, |builder| builder.with_voice(sound.0).with_loudspeaker(sound.1)).await;
    let mut events = running.assistant.subscribe();
    let foreground = running.assistant.ask("tell me something", Origin::Voice).await.unwrap();
    loudspeaker.until(|seen| seen.queued.len() == 2).await;

    let asked = (0..200).map(|n| running.answer(question(&format!("does it rain in town {n}?"))));
    let answers = futures::future::join_all(asked).await;
    while loudspeaker.finish_sound() {}
    let finished = async {
        loop {
            match events.recv().await {
                Ok(AssistantEvent::Speech(SpeechEvent::Finished { reply, .. })) => break reply,
                Ok(AssistantEvent::Speech(SpeechEvent::Interrupted { .. })) => {
                    panic!("the voice was interrupted")
                }
                Ok(_) | Err(RecvError::Lagged(_)) => {}
                Err(RecvError::Closed) => panic!("the assistant ended"),
            }
        }
    };
    let finished = tokio::time::timeout(Duration::from_secs(20), finished).await.unwrap();

    assert!(answers.iter().all(|responses| text_of(responses) == Some("It rains.")));
    assert!(
        answers.iter().all(|responses| responses.iter().filter(|response| response.is_last()).count() == 1)
    );
    assert_eq!(finished, foreground);
    assert_eq!(voice.asked().join(" "), spoken);
    running.assistant.shut_down().await;
}

#[tokio::test]
async fn caller_that_reads_nothing_is_dropped_and_others_are_served() {
    let long = "word ".repeat(100_000);
    let running = Running::start([Turn::says(&long), Turn::says("It rains.")]).await;
    let mut silent = raw(&running.data()).await;
    write(&silent, &greeting()).await.unwrap();
    write(&silent, &[serde_json::to_vec(&question("talk")).unwrap(), b"\n".to_vec()].concat()).await.unwrap();
    while running.model.asked().is_empty() {
        tokio::task::yield_now().await;
    }

    let other = running.answer(question("does it rain?")).await;
    tokio::time::pause();
    tokio::time::advance(READING_TIMEOUT + Duration::from_secs(1)).await;
    tokio::time::resume();
    let mut rest = Vec::new();
    let dropped = tokio::time::timeout(Duration::from_secs(20), silent.read_to_end(&mut rest)).await;

    assert_eq!(text_of(&other), Some("It rains."));
    assert!(dropped.is_ok(), "the caller is still served");
    assert!(rest.len() < long.len(), "{} bytes waited for the caller", rest.len());
    running.assistant.shut_down().await;
}

#[tokio::test]
async fn caller_over_the_limit_waits_until_another_leaves() {
    let running = Running::start([Turn::says("It rains.")]).await;
    let mut idle = Vec::new();
    for _ in 0..MAX_CALLERS {
        let mut caller = raw(&running.data()).await;
        line(&mut caller).await;
        idle.push(caller);
    }
    let mut waiting = raw(&running.data()).await;
    write(&waiting, &greeting()).await.unwrap();
    write(&waiting, &[serde_json::to_vec(&question("rain?")).unwrap(), b"\n".to_vec()].concat())
        .await
        .unwrap();

    let early = tokio::time::timeout(Duration::from_millis(50), line(&mut waiting)).await;
    idle.pop();
    let greeted = line(&mut waiting).await;

    assert!(early.is_err(), "a caller over the limit is served");
    assert_eq!(greeted["protocol"], PROTOCOL_VERSION);
    running.assistant.shut_down().await;
}

#[tokio::test]
async fn other_protocol_version_is_refused_by_name() {
    let running = Running::start([]).await;

    let mut caller = raw(&running.data()).await;
    let greeted = line(&mut caller).await;
    write(&caller, b"{\"protocol\":99,\"program\":\"9.9.9\"}\n").await.unwrap();
    let refused = line(&mut caller).await;

    assert_eq!(greeted["protocol"], PROTOCOL_VERSION);
    let message = refused["of"]["message"].as_str().unwrap();
    assert!(
        message.contains("9.9.9") && refused["of"]["remedy"].as_str().unwrap().contains("older"),
        "{refused}"
    );
    running.assistant.shut_down().await;
}

#[tokio::test]
async fn senseless_request_is_refused_and_the_next_served() {
    let running = Running::start([]).await;

    let mut caller = raw(&running.data()).await;
    line(&mut caller).await;
    write(&caller, &greeting()).await.unwrap();
    write(&caller, b"nonsense\n").await.unwrap();
    let refused = line(&mut caller).await;

    assert!(refused["of"]["message"].as_str().unwrap().contains("was not understood"), "{refused}");
    assert_eq!(running.add("Likes tea.").await.last(), Some(&Response::Done));
    running.assistant.shut_down().await;
}

#[cfg(unix)]
#[tokio::test]
async fn socket_and_its_folder_are_open_to_the_owner_alone() {
    use std::os::unix::fs::PermissionsExt;
    let running = Running::start([]).await;
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;

    assert_eq!(mode(&running.data()), 0o700);
    assert_eq!(mode(&running.data().join("jarvis.sock")), 0o600);
    running.assistant.shut_down().await;
}

#[tokio::test]
async fn missing_jarvis_is_reported_as_not_running() {
    let folder = tempfile::tempdir().unwrap();

    let refused = Connection::open(folder.path(), &Request::Stop).await;

    assert!(matches!(refused, Err(IpcError::NotRunning(_))));
}

#[tokio::test]
async fn part_that_never_ends_does_not_keep_jarvis_from_ending() {
    let running = Running::start([]).await;
    let held = running.assistant.clone();
    held.shared().tasks.spawn({
        let memory = held.shared().memory.clone();
        async move {
            std::future::pending::<()>().await;
            drop(memory);
        }
    });

    // From here on, waiting takes no time.
    tokio::time::pause();
    running.assistant.shut_down().await;

    assert!(Instance::claim(&Folders::under(running.folder.path()).data).is_ok());
}
