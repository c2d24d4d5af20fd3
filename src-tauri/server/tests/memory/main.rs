//! The memory that conversations leave. A program of its own: its allocator counts.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should say where")]

#[path = "../contract/served.rs"]
#[expect(dead_code, reason = "the tests of the contract use more of it")]
mod served;
mod counting;

use std::time::{Duration, Instant};

use rstest::rstest;
use serde_json::{Value, json};
use testkit::Turn;

use counting::allocated_bytes;
use served::Served;

const CONVERSATIONS: usize = 200;

/// Bytes that may stay of all conversations together: buffers of connections and of the runtime grow with their use. One
/// pending reply takes more.
const TOLERANCE: usize = 64 * 1024;

/// The end of the conversations of a round.
#[derive(Debug, Clone, Copy, PartialEq)]
enum End {
    /// The node says so.
    Told,
    /// Nobody comes back.
    Expired,
}

/// Begins the conversations, leaves a call of the node pending in each, and ends them.
async fn round(served: &Served, number: usize, end: End) {
    let parameters = json!({ "type": "object", "properties": { "on": { "type": "boolean" } } });
    let lamp = json!({ "type": "function", "function": {
        "name": "set_lamp", "description": "Switch the lamp of the kitchen on or off", "parameters": parameters,
    }});
    for at in 0..CONVERSATIONS {
        let id = format!("{number}-{at}");
        served
            .ask("/api/v0/conversation/start", json!({ "conversation_id": id, "client_tools": [lamp] }))
            .await;
        let command = json!({ "conversation_id": id, "voice_command": "set the lamp of the kitchen on" });
        let (_, asked): (u16, Value) = served.ask("/api/v0/voice/command", command).await;
        assert_eq!(asked["stop_reason"], "tool_calls", "{asked}");
    }
    match end {
        End::Told => {
            for at in 0..CONVERSATIONS {
                let body = json!({ "conversation_id": format!("{number}-{at}") });
                assert_eq!(served.ask("/api/v0/conversation/end", body).await.0, 200);
            }
        }
        End::Expired => {
            tokio::time::pause();
            for _ in 0..12 {
                tokio::time::advance(Duration::from_secs(60)).await;
            }
            tokio::time::resume();
        }
    }
    served.model.forget();
}

#[rstest]
#[case::ended(End::Told)]
#[case::expired(End::Expired)]
#[tokio::test]
async fn two_hundred_conversations_leave_nothing_in_memory(#[case] end: End) {
    const WARM: usize = 2;
    let settings = json!({ "programs": { "requests_per_minute": 6000 }, "replying": { "fast_path": false },
        "memory": { "diary": false } });
    let turns = (0..CONVERSATIONS * (WARM + 1)).map(|_| Turn::calls("set_lamp", json!({ "on": true })));
    let served = Served::with(turns, settings, []).await;

    // What is loaded on first use, and buffers that grow with their use, are not counted.
    for number in 0..WARM {
        round(&served, number, end).await;
    }
    let before = allocated_bytes();
    round(&served, WARM, end).await;

    let patience = Instant::now() + Duration::from_secs(10);
    while allocated_bytes() > before + TOLERANCE {
        // Replies end in tasks of their own.
        tokio::task::yield_now().await;
        let kept = allocated_bytes().saturating_sub(before);
        assert!(Instant::now() < patience, "{kept} bytes stay of {CONVERSATIONS} conversations");
    }
}
