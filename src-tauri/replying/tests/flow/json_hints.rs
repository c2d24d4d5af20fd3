//! Models that call tools in JSON, with a hint of the tool that the request seems to mean.

use rstest::rstest;
use serde_json::json;
use settings::ProtocolChoice;
use testkit::{ScriptedTool, ToolRun, Turn};
use tools::{Effect, ToolResult};

use crate::fixture::{Given, Seen};

fn weather() -> ScriptedTool {
    let parameters = json!({ "type": "object", "properties": { "location": { "type": "string" } } });
    let rain = ToolRun::Returns(ToolResult::done("rain"));
    ScriptedTool::new("get_weather", Effect::ReadOnly, parameters).runs([rain])
}

async fn seen(asked: &'static str, turns: &[&'static str]) -> Seen {
    let turns = turns.iter().map(|text| Turn::says(text));
    Given::asked(asked, turns).tool(weather()).choosing(ProtocolChoice::JsonHints).reply().await
}

const CALL: &str = r#"{"name": "Get-Weather", "arguments": {"location": "Leeds"}, "thoughts": "look"}"#;
const ANSWER: &str = r#"{"response": "It rains in Leeds."}"#;

#[tokio::test]
async fn call_in_json_runs_and_its_answer_is_spoken() {
    let seen = seen("tell me the weather of Leeds", &[CALL, ANSWER]).await;

    assert_eq!(
        seen.line(),
        "asked answer, answer; ran get_weather succeeded; spoke \"It rains in Leeds.\"; kept 2"
    );
    let request = &seen.asked[0];
    assert!(request.tools.is_empty() && request.format.as_ref().unwrap()["anyOf"].is_array());
}

#[rstest]
#[case::meant("get the weather of Leeds", true)]
#[case::not_meant("good evening", false)]
#[case::negated("don't get the weather", false)]
#[tokio::test]
async fn hint_stands_before_a_request_that_means_a_tool(
    #[case] asked: &'static str,
    #[case] is_hinted: bool,
) {
    let seen = seen(asked, &[ANSWER]).await;

    let messages = &seen.asked[0].messages;
    let hints = messages
        .iter()
        .filter(|message| message.content.contains("seems to be one for the tool get_weather"));
    assert_eq!(hints.count(), usize::from(is_hinted));
}

#[tokio::test]
async fn hint_is_gone_after_the_result() {
    let seen = seen("get the weather of Leeds", &[CALL, ANSWER]).await;

    let is_hinted = |request: &llm::ChatRequest| {
        request.messages.iter().any(|message| message.content.contains("seems to be one for"))
    };
    assert_eq!(seen.asked.iter().map(is_hinted).collect::<Vec<_>>(), [true, false]);
}
