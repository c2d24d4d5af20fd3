//! Many conversations at once.

use std::time::Duration;

use futures::future::join_all;
use serde_json::{Value, json};
use testkit::Turn;

use crate::served::Served;

/// Sends a command. A door that is busy says so, and is asked again.
async fn command(served: &Served, body: &Value) -> (u16, Value) {
    loop {
        match served.ask("/api/v0/voice/command", body.clone()).await {
            (429, _) => tokio::task::yield_now().await,
            answered => return answered,
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn two_hundred_conversations_at_once_are_all_answered() {
    const CONVERSATIONS: usize = 200;
    let settings = json!({ "programs": { "requests_per_minute": 6000, "unstarted": true } });
    let turns = (0..CONVERSATIONS).map(|_| Turn::says("It is a fine day."));
    let served = Served::with(turns, settings, []).await;

    let asking = (0..CONVERSATIONS).map(|number| {
        let body = json!({ "voice_command": "how are you", "conversation_id": format!("c{number}") });
        let served = &served;
        async move { command(served, &body).await }
    });
    let answers = join_all(asking).await;

    for (status, body) in answers {
        assert_eq!((status, body["assistant_message"].as_str()), (200, Some("It is a fine day.")), "{body}");
    }
}

/// The resident memory of this process, in kilobytes.
#[cfg(target_os = "linux")]
fn resident_kilobytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}

#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread")]
async fn conversation_keeps_few_kilobytes_until_it_expires() {
    const CONVERSATIONS: usize = 200;
    const WARM: usize = 4;
    const ROUNDS: usize = 16;
    let settings = json!({ "programs": { "requests_per_minute": 6000, "unstarted": true } });
    // A sum needs no model: a scripted one would keep each request.
    let served = Served::with([], settings, []).await;
    let round = async |number: usize| {
        let asking = (0..CONVERSATIONS).map(|at| {
            let id = format!("{number}-{at}");
            let body = json!({ "voice_command": "what is 17 times 23", "conversation_id": id });
            let served = &served;
            async move { command(served, &body).await }
        });
        for (status, body) in join_all(asking).await {
            assert_eq!((status, body["stop_reason"].as_str()), (200, Some("complete")), "{body}");
        }
    };

    // One that is not ended is kept for ten minutes; what is loaded on first use is not counted.
    for number in 0..WARM {
        round(number).await;
    }
    let before = resident_kilobytes();
    for number in WARM..ROUNDS {
        round(number).await;
    }
    let after = resident_kilobytes();

    let kept = after.saturating_sub(before) as f64 / (CONVERSATIONS * (ROUNDS - WARM)) as f64;
    assert!(kept < 8.0, "{kept:.2} kilobytes stay of each conversation: {before} and then {after}");
}

#[tokio::test(flavor = "multi_thread")]
async fn client_that_hangs_up_ends_its_reply() {
    let served = Served::new([Turn::hangs_after("It is"), Turn::says("Hello.")]).await;
    let body = |text: &str| json!({ "model": "jarvis", "messages": [{ "role": "user", "content": text }] });

    let asking = served.ask("/v1/chat/completions", body("tell me a story about a fox"));
    let model_is_asked = async {
        while served.model.asked().is_empty() {
            tokio::task::yield_now().await;
        }
    };
    let hung_up = tokio::select! {
        _ = asking => false,
        () = model_is_asked => true,
    };
    let (status, answer) = served.ask("/v1/chat/completions", body("how are you")).await;

    assert!(hung_up);
    assert_eq!(
        (status, answer["choices"][0]["message"]["content"].as_str()),
        (200, Some("Hello.")),
        "{answer}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn two_requests_for_one_conversation_do_not_mix() {
    let served = Served::new([Turn::hangs_after("It is")]).await;
    let start = json!({ "conversation_id": "c" });
    served.ask("/api/v0/conversation/start", start.clone()).await;
    let command = json!({ "voice_command": "tell me a story about a fox", "conversation_id": "c" });

    let first = served.ask("/api/v0/voice/command", command.clone());
    let second = async {
        while served.model.asked().is_empty() {
            tokio::task::yield_now().await;
        }
        served.ask("/api/v0/voice/command", command.clone()).await
    };
    let (status, body) = tokio::select! {
        _ = first => panic!("the model hangs"),
        refused = second => refused,
    };

    assert_eq!(status, 409, "{body}");
}

#[tokio::test(flavor = "multi_thread")]
async fn node_that_hangs_up_leaves_its_conversation_free() {
    let settings = json!({ "programs": { "requests_per_minute": 6000 } });
    let turns = [Turn::hangs_after("It is"), Turn::says("Hello again.")];
    let served = Served::with(turns, settings, []).await;
    served.ask("/api/v0/conversation/start", json!({ "conversation_id": "c" })).await;
    let command = json!({ "voice_command": "tell me a story about a fox", "conversation_id": "c" });

    tokio::select! {
        _ = served.ask("/api/v0/voice/command", command.clone()) => panic!("the model hangs"),
        () = async { while served.model.asked().is_empty() { tokio::task::yield_now().await } } => {}
    }
    let asked_again = async {
        loop {
            // The door notices a moment later that the node is gone.
            let (status, body) = served.ask("/api/v0/voice/command", command.clone()).await;
            if status != 409 {
                return (status, body);
            }
        }
    };
    let (status, body) = tokio::time::timeout(Duration::from_secs(20), asked_again).await.unwrap();

    assert_eq!((status, body["assistant_message"].as_str()), (200, Some("Hello again.")), "{body}");
}
