//! A call that lacks an argument: it is asked for by its name, the call waits, and the next sentence fills it.

use rstest::rstest;
use serde_json::json;
use testkit::{ScriptedTool, ToolRun, Turn};
use tools::{Effect, ToolResult};

use crate::fixture::Given;

const SMALL: &str = "tiny-0.5b";

fn weather() -> ScriptedTool {
    let parameters = json!({
        "type": "object",
        "properties": { "location": { "type": "string", "description": "Town to look up." } },
        "required": ["location"],
    });
    let rain = ToolResult::done("rain").answering("It rains there.");
    ScriptedTool::new("getWeather", Effect::Network, parameters).runs([ToolRun::Returns(rain)])
}

fn invented() -> Turn {
    Turn::says(r#"{"tool": "getWeather", "arguments": {"location": "New York"}}"#)
}

fn none() -> Turn {
    Turn::says(r#"{"tool": "none"}"#)
}

#[rstest]
#[case::asked(
    Given::asked("what is the weather like?", [invented()]),
    r#"asked answer; ran getweather failed; spoke "For which place?"; kept 2"#
)]
#[case::asked_in_german(
    Given::asked("Wie wird denn heute das Wetter?", [invented()]),
    r#"asked answer; ran getweather failed; spoke "Für welchen Ort?"; kept 2"#
)]
#[case::answered(
    Given::asked("what is the weather like?", [invented()]).then("I'm in London"),
    r#"asked nothing; ran getweather succeeded; spoke "It rains there."; kept 4"#
)]
#[case::something_else(
    Given::asked("what is the weather like?", [invented(), none(), Turn::says("Meow.")]).then("Tell me a joke about cats"),
    r#"asked answer, answer; spoke "Meow."; kept 4"#
)]
#[case::something_else_drops_the_call(
    Given::asked("what is the weather like?", [invented(), none(), Turn::says("Meow."), none(), Turn::says("Well.")])
        .then("Tell me a joke about cats")
        .then("London"),
    r#"asked answer, answer; spoke "Well."; kept 6"#
)]
#[tokio::test(start_paused = true)]
async fn missing_argument_is_asked_for_and_filled(#[case] given: Given, #[case] expected: &str) {
    assert_eq!(given.of(SMALL).tool(weather()).reply().await.line(), expected);
}

/// A tool that only computes, and what the model fills into its form.
fn units() -> ScriptedTool {
    let text = json!({ "type": "string" });
    let parameters =
        json!({ "type": "object", "properties": { "from": text, "to": text }, "required": ["from", "to"] });
    ScriptedTool::new("convertUnits", Effect::ReadOnly, parameters)
        .runs([ToolRun::Returns(ToolResult::done("converted").answering("Converted."))])
}

fn converts(from: &str, to: &str) -> Turn {
    Turn::says(&json!({ "tool": "convertUnits", "arguments": { "from": from, "to": to } }).to_string())
}

#[rstest]
#[case::nothing_of_it_was_said(
    converts("mile", "kilometre"),
    r#"asked answer, answer; spoke "Argentina won."; kept 2"#
)]
#[case::half_of_it_was_said(
    converts("cup", "kilometre"),
    r#"asked answer, answer; spoke "Argentina won."; kept 2"#
)]
#[case::all_of_it_was_said(
    converts("cup", "final"),
    r#"asked answer; ran convertunits succeeded; spoke "Converted."; kept 2"#
)]
#[tokio::test(start_paused = true)]
async fn choice_without_a_reason_in_the_request_is_none(#[case] choice: Turn, #[case] expected: &str) {
    let given = Given::asked("Who won the cup final back then?", [choice, Turn::says("Argentina won.")]);

    assert_eq!(given.of(SMALL).tool(units()).reply().await.line(), expected);
}

#[tokio::test(start_paused = true)]
async fn filled_call_gets_the_words_of_the_user() {
    let tool = std::sync::Arc::new(weather());
    let given = Given::asked("what is the weather like?", [invented()]).of(SMALL).then("I'm in London");

    given.shared_tool(tool.clone()).reply().await;

    let calls: Vec<_> = tool.calls().into_iter().map(serde_json::Value::Object).collect();
    assert_eq!(calls, [json!({ "location": "London" })]);
}

#[rstest]
#[case::joke("Put something on my list", "Tell me a joke.")]
#[case::changed_mind("Put something on my list", "No, I changed my mind.")]
#[case::german("Setz etwas auf meine Liste", "Keine Ahnung.")]
#[tokio::test]
async fn words_that_name_nothing_are_no_thing_for_a_list(
    #[case] request: &'static str,
    #[case] text: &'static str,
) {
    let given = Given::asked(request, [Turn::says("I am a model.")]).built_in().then(text);

    let line = given.reply().await.line();

    assert_eq!(line, r#"asked answer; spoke "I am a model."; kept 4"#);
}

/// A timer tool that words what it has set.
fn timer() -> ScriptedTool {
    let number = json!({ "type": "number" });
    let parameters = json!({
        "type": "object",
        "properties": { "seconds": number, "label": { "type": "string" } },
    });
    let runs = [ToolRun::Returns(ToolResult::done("set").answering("The timer runs."))];
    ScriptedTool::new("setTimer", Effect::Writes, parameters).runs(runs)
}

fn by_rules(text: &'static str) -> Given {
    Given::asked(text, []).set(|settings| settings.replying.fast_path = true)
}

#[rstest]
#[case::asked(by_rules("Can you start a timer for me?"), r#"asked nothing; spoke "For how long?"; kept 2"#, json!(null))]
#[case::answered(
    by_rules("Set a timer").then("for twelve minutes."),
    r#"asked nothing; ran settimer succeeded; spoke "The timer runs."; kept 4"#,
    json!({ "seconds": 720 })
)]
#[case::named(
    by_rules("Start a timer for the potatoes.").then("Twenty minutes should do."),
    r#"asked nothing; ran settimer succeeded; spoke "The timer runs."; kept 4"#,
    json!({ "seconds": 1200, "label": "potatoes" })
)]
#[case::in_german(
    by_rules("Stell bitte einen Timer.").then("Sieben Minuten."),
    r#"asked nothing; ran settimer succeeded; spoke "The timer runs."; kept 4"#,
    json!({ "seconds": 420 })
)]
#[case::behind_a_dismissal(
    by_rules("Never mind. Start a timer of ten minutes."),
    r#"asked nothing; ran settimer succeeded; spoke "The timer runs."; kept 2"#,
    json!({ "seconds": 600 })
)]
#[case::in_the_language_of_its_words(
    by_rules("Stell bitte einen Timer.").then("Start a timer for the rice."),
    r#"asked nothing; spoke "For how long?"; kept 4"#,
    json!(null)
)]
#[case::beside_another(
    by_rules("Set a timer for ten minutes and start a timer for the rice."),
    r#"asked nothing; ran settimer succeeded; spoke "The timer runs. For how long?"; kept 2"#,
    json!({ "seconds": 600 })
)]
#[tokio::test(start_paused = true)]
async fn rules_ask_for_what_a_request_lacks(
    #[case] given: Given,
    #[case] expected: &str,
    #[case] arguments: serde_json::Value,
) {
    let tool = std::sync::Arc::new(timer());

    let seen = given.shared_tool(tool.clone()).reply().await;

    assert_eq!(seen.line(), expected);
    let ran = tool.calls().into_iter().next().map_or(json!(null), serde_json::Value::Object);
    assert_eq!(ran, arguments);
}
