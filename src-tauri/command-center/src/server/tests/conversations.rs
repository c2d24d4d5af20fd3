//! The life of conversations between requests: whose they are, when they are busy, when they end.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use rstest::rstest;
use serde_json::{Map, json};
use tokio::sync::Notify;

use super::fixture::{Fixture, ScriptedEngine, asks, call, calls, says};
use crate::ids::NodeConversationId;
use crate::model_call::ModelCall;
use crate::server::{Decision, HistoryEntry, ServerSettings};

#[tokio::test]
async fn conversation_lives_ten_minutes_from_its_last_use() {
    let fixture = Fixture::new([]);
    fixture.start().await;
    let mut statuses = Vec::new();
    for seconds in [599, 599, 600] {
        *fixture.now.lock() += Duration::from_secs(seconds);
        statuses.push(fixture.say("hi").await.0);
    }
    let body = json!({"voice_command": "hi", "conversation_id": "c"});
    statuses.push(fixture.post("voice/command/stream", body).await.0);

    assert_eq!(statuses, [200, 200, 422, 400]);
}

#[tokio::test]
async fn clients_do_not_share_conversations() {
    let fixture = Fixture::new([]);
    fixture.start().await;
    let body = json!({"voice_command": "hi", "conversation_id": "c"}).to_string();

    let other = fixture.post_as("cellar", "voice/command", &body).await.0;
    let ended = fixture.post_as("cellar", "conversation/end", &body).await;
    let own = fixture.say("hi").await.0;
    fixture.server.set_clients(Vec::new());
    let revoked = fixture.say("hi").await.0;

    assert_eq!((other, own, revoked), (422, 200, 401));
    assert_eq!(ended, (200, json!({"status": "ok", "conversation_id": "c"})));
}

#[tokio::test]
async fn second_request_of_a_busy_conversation_is_refused() {
    let gate = Arc::new(Notify::new());
    let engine = ScriptedEngine { gate: Some(Arc::clone(&gate)), ..ScriptedEngine::default() };
    let fixture = Fixture::with(engine, ServerSettings::default());
    fixture.start().await;

    let (first, second) = tokio::join!(biased; fixture.say("one"), async {
        let second = fixture.say("two").await;
        gate.notify_one();
        second
    });
    gate.notify_one();
    let third = fixture.say("three").await;

    assert_eq!([first.0, second.0, third.0], [200, 409, 200]);
}

#[tokio::test]
async fn late_request_does_not_change_a_conversation_that_began_after_it() {
    let gate = Arc::new(Notify::new());
    let engine = ScriptedEngine { gate: Some(Arc::clone(&gate)), ..ScriptedEngine::default() };
    let fixture = Fixture::with(engine, ServerSettings::default());
    fixture.start().await;

    let (late, ()) = tokio::join!(biased; fixture.say("of the old conversation"), async {
        fixture.post("conversation/end", json!({ "conversation_id": "c" })).await;
        fixture.start().await;
        gate.notify_one();
    });
    let answered = async {
        gate.notify_one();
        fixture.say("of the new one").await
    };
    let history = (
        answered.await.0,
        fixture
            .server
            .store
            .lease("kitchen", &NodeConversationId("c".to_owned()), fixture.began)
            .map(|it| it.history.len()),
    );

    assert_eq!((late.0, history), (200, (200, Ok(2))));
}

#[tokio::test]
async fn abandoned_request_gives_its_conversation_back() {
    let gate = Arc::new(Notify::new());
    let engine = ScriptedEngine { gate: Some(Arc::clone(&gate)), ..ScriptedEngine::default() };
    let fixture = Fixture::with(engine, ServerSettings::default());
    fixture.start().await;

    tokio::select! {
        biased;
        _ = fixture.say("one") => panic!("the gate is closed"),
        () = std::future::ready(()) => {}
    }
    gate.notify_one();

    assert_eq!(fixture.say("two").await.0, 200);
}

/// The utterances in the history of the conversation.
fn utterances(fixture: &Fixture) -> Vec<String> {
    let lease = fixture.server.store.lease("kitchen", &NodeConversationId("c".to_owned()), fixture.began);
    let history = lease.map(|conversation| conversation.history.clone()).unwrap();
    let words = history.into_iter().filter_map(|entry| match entry {
        HistoryEntry::User(words) => Some(words),
        _ => None,
    });
    words.collect()
}

#[tokio::test]
async fn oldest_exchanges_leave_a_long_conversation() {
    let fixture = Fixture::new([]);
    fixture.start().await;
    for number in 0..60 {
        fixture.say(&format!("question {number}")).await;
    }

    let kept = utterances(&fixture);

    assert_eq!((kept.len(), kept[0].as_str(), kept[40].as_str()), (41, "question 19", "question 59"));
}

#[tokio::test]
async fn oldest_exchanges_leave_a_large_conversation() {
    let large = || Decision::text("x".repeat(600 * 1024));
    let fixture = Fixture::new([large(), large(), large()]);
    fixture.start().await;
    for number in 0..3 {
        fixture.say(&format!("question {number}")).await;
    }

    let kept = utterances(&fixture);

    assert_eq!(kept, ["question 1", "question 2"]);
}

/// Begins 200 conversations with an utterance each; every second one waits for the result of a call.
async fn two_hundred_conversations() -> Fixture {
    let call = || ModelCall { id: String::new(), name: "weather".to_owned(), arguments: Map::new() };
    let decisions = (0..200).map(|number| match number % 2 {
        0 => Decision::text("ok"),
        _ => Decision::Calls { message: None, calls: vec![call()] },
    });
    let fixture = Fixture::new(decisions);
    let tool =
        json!({"type": "function", "function": {"name": "weather", "description": "", "parameters": {}}});
    for number in 0..200 {
        let id = format!("c{number}");
        fixture.post("conversation/start", json!({"conversation_id": id, "client_tools": [tool]})).await;
        fixture.post("voice/command", json!({"conversation_id": id, "voice_command": "will it rain"})).await;
    }
    assert_eq!(fixture.server.store.len(), 200);
    fixture
}

#[tokio::test]
async fn conversations_that_end_leave_nothing() {
    let fixture = two_hundred_conversations().await;

    fixture.server.engine.given_up.lock().clear();
    for number in 0..200 {
        fixture.post("conversation/end", json!({"conversation_id": format!("c{number}")})).await;
    }

    assert_eq!((fixture.server.store.len(), fixture.server.store.capacity()), (0, 0));
    assert_eq!(fixture.server.running.load(Ordering::Relaxed), 0);
    assert_eq!(fixture.server.engine.given_up.lock().len(), 200);
}

#[rstest]
#[case::just_before_they_expire(599, 200)]
#[case::expired(600, 0)]
#[tokio::test]
async fn conversations_that_expire_leave_nothing(#[case] seconds: u64, #[case] left: usize) {
    let fixture = two_hundred_conversations().await;

    fixture.server.forget_expired(fixture.began + Duration::from_secs(seconds));

    assert_eq!(fixture.server.store.len(), left);
    assert_eq!(fixture.server.store.capacity() > 0, left > 0);
}

#[tokio::test]
async fn answer_of_a_stream_is_given_again_without_one_until_the_next_utterance() {
    let fixture = Fixture::new([calls([call("1", "weather", json!({"city": "Oslo"}))]), says("Rain.")]);
    fixture.start().await;
    fixture.say("will it rain").await;
    let results = json!([{"tool_call_id": "1", "output": {"success": true}}]);

    let body = json!({"conversation_id": "c", "tool_results": results});
    let (streamed, first) = fixture.post("voice/command/continue/stream", body).await;
    let (again, second) = fixture.go_on(results.clone()).await;
    fixture.say("thank you").await;
    let (stale, _) = fixture.go_on(results).await;

    assert_eq!((streamed, again, stale), (202, 200, 400));
    assert_eq!((&first, first["assistant_message"].as_str()), (&second, Some("Rain.")));
    assert_eq!(fixture.seen().len(), 3);
}

#[tokio::test]
async fn same_words_answer_the_next_question_too() {
    let fixture = Fixture::new([asks(), asks(), says("Sent.")]);
    fixture.start().await;
    fixture.say("send it").await;
    let yes = json!({"conversation_id": "c", "validation_response": "yes"});

    fixture.post("voice/command/continue/stream", yes.clone()).await;
    let (_, sent) = fixture.post("voice/command/continue/stream", yes).await;

    assert_eq!(sent["assistant_message"], "Sent.");
}
