//! Requests that are malformed, too large or for no route.

use rstest::rstest;

use super::fixture::Fixture;
use crate::server::MAX_REQUEST_BYTES;

#[rstest]
#[case::no_id("conversation/start", "{}", 400)]
#[case::blank_id("conversation/start", r#"{"conversation_id": " "}"#, 400)]
#[case::tool_without_a_name(
    "conversation/start",
    r#"{"conversation_id": "c", "client_tools": [{"function": {}}]}"#,
    400
)]
#[case::context_that_is_a_text("conversation/start", r#"{"conversation_id": "c", "node_context": "x"}"#, 400)]
#[case::unknown_zone(
    "conversation/start",
    r#"{"conversation_id": "c", "node_context": {"timezone": "Mars/Base"}}"#,
    200
)]
#[case::no_command("voice/command", r#"{"conversation_id": "c"}"#, 400)]
#[case::number_as_command("voice/command", r#"{"conversation_id": "c", "voice_command": 5}"#, 400)]
#[case::no_json("voice/command", "hello", 400)]
#[case::empty("voice/command", "", 400)]
#[case::list("voice/command", "[]", 400)]
#[case::unstarted("voice/command", r#"{"conversation_id": "d", "voice_command": "hi"}"#, 422)]
#[case::unstarted_continue("voice/command/continue", r#"{"conversation_id": "d", "tool_results": []}"#, 422)]
#[case::nothing_open("voice/command/continue", r#"{"conversation_id": "c", "tool_results": []}"#, 400)]
#[case::no_open_question(
    "voice/command/continue",
    r#"{"conversation_id": "c", "validation_response": "x"}"#,
    400
)]
#[case::stream("voice/command/stream", r#"{"conversation_id": "c", "voice_command": "hi"}"#, 202)]
#[case::stream_of_results(
    "voice/command/continue/stream",
    r#"{"conversation_id": "c", "tool_results": []}"#,
    400
)]
#[case::unstarted_stream_of_results(
    "voice/command/continue/stream",
    r#"{"conversation_id": "d", "tool_results": []}"#,
    400
)]
#[case::acknowledge("voice/acknowledge", r#"{"voice_command": "hi"}"#, 200)]
#[case::woken("wake-response", "", 200)]
#[case::unknown_route("voice/sing", "{}", 404)]
#[case::get_route("ping", "{}", 405)]
#[tokio::test]
async fn request_has_this_status(#[case] path: &str, #[case] body: &str, #[case] status: u16) {
    let fixture = Fixture::new([]);
    fixture.start().await;

    assert_eq!(fixture.post_as("kitchen", path, body).await.0, status);
}

#[rstest]
#[case::english("How is the weather tomorrow?", "en")]
#[case::german("Wie wird das Wetter morgen in Berlin?", "de")]
#[case::unknown("hi", "en")]
#[tokio::test]
async fn command_is_acknowledged_in_its_language(#[case] command: &str, #[case] language: &str) {
    let fixture = Fixture::new([]);
    let body = serde_json::json!({ "voice_command": command }).to_string();

    let (_, answer) = fixture.post_as("kitchen", "voice/acknowledge", &body).await;

    let language = vocabulary::Language::new(language).unwrap();
    let messages = languages::messages::Messages::for_language(Some(&language));
    assert_eq!(answer["text"], messages.reply_one_moment(), "{answer}");
}

#[tokio::test]
async fn large_body_and_unknown_node_are_refused() {
    let fixture = Fixture::new([]);
    let large = " ".repeat(MAX_REQUEST_BYTES + 1);

    assert_eq!(fixture.post_as("kitchen", "voice/command", &large).await.0, 413);
    assert_eq!(fixture.post_as("attic", "voice/command", &large).await.0, 401);
}
