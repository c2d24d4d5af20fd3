//! Models that Ollama servers fetch, asked for over the local socket, and by a command without a running Jarvis.

use settings::Folders;
use testkit::{OllamaServer, OpenAiServer, ScriptedAnswer, ScriptedPull, ServerScript};

use super::Running;
use crate::data_access::data_owner::ask_about_models;
use crate::data_access::ipc::Connection;
use crate::data_access::requests::{ModelsAnswer, ModelsRequest, Request, Response};
use crate::views::{PullStatus, PullView};

fn server(pull: ScriptedPull) -> OllamaServer {
    OllamaServer::start(ServerScript::new([]).with_models(&[]).with_pulls([pull]))
}

fn pull(model: &str, server: &OllamaServer) -> ModelsRequest {
    ModelsRequest::Pull { model: model.to_owned(), server: Some(server.url()) }
}

/// The pull in an answer.
fn view(response: &Response) -> Option<&PullView> {
    let Response::Models(answer) = response else { return None };
    match &**answer {
        ModelsAnswer::Pull { pull } => Some(pull),
        ModelsAnswer::Model { .. } | ModelsAnswer::Models { .. } => None,
    }
}

fn is_downloading(response: &Response) -> bool {
    view(response).is_some_and(|pull| matches!(pull.status, PullStatus::Downloading { .. }))
}

#[tokio::test]
async fn model_is_pulled_by_the_running_assistant() {
    let (running, server) = (Running::start([]).await, server(ScriptedPull::with_layers(&[800])));

    let answers = running.answer(Request::Models(pull("qwen3:4b", &server))).await;

    let views: Vec<&PullView> = answers.iter().filter_map(view).collect();
    let done = PullView { model: "qwen3:4b".into(), address: server.url(), status: PullStatus::Done };
    assert_eq!((answers.last(), views.last()), (Some(&Response::Done), Some(&&done)));
    assert!(running.assistant.model_library().pulls().is_empty(), "what is done is in the list of models");
    running.assistant.shut_down().await;
}

#[tokio::test]
async fn model_is_pulled_without_a_running_jarvis() {
    let (folder, server) = (tempfile::tempdir().unwrap(), server(ScriptedPull::with_layers(&[800])));

    let folders = Folders::under(folder.path());
    let mut responses = ask_about_models(&folders, pull("qwen3:4b", &server)).await.unwrap();
    let mut last = None;
    let end = loop {
        let response = responses.next().await.unwrap();
        if response.is_last() {
            break response;
        }
        last = view(&response).cloned();
    };
    responses.close().await;

    assert_eq!((end, last.unwrap().status), (Response::Done, PullStatus::Done));
}

#[tokio::test]
async fn unknown_model_fails_with_a_sentence_and_stays_in_the_list() {
    let running = Running::start([]).await;
    let server = OllamaServer::start(ServerScript::new([]));

    let answers = running.answer(Request::Models(pull("qwen99", &server))).await;

    let Some(Response::Failed(trouble)) = answers.last() else { panic!("{answers:?}") };
    assert_eq!(trouble.message, "There is no model named \"qwen99\" to pull.");
    let listed = running.assistant.model_library().pulls();
    let [failed] = &listed[..] else { panic!("{listed:?}") };
    assert!(
        matches!(&failed.status, PullStatus::Failed { what, .. } if *what == trouble.message),
        "{failed:?}"
    );
    running.assistant.shut_down().await;
}

#[tokio::test]
async fn second_request_for_the_same_model_joins_the_pull() {
    let (running, server) =
        (Running::start([]).await, server(ScriptedPull::with_layers(&[800]).then_stalls()));
    let open = async |model: &str| {
        let request = Request::Models(pull(model, &server));
        let mut connection = Connection::open(&running.data(), &request).await.unwrap();
        while !is_downloading(&connection.next().await.unwrap()) {}
        connection
    };

    let mut first = open("qwen3").await;
    let mut second = open("qwen3:latest").await;
    second.cancel().await.unwrap();
    while !second.next().await.unwrap().is_last() {}
    let goes_on = running.assistant.model_library().pulls().len();
    first.cancel().await.unwrap();
    while !first.next().await.unwrap().is_last() {}

    assert_eq!(server.pulls().len(), 1, "the server is asked once");
    assert_eq!(goes_on, 1, "the one who joined does not end it");
    server.abandoned(1).await;
    assert!(running.assistant.model_library().pulls().is_empty());
    running.assistant.shut_down().await;
}

#[tokio::test]
async fn caller_that_hangs_up_ends_its_pull() {
    let (running, server) =
        (Running::start([]).await, server(ScriptedPull::with_layers(&[800]).then_stalls()));
    let request = Request::Models(pull("qwen3", &server));
    let mut connection = Connection::open(&running.data(), &request).await.unwrap();
    while !is_downloading(&connection.next().await.unwrap()) {}

    drop(connection);

    server.abandoned(1).await;
    running.assistant.shut_down().await;
}

#[tokio::test]
async fn cancelled_pull_can_be_started_again_at_once() {
    let stalls = ScriptedPull::with_layers(&[800]).then_stalls();
    let script = ServerScript::new([]).with_pulls([stalls, ScriptedPull::with_layers(&[800])]);
    let (running, server) = (Running::start([]).await, OllamaServer::start(script));
    let library = running.assistant.model_library();
    let mut first = library.pull("qwen3", Some(&server.url())).await.unwrap();
    while !matches!(first.view().status, PullStatus::Downloading { .. }) {
        first.next().await.unwrap();
    }

    library.cancel_pull("qwen3", &server.url());
    let mut again = library.pull("qwen3", Some(&server.url())).await.unwrap();
    let mut last = again.view();
    while let Some(view) = again.next().await {
        last = view;
    }

    assert_eq!((first.view().status, last.status), (PullStatus::Cancelled, PullStatus::Done));
    assert!(again.is_started_here);
    running.assistant.shut_down().await;
}

#[tokio::test]
async fn ollama_by_name_is_not_the_other_program_of_the_settings() {
    let (running, other) = (Running::start([]).await, OpenAiServer::start(ScriptedAnswer::says("Hello.")));
    let library = running.assistant.model_library();
    running.assistant.settings().set("llm.base_url", other.url().into()).unwrap();

    let pull = library.pull("no-such-model-of-a-test", Some("ollama")).await.unwrap().view();
    library.cancel_pull(&pull.model, &pull.address);

    assert_eq!(pull.address, "http://127.0.0.1:11434");
    running.assistant.shut_down().await;
}

#[tokio::test]
async fn pull_is_refused_where_it_cannot_work() {
    let (running, server) = (Running::start([]).await, server(ScriptedPull::with_layers(&[8])));
    let library = running.assistant.model_library();
    let refusal = async |model: &str, server: &str| {
        let pull = library.pull(model, Some(server)).await;
        pull.map(|pull| pull.view()).unwrap_err().to_string()
    };

    let no_name = refusal("a model", &server.url()).await;
    let no_address = refusal("m", "ftp://here").await;
    let other_provider = refusal("m", "embedded").await;
    running.assistant.settings().set("web.offline", true.into()).unwrap();
    let offline = refusal("m", &server.url()).await;

    assert!(no_name.contains("is not a name of a model"), "{no_name}");
    assert!(no_address.contains("neither http nor https"), "{no_address}");
    assert!(other_provider.contains("jarvis models fetch"), "{other_provider}");
    assert!(offline.contains("web.offline"), "{offline}");
    assert!(server.pulls().is_empty());
    running.assistant.shut_down().await;
}
