//! Every way in which a call ends.

use std::sync::Arc;
use std::time::Duration;

use rstest::rstest;
use serde_json::json;
use testkit::{ScriptedApproval, ScriptedTool, ToolRun};
use tools::{ApprovalAnswer, CallStatus, Effect, Permission, Taint, Tool, ToolResult};

use crate::support::{call, config, context, setup, setup_with};

fn tool(name: &str, effect: Effect) -> Arc<ScriptedTool> {
    let parameters = json!({"type": "object", "properties": {"count": {"type": "integer"}}});
    Arc::new(ScriptedTool::new(name, effect, parameters))
}

#[tokio::test]
async fn tool_gets_repaired_arguments_and_its_result_comes_back() {
    let tool = tool("count", Effect::ReadOnly);
    let setup = setup(&[&tool]);
    let mut user = ScriptedApproval::default();

    let outcome =
        setup.runner.run(&call("count", json!({"count": "3"})), Taint::Clean, &context(), &mut user).await;

    assert_eq!(outcome.status, CallStatus::Done);
    assert_eq!(outcome.result, ToolResult::done("done"));
    assert_eq!(tool.calls(), [json!({"count": 3}).as_object().unwrap().clone()]);
    assert!(user.asked.is_empty());
}

#[tokio::test]
async fn unknown_tool_is_answered_with_the_name_that_was_meant() {
    let setup = setup(&[&tool("getWeather", Effect::Network)]);

    let mut user = ScriptedApproval::default();
    let outcome =
        setup.runner.run(&call("get_weather", json!({})), Taint::Clean, &context(), &mut user).await;

    assert_eq!(outcome.status, CallStatus::UnknownTool);
    let text = outcome.result.text.unwrap().0;
    assert_eq!(text, "There is no tool named get_weather. Its name is getWeather.");
}

#[tokio::test]
async fn arguments_that_do_not_fit_never_reach_the_tool() {
    let tool = tool("count", Effect::ReadOnly);
    let setup = setup(&[&tool]);

    let mut user = ScriptedApproval::default();
    let outcome =
        setup.runner.run(&call("count", json!({"count": "many"})), Taint::Clean, &context(), &mut user).await;

    assert_eq!(outcome.status, CallStatus::InvalidArguments);
    assert!(tool.calls().is_empty());
    insta::assert_snapshot!(outcome.result.text.unwrap().0, @r#"count was not called: the arguments do not fit: count: it is not of type "integer". Expected: count: integer."#);
}

#[tokio::test]
async fn misspelt_key_does_not_delete() {
    let tool = tool("deleteAll", Effect::Destructive);
    let setup = setup(&[&tool]);

    let mut user = ScriptedApproval::new([ApprovalAnswer::Once]);
    let call = call("deleteAll", json!({"dryrun": true}));
    let outcome = setup.runner.run(&call, Taint::Clean, &context(), &mut user).await;

    assert_eq!(outcome.status, CallStatus::InvalidArguments);
    assert!(tool.calls().is_empty() && user.asked.is_empty());
}

#[rstest]
#[case::reads(Effect::ReadOnly, false, Taint::Clean, Permission::Allow)]
#[case::network(Effect::Network, true, Taint::Clean, Permission::Allow)]
#[case::writes(Effect::Writes, false, Taint::Clean, Permission::Allow)]
#[case::server_writes(Effect::Writes, true, Taint::Clean, Permission::Ask { can_remember: true })]
#[case::deletes(Effect::Destructive, false, Taint::Clean, Permission::Ask { can_remember: true })]
#[case::executes(Effect::Executes, false, Taint::Clean, Permission::Ask { can_remember: true })]
#[case::reads_after_untrusted(Effect::Network, true, Taint::AfterUntrusted, Permission::Allow)]
#[case::reads_unsure(Effect::ReadOnly, false, Taint::Unsure, Permission::Allow)]
#[case::writes_unsure(Effect::Writes, false, Taint::Unsure, Permission::Ask { can_remember: true })]
#[case::writes_after_untrusted(Effect::Writes, false, Taint::AfterUntrusted, Permission::Ask { can_remember: false })]
fn effect_decides_where_nothing_is_set(
    #[case] effect: Effect,
    #[case] of_server: bool,
    #[case] taint: Taint,
    #[case] expected: Permission,
) {
    let tool = ScriptedTool::new("x", effect, json!({}));
    let tool = if of_server { tool.of_server("files") } else { tool };

    assert_eq!(setup(&[]).permissions.of(tool.declaration(), effect, taint), expected);
}

const ASK: Permission = Permission::Ask { can_remember: true };

#[rstest]
#[case::tool_allowed(&["files__x"], &[], &[], Permission::Allow)]
#[case::server_allowed(&["files"], &[], &[], Permission::Allow)]
#[case::tool_outweighs_its_server(&["files__x"], &["files"], &[], Permission::Allow)]
#[case::asked_outweighs_allowed(&["files__x"], &["files__x"], &[], ASK)]
#[case::deny_wins(&["files__x"], &["files__x"], &["files__x"], Permission::Deny)]
#[case::denied_server_wins(&["files__x"], &[], &["files"], Permission::Deny)]
#[case::another_tool(&["files__y"], &[], &["mail"], ASK)]
fn settings_decide_before_the_effect(
    #[case] allowed: &[&str],
    #[case] asked: &[&str],
    #[case] denied: &[&str],
    #[case] expected: Permission,
) {
    let names = |list: &[&str]| list.iter().map(|name| (*name).to_owned()).collect();
    let setup = setup_with(&[], |settings| {
        settings.tools.allowed = names(allowed);
        settings.tools.asked = names(asked);
        settings.tools.denied = names(denied);
    });
    let tool = ScriptedTool::new("files__x", Effect::Destructive, json!({})).of_server("files");

    assert_eq!(setup.permissions.of(tool.declaration(), Effect::Destructive, Taint::Clean), expected);
}

#[rstest]
#[case::once(ApprovalAnswer::Once, CallStatus::Done, 1)]
#[case::always(ApprovalAnswer::Always, CallStatus::Done, 1)]
#[case::no(ApprovalAnswer::No, CallStatus::Declined, 0)]
#[case::no_answer(ApprovalAnswer::Unanswered, CallStatus::Unanswered, 0)]
#[tokio::test]
async fn user_decides_whether_a_serious_call_runs(
    #[case] answer: ApprovalAnswer,
    #[case] status: CallStatus,
    #[case] calls: usize,
) {
    let tool = tool("deleteMeal", Effect::Destructive);
    let setup = setup(&[&tool]);
    let mut user = ScriptedApproval::new([answer]);

    let outcome =
        setup.runner.run(&call("deleteMeal", json!({"count": 1})), Taint::Clean, &context(), &mut user).await;

    assert_eq!((outcome.status, tool.calls().len()), (status, calls));
    assert_eq!(*user.asked[0].sentence, "Jarvis wants to delete a meal: 1.");
}

#[tokio::test]
async fn always_is_stored_and_not_asked_again() {
    let tool = tool("deleteMeal", Effect::Destructive);
    let setup = setup_with(&[&tool], |settings| settings.tools.asked = vec!["deleteMeal".into()]);
    let mut user = ScriptedApproval::new([ApprovalAnswer::Always]);

    for _ in 0..2 {
        setup.runner.run(&call("deleteMeal", json!({})), Taint::Clean, &context(), &mut user).await;
    }

    assert_eq!((user.asked.len(), tool.calls().len()), (1, 2));
    assert_eq!(setup.remembered.allowed(), ["deleteMeal"]);
}

#[tokio::test]
async fn always_after_untrusted_content_counts_once() {
    let tool = tool("writeNote", Effect::Writes);
    let setup = setup(&[&tool]);
    let mut user = ScriptedApproval::new([ApprovalAnswer::Always]);

    for _ in 0..2 {
        setup.runner.run(&call("writeNote", json!({})), Taint::AfterUntrusted, &context(), &mut user).await;
    }

    assert_eq!((user.asked.len(), tool.calls().len()), (2, 1));
    assert!(setup.remembered.allowed().is_empty());
}

#[tokio::test]
async fn changed_settings_count_for_the_next_call() {
    let tool = tool("count", Effect::ReadOnly);
    let setup = setup(&[&tool]);
    let mut user = ScriptedApproval::default();

    setup.permissions.update(config(|settings| settings.tools.denied = vec!["count".into()]));
    let outcome = setup.runner.run(&call("count", json!({})), Taint::Clean, &context(), &mut user).await;

    assert_eq!((outcome.status, tool.calls().len()), (CallStatus::Denied, 0));
}

#[tokio::test(start_paused = true)]
async fn hanging_tool_ends_at_its_time_limit() {
    let tool = Arc::new(ScriptedTool::reading("slow").runs([ToolRun::Hangs]));
    let setup = setup(&[&tool]);

    let mut user = ScriptedApproval::default();
    let outcome = setup.runner.run(&call("slow", json!({})), Taint::Clean, &context(), &mut user).await;

    assert_eq!((outcome.status, outcome.elapsed), (CallStatus::TimedOut, Duration::from_secs(5)));
    assert_eq!(outcome.result.text.unwrap().0, "slow did not answer within 5 seconds.");
}

#[tokio::test]
async fn stopped_reply_ends_the_call() {
    let tool = Arc::new(ScriptedTool::reading("slow").runs([ToolRun::Hangs]));
    let setup = setup(&[&tool]);
    let context = context();

    let mut user = ScriptedApproval::default();
    let call = call("slow", json!({}));
    let running = setup.runner.run(&call, Taint::Clean, &context, &mut user);
    let (outcome, ()) = tokio::join!(running, async { context.stop.cancel() });

    assert_eq!(outcome.status, CallStatus::Stopped);
}

#[tokio::test]
async fn panic_in_a_tool_is_caught() {
    let tool = Arc::new(ScriptedTool::reading("broken").runs([ToolRun::Panics]));
    let setup = setup(&[&tool]);
    let mut user = ScriptedApproval::default();

    let outcome = setup.runner.run(&call("broken", json!({})), Taint::Clean, &context(), &mut user).await;
    assert_eq!(outcome.status, CallStatus::Panicked);

    let outcome = setup.runner.run(&call("broken", json!({})), Taint::Clean, &context(), &mut user).await;
    assert_eq!(outcome.status, CallStatus::Done);
}

#[tokio::test]
async fn failure_without_words_gets_a_text() {
    let silent = ToolResult::default();
    let tool = Arc::new(ScriptedTool::reading("silent").runs([ToolRun::Returns(silent)]));
    let setup = setup(&[&tool]);

    let mut user = ScriptedApproval::default();
    let outcome = setup.runner.run(&call("silent", json!({})), Taint::Clean, &context(), &mut user).await;

    assert_eq!(outcome.status, CallStatus::Failed);
    assert_eq!(outcome.result.text.unwrap().0, "silent failed and did not say why.");
}

#[tokio::test(start_paused = true)]
async fn reading_calls_run_at_the_same_time_and_others_in_order() {
    let pause = |name: &str, effect| {
        let second = ToolRun::Waits(Duration::from_secs(1), ToolResult::done(name));
        Arc::new(ScriptedTool::new(name, effect, json!({})).runs([second]))
    };
    let tools = [
        pause("a", Effect::ReadOnly),
        pause("b", Effect::Network),
        pause("c", Effect::Writes),
        pause("d", Effect::Writes),
    ];
    let setup = setup(&tools.each_ref());
    let started = tokio::time::Instant::now();

    let calls = ["a", "b", "c", "d", "none"].map(|name| call(name, json!({})));
    let mut user = ScriptedApproval::default();
    let outcomes = setup.runner.run_all(&calls, Taint::Clean, &context(), &mut user).await;

    let names: Vec<&str> = outcomes.iter().map(|outcome| &*outcome.tool).collect();
    assert_eq!(names, ["a", "b", "c", "d", "none"]);
    assert_eq!(started.elapsed(), Duration::from_secs(3));
    assert_eq!(outcomes[4].status, CallStatus::UnknownTool);
}
