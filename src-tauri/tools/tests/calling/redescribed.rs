//! Tools that their server describes otherwise than before: they ask again, and the new words wait for the user.

use rstest::rstest;
use serde_json::json;
use settings::SelectionStrategy;
use testkit::ScriptedApproval;
use tools::selection::ToolIndex;
use tools::servers::{Pin, PinStore, fingerprint};
use tools::{ApprovalAnswer, CallStatus, Declaration, Permission, Taint};

use crate::server_bench::{ServerBench, installed, scripted};
use crate::support::context;

/// A word of the order in the new description, and in the new schema, of the scripted server.
const NEW_WORD: &str = "diary";

fn declared(bench: &ServerBench, tool: &str) -> Declaration {
    bench.registry.catalogue().get(tool).unwrap().declaration().clone()
}

fn permission(bench: &ServerBench, tool: &str) -> Permission {
    let tool = declared(bench, tool);
    bench.permissions.of(&tool, tool.effect, Taint::Clean)
}

/// Everything that models, other programs and nodes read of the tools.
fn told(bench: &ServerBench) -> String {
    let catalogue = bench.registry.catalogue();
    let offered: Vec<&Declaration> = catalogue.declarations().collect();
    format!("{offered:?} {:?}", bench.runner().callable())
}

/// Returns `true` if the new word finds the tool.
fn is_found(bench: &ServerBench) -> bool {
    let index = ToolIndex::new(bench.registry.clone(), bench.permissions.clone());
    let selection = index.select(SelectionStrategy::Hybrid, NEW_WORD, None);
    selection.names.iter().any(|name| name == "scripted__echo")
}

/// The scripted server after it has changed the description of `echo` this often.
async fn changed(times: usize) -> ServerBench {
    let bench = ServerBench::with(&[("scripted", scripted(&["plain"]))]).await;
    for _ in 0..times {
        bench.call("scripted__change", json!({})).await;
        bench.servers.refresh().await;
    }
    bench
}

async fn echo(bench: &ServerBench, answer: ApprovalAnswer) -> (CallStatus, String) {
    let (mut user, context) = (ScriptedApproval::new([answer]), context());
    let arguments = json!({ "message": "hello" });
    let status = bench.outcome_with("scripted__echo", arguments, &context, &mut user).await.status;
    (status, user.asked.first().map(|asked| asked.sentence.0.clone()).unwrap_or_default())
}

#[tokio::test(flavor = "multi_thread")]
async fn changed_description_asks_again_whatever_was_allowed() {
    let bench = ServerBench::with(&[("everything", installed("server-everything", &[]))]).await;
    assert_eq!(permission(&bench, "everything__echo"), Permission::Allow);

    let before = Pin::from("another description".to_owned());
    bench.pins.pin(vec![("everything__echo".into(), before)]);
    let statuses = bench.configure(&[("everything", installed("server-everything", &[]))]).await;

    assert_eq!(statuses[0].changed_tools, ["everything__echo"]);
    assert_eq!(permission(&bench, "everything__echo"), Permission::Ask { can_remember: true });
    // An earlier version kept no words.
    assert_eq!(declared(&bench, "everything__echo").description, "Echo (tool of the server everything)");
    bench.end().await;
}

/// On one thread nothing runs between the agreement and the end.
#[tokio::test]
async fn agreement_just_before_the_end_is_remembered() {
    let bench = changed(1).await;
    let (pins, described) =
        (bench.pins.clone(), bench.permissions.new_description("scripted__echo").unwrap());

    bench.permissions.agree(&described);
    bench.end().await;

    let pinned = pins.pinned("scripted__echo").map(|pin| pin.fingerprint);
    assert_eq!(pinned, Some(fingerprint(&described)));
}

#[tokio::test(flavor = "multi_thread")]
async fn change_during_a_session_is_noticed_without_being_asked_for() {
    let bench = ServerBench::with(&[("scripted", scripted(&["plain"]))]).await;
    assert_eq!(permission(&bench, "scripted__echo"), Permission::Allow);

    bench.call("scripted__change", json!({})).await;
    bench.reaches_that(|server| server.changed_tools == ["scripted__echo"]).await;

    assert_eq!(permission(&bench, "scripted__echo"), Permission::Ask { can_remember: true });
    bench.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn new_words_are_told_only_after_the_user_agreed() {
    let bench = changed(1).await;

    assert!(!told(&bench).contains(NEW_WORD) && !is_found(&bench), "{}", told(&bench));
    let held = declared(&bench, "scripted__echo");
    let expected = json!({ "type": "object", "properties": { "message": { "type": "string" }, "tone": { "type": "string" } } });
    assert_eq!((held.description.as_str(), held.parameters), ("Says the same.", expected));
    let new = bench.permissions.new_description("scripted__echo").unwrap();
    assert!(new.description.contains(NEW_WORD), "the user reads it");

    let (status, question) = echo(&bench, ApprovalAnswer::Always).await;
    bench.reaches_that(|server| server.changed_tools.is_empty()).await;
    bench.servers.refresh().await;

    assert_eq!(status, CallStatus::Done);
    assert!(question.ends_with("Its server describes the tool differently now."), "{question}");
    assert!(told(&bench).contains(NEW_WORD) && is_found(&bench), "{}", told(&bench));
    assert_eq!(declared(&bench, "scripted__echo"), new);
    assert_eq!(permission(&bench, "scripted__echo"), Permission::Allow);
    let pinned = bench.pins.pinned("scripted__echo").map(|pin| pin.fingerprint);
    assert_eq!(pinned, Some(fingerprint(&new)));
    bench.end().await;
}

#[rstest]
#[case::refused(ApprovalAnswer::No, CallStatus::Declined)]
#[case::not_answered(ApprovalAnswer::Unanswered, CallStatus::Unanswered)]
#[case::this_call_alone(ApprovalAnswer::Once, CallStatus::Done)]
#[tokio::test(flavor = "multi_thread")]
async fn answer_that_agrees_to_nothing_keeps_the_words_before(
    #[case] answer: ApprovalAnswer,
    #[case] expected: CallStatus,
) {
    let bench = changed(1).await;

    let (status, _) = echo(&bench, answer).await;
    let statuses = bench.servers.refresh().await;

    assert_eq!(status, expected);
    assert!(!told(&bench).contains(NEW_WORD) && !is_found(&bench), "{}", told(&bench));
    assert_eq!(statuses[0].changed_tools, ["scripted__echo"]);
    assert_eq!(permission(&bench, "scripted__echo"), Permission::Ask { can_remember: true });
    bench.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn further_change_waits_for_another_answer() {
    let bench = changed(1).await;
    let first = bench.permissions.new_description("scripted__echo").unwrap();
    bench.call("scripted__change", json!({})).await;
    bench.servers.refresh().await;

    // The user answers a question about the first change.
    bench.permissions.agree(&first);
    let statuses = bench.servers.refresh().await;

    assert_eq!(statuses[0].changed_tools, ["scripted__echo"]);
    assert!(!told(&bench).contains("version 2"), "{}", told(&bench));
    bench.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn tool_that_is_seen_first_is_told_as_its_server_describes_it() {
    let bench = ServerBench::with(&[("scripted", scripted(&["changed"]))]).await;

    assert!(told(&bench).contains(NEW_WORD) && is_found(&bench), "{}", told(&bench));
    assert_eq!(permission(&bench, "scripted__echo"), Permission::Allow);
    bench.end().await;
}
