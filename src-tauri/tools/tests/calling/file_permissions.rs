//! Calls of files through the choke point: which of them the user is asked about.

use std::sync::Arc;

use rstest::rstest;
use serde_json::{Value, json};
use testkit::{InMemoryAudit, InMemoryPermissions, ScriptedApproval};
use tools::{ApprovalAnswer, CallStatus, Effect, Permission, Permissions, Taint, ToolRegistry, ToolRunner};

use crate::files::Home;
use crate::support::{call, config};

#[rstest]
#[case::list("list", Taint::Clean, Permission::Allow)]
#[case::read_other_case(" READ", Taint::AfterUntrusted, Permission::Allow)]
// An "always" here would let the tool delete, too.
#[case::write("write", Taint::Clean, Permission::Ask { can_remember: false })]
#[case::append("append", Taint::Unsure, Permission::Ask { can_remember: false })]
#[case::delete("Delete ", Taint::Clean, Permission::Ask { can_remember: true })]
#[case::write_after_a_file("write", Taint::AfterUntrusted, Permission::Ask { can_remember: false })]
#[case::unknown("format", Taint::Clean, Permission::Ask { can_remember: true })]
fn operation_decides_whether_the_user_is_asked(
    #[case] operation: &str,
    #[case] taint: Taint,
    #[case] expected: Permission,
) {
    let home = Home::new();
    let (registry, permissions) = choke_point(&home, &[]);
    let catalogue = registry.catalogue();
    let tool = catalogue.get("localFiles").unwrap();

    let effect = tool.effect_of(&json!({"Operation": operation, "path": "notes.txt"}));

    assert_eq!(permissions.of(tool.declaration(), effect, taint), expected);
}

#[rstest]
#[case::asked(&[], ApprovalAnswer::Once, CallStatus::Done, 1)]
#[case::refused(&[], ApprovalAnswer::No, CallStatus::Declined, 1)]
#[case::allowed_by_name(&["localFiles"], ApprovalAnswer::No, CallStatus::Done, 0)]
#[tokio::test]
async fn delete_waits_for_the_user_and_a_list_does_not(
    #[case] allowed: &[&str],
    #[case] answer: ApprovalAnswer,
    #[case] status: CallStatus,
    #[case] questions: usize,
) {
    let home = Home::new();
    let (registry, permissions) = choke_point(&home, allowed);
    let runner = ToolRunner::new(registry, permissions, Arc::new(InMemoryAudit::default()));
    let mut user = ScriptedApproval::new([answer]);
    let calls = ["list", "delete"]
        .map(|operation| call("localFiles", json!({"operation": operation, "path": "notes.txt"})));

    let outcomes = runner.run_all(&calls, Taint::Clean, &home.fixture.context, &mut user).await;

    assert_eq!(outcomes.iter().map(|it| it.status).collect::<Vec<_>>(), [CallStatus::Done, status]);
    assert_eq!(home.text("notes.txt").is_none(), status == CallStatus::Done);
    assert_eq!(user.asked.len(), questions);
    let effects: Vec<Effect> = user.asked.iter().map(|question| question.effect).collect();
    assert!(effects.iter().all(|effect| *effect == Effect::Destructive), "{effects:?}");
}

#[rstest]
#[case::reading(json!({"operation": "read", "path": "notes.txt", "depth": 1}), CallStatus::Done)]
#[case::deleting(json!({"operation": "delete", "path": "notes.txt", "dry_run": true}), CallStatus::InvalidArguments)]
#[tokio::test]
async fn unknown_key_is_refused_only_where_something_changes(
    #[case] arguments: Value,
    #[case] expected: CallStatus,
) {
    let home = Home::new();
    let (registry, permissions) = choke_point(&home, &["localFiles"]);
    let runner = ToolRunner::new(registry, permissions, Arc::new(InMemoryAudit::default()));
    let mut user = ScriptedApproval::default();

    let outcome =
        runner.run(&call("localFiles", arguments), Taint::Clean, &home.fixture.context, &mut user).await;

    assert_eq!(outcome.status, expected);
    assert_eq!(home.text("notes.txt").unwrap(), "Buy milk.");
}

#[tokio::test]
async fn user_is_not_asked_about_a_text_that_nobody_gave() {
    let home = Home::new();
    let (registry, permissions) = choke_point(&home, &[]);
    let runner = ToolRunner::new(registry, permissions, Arc::new(InMemoryAudit::default()));
    let mut user = ScriptedApproval::new([ApprovalAnswer::Once]);

    let write = call("localFiles", json!({"operation": "write", "path": "notes.txt"}));
    let outcome = runner.run(&write, Taint::Clean, &home.fixture.context, &mut user).await;

    assert_eq!((outcome.status, user.asked.len()), (CallStatus::InvalidArguments, 0));
    assert_eq!(home.text("notes.txt").unwrap(), "Buy milk.");
}

/// The tools of the home folder behind permissions with these tools allowed.
fn choke_point(home: &Home, allowed: &[&str]) -> (Arc<ToolRegistry>, Arc<Permissions>) {
    let config =
        config(|settings| settings.tools.allowed = allowed.iter().map(ToString::to_string).collect());
    let permissions = Arc::new(Permissions::new(config, Arc::new(InMemoryPermissions::default())));
    let registry = Arc::new(ToolRegistry::new());
    registry.add(home.fixture.tools.iter().cloned()).unwrap();
    (registry, permissions)
}
