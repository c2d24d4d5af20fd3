//! Tests of work that the last reply left undone: its tools stay offered, whatever the new words are.

use serde_json::json;
use settings::SelectionStrategy;
use testkit::{ScriptedTool, ToolRun, Turn};
use tools::{Effect, ToolResult};

use crate::fixture::Given;

fn weather(first: ToolResult) -> ScriptedTool {
    let parameters = json!({ "type": "object", "properties": { "location": { "type": "string" } } });
    let rain = ToolResult::done("rain").answering("It rains there.");
    ScriptedTool::new("getWeather", Effect::Network, parameters)
        .described("The weather of a town.")
        .runs([ToolRun::Returns(first), ToolRun::Returns(rain)])
}

fn hybrid(settings: &mut settings::Settings) {
    settings.tools.selection_strategy = SelectionStrategy::Hybrid;
}

#[tokio::test(start_paused = true)]
async fn failed_tool_stays_offered_to_a_small_model() {
    let turns = [
        Turn::says(r#"{"tool": "getWeather", "arguments": {}}"#),
        Turn::says("I need to know where you are."),
        Turn::says(r#"{"tool": "getWeather", "arguments": {"location": "London"}}"#),
    ];
    let given = Given::asked("what is the weather of this town?", turns)
        .of("tiny-0.5b")
        .built_in()
        .set(hybrid)
        .tool(weather(ToolResult::failed("no town is known")))
        .then("I live in London");

    let expected = r#"asked answer; ran getweather succeeded; spoke "It rains there."; kept 4"#;
    assert_eq!(given.reply().await.line(), expected);
}

fn without_place() -> ToolResult {
    ToolResult::failed("The place is not known. Ask the user.").lacking("location")
}

#[tokio::test(start_paused = true)]
async fn user_is_asked_for_what_a_tool_lacks() {
    let given =
        Given::asked("what is the weather?", [Turn::says(r#"{"tool": "getWeather", "arguments": {}}"#)])
            .of("tiny-0.5b")
            .tool(weather(without_place()));

    let expected = r#"asked answer; ran getweather failed; spoke "For which place?"; kept 2"#;
    assert_eq!(given.reply().await.line(), expected);
}

#[tokio::test(start_paused = true)]
async fn answer_fills_what_a_tool_lacks() {
    let given =
        Given::asked("what is the weather?", [Turn::says(r#"{"tool": "getWeather", "arguments": {}}"#)])
            .of("tiny-0.5b")
            .tool(weather(without_place()))
            .then("London");

    let expected = r#"asked nothing; ran getweather succeeded; spoke "It rains there."; kept 4"#;
    assert_eq!(given.reply().await.line(), expected);
}

#[tokio::test(start_paused = true)]
async fn answer_to_a_question_brings_back_its_tool() {
    let turns = [
        Turn::says(r#"{"tool": "none"}"#),
        Turn::says("Which dish?"),
        Turn::says(r#"{"tool": "getRecipe", "arguments": {"dish": "pancakes"}}"#),
    ];
    let parameters = json!({ "type": "object", "properties": { "dish": { "type": "string" } } });
    let recipe = ToolResult::done("flour, milk, eggs").answering("You need flour, milk and eggs.");
    let recipes = ScriptedTool::new("getRecipe", Effect::ReadOnly, parameters)
        .described("The recipe of a dish.")
        .runs([ToolRun::Returns(recipe)]);
    let given = Given::asked("what is the recipe of this dish?", turns)
        .of("tiny-0.5b")
        .built_in()
        .set(hybrid)
        .tool(recipes)
        .then("pancakes");

    let expected = r#"asked answer; ran getrecipe succeeded; spoke "You need flour, milk and eggs."; kept 4"#;
    assert_eq!(given.reply().await.line(), expected);
}

#[tokio::test(start_paused = true)]
async fn question_about_the_weather_brings_back_its_tool() {
    let turns = [
        Turn::says(r#"{"tool": "none"}"#),
        Turn::says("Which town?"),
        Turn::says(r#"{"tool": "getWeather", "arguments": {"location": "London"}}"#),
    ];
    let given = Given::asked("what is the weather of this town?", turns)
        .of("tiny-0.5b")
        .built_in()
        .set(hybrid)
        .tool(weather(ToolResult::done("rain").answering("It rains there.")))
        .then("London");

    let expected = r#"asked answer; ran getweather succeeded; spoke "It rains there."; kept 4"#;
    assert_eq!(given.reply().await.line(), expected);
}

/// A tool that feeds the cat over a server, which did this the first time.
fn feeder(first: ToolResult) -> ScriptedTool {
    let parameters = json!({ "type": "object", "properties": { "dish": { "type": "string" } } });
    let fed = ToolResult::done("fed").answering("The cat is fed.");
    ScriptedTool::new("feedCat", Effect::Writes, parameters)
        .described("Feeds the cat with a dish.")
        .runs([ToolRun::Returns(first), ToolRun::Returns(fed)])
}

/// A request for it to a small model that is sure, and this request after it.
fn feeding(first: ToolResult, then: &'static str) -> Given {
    let turns = [
        Turn::chooses(r#"{"tool": "feedCat", "arguments": {"dish": "salmon"}}"#, Some(0.9)),
        Turn::says("There is no network."),
        Turn::says("I see."),
    ];
    Given::asked("feed the cat with salmon", turns)
        .of("tiny-0.5b")
        .built_in()
        .set(hybrid)
        .tool(feeder(first))
        .then(then)
}

#[tokio::test(start_paused = true)]
async fn failed_call_is_made_again_if_the_user_asks_for_it_again() {
    // The error is text from outside, but the call was made before it.
    let given = feeding(ToolResult::failed("no network").untrusted(), "Try again.");

    let expected = r#"asked nothing; ran feedcat succeeded; spoke "The cat is fed."; kept 4"#;
    assert_eq!(given.reply().await.line(), expected);
}

#[tokio::test(start_paused = true)]
async fn call_that_did_something_is_not_made_again() {
    let given = feeding(ToolResult::done("fed"), "Try again.");

    let line = given.reply().await.line();

    assert!(!line.contains("ran feedcat"), "{line}");
}
