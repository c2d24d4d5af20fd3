//! What models are asked, word for word.

use serde_json::json;
use testkit::{ScriptedTool, ToolRun, Turn};
use tools::{Effect, ToolResult};

use crate::desk::Given;

fn weather() -> ScriptedTool {
    let parameters = json!({
        "type": "object",
        "properties": { "location": { "type": "string", "description": "A town." } },
        "required": ["location"],
    });
    ScriptedTool::new("getWeather", Effect::ReadOnly, parameters)
        .described("The weather of a town, now and for a week.")
        .runs([ToolRun::Returns(ToolResult::done("rain, 11 C"))])
}

fn calls() -> Turn {
    Turn::calls("getWeather", json!({ "location": "Leeds" }))
}

#[tokio::test]
async fn large_model_is_asked_with_native_tools() {
    let given = Given::asked("do I need a coat?", [calls(), Turn::says("A coat, yes.")])
        .tool(weather())
        .tool(ScriptedTool::reading("stop").described("Ends the conversation."))
        .knowing("The user hates umbrellas and any coat.");

    let seen = given.reply().await;

    insta::assert_snapshot!("native_first_turn", seen.request(0));
    insta::assert_snapshot!("native_second_turn", seen.request(1));
}

#[tokio::test]
async fn small_model_is_asked_to_choose_and_then_to_answer() {
    let choice = r#"{"tool": "getWeather", "arguments": {"location": "Leeds"}}"#;
    let given = Given::asked("weather in Leeds?", [Turn::says(choice), Turn::says("Rain.")])
        .of("tiny-0.5b")
        .tool(weather());

    let seen = given.reply().await;

    insta::assert_snapshot!("constrained_choice", seen.request(0));
    insta::assert_snapshot!("constrained_answer", seen.request(1));
}

#[tokio::test]
async fn text_protocol_describes_the_tools_and_a_plan() {
    let given = Given::asked(
        "weather at home?",
        [
            Turn::says("searchMemory topic='home town'\ngetWeather location=<home town>\nReply to the user."),
            Turn::says(r#"{"keywords": ["home"]}"#),
            Turn::says("null"),
            Turn::says("It rains at home."),
        ],
    )
    .of("small-1b")
    .knowing("The user's home is in Leeds.")
    .tool(weather())
    .set(|settings| {
        settings.replying.preparation = "staged".into();
        settings.replying.tool_protocol = "text".into();
    });

    let seen = given.reply().await;

    for (number, name) in ["planner", "extractor", "resolver", "answer"].into_iter().enumerate() {
        insta::assert_snapshot!(format!("staged_{name}"), seen.request(number));
    }
}
