//! The short questions to models that an automatic preparation asks, each with the condition that reaches it.

use rstest::rstest;
use serde_json::json;
use settings::{ProtocolChoice, SelectionStrategy};
use testkit::{ScriptedTool, ToolRun, Turn};
use tools::{Effect, ToolResult};

use crate::fixture::{Given, Seen};

const SMALL: &str = "small-model-3b";

fn weather() -> ScriptedTool {
    let parameters = json!({ "type": "object", "properties": { "location": { "type": "string" } } });
    let rain = || ToolRun::Returns(ToolResult::done("rain in the afternoon"));
    ScriptedTool::new("getWeather", Effect::Network, parameters)
        .described("The weather of a town.")
        .runs([rain(), rain()])
}

/// A small model with an automatic preparation. Its server enforces no form, so that selection is checked by a model where
/// it is unsure.
fn unsure(text: &'static str, turns: impl IntoIterator<Item = Turn>) -> Given {
    Given::asked(text, turns)
        .of(SMALL)
        .choosing(ProtocolChoice::Text)
        .set(|settings| settings.tools.selection_strategy = SelectionStrategy::Hybrid)
        .tool(weather())
}

fn combined(steps: &[&str]) -> Turn {
    Turn::says(&json!({ "tools": ["getWeather"], "memory": "", "steps": steps }).to_string())
}

/// A request of two parts, one of which a tool fits, for a small model whose choices are enforced.
fn two_parts(turns: impl IntoIterator<Item = Turn>) -> Given {
    Given::asked("the weather of my town and something nice about winter", turns)
        .of(SMALL)
        .built_in()
        .set(|settings| settings.tools.selection_strategy = SelectionStrategy::Hybrid)
        .tool(weather())
}

#[rstest]
#[case::combined_where_selection_is_unsure(
    unsure("will I need my coat", [combined(&["getWeather location='Leeds'", "Reply."]), Turn::says("Yes.")]),
    r#"asked combined, answer; ran getweather succeeded; spoke "Yes."; kept 2"#
)]
#[case::combined_for_two_parts_of_which_selection_is_unsure(
    two_parts([combined(&["getWeather location='Leeds'", "Reply."]), Turn::says("Rain and snow.")]),
    r#"asked combined, answer; ran getweather succeeded; spoke "Rain and snow."; kept 2"#
)]
#[case::resolver_for_a_step_with_a_placeholder(
    unsure("will I need my coat", [
        combined(&["getWeather location='Leeds'", "getWeather location='<next town>'", "Reply."]),
        Turn::says(r#"{"name": "getWeather", "arguments": {"location": "York"}}"#),
        Turn::says("Yes."),
    ]),
    r#"asked combined, resolver, answer; ran getweather succeeded, getweather succeeded; spoke "Yes."; kept 2"#
)]
#[case::planner_and_extractor_if_the_combined_answer_cannot_be_read(
    unsure("will I need my coat", [
        Turn::says("I would look at the weather."),
        Turn::says("searchMemory topic='coat'\nReply."),
        Turn::says(r#"{"keywords": ["coat"]}"#),
        Turn::says("Yes."),
    ]),
    r#"asked combined, planner, extractor, answer; spoke "Yes."; kept 2"#
)]
#[tokio::test]
async fn short_question_is_reached_by_its_condition(#[case] given: Given, #[case] expected: &str) {
    assert_eq!(given.reply().await.line(), expected);
}

#[tokio::test]
async fn long_memory_is_digested_once_preparation_has_asked_a_model() {
    let facts = ["The winter coat of the user hangs in the hall", "The rain coat of the user is blue"];
    let long =
        facts.map(|fact| format!("{fact}{}.", ", as was said at length one evening by the fire".repeat(5)));
    let given = unsure(
        "where is my coat",
        [
            Turn::says(r#"{"tools": [], "memory": "coat", "steps": ["Reply."]}"#),
            Turn::says("The coat is in the hall."),
            Turn::says("In the hall."),
        ],
    );

    let given = long.into_iter().fold(given, |given, fact| given.knowing(fact.leak()));
    let seen: Seen = given.reply().await;

    let expected = r#"asked combined, memory_digest, answer; recalled 2; spoke "In the hall."; kept 2"#;
    assert_eq!(seen.line(), expected);
}
