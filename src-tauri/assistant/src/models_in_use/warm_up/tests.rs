use futures::FutureExt;
use serde_json::{Value, json};
use settings::Folders;
use testkit::{InMemorySecrets, OllamaServer, ScriptedAnswer, ServerScript, is_warming_up};

use super::*;
use crate::assistant::Assistant;
use crate::builder::AssistantBuilder;
use crate::data_access::instance::Instance;
use crate::data_access::ipc::Connection;
use crate::data_access::requests::{AskRequest, Request};

/// The requests to an Ollama server: those that warm up an assistant, and those of its first question.
async fn asked_of(server: &OllamaServer) -> (Vec<Value>, Vec<Value>) {
    let folder = tempfile::tempdir().unwrap();
    let settings = json!({
        "llm": { "provider": "ollama", "base_url": server.url() },
        "memory": { "embeddings": "off" },
    });
    std::fs::write(folder.path().join("settings.json"), settings.to_string()).unwrap();
    let folders = Folders::under(folder.path());
    let (data, instance) = (folders.data.clone(), Instance::claim(&folders.data).unwrap());
    let builder = AssistantBuilder::new(folders)
        .without_audio()
        .ready_first()
        .with_secrets(Arc::new(InMemorySecrets::default()));
    let assistant = Assistant::start(builder, instance).await.unwrap();

    let question = Request::Ask(AskRequest::new("write a poem about the colour of rain"));
    let mut connection = Connection::open(&data, &question).await.unwrap();
    while !connection.next().await.unwrap().is_last() {}
    assistant.shut_down().await;

    server.asked().into_iter().partition(is_warming_up)
}

#[tokio::test]
async fn first_question_begins_with_what_a_server_read_in_advance() {
    let server = OllamaServer::start(ScriptedAnswer::says("Grey."));

    let (warming, asking) = asked_of(&server).await;

    let ([warm], [first, ..]) = (&warming[..], &asking[..]) else { panic!("{warming:?}, {asking:?}") };
    assert_eq!(warm["messages"], json!([first["messages"][0]]), "the system message and nothing else");
    let (read, offered) = (warm["tools"].as_array().unwrap(), first["tools"].as_array().unwrap());
    assert!(!read.is_empty() && offered.starts_with(read), "{read:?}, {offered:?}");
    assert_eq!(
        (&warm["options"]["num_ctx"], &warm["think"]),
        (&first["options"]["num_ctx"], &first["think"]),
        "a server loads the model anew for another context"
    );
}

#[tokio::test]
async fn model_without_native_tools_is_warmed_up_without_them() {
    let script = ServerScript::new([ScriptedAnswer::says("Grey.")])
        .rejecting("tools", "registry.ollama.ai/library/test-model does not support tools");
    let server = OllamaServer::start(script);

    let (warming, _) = asked_of(&server).await;

    let [refused, warm] = &warming[..] else { panic!("{warming:?}") };
    assert!(refused.get("tools").is_some() && warm.get("tools").is_none());
    assert_eq!(refused["messages"], warm["messages"]);
}

#[tokio::test]
async fn end_of_a_reply_is_noticed_however_short_it_was() {
    let (reply, mut foreground) = watch::channel(None);
    assert_eq!(reply_ended(&mut foreground).now_or_never(), None);

    reply.send_replace(Some(ReplyId(1)));
    assert_eq!(reply_ended(&mut foreground).now_or_never(), None, "it is under way");
    reply.send_replace(None);
    assert_eq!(reply_ended(&mut foreground).now_or_never(), Some(()));

    reply.send_replace(Some(ReplyId(2)));
    reply.send_replace(None);
    assert_eq!(reply_ended(&mut foreground).now_or_never(), Some(()), "nobody saw it begin");
    assert_eq!(reply_ended(&mut foreground).now_or_never(), None, "it is noticed once");
}
