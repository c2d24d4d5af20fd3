//! The local socket with a whole assistant behind it, and callers that do not behave.

use std::path::Path;
use std::sync::Arc;

use interprocess::local_socket::tokio::{Stream, prelude::*};
use serde_json::{Value, json};
use settings::Folders;
use testkit::{InMemorySecrets, ScriptedModel, Turn};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use vocabulary::Private;

use super::protocol::{Greeting, MAX_REQUEST_BYTES};
use super::socket::name_in;
use super::{Connection, IpcError};
use crate::assistant::Assistant;
use crate::builder::AssistantBuilder;
use crate::instance::Instance;
use crate::requests::{MemoryAnswer, MemoryRequest, Request, Response, SettingsAnswer, SettingsRequest};
use crate::views::ReplyView;

/// A running assistant in a folder of its own.
struct Running {
    folder: tempfile::TempDir,
    assistant: Assistant,
    model: Arc<ScriptedModel>,
}

impl Running {
    async fn start(turns: impl IntoIterator<Item = Turn>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("settings.json"), r#"{"memory": {"embeddings": "off"}}"#).unwrap();
        let folders = Folders::under(folder.path());
        let instance = Instance::claim(&folders.data).unwrap();
        let model = Arc::new(ScriptedModel::new(turns));
        let builder = AssistantBuilder::of_this_machine(folders)
            .without_audio()
            .for_one_question()
            .with_model(model.clone())
            .with_secrets(Arc::new(InMemorySecrets::default()));
        Self { folder, assistant: Assistant::start(builder, instance).await.unwrap(), model }
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

#[tokio::test]
async fn question_is_answered_and_ends_in_one_last_response() {
    let running = Running::start([Turn::says("It rains.")]).await;

    let responses = running.answer(Request::Ask { text: "does it rain?".into(), is_temporary: false }).await;

    let done = Response::Reply(ReplyView::Done { text: "It rains.".into() });
    assert_eq!(responses[responses.len() - 2..], [done, Response::Done]);
    running.assistant.shut_down().await;
}

#[tokio::test]
async fn hang_up_stops_the_reply_while_the_model_is_silent() {
    let running = Running::start([Turn::hangs_after("It"), Turn::says("Yes.")]).await;
    let question = |text: &str| Request::Ask { text: text.into(), is_temporary: false };
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
    let here =
        Connection::open(&running.data(), &Request::Ask { text: text.clone(), is_temporary: false }).await;
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

#[tokio::test]
async fn other_protocol_version_is_refused_by_name() {
    let running = Running::start([]).await;

    let mut caller = raw(&running.data()).await;
    let greeted = line(&mut caller).await;
    write(&caller, b"{\"protocol\":99,\"program\":\"9.9.9\"}\n").await.unwrap();
    let refused = line(&mut caller).await;

    assert_eq!(greeted["protocol"], 1);
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
async fn nobody_at_the_socket_is_named_as_such() {
    let folder = tempfile::tempdir().unwrap();

    let refused = Connection::open(folder.path(), &Request::Stop).await;

    assert!(matches!(refused, Err(IpcError::NotRunning(_))));
}
