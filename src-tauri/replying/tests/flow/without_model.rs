//! Tests of replies without a model.

use rstest::rstest;
use serde_json::json;
use settings::SelectionStrategy;
use testkit::{ScriptedTool, ToolRun, Turn};
use tools::{Effect, ToolResult};

use crate::fixture::Given;

const SMALL: &str = "small-model-3b";

fn guess() -> [Turn; 2] {
    [Turn::says("Red."), Turn::says("Green.")]
}

#[rstest]
#[case::never_told(
    Given::asked("What is my favourite colour?", guess()).of(SMALL),
    r#"asked nothing; spoke "I don't know that: I find nothing about it in my memory."; kept 2"#
)]
#[case::in_another_language(
    Given::asked("Wo habe ich mein Auto geparkt?", guess()).of(SMALL),
    r#"asked nothing; spoke "Das weiß ich nicht: In meiner Erinnerung finde ich nichts darüber."; kept 2"#
)]
#[case::asked_again(
    Given::asked("What is my favourite colour?", guess()).of(SMALL).then("And what is my favourite colour?"),
    r#"asked nothing; spoke "I don't know that: I find nothing about it in my memory."; kept 4"#
)]
#[case::large_model_is_told_so_and_asked(
    Given::asked("What is my favourite colour?", guess()),
    r#"asked answer; spoke "Red."; kept 2"#
)]
#[case::told_before(
    Given::asked("Which colour is my favourite?", guess()).of(SMALL).knowing("The favourite colour of the user is green."),
    r#"asked answer; recalled 1; spoke "Red."; kept 2"#
)]
#[case::said_in_the_dialogue(
    Given::asked("My car is parked at the station.", guess()).of(SMALL).then("Where did I park my car?"),
    r#"asked answer; spoke "Green."; kept 4"#
)]
#[case::general_knowledge(
    Given::asked("What is the largest planet?", guess()).of(SMALL),
    r#"asked answer; spoke "Red."; kept 2"#
)]
#[case::with_a_tool_that_searches_the_memory(
    Given::asked("Where did I park my car?", guess())
        .of(SMALL)
        .tool(ScriptedTool::reading("searchMemory").described("Finds where the user parked the car."))
        .set(|settings| settings.tools.selection_strategy = SelectionStrategy::Hybrid),
    r#"asked nothing; spoke "I don't know that: I find nothing about it in my memory."; kept 2"#
)]
#[case::memory_cannot_be_read(
    Given::asked("What is my favourite colour?", guess()).of(SMALL).without_database(),
    r#"asked answer; spoke "Red."; kept 2"#
)]
#[tokio::test(start_paused = true)]
async fn small_model_is_not_asked_for_what_was_never_told(#[case] given: Given, #[case] expected: &str) {
    assert_eq!(given.reply().await.line(), expected);
}

#[tokio::test(start_paused = true)]
async fn small_model_does_not_go_on_like_an_answer_of_rules() {
    let none = Turn::says(r#"{"tool": "none"}"#);
    let given = Given::asked("set a timer for four minutes", [none, Turn::says("Delighted.")])
        .of(SMALL)
        .tool(timers([is_set()]))
        .set(|settings| settings.replying.fast_path = true)
        .then("you are very kind");

    let seen = given.reply().await;

    assert_eq!(seen.line(), r#"asked answer, answer; spoke "Delighted."; kept 4"#);
    assert!(seen.request(0).contains("Four minutes for tea."), "to choose a tool: {}", seen.request(0));
    assert!(!seen.request(1).contains("Four minutes for tea."), "to answer: {}", seen.request(1));
}

#[tokio::test(start_paused = true)]
async fn lines_of_the_prompt_are_not_said() {
    let echo = "[Context: Current local time: Monday]\n[Answer in English.]\n";
    let given = Given::asked("good day", [Turn::says(echo), Turn::says("Good day.")]).of(SMALL);

    assert_eq!(given.reply().await.line(), r#"asked answer, answer; spoke "Good day."; kept 2"#);
}

fn timers(runs: impl IntoIterator<Item = ToolRun>) -> ScriptedTool {
    let parameters = json!({
        "type": "object",
        "properties": { "seconds": { "type": "integer" }, "label": { "type": "string" } },
    });
    ScriptedTool::new("setTimer", Effect::Writes, parameters).runs(runs)
}

fn is_set() -> ToolRun {
    ToolRun::Returns(ToolResult::done("set").answering("Four minutes for tea."))
}

fn fails() -> ToolRun {
    ToolRun::Returns(ToolResult::failed("there are too many timers"))
}

fn refuses() -> ToolRun {
    ToolRun::Returns(ToolResult::failed("there are too many timers").answering("There are 32 already."))
}

#[rstest]
#[case::all_done(
    [is_set(), is_set()],
    r#"asked nothing; ran settimer succeeded, settimer succeeded; spoke "Four minutes for tea. Four minutes for tea."; kept 2"#
)]
#[case::one_failed(
    [is_set(), fails()],
    r#"asked nothing; ran settimer succeeded, settimer failed; spoke "Four minutes for tea. I could not do the rest."; kept 2"#
)]
#[case::refused_in_words(
    [is_set(), refuses()],
    r#"asked nothing; ran settimer succeeded, settimer failed; spoke "Four minutes for tea. There are 32 already."; kept 2"#
)]
#[case::nothing_done(
    [fails(), fails()],
    r#"asked answer; ran settimer failed, settimer failed; spoke "Alas."; kept 2"#
)]
#[tokio::test(start_paused = true)]
async fn what_rules_have_done_is_not_done_again(#[case] runs: [ToolRun; 2], #[case] expected: &str) {
    let text = "set a tea timer for four minutes and another for eggs";
    let given = Given::asked(text, [Turn::says("Alas.")])
        .tool(timers(runs))
        .set(|settings| settings.replying.fast_path = true);

    assert_eq!(given.reply().await.line(), expected);
}

#[tokio::test]
async fn small_model_is_asked_for_the_part_that_rules_do_not_know() {
    let parameters = json!({ "type": "object", "properties": { "seconds": { "type": "number" } } });
    let timer = ScriptedTool::new("setTimer", Effect::Writes, parameters)
        .runs([ToolRun::Returns(ToolResult::done("runs").answering("The timer is running."))]);
    let question = "Set a timer for ten minutes and tell me the capital of France.";
    let given = Given::asked(question, [Turn::says("Paris."), Turn::says("Paris.")])
        .of(SMALL)
        .set(|settings| {
            settings.replying.fast_path = true;
            settings.tools.selection_strategy = SelectionStrategy::Hybrid;
        })
        .tool(timer);

    let seen = given.reply().await;

    let expected =
        "asked answer; ran settimer succeeded; spoke \"The timer is running.\\n\\nParis.\"; kept 2";
    assert_eq!(seen.line(), expected);
    assert!(seen.request(0).ends_with("tell me the capital of France."), "{}", seen.request(0));
}
