//! A small model that is not sure of its choice: what changes something waits for the user.

use rstest::rstest;
use serde_json::json;
use settings::SelectionStrategy;
use testkit::{ScriptedTool, ToolRun, Turn};
use tools::{Effect, ToolResult};

use crate::fixture::Given;

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

#[rstest]
#[case::same_call(r#"{"tool": "writeNote", "arguments": {}}"#, "succeeded")]
#[case::other_arguments(r#"{"tool": "writeNote", "arguments": {"text": "x"}}"#, "denied")]
#[case::no_tool(r#"{"tool": "none"}"#, "denied")]
#[tokio::test(start_paused = true)]
async fn choice_without_a_probability_is_sure_if_it_is_made_twice(
    #[case] second: &str,
    #[case] outcome: &str,
) {
    let parameters = json!({ "type": "object", "properties": { "text": { "type": "string" } } });
    let note = ScriptedTool::new("writeNote", Effect::Writes, parameters)
        .runs([ToolRun::Returns(ToolResult::done("written").answering("Written."))]);
    let turns =
        [Turn::chooses(r#"{"tool": "writeNote", "arguments": {}}"#, None), Turn::chooses(second, None)];
    let given = Given::asked("write that down", turns).of("tiny-0.5b").tool(note);

    let line = given.reply().await.line();

    assert!(line.contains(&format!("ran writenote {outcome}")), "{line}");
}

#[tokio::test(start_paused = true)]
async fn choice_that_selection_agrees_with_is_sure() {
    let note = ScriptedTool::new("writeNote", Effect::Writes, json!({ "type": "object" }))
        .described("Scribbles a jotting into the user's notebook.")
        .runs([ToolRun::Returns(ToolResult::done("written").answering("Written."))]);
    let choice = Turn::chooses(r#"{"tool": "writeNote", "arguments": {}}"#, None);
    let given = Given::asked("scribble a jotting into my notebook", [choice])
        .built_in()
        .of("tiny-0.5b")
        .set(|settings| settings.tools.selection_strategy = SelectionStrategy::Hybrid)
        .tool(note);

    let expected = r#"asked answer; ran writenote succeeded; spoke "Written."; kept 2"#;
    assert_eq!(given.reply().await.line(), expected);
}

#[tokio::test(start_paused = true)]
async fn provider_that_ignores_the_form_gets_calls_in_text() {
    let note = ScriptedTool::new("readNote", Effect::ReadOnly, json!({ "type": "object" }))
        .runs([ToolRun::Returns(ToolResult::done("milk").answering("Milk."))]);
    let call = "```tool_call\n{\"name\": \"readNote\", \"arguments\": {}}\n```";
    let turns = [Turn::says("I think so."), Turn::says(call), Turn::says("As I said.")];
    let given = Given::asked("read the note", turns).of("tiny-0.5b").tool(note).then("what did it say?");

    let seen = given.reply().await;

    // The first reply asks for a choice and then in text; the second one asks in text at once.
    assert_eq!(seen.line(), r#"asked answer; spoke "As I said."; kept 4"#);
    let has_form = seen.asked.iter().map(|request| request.format.is_some()).collect::<Vec<_>>();
    assert_eq!(has_form, [true, false, false]);
}

#[tokio::test(start_paused = true)]
async fn call_with_invented_arguments_alone_is_asked_about() {
    let parameters = json!({ "type": "object", "properties": { "minutes": { "type": "number" } } });
    let timer = ScriptedTool::new("startTimer", Effect::Writes, parameters);
    let choice = Turn::says(r#"{"tool": "startTimer", "arguments": {"minutes": 10}}"#);
    let given = Given::asked("start it", [choice]).of("tiny-0.5b").tool(timer);

    let line = given.reply().await.line();

    assert!(line.contains("For how long?"), "{line}");
}
