//! Access to the door.

use assistant::ReplyRequest;
use reqwest::Method;
use rstest::rstest;
use serde_json::json;
use settings::Scope;
use testkit::Turn;
use vocabulary::ConversationId;

use crate::served::{Served, free_address, read};

#[rstest]
#[case::health("/health", "status", "healthy")]
#[case::health_of_nodes("/api/v0/health", "status", "healthy")]
#[case::ping("/api/v0/ping", "message", "pong")]
#[tokio::test]
async fn open_paths_need_no_key(#[case] path: &str, #[case] field: &str, #[case] expected: &str) {
    let served = Served::new([]).await;

    let (status, body) = read(served.strange(Method::GET, path).send().await.unwrap()).await;

    assert_eq!((status, body[field].as_str()), (200, Some(expected)));
}

#[tokio::test]
async fn others_need_a_key_in_one_of_its_two_places() {
    let served = Served::new([]).await;
    let models = || served.strange(Method::GET, "/v1/models");
    let name = served.key.split(':').next().unwrap();

    let with_header = models().header("X-API-Key", &served.key).send().await.unwrap();
    let with_bearer = models().bearer_auth(&served.key).send().await.unwrap();
    let (none, body) = read(models().send().await.unwrap()).await;
    let (wrong, _) = read(models().bearer_auth(format!("{name}:wrong")).send().await.unwrap()).await;
    let (of_nodes, detail) =
        read(served.strange(Method::POST, "/api/v0/conversation/start").send().await.unwrap()).await;

    assert_eq!([with_header.status().as_u16(), with_bearer.status().as_u16()], [200, 200]);
    assert_eq!([none, wrong, of_nodes], [401, 401, 401]);
    assert_eq!(body["error"]["type"], "authentication_error");
    assert!(detail["detail"].is_string(), "{detail}");
}

#[rstest]
#[case::web_page(&[("Origin", "https://evil.example")])]
#[case::page_of_this_machine(&[("Origin", "null")])]
#[case::rebound_name(&[("Host", "evil.example")])]
#[tokio::test]
async fn web_pages_and_rebound_names_are_refused(#[case] headers: &[(&str, &str)]) {
    let served = Served::new([]).await;
    let request = headers.iter().fold(served.get("/v1/models"), |it, (name, value)| it.header(*name, *value));

    let (status, _) = read(request.send().await.unwrap()).await;

    assert_eq!(status, 403);
}

#[tokio::test]
async fn revoked_key_is_refused_at_once() {
    let served = Served::new([]).await;
    let before = served.get("/v1/models").send().await.unwrap().status().as_u16();

    served.assistant.revoke_program("kitchen").unwrap();
    // The door follows the settings a moment later.
    let mut after = before;
    for _ in 0..100 {
        after = served.get("/v1/models").send().await.unwrap().status().as_u16();
        if after != 200 {
            break;
        }
        tokio::task::yield_now().await;
    }

    assert_eq!((before, after), (200, 401));
}

#[rstest]
#[case::asking("/v1/chat/completions", json!({ "model": "jarvis", "messages": [] }), Scope::Audio)]
#[case::asking_as_a_node("/api/v0/conversation/start", json!({ "conversation_id": "c" }), Scope::Audio)]
#[case::chatting("/api/v0/chat", json!({ "message": "hi" }), Scope::Audio)]
#[case::speaking("/v1/audio/speech", json!({ "input": "hi" }), Scope::Ask)]
#[case::speaking_as_a_node("/api/v0/media/tts/speak", json!({ "text": "hi" }), Scope::Ask)]
#[tokio::test]
async fn program_may_do_what_its_key_says(
    #[case] path: &str,
    #[case] body: serde_json::Value,
    #[case] has: Scope,
) {
    let mut served = Served::new([]).await;
    served.key = served.assistant.add_program("narrow", &[has]).unwrap().0;
    served.is_known().await;
    let answer = served.ask(path, body.clone()).await;

    assert_eq!(answer.0, 403, "{}", answer.1);
}

#[tokio::test]
async fn program_without_the_scope_of_audio_gets_no_sound() {
    let mut served = Served::new([Turn::says("It is a fine day."), Turn::says("It is a fine day.")]).await;
    let all_but_audio = [Scope::Ask, Scope::Tools, Scope::Memory];
    served.key = served.assistant.add_program("silent", &all_but_audio).unwrap().0;
    served.is_known().await;
    served.ask("/api/v0/conversation/start", json!({ "conversation_id": "c" })).await;

    let command = json!({ "voice_command": "how are you", "conversation_id": "c" });
    let (streamed, answer) = served.ask("/api/v0/voice/command/stream", command).await;
    let recording =
        || reqwest::multipart::Form::new().part("file", reqwest::multipart::Part::bytes(vec![0; 9]));
    let mut refused = Vec::new();
    for path in ["/v1/audio/transcriptions", "/api/v0/media/whisper/transcribe"] {
        refused.push(served.post(path).multipart(recording()).send().await.unwrap().status().as_u16());
    }
    let (spoken, _) = served.ask("/api/v0/media/tts/speak/stream", json!({ "text": "hi" })).await;

    assert_eq!((streamed, answer["assistant_message"].as_str()), (202, Some("It is a fine day.")));
    assert_eq!((refused, spoken), (vec![403, 403], 403));
}

#[rstest]
#[case::with_it(&[Scope::Ask, Scope::Tools, Scope::Memory], true)]
#[case::without_it(&[Scope::Ask, Scope::Tools], false)]
#[tokio::test]
async fn memory_reaches_a_reply_with_its_scope_alone(#[case] may: &[Scope], #[case] is_told: bool) {
    let turns = (0..3).map(|_| Turn::says("You like the tulips of Lisse."));
    let mut served = Served::with(turns, json!({ "replying": { "fast_path": false } }), []).await;
    let own = ReplyRequest::new("I like the tulips of Lisse best", ConversationId::main());
    let mut reply = served.assistant.open_reply(own).await.unwrap();
    while reply.next().await.is_some() {}
    served.key = served.assistant.add_program("asker", may).unwrap().0;
    served.is_known().await;

    let message = json!({ "message": "search what I said about tulips and tell me which ones I like best" });
    let (status, answer) = served.ask("/api/v0/chat", message).await;

    let offered: Vec<String> = served.model.asked()[1].tools.iter().map(|tool| tool.name.clone()).collect();
    assert_eq!(
        (status, offered.contains(&"searchMemory".to_owned())),
        (200, is_told),
        "{offered:?} {answer}"
    );
}

#[tokio::test]
async fn too_many_requests_in_a_minute_are_refused() {
    let served = Served::with([], json!({ "programs": { "requests_per_minute": 2 } }), []).await;
    let mut last = None;
    for _ in 0..3 {
        last = Some(served.get("/v1/models").send().await.unwrap());
    }

    let last = last.unwrap();

    assert_eq!(last.status().as_u16(), 429);
    assert!(last.headers().contains_key("retry-after"));
}

#[rstest]
#[case::no_such_route(Method::POST, "/api/v0/nothing", 404)]
#[case::climbing(Method::GET, "/api/v0/../../etc/passwd", 404)]
#[case::wrong_method(Method::GET, "/api/v0/voice/command", 405)]
#[case::wrong_method_of_ours(Method::GET, "/v1/chat/completions", 405)]
#[tokio::test]
async fn unknown_paths_and_methods_are_json_errors(
    #[case] method: Method,
    #[case] path: &str,
    #[case] expected: u16,
) {
    let served = Served::new([]).await;

    let request = served.strange(method, path).header("X-API-Key", &served.key);
    let (status, body) = read(request.send().await.unwrap()).await;

    assert_eq!(status, expected);
    assert!(body["detail"].is_string() || body["error"]["message"].is_string(), "{body}");
}

#[rstest]
#[case::of_nodes("/api/v0/voice/command")]
#[case::of_openai("/v1/chat/completions")]
#[tokio::test]
async fn huge_body_is_refused(#[case] path: &str) {
    let served = Served::new([]).await;

    let (status, _) = served.ask(path, json!({ "voice_command": "a".repeat(2_000_000) })).await;

    assert_eq!(status, 413);
}

#[tokio::test]
async fn name_of_the_settings_is_accepted() {
    let served = Served::with([], json!({ "programs": { "hosts": ["jarvis.local"] } }), []).await;
    let as_host = |host: &str| served.get("/v1/models").header("Host", host).send();

    let (known, other) = (as_host("jarvis.local:7703").await.unwrap(), as_host("other.local").await.unwrap());

    assert_eq!([known.status().as_u16(), other.status().as_u16()], [200, 403]);
}

#[rstest]
#[case::http("programs.enabled", "programs.port")]
#[case::speech("programs.wyoming", "programs.wyoming_port")]
#[tokio::test]
async fn settings_open_and_close_the_door(#[case] enabled: &str, #[case] port: &str) {
    let served = Served::new([]).await;
    let free = free_address();
    tokio::spawn(server::serve(served.assistant.clone()));
    let is_open = || async { tokio::net::TcpStream::connect(free).await.is_ok() };
    let set = |key: &str, value: serde_json::Value| served.assistant.settings().set(key, value).unwrap();

    set(port, json!(free.port()));
    let before = is_open().await;
    set(enabled, json!(true));
    while !is_open().await {
        tokio::task::yield_now().await;
    }
    set(enabled, json!(false));
    while is_open().await {
        tokio::task::yield_now().await;
    }

    assert!(!before);
}
