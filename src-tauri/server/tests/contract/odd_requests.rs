//! Requests that no client should send: each gets a clear error, and the door goes on.

use std::time::Duration;

use rstest::rstest;
use serde_json::{Value, json};
use testkit::Turn;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::served::{Served, read};

const LIMIT: Duration = Duration::from_secs(20);

/// Sends these bytes and reads until the door closes the connection.
async fn sent(served: &Served, request: &str) -> String {
    let mut connection = TcpStream::connect(served.address).await.unwrap();
    connection.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    // A connection that is reset has no more to say.
    let _ = tokio::time::timeout(LIMIT, connection.read_to_string(&mut answer)).await.unwrap();
    answer
}

/// The status of an answer.
fn status(answer: &str) -> Option<u16> {
    answer.split(' ').nth(1)?.parse().ok()
}

/// Sends a request without a body, with the key. `head` is its first line and its hosts.
async fn status_of(served: &Served, head: &str) -> Option<u16> {
    let request = format!("{head}\r\nX-API-Key: {}\r\nConnection: close\r\n\r\n", served.key);
    status(&sent(served, &request).await)
}

async fn is_well(served: &Served) {
    assert_eq!(served.get("/v1/models").send().await.unwrap().status().as_u16(), 200);
}

#[rstest]
#[case::usual("GET /v1/models HTTP/1.1\r\nHost: localhost:7703", 200)]
#[case::ipv6("GET /v1/models HTTP/1.1\r\nHost: [::1]:7703", 200)]
#[case::older_version("GET /v1/models HTTP/1.0\r\nHost: 127.0.0.1", 200)]
#[case::older_version_without_a_host("GET /v1/models HTTP/1.0", 403)]
#[case::no_host("GET /v1/models HTTP/1.1", 403)]
#[case::empty_host("GET /v1/models HTTP/1.1\r\nHost: ", 403)]
#[case::two_hosts("GET /v1/models HTTP/1.1\r\nHost: localhost\r\nHost: evil.example", 403)]
#[case::user_in_the_port("GET /v1/models HTTP/1.1\r\nHost: localhost:7703@evil.example", 403)]
#[case::name_behind_brackets("GET /v1/models HTTP/1.1\r\nHost: [::1].evil.example", 403)]
#[case::dot_at_the_end("GET /v1/models HTTP/1.1\r\nHost: 127.0.0.1.", 403)]
#[case::other_host_in_the_first_line("GET http://evil.example/v1/models HTTP/1.1\r\nHost: localhost", 403)]
#[case::host_in_the_first_line("GET http://localhost:7703/v1/models HTTP/1.1\r\nHost: localhost", 200)]
#[tokio::test]
async fn host_in_any_form_is_this_machine_or_refused(#[case] head: &str, #[case] expected: u16) {
    let served = Served::new([]).await;

    assert_eq!(status_of(&served, head).await, Some(expected));
}

#[rstest]
#[case::two_slashes("//v1/models")]
#[case::slash_at_the_end("/v1/models/")]
#[case::encoded_climb("/v1/%2e%2e/v1/models")]
#[case::encoded_slash("/v1%2fmodels")]
#[case::encoded_letter("/%761/models")]
#[case::capitals("/V1/models")]
#[case::parameters_in_the_path("/v1/models;a=b")]
#[tokio::test]
async fn path_in_another_form_is_no_route(#[case] path: &str) {
    let served = Served::new([]).await;

    assert_eq!(status_of(&served, &format!("GET {path} HTTP/1.1\r\nHost: localhost")).await, Some(404));
}

#[rstest]
#[case::two_slashes("//health")]
#[case::slash_at_the_end("/health/")]
#[case::encoded("/%68ealth")]
#[case::climb("/health/../v1/models")]
#[case::encoded_climb("/health/%2e%2e/v1/models")]
#[tokio::test]
async fn no_path_beside_the_open_ones_is_open(#[case] path: &str) {
    let served = Served::new([]).await;

    let request = format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    assert_eq!(status(&sent(&served, &request).await), Some(401));
}

#[rstest]
#[case::no_http("hello\r\n\r\n")]
#[case::no_version("GET /v1/models\r\n\r\n")]
#[case::later_version("GET /v1/models HTTP/9.0\r\nHost: localhost\r\n\r\n")]
#[case::null_in_a_header("GET /v1/models HTTP/1.1\r\nHost: local\0host\r\n\r\n")]
#[case::two_lengths(
    "POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n{}"
)]
#[case::length_that_is_no_number(
    "POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n{}"
)]
#[case::encryption("\u{16}\u{3}\u{1}\u{2}\0\u{1}\0\u{1}\u{fc}\u{3}\u{3}\r\n\r\n")]
#[tokio::test]
async fn what_is_no_request_closes_its_connection_alone(#[case] bytes: &str) {
    let served = Served::new([]).await;

    let answer = sent(&served, bytes).await;

    assert!(answer.is_empty() || status(&answer) == Some(400), "{answer}");
    is_well(&served).await;
}

#[rstest]
#[case::chunk_without_a_length("zz\r\n{}\r\n0\r\n\r\n")]
#[case::huge_chunk("fffffffffffffffff\r\n{}\r\n")]
#[tokio::test]
async fn body_in_broken_chunks_is_refused(#[case] body: &str) {
    let served = Served::new([]).await;
    let head = format!(
        "POST /api/v0/conversation/start HTTP/1.1\r\nHost: localhost\r\nX-API-Key: {}\r\n\
         Content-Type: application/json\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n",
        served.key
    );

    let answer = sent(&served, &format!("{head}{body}")).await;

    assert!(matches!(status(&answer), Some(400..=499)), "{answer}");
    is_well(&served).await;
}

#[tokio::test]
async fn client_that_leaves_within_its_body_leaves_nothing() {
    let served = Served::new([Turn::says("It is a fine day.")]).await;
    let head = format!(
        "POST /api/v0/chat HTTP/1.1\r\nHost: localhost\r\nX-API-Key: {}\r\n\
         Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{{\"message\": \"half",
        served.key
    );
    let mut connection = TcpStream::connect(served.address).await.unwrap();
    connection.write_all(head.as_bytes()).await.unwrap();
    drop(connection);

    let (status, answer) = served.ask("/api/v0/chat", json!({ "message": "how are you" })).await;

    assert_eq!((status, answer["response"].as_str()), (200, Some("It is a fine day.")));
    assert_eq!(served.model.asked().len(), 1);
}

const BOUNDARY: &str = "multipart/form-data; boundary=x";

#[rstest]
#[case::chat_of_nodes("/api/v0/chat", "application/json", r#"{"message": 3}"#, 400)]
#[case::empty_chat("/api/v0/chat", "application/json", r#"{"message": " "}"#, 400)]
#[case::other_type("/api/v0/chat", "text/plain", r#"{"message": "hi"}"#, 415)]
#[case::list("/v1/chat/completions", "application/json", "[]", 400)]
#[case::null("/v1/chat/completions", "application/json", "null", 400)]
#[case::other_type_of_ours("/v1/chat/completions", "text/plain", "{}", 415)]
#[case::speech_without_a_text("/v1/audio/speech", "application/json", "{}", 400)]
#[case::speech_of_a_number("/v1/audio/speech", "application/json", r#"{"input": 5}"#, 400)]
#[case::speech_in_an_unknown_form(
    "/v1/audio/speech",
    "application/json",
    r#"{"input": "hi", "response_format": "ogg"}"#,
    400
)]
#[case::speech_at_no_speed("/v1/audio/speech", "application/json", r#"{"input": "hi", "speed": 0}"#, 400)]
#[case::speech_at_an_endless_speed(
    "/v1/audio/speech",
    "application/json",
    r#"{"input": "hi", "speed": 1e99}"#,
    400
)]
#[case::speech_of_nothing("/api/v0/media/tts/speak", "application/json", r#"{"text": " "}"#, 400)]
#[case::recording_as_json("/v1/audio/transcriptions", "application/json", "{}", 400)]
#[case::form_without_its_mark("/v1/audio/transcriptions", "multipart/form-data", "x", 400)]
#[case::form_without_a_file("/v1/audio/transcriptions", BOUNDARY, "--x--\r\n", 400)]
#[case::form_that_breaks_off(
    "/v1/audio/transcriptions",
    BOUNDARY,
    "--x\r\nContent-Disposition: form-data; name=\"file\"\r\n\r\nRIFF",
    400
)]
#[case::empty_file(
    "/v1/audio/transcriptions",
    BOUNDARY,
    "--x\r\nContent-Disposition: form-data; name=\"file\"\r\n\r\n\r\n--x--\r\n",
    400
)]
#[tokio::test]
async fn body_of_another_kind_is_refused_with_a_reason(
    #[case] path: &str,
    #[case] kind: &'static str,
    #[case] body: &'static str,
    #[case] expected: u16,
) {
    let served = Served::new([]).await;

    let request = served.post(path).header("Content-Type", kind).body(body);
    let (status, answer) = read(request.send().await.unwrap()).await;

    let reason = answer["detail"].as_str().or_else(|| answer["error"]["message"].as_str());
    let reason = reason.or_else(|| answer["details"][0].as_str());
    assert_eq!(status, expected, "{answer}");
    assert!(reason.is_some_and(|reason| reason.len() > 10), "{answer}");
}

#[rstest]
#[case::start("/api/v0/conversation/start", "{}", "body -> conversation_id: ")]
#[case::command("/api/v0/voice/command", r#"{"conversation_id": "c"}"#, "body -> voice_command: ")]
#[case::stream("/api/v0/voice/command/stream", r#"{"conversation_id": "c"}"#, "body -> voice_command: ")]
#[case::results("/api/v0/voice/command/continue", r#"{"conversation_id": "c"}"#, "body -> tool_results: ")]
#[case::acknowledge("/api/v0/voice/acknowledge", "{}", "body -> voice_command: ")]
#[case::end("/api/v0/conversation/end", "{}", "body -> conversation_id: ")]
#[case::chat_without_words("/api/v0/chat", "{}", "body -> message: ")]
#[case::empty_chat("/api/v0/lightweight/chat", r#"{"message": " "}"#, "body -> message: ")]
#[case::chat_that_is_no_json("/api/v0/chat", "{", "body: ")]
#[case::speech_of_a_number("/api/v0/media/tts/speak", r#"{"text": 5}"#, "body -> text: ")]
#[case::speech_of_nothing("/api/v0/media/tts/speak/stream", r#"{"text": " "}"#, "body -> text: ")]
#[tokio::test]
async fn malformed_body_of_a_node_is_told_in_one_form(
    #[case] path: &str,
    #[case] body: &'static str,
    #[case] beginning: &str,
) {
    let served = Served::new([]).await;

    let request = served.post(path).header("Content-Type", "application/json").body(body);
    let (status, answer) = read(request.send().await.unwrap()).await;

    assert_eq!((status, &answer["error"]), (400, &json!("validation_error")), "{answer}");
    assert!(answer["message"].is_string(), "{answer}");
    let detail = answer["details"][0].as_str();
    assert!(detail.is_some_and(|detail| detail.starts_with(beginning)), "{answer}");
}

#[rstest]
#[case::of_nodes("/api/v0/conversation/start", "conversation_id")]
#[case::of_openai("/v1/chat/completions", "messages")]
#[tokio::test]
async fn deeply_nested_body_is_refused(#[case] path: &str, #[case] field: &str) {
    let served = Served::new([]).await;
    let body = format!("{{\"{field}\": {}{}}}", "[".repeat(100_000), "]".repeat(100_000));

    let request = served.post(path).header("Content-Type", "application/json").body(body);
    let (status, _) = read(request.send().await.unwrap()).await;

    assert_eq!(status, 400);
    is_well(&served).await;
}

#[tokio::test]
async fn huge_recording_is_refused() {
    let served = Served::new([]).await;
    let part = reqwest::multipart::Part::bytes(vec![0; 26 * 1024 * 1024]);

    let form = reqwest::multipart::Form::new().part("file", part);
    let sent = served.post("/v1/audio/transcriptions").multipart(form).send().await;

    // The door may close the connection before all of it was sent.
    assert!(sent.is_err() || sent.unwrap().status().as_u16() == 413);
    is_well(&served).await;
}

/// A conversation with a tool of the node, and the results of the call that it was asked for.
async fn asked(served: &Served) -> Value {
    let parameters = json!({ "type": "object", "properties": { "on": { "type": "boolean" } } });
    let function =
        json!({ "name": "set_lamp", "description": "Switch the lamp on or off", "parameters": parameters });
    let tools = json!([{ "type": "function", "function": function }]);
    served.ask("/api/v0/conversation/start", json!({ "conversation_id": "c", "client_tools": tools })).await;
    let command = json!({ "voice_command": "set the lamp of the kitchen on", "conversation_id": "c" });
    let (_, asked) = served.ask("/api/v0/voice/command", command).await;
    let id = &asked["tool_calls"][0]["id"];
    json!({ "conversation_id": "c", "tool_results": [{ "tool_call_id": id, "output": { "success": true } }] })
}

async fn go_on(served: &Served, results: &Value) -> (u16, Value) {
    served.ask("/api/v0/voice/command/continue", results.clone()).await
}

fn lamp() -> [Turn; 2] {
    [Turn::calls("set_lamp", json!({ "on": true })), Turn::says("The lamp is on.")]
}

#[tokio::test]
async fn results_that_are_sent_twice_count_once() {
    let served = Served::new(lamp()).await;
    let results = asked(&served).await;

    let (first, done) = go_on(&served, &results).await;
    let (second, refused) = go_on(&served, &results).await;

    assert_eq!((first, done["assistant_message"].as_str()), (200, Some("The lamp is on.")), "{done}");
    assert_eq!((second, refused["error"].as_str()), (400, Some("validation_error")), "{refused}");
    assert_eq!(served.model.asked().len(), 2);
}

#[tokio::test]
async fn results_that_are_sent_twice_at_once_count_once() {
    let served = Served::new(lamp()).await;
    let results = asked(&served).await;

    let (one, other) = tokio::join!(go_on(&served, &results), go_on(&served, &results));

    let mut statuses = [one.0, other.0];
    statuses.sort_unstable();
    assert!(matches!(statuses, [200, 400 | 409]), "{one:?} {other:?}");
    assert_eq!(served.model.asked().len(), 2);
}

#[tokio::test]
async fn results_of_a_conversation_that_began_anew_are_stale() {
    let served = Served::new(lamp()).await;
    let results = asked(&served).await;

    served.ask("/api/v0/conversation/start", json!({ "conversation_id": "c" })).await;
    let (status, refused) = go_on(&served, &results).await;

    assert_eq!(status, 400, "{refused}");
    assert_eq!(served.model.asked().len(), 1);
}

#[tokio::test]
async fn key_of_another_program_cannot_answer_a_call() {
    let mut served = Served::new(lamp()).await;
    let results = asked(&served).await;
    let own = served.key.clone();
    served.key = served.assistant.add_program("cellar", &[settings::Scope::Ask]).unwrap().0;
    served.is_known().await;

    let (of_another, _) = go_on(&served, &results).await;
    served.key = own;
    let (of_its_own, done) = go_on(&served, &results).await;

    assert_eq!((of_another, of_its_own), (422, 200), "{done}");
}
