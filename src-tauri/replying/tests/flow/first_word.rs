//! The number of times that models are asked before the first word of an answer, in each mode of preparation.

use rstest::rstest;
use serde_json::json;
use settings::{Preparation, SelectionStrategy, Settings};
use testkit::{ScriptedTool, ToolRun, Turn};
use tools::{Effect, ToolResult};

use crate::fixture::Given;

const QUESTION: &str = "what is the weather at home?";

fn weather() -> ScriptedTool {
    let parameters = json!({ "type": "object", "properties": { "location": { "type": "string" } } });
    let rain = ToolRun::Returns(ToolResult::done("rain"));
    ScriptedTool::new("getWeather", Effect::ReadOnly, parameters).runs([rain])
}

fn staged(settings: &mut Settings) {
    settings.replying.preparation = Preparation::Staged;
    settings.tools.selection_strategy = SelectionStrategy::Llm;
}

#[rstest]
#[case::local(|settings: &mut Settings| settings.replying.preparation = Preparation::Local, vec!["Rain."], "answer")]
#[case::combined(
    |settings: &mut Settings| settings.replying.preparation = Preparation::Combined,
    vec![r#"{"tools": [], "memory": [], "steps": []}"#, "Rain."],
    "combined, answer"
)]
#[case::staged(
    staged,
    vec![
        "getWeather",
        "searchMemory topic='home town'\nReply to the user.",
        r#"{"keywords": ["home", "town"]}"#,
        "Rain."
    ],
    "router, planner, extractor, answer"
)]
#[tokio::test]
async fn answer_begins_after_these_calls(
    #[case] mode: fn(&mut Settings),
    #[case] turns: Vec<&'static str>,
    #[case] expected: &str,
) {
    let given = Given::asked(QUESTION, turns.into_iter().map(Turn::says)).tool(weather()).set(mode);

    let line = given.reply().await.line();

    assert_eq!(line, format!("asked {expected}; spoke \"Rain.\"; kept 2"));
}

#[rstest]
#[case::plan_adds_a_tool("getTime", "llm+plan")]
#[case::plan_names_a_chosen_tool("getWeather", "llm")]
#[tokio::test]
async fn trace_names_the_plan_where_it_added_a_tool(#[case] routed: &'static str, #[case] expected: &str) {
    let turns = [routed, "getWeather location='Leeds'\nReply to the user.", "Rain."];
    let given = Given::asked("do I need a coat in Leeds?", turns.into_iter().map(Turn::says));

    let seen = given.tool(weather()).tool(ScriptedTool::reading("getTime")).set(staged).reply().await;

    assert_eq!(seen.selection, expected);
}

#[rstest]
#[case::as_it_is(|_: &mut Settings| (), [false, false])]
#[case::switched_on(|settings: &mut Settings| settings.llm.think = true, [false, true])]
#[tokio::test(start_paused = true)]
async fn model_thinks_before_the_answer_where_the_setting_says_so(
    #[case] change: fn(&mut Settings),
    #[case] expected: [bool; 2],
) {
    let note = ScriptedTool::new("writeNote", Effect::Writes, json!({ "type": "object" }));
    let turns = [Turn::says(r#"{"tool": "none"}"#), Turn::says("Done.")];
    let given = Given::asked("write that down", turns).of("tiny-0.5b").tool(note).set(change);

    let thinking: Vec<bool> = given.reply().await.asked.iter().map(|request| request.thinking).collect();

    // Neither the choice of a tool nor a helper thinks.
    assert_eq!(thinking, expected);
}
