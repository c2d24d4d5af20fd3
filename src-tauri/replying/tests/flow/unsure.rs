//! A small model that is not sure of its choice: what changes something waits for the user.

use rstest::rstest;
use serde_json::json;
use testkit::{ScriptedTool, ToolRun, Turn};
use tools::{Effect, ToolResult};

use crate::desk::Given;

#[rstest]
#[case::sure(Effect::Writes, Some(0.9), "succeeded")]
#[case::unsure(Effect::Writes, Some(0.4), "denied")]
#[case::untold(Effect::Writes, None, "denied")]
#[case::unsure_reading(Effect::ReadOnly, Some(0.4), "succeeded")]
#[tokio::test(start_paused = true)]
async fn unsure_choice_does_not_run_without_an_answer(
    #[case] effect: Effect,
    #[case] probability: Option<f32>,
    #[case] outcome: &str,
) {
    let note = ScriptedTool::new("writeNote", effect, json!({ "type": "object" }))
        .runs([ToolRun::Returns(ToolResult::done("written"))]);
    let choice = Turn::chooses(r#"{"tool": "writeNote", "arguments": {}}"#, probability);
    let given = Given::asked("write that down", [choice, Turn::says("Done.")]).of("tiny-0.5b").tool(note);

    let line = given.reply().await.line();

    assert!(line.contains(&format!("ran writenote {outcome}")), "{line}");
    let is_left = line.contains("I have left that undone.");
    assert_eq!(is_left, outcome == "denied", "{line}");
}

#[tokio::test(start_paused = true)]
async fn call_with_invented_arguments_alone_is_asked_about() {
    let parameters = json!({ "type": "object", "properties": { "minutes": { "type": "number" } } });
    let timer = ScriptedTool::new("startTimer", Effect::Writes, parameters);
    let choice = Turn::says(r#"{"tool": "startTimer", "arguments": {"minutes": 10}}"#);
    let given = Given::asked("start it", [choice]).of("tiny-0.5b").tool(timer);

    let line = given.reply().await.line();

    assert!(line.contains("Could you say that in full?"), "{line}");
}
