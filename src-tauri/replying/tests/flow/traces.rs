//! The trace that every reply leaves, however it ends.

use std::sync::Arc;

use llm::LlmError;
use parking_lot::Mutex;
use rstest::rstest;
use serde_json::json;
use testkit::Turn;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};
use vocabulary::ModelCallOutcome;

use crate::fixture::Given;

fn asked(turns: impl IntoIterator<Item = Turn>) -> Given {
    Given::asked("what is nice about spring?", turns)
}

/// The values of the field `outcome` in the log.
#[derive(Clone, Default)]
struct Outcomes(Arc<Mutex<Vec<String>>>);

impl Subscriber for Outcomes {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target().starts_with("replying")
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        event.record(&mut OutcomeVisitor(&self.0));
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

struct OutcomeVisitor<'a>(&'a Mutex<Vec<String>>);

impl Visit for OutcomeVisitor<'_> {
    fn record_str(&mut self, field: &Field, value: &str) {
        if field.name() == "outcome" {
            self.0.lock().push(value.to_owned());
        }
    }

    fn record_debug(&mut self, _: &Field, _: &dyn std::fmt::Debug) {}
}

#[rstest]
#[case::said(asked([Turn::says("Blossoms.")]), "said", r#"asked answer; spoke "Blossoms."; kept 2"#)]
#[case::worded_by_a_tool(
    Given::asked("What is 15 percent of 240?", []).built_in(),
    "worded without a model",
    r#"asked nothing; ran calculate succeeded; spoke "15% of 240 is 36."; kept 2"#
)]
#[case::dismissed_aloud(
    Given::asked("Never mind.", []).built_in(),
    "dismissed",
    r#"asked nothing; ran stop succeeded; showed ""; kept 0"#
)]
#[case::dismissed_in_writing(
    Given::asked("Never mind.", []).built_in().typed(),
    "worded without a model",
    r#"asked nothing; ran stop succeeded; showed "Very well."; kept 2"#
)]
#[case::dismissed_by_a_model(
    Given::asked("I was talking to Ann", [Turn::calls("stop", json!({}))]).built_in(),
    "dismissed",
    r#"asked answer; ran stop succeeded; showed ""; kept 0"#
)]
#[case::stopped(asked([Turn::says("Blossoms.")]).stopped(), "stopped", r#"asked nothing; showed ""; kept 1"#)]
#[case::malformed(
    asked([Turn::says("{\"tool\""), Turn::says("{\"tool\"")]),
    "malformed",
    r#"asked answer; spoke "I'm afraid that came out garbled. Could you ask me again, perhaps in other words?"; kept 2"#
)]
#[case::empty(
    asked([Turn::says(""), Turn::says("")]),
    "empty",
    r#"asked answer, answer; spoke "I'm afraid I have no answer to that. Could you put it another way?"; kept 2"#
)]
#[case::out_of_turns(
    asked((0..20).map(|at| Turn::calls("nothing", json!({ "at": at })))),
    "out of turns",
    r#"spoke "I stopped there: this took more steps than I may take."; kept 2"#
)]
#[case::failed(
    asked([Turn::fails_after("Bl", LlmError::Failed { detail: "out of memory".into() })]),
    "failed",
    r#"asked answer; failed; spoke "Bl"; kept 2"#
)]
#[tokio::test]
async fn every_end_of_a_reply_leaves_one_trace_and_a_line_in_the_log(
    #[case] given: Given,
    #[case] outcome: &str,
    #[case] line: &str,
) {
    let outcomes = Outcomes::default();
    let _logging = tracing::subscriber::set_default(outcomes.clone());

    let seen = given.reply().await;

    assert!(seen.line().ends_with(line), "{}", seen.line());
    assert_eq!(seen.traces, 1);
    assert_eq!(*outcomes.0.lock(), [outcome]);
}

#[tokio::test(start_paused = true)]
async fn reply_that_takes_too_long_leaves_one_trace_and_a_line_in_the_log() {
    let outcomes = Outcomes::default();
    let _logging = tracing::subscriber::set_default(outcomes.clone());

    let seen = asked([Turn::hangs_after("Blossoms, ")]).reply().await;

    let expected = r#"asked answer; failed; spoke "Blossoms,"; kept 2"#;
    assert!(seen.line().ends_with(expected), "{}", seen.line());
    assert_eq!(seen.traces, 1);
    let [call] = seen.model_calls.as_slice() else { panic!("{:?}", seen.model_calls) };
    assert_eq!((call.outcome, call.took.is_zero()), (ModelCallOutcome::CutOff, false));
    assert_eq!(*outcomes.0.lock(), ["too long"]);
}

#[tokio::test]
async fn dropped_reply_leaves_a_line_in_the_log() {
    let outcomes = Outcomes::default();
    let _logging = tracing::subscriber::set_default(outcomes.clone());

    asked([Turn::hangs_after("Blossoms, ")]).dropped().reply().await;

    assert_eq!(*outcomes.0.lock(), ["dropped"]);
}
