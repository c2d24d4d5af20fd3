//! Tools of servers and a small model: they are called where nothing else fits, and their results are said if the model does
//! not word them.

use serde_json::json;
use settings::SelectionStrategy;
use testkit::{ScriptedTool, ToolRun, Turn};
use tools::{Effect, ToolResult};

use crate::fixture::Given;

const MINUTES: &str =
    "<<<BEGIN UNTRUSTED SERVER RESULT>>>\nThe party is in June.\n<<<END UNTRUSTED SERVER RESULT>>>";

fn hybrid(settings: &mut settings::Settings) {
    settings.tools.selection_strategy = SelectionStrategy::Hybrid;
    settings.tools.allowed = vec!["club".to_owned()];
}

/// A server with the minutes of a club, which a small model is asked about.
fn asked(effect: Effect, turns: impl IntoIterator<Item = Turn>) -> Given {
    let minutes = ScriptedTool::new("club__readMinutes", effect, json!({ "type": "object" }))
        .described("Reads the minutes of the last club meeting.")
        .of_server("club")
        .runs([ToolRun::Returns(ToolResult::done(MINUTES).untrusted())]);
    Given::asked("look into the minutes of the club meeting", turns)
        .of("tiny-0.5b")
        .built_in()
        .set(hybrid)
        .tool(minutes)
}

#[tokio::test(start_paused = true)]
async fn reading_tool_that_leads_the_others_is_called_without_a_choice() {
    let given = asked(Effect::ReadOnly, [Turn::says("It is in June.")]);

    let expected = r#"asked answer; ran club__readminutes succeeded; spoke "It is in June."; kept 2"#;
    assert_eq!(given.reply().await.line(), expected);
}

#[tokio::test(start_paused = true)]
async fn tool_that_changes_something_waits_for_a_choice() {
    let given = asked(Effect::Writes, [Turn::chooses(r#"{"tool": "none"}"#, Some(0.9)), Turn::says("Hm.")]);

    let line = given.reply().await.line();

    assert!(!line.contains("ran club"), "{line}");
}

#[tokio::test(start_paused = true)]
async fn result_is_said_in_place_of_talk_about_the_tool() {
    let given = asked(Effect::ReadOnly, [Turn::says("The tool returned the minutes of the meeting.")]);

    let expected = r#"asked answer; ran club__readminutes succeeded; spoke "Read minutes: The party is in June."; kept 2"#;
    assert_eq!(given.reply().await.line(), expected);
}
