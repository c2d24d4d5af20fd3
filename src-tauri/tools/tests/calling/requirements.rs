//! Requirements of a tool before it runs: its secrets, and arguments that mean something to it.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use rstest::rstest;
use serde_json::{Map, Value, json};
use testkit::ScriptedApproval;
use tools::{
    ApprovalAnswer, CallStatus, Declaration, Effect, StoredSecrets, Taint, Tool, ToolContext, ToolResult,
    ToolSource,
};

use crate::support::{call, context, setup};

/// Orders a taxi, with a key and in towns that exist.
struct Taxi(Declaration);

impl Taxi {
    fn new() -> Self {
        Self(Declaration {
            name: "orderTaxi".to_owned(),
            description: "Orders a taxi.".to_owned(),
            parameters: json!({"type": "object", "properties": {"town": {"type": "string"}}}),
            keywords: Vec::new(),
            examples: Vec::new(),
            effect: Effect::Executes,
            timeout: Duration::from_secs(5),
            source: ToolSource::BuiltIn,
        })
    }
}

#[async_trait]
impl Tool for Taxi {
    fn declaration(&self) -> &Declaration {
        &self.0
    }

    fn required_secrets(&self) -> &'static [&'static str] {
        &["taxi.account", "taxi.key"]
    }

    fn validate(&self, arguments: &Map<String, Value>) -> Result<(), String> {
        match arguments["town"] == "Atlantis" {
            true => Err("Atlantis is no town. Ask for another one.".to_owned()),
            false => Ok(()),
        }
    }

    async fn run(&self, _: Map<String, Value>, _: &ToolContext) -> ToolResult {
        ToolResult::done("It comes.")
    }
}

struct Keychain(&'static [&'static str]);

#[async_trait]
impl StoredSecrets for Keychain {
    async fn is_stored(&self, name: &'static str) -> bool {
        self.0.contains(&name)
    }
}

#[rstest]
#[case::all_of_it(&["taxi.account", "taxi.key"], "Leeds", CallStatus::Done, "It comes.", 1)]
#[case::no_secret(&[], "Leeds", CallStatus::Failed, "`jarvis settings secret taxi.account`", 0)]
#[case::one_of_two(&["taxi.account"], "Leeds", CallStatus::Failed, "needs the secret taxi.key", 0)]
#[case::arguments_without_a_meaning(
    &["taxi.account", "taxi.key"], "Atlantis", CallStatus::InvalidArguments, "Atlantis is no town.", 0
)]
#[tokio::test]
async fn user_is_asked_only_about_a_call_that_can_work(
    #[case] stored: &'static [&'static str],
    #[case] town: &str,
    #[case] status: CallStatus,
    #[case] part: &str,
    #[case] questions: usize,
) {
    let setup = setup(&[]);
    setup.registry.add([Arc::new(Taxi::new()) as Arc<dyn Tool>]).unwrap();
    let runner = setup.runner.with_secrets(Arc::new(Keychain(stored)));
    let mut user = ScriptedApproval::new([ApprovalAnswer::Once]);

    let order = call("orderTaxi", json!({"town": town}));
    let outcome = runner.run(&order, Taint::Clean, &context(), &mut user).await;

    let text = outcome.result.text.unwrap().0;
    assert_eq!((outcome.status, user.asked.len()), (status, questions), "{text}");
    assert!(text.contains(part), "{text}");
}

#[tokio::test]
async fn tool_that_needs_a_secret_does_not_run_where_none_are_stored() {
    let setup = setup(&[]);
    setup.registry.add([Arc::new(Taxi::new()) as Arc<dyn Tool>]).unwrap();
    let mut user = ScriptedApproval::new([ApprovalAnswer::Once]);

    let order = call("orderTaxi", json!({"town": "Leeds"}));
    let outcome = setup.runner.run(&order, Taint::Clean, &context(), &mut user).await;

    assert_eq!((outcome.status, user.asked.len()), (CallStatus::Failed, 0));
}
