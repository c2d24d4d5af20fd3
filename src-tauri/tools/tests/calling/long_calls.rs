//! Calls of servers of tools that take long, report how far they are, and take their questions back.

use std::time::Duration;

use rstest::rstest;
use serde_json::json;
use settings::ServerSettings;
use testkit::ScriptedApproval;
use tools::servers::{CallLimits, ServerPhase};

use crate::server_bench::{ServerBench, said, scripted};
use crate::support::context;

/// Short enough for a test: the scripted server reports ten times a second, and is done after 1.2 seconds.
const SHORT: CallLimits =
    CallLimits { silence: Duration::from_millis(800), longest: Duration::from_millis(2500) };

fn with_key() -> ServerSettings {
    let mut server = scripted(&["plain"]);
    server.env.insert("API_KEY".into(), "s3cret".into());
    server
}

async fn fixture(limits: CallLimits) -> ServerBench {
    let fixture = ServerBench::with_limits(limits);
    fixture.configure(&[("scripted", with_key())]).await;
    fixture
}

#[rstest]
#[case::that_reports("progress", true, "done at last")]
#[case::that_is_silent("hang", false, "the server did not answer within")]
#[case::that_reports_without_end("progress_without_end", false, "the server did not answer within")]
#[tokio::test(flavor = "multi_thread")]
async fn progress_keeps_a_call_alive_within_the_hard_limit(
    #[case] tool: &str,
    #[case] success: bool,
    #[case] expected: &str,
) {
    let fixture = fixture(SHORT).await;

    let result = fixture.call(&format!("scripted__{tool}"), json!({})).await;

    let text = result.text.unwrap();
    assert!(result.success == success && text.contains(expected), "{}", text.0);
    assert_eq!(fixture.told("scripted__echo", json!({ "message": "still here" })).await, "still here");
    fixture.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn progress_reaches_the_user_a_few_times_a_second_without_secrets() {
    let fixture = fixture(SHORT).await;
    let mut user = ScriptedApproval::default();

    fixture.outcome_with("scripted__progress", json!({}), &context(), &mut user).await;

    assert_eq!(user.reported[0], "scripted: step with [hidden] (1 / 12)");
    assert!((2..=5).contains(&user.reported.len()), "{:?}", user.reported);
    fixture.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn question_that_a_server_takes_back_is_asked_no_longer() {
    let fixture = fixture(CallLimits::default()).await;
    let mut user = ScriptedApproval::default();
    user.is_away = true;

    let outcome = fixture.outcome_with("scripted__takes_back", json!({}), &context(), &mut user).await;

    assert_eq!(said(&outcome.result), "never mind");
    assert_eq!(user.inquired.len(), 1);
    assert_eq!(fixture.servers.statuses()[0].phase, ServerPhase::Running);
    fixture.end().await;
}
