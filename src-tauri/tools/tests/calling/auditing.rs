//! Every call is in the log, with the reason why it might run or not.

use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use rstest::rstest;
use serde_json::{Value, json};
use testkit::{ScriptedApproval, ScriptedTool, ToolRun};
use tools::{ApprovalAnswer, AuditedCall, CallStatus, Decision, Effect, Grounds, Taint};
use vocabulary::{ConversationId, Origin, Private};

use crate::support::{call, context, setup, setup_with};

fn tool(name: &str, effect: Effect) -> Arc<ScriptedTool> {
    Arc::new(ScriptedTool::new(
        name,
        effect,
        json!({"type": "object", "properties": {"label": {"type": "string"}}}),
    ))
}

/// The entry in one line: effect, decision, grounds, end.
fn line(entry: &AuditedCall) -> String {
    format!("{:?} {:?} {:?} {:?}", entry.effect, entry.decision, entry.grounds, entry.status)
}

#[tokio::test]
async fn entry_names_tool_arguments_origin_and_conversation() {
    let setup = setup(&[&tool("setTimer", Effect::Writes)]);
    let context = tools::ToolContext {
        conversation: ConversationId("kitchen".into()),
        origin: Origin::Voice,
        ..context()
    };
    let arguments = json!({"label": "tea, password: hunter2hunter2"});

    setup
        .runner
        .run(&call("setTimer", arguments), Taint::Clean, &context, &mut ScriptedApproval::default())
        .await;

    let [entry] = setup.log.calls().try_into().unwrap();
    let expected = AuditedCall {
        at: context.now,
        tool: "setTimer".into(),
        effect: Some(Effect::Writes),
        arguments: Private("label: tea, password=[REDACTED]".into()),
        decision: Decision::Allowed,
        grounds: Some(Grounds::Effect),
        origin: Origin::Voice,
        conversation: ConversationId("kitchen".into()),
        status: CallStatus::Done,
        elapsed: entry.elapsed,
    };
    assert_eq!(entry, expected);
    assert_eq!(*entry.arguments, *expected.arguments);
}

#[rstest]
#[case::read(Effect::ReadOnly, &[], Taint::Clean, ApprovalAnswer::No, "Some(ReadOnly) Allowed Some(Effect) Done")]
#[case::allowed_by_a_setting(Effect::Executes, &["allowed"], Taint::Clean, ApprovalAnswer::No, "Some(Executes) Allowed Some(Setting) Done")]
#[case::denied_by_a_setting(Effect::ReadOnly, &["denied"], Taint::Clean, ApprovalAnswer::Once, "Some(ReadOnly) Denied Some(Setting) Denied")]
#[case::asked_by_a_setting(Effect::ReadOnly, &["asked"], Taint::Clean, ApprovalAnswer::Once, "Some(ReadOnly) Approved Some(Setting) Done")]
#[case::agreed(Effect::Destructive, &[], Taint::Clean, ApprovalAnswer::Once, "Some(Destructive) Approved Some(Effect) Done")]
#[case::agreed_for_good(Effect::Destructive, &[], Taint::Clean, ApprovalAnswer::Always, "Some(Destructive) ApprovedForGood Some(Effect) Done")]
#[case::refused(Effect::Destructive, &[], Taint::Clean, ApprovalAnswer::No, "Some(Destructive) Declined Some(Effect) Declined")]
#[case::not_answered(Effect::Destructive, &[], Taint::Clean, ApprovalAnswer::Unanswered, "Some(Destructive) Unanswered Some(Effect) Unanswered")]
#[case::after_a_web_page(Effect::Writes, &["allowed"], Taint::AfterUntrusted, ApprovalAnswer::No, "Some(Writes) Declined Some(Untrusted) Declined")]
#[case::private_words(Effect::Network, &[], Taint::Leaking, ApprovalAnswer::Always, "Some(Network) Approved Some(PrivateWords) Done")]
#[case::unsure(Effect::Writes, &[], Taint::Unsure, ApprovalAnswer::Once, "Some(Writes) Approved Some(Unsure) Done")]
#[tokio::test]
async fn entry_says_why_the_call_ran_or_did_not(
    #[case] effect: Effect,
    #[case] set: &[&str],
    #[case] taint: Taint,
    #[case] answer: ApprovalAnswer,
    #[case] expected: &str,
) {
    let named = |list: &str| if set.contains(&list) { vec!["act".to_owned()] } else { Vec::new() };
    let setup = setup_with(&[&tool("act", effect)], |settings| {
        settings.tools.allowed = named("allowed");
        settings.tools.asked = named("asked");
        settings.tools.denied = named("denied");
    });

    setup.runner.run(&call("act", json!({})), taint, &context(), &mut ScriptedApproval::new([answer])).await;

    assert_eq!(setup.log.calls().iter().map(line).collect::<Vec<_>>(), [expected]);
}

#[rstest]
#[case::unknown_tool("nothing", json!({}), "None None None UnknownTool")]
#[case::wrong_arguments("act", json!({"label": [1]}), "Some(Writes) None None InvalidArguments")]
#[tokio::test]
async fn wrong_call_is_logged_without_a_decision(
    #[case] name: &str,
    #[case] arguments: Value,
    #[case] expected: &str,
) {
    let setup = setup(&[&tool("act", Effect::Writes)]);

    setup
        .runner
        .run(&call(name, arguments), Taint::Clean, &context(), &mut ScriptedApproval::default())
        .await;

    assert_eq!(setup.log.calls().iter().map(line).collect::<Vec<_>>(), [expected]);
}

#[tokio::test]
async fn every_call_of_a_turn_is_logged() {
    let failing = tool("fails", Effect::ReadOnly);
    let failing = Arc::new(Arc::into_inner(failing).unwrap().runs([ToolRun::Panics]));
    let setup = setup(&[&failing, &tool("act", Effect::Writes)]);
    let calls = ["fails", "nothing", "act"].map(|name| call(name, json!({})));

    setup.runner.run_all(&calls, Taint::Clean, &context(), &mut ScriptedApproval::default()).await;

    let ends: Vec<_> = setup.log.calls().iter().map(|entry| (entry.tool.clone(), entry.status)).collect();
    let expected = [
        ("nothing".to_owned(), CallStatus::UnknownTool),
        ("fails".to_owned(), CallStatus::Panicked),
        ("act".to_owned(), CallStatus::Done),
    ];
    assert!(expected.iter().all(|end| ends.contains(end)) && ends.len() == 3, "{ends:?}");
}

#[tokio::test(start_paused = true)]
async fn call_that_nobody_waits_for_any_more_is_logged() {
    let hanging = tool("hangs", Effect::Network);
    let hanging = Arc::new(Arc::into_inner(hanging).unwrap().runs([ToolRun::Hangs]));
    let setup = setup(&[&hanging]);
    let (call, context) = (call("hangs", json!({"label": "x"})), context());
    let mut user = ScriptedApproval::default();

    let mut running = Box::pin(setup.runner.run(&call, Taint::Clean, &context, &mut user));
    assert!((&mut running).now_or_never().is_none());
    tokio::time::advance(Duration::from_secs(2)).await;
    drop(running);

    let [entry] = setup.log.calls().try_into().unwrap();
    assert_eq!(line(&entry), "Some(Network) Allowed Some(Effect) Stopped");
    assert_eq!((entry.elapsed, entry.arguments.as_str()), (Duration::from_secs(2), "label: x"));
}
