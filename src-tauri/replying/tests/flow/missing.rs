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

#[tokio::test(start_paused = true)]
async fn filled_call_gets_the_words_of_the_user() {
    let tool = std::sync::Arc::new(weather());
    let given = Given::asked("what is the weather like?", [invented()]).of(SMALL).then("I'm in London");

    given.shared_tool(tool.clone()).reply().await;

    let calls: Vec<_> = tool.calls().into_iter().map(serde_json::Value::Object).collect();
    assert_eq!(calls, [json!({ "location": "London" })]);
}
