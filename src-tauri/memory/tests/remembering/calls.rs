//! The log of tool calls.

use memory::{CallFilter, Forget, LoggedCall, MAX_CALLS, Memory, Undo};
use rstest::rstest;
use vocabulary::Private;

use crate::support::{DAY, Home, MINUTE, NOW};

fn call(at_micros: i64, tool: &str, arguments: &str) -> LoggedCall {
    LoggedCall {
        at_micros,
        tool: tool.into(),
        arguments: Private(arguments.into()),
        outcome: "done".into(),
        conversation: "main".into(),
        ..LoggedCall::default()
    }
}

async fn tools(memory: &Memory, filter: CallFilter) -> Vec<String> {
    let calls = memory.calls(filter, 100).await.unwrap();
    calls.into_iter().map(|call| call.tool).collect()
}

async fn all(memory: &Memory) -> Vec<String> {
    tools(memory, CallFilter::default()).await
}

#[rstest]
#[case::all(CallFilter::default(), &["c", "b", "a"])]
#[case::of_a_tool(CallFilter { tool: Some("a".into()), ..CallFilter::default() }, &["a"])]
#[case::of_an_outcome(CallFilter { outcome: Some("failed".into()), ..CallFilter::default() }, &["b"])]
#[case::before_another(CallFilter { before: Some(3), ..CallFilter::default() }, &["b", "a"])]
#[case::of_a_time(CallFilter { span: Some(NOW + 1..NOW + 2), ..CallFilter::default() }, &["b"])]
#[tokio::test]
async fn newest_calls_that_fit_are_listed_first(#[case] filter: CallFilter, #[case] expected: &[&str]) {
    let home = Home::new();
    home.memory.log_call(call(NOW, "a", "")).await.unwrap();
    home.memory.log_call(LoggedCall { outcome: "failed".into(), ..call(NOW + 1, "b", "") }).await.unwrap();
    home.memory.log_call(call(NOW + 2, "c", "")).await.unwrap();

    assert_eq!(tools(&home.memory, filter).await, expected);
}

#[tokio::test]
async fn only_the_newest_calls_are_kept() {
    let home = Home::new();
    home.memory.log_call(call(NOW, "oldest", "")).await.unwrap();
    let many = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1)
                INSERT INTO calls (at, tool, effect, arguments, decision, grounds, outcome, origin, conversation, took_ms)
                SELECT i, 'x', '', '', '', '', '', '', '', 0 FROM n";
    home.memory
        .store()
        .write(move |connection| connection.execute(many, [MAX_CALLS as i64 - 1]).map(|_| ()))
        .await
        .unwrap();
    let before = home.memory.calls(CallFilter::default(), 2 * MAX_CALLS).await.unwrap();

    home.memory.log_call(call(NOW, "newest", "")).await.unwrap();

    let after = home.memory.calls(CallFilter::default(), 2 * MAX_CALLS).await.unwrap();
    assert_eq!((before.len(), before.last().unwrap().tool.as_str()), (MAX_CALLS, "oldest"));
    assert_eq!((after.len(), after[0].tool.as_str()), (MAX_CALLS, "newest"));
    assert_eq!(after.last().unwrap().tool, "x");
}

#[rstest]
#[case::of_a_time(Forget::Span(NOW..NOW + MINUTE), &["later"])]
#[case::everything(Forget::Span(0..i64::MAX), &[])]
#[case::by_its_message(Forget::Items(vec!["message-1".parse().unwrap()]), &["later", "other"])]
#[case::by_the_answer(Forget::Items(vec!["message-2".parse().unwrap()]), &["later", "other"])]
#[case::by_the_words_of_its_arguments(Forget::Words(Private("the harbour".into())), &["later", "other"])]
#[case::by_the_conversation(Forget::Conversation("main".into()), &["other"])]
#[case::last_thing(Forget::LastThing, &["other", "call"])]
#[tokio::test]
async fn calls_are_forgotten_and_come_back_when_that_is_undone(
    #[case] forget: Forget,
    #[case] expected: &[&str],
) {
    let home = Home::new();
    home.say(NOW, "where is it?").await;
    // The time of a message is moved on while another one has it.
    home.memory.log_call(call(NOW - 1, "call", "place: the harbour")).await.unwrap();
    let other = LoggedCall { conversation: "other".into(), ..call(NOW + 1, "other", "") };
    home.memory.log_call(other).await.unwrap();
    home.answer(NOW + 2, "There.").await;
    home.say(NOW + DAY, "and the other one?").await;
    home.memory.log_call(call(NOW + DAY, "later", "")).await.unwrap();
    let before = all(&home.memory).await;

    let forgotten = home.memory.forget(forget, Undo::Possible, NOW + DAY + MINUTE).await.unwrap();
    let left = all(&home.memory).await;
    home.memory.undo(forgotten.undo, NOW + DAY + MINUTE).await.unwrap();

    assert_eq!(left, expected);
    assert_eq!(all(&home.memory).await, before);
}

#[tokio::test]
async fn withdrawn_message_takes_its_calls_along() {
    let home = Home::new();
    home.say(NOW, "set a timer").await;
    home.memory.log_call(call(NOW, "kept", "")).await.unwrap();
    home.say(NOW + MINUTE, "set a timer for the").await;
    home.memory.log_call(call(NOW + MINUTE, "gone", "")).await.unwrap();

    home.memory.withdraw_messages("main", NOW + MINUTE).await.unwrap();

    assert_eq!(all(&home.memory).await, ["kept"]);
}

#[tokio::test]
async fn backup_forgets_the_calls_of_a_forgotten_message() {
    let home = Home::new();
    home.say(NOW, "where is it?").await;
    home.memory.log_call(call(NOW, "gone", "place: the harbour")).await.unwrap();
    home.memory.log_call(LoggedCall { conversation: "other".into(), ..call(NOW, "kept", "") }).await.unwrap();
    let backup = home.memory.back_up(NOW + 1).await.unwrap();

    home.memory.forget(Forget::LastThing, Undo::Never, NOW + 2).await.unwrap();

    assert_eq!(all(&crate::support::open(&backup)).await, ["kept"]);
}
