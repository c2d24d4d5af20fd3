//! Tools of servers and a small model: they are called if nothing else fits, and their results are said if the model does
//! not word them.

use std::sync::Arc;

use rstest::rstest;
use serde_json::{Value, json};
use settings::SelectionStrategy;
use testkit::{ScriptedTool, ToolRun, Turn};
use tools::{Effect, ToolResult};

use crate::fixture::Given;

const MINUTES: &str =
    "<<<BEGIN UNTRUSTED SERVER RESULT>>>\nThe party is in June.\n<<<END UNTRUSTED SERVER RESULT>>>";

fn hybrid(settings: &mut settings::Settings) {
    settings.tools.selection_strategy = SelectionStrategy::Hybrid;
    settings.tools.allowed = vec!["club".to_owned(), "post".to_owned()];
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

const PARCEL: &str =
    "<<<BEGIN UNTRUSTED SERVER RESULT>>>\nIt is at the depot in Leeds.\n<<<END UNTRUSTED SERVER RESULT>>>";

/// A server that knows where parcels are.
fn parcels(effect: Effect) -> Arc<ScriptedTool> {
    let number = json!({ "type": "string", "description": "Number of the parcel." });
    let parameters = json!({ "type": "object", "properties": { "number": number }, "required": ["number"] });
    let parcels = ScriptedTool::new("post__track_parcel", effect, parameters)
        .described("Tells where a parcel is.")
        .of_server("post")
        .runs([ToolRun::Returns(ToolResult::done(PARCEL).untrusted())]);
    Arc::new(parcels)
}

fn asked_for_parcel(
    text: &'static str,
    tool: &Arc<ScriptedTool>,
    turns: impl IntoIterator<Item = Turn>,
) -> Given {
    Given::asked(text, turns).of("tiny-0.5b").built_in().set(hybrid).shared_tool(tool.clone())
}

fn chosen(number: &str) -> Turn {
    let call = json!({ "tool": "post__track_parcel", "arguments": { "number": number } });
    Turn::chooses(&call.to_string(), Some(0.9))
}

#[rstest]
#[case::question("Where is parcel 7731?", "7731")]
#[case::order_with_a_code("Track parcel AB-12", "AB-12")]
#[tokio::test(start_paused = true)]
async fn leading_tool_gets_the_number_of_the_request_without_a_choice(
    #[case] text: &'static str,
    #[case] number: &str,
) {
    let tool = parcels(Effect::ReadOnly);

    let seen = asked_for_parcel(text, &tool, [Turn::says("It is in Leeds.")]).reply().await;

    let expected = r#"asked answer; ran post__track_parcel succeeded; spoke "It is in Leeds."; kept 2"#;
    assert_eq!(seen.line(), expected);
    assert_eq!(
        tool.calls().into_iter().map(Value::Object).collect::<Vec<_>>(),
        [json!({ "number": number })]
    );
}

#[tokio::test(start_paused = true)]
async fn number_that_a_request_lacks_is_asked_for() {
    let tool = parcels(Effect::ReadOnly);

    let seen = asked_for_parcel("Where is my parcel?", &tool, [chosen("12345")]).reply().await;

    let expected = r#"asked answer; ran post__track_parcel failed; spoke "One thing is missing: Number of the parcel."; kept 2"#;
    assert_eq!(seen.line(), expected);
    assert!(!format!("{:?}", seen.asked[0].format).contains("none"));
    assert!(tool.calls().is_empty());
}

#[rstest]
#[case::changes_something(Effect::Writes, "Where is parcel 7731?")]
#[case::general_knowledge(Effect::ReadOnly, "What is a parcel?")]
#[tokio::test(start_paused = true)]
async fn model_may_choose_none_of_other_tools(#[case] effect: Effect, #[case] text: &'static str) {
    let tool = parcels(effect);
    let turns = [Turn::chooses(r#"{"tool": "none"}"#, Some(0.9)), Turn::says("Hm.")];

    let seen = asked_for_parcel(text, &tool, turns).reply().await;

    assert!(format!("{:?}", seen.asked[0].format).contains("none"), "{}", seen.line());
    assert!(tool.calls().is_empty());
}

#[rstest]
#[case::words_of_the_tool("Send Ruth a message")]
#[case::words_of_the_message_alone("Text Ruth that I'm on my way")]
#[case::in_german("Schick Ruth eine Nachricht, dass ich unterwegs bin")]
#[tokio::test(start_paused = true)]
async fn tool_that_can_do_it_is_offered_however_it_is_asked_for(#[case] asked: &'static str) {
    let post = ScriptedTool::new("post__sendMessage", Effect::Writes, json!({ "type": "object" }))
        .described("Sends a text message to a person.")
        .of_server("post");
    let turns = [Turn::chooses(r#"{"tool": "post__sendMessage"}"#, Some(0.9)), Turn::says("I have sent it.")];
    let given = Given::asked(asked, turns).of("tiny-0.5b").built_in().set(hybrid).tool(post);

    let line = given.reply().await.line();

    assert!(line.contains("ran post__sendmessage succeeded"), "{line}");
}

fn without_the_post(settings: &mut settings::Settings) {
    hybrid(settings);
    settings.tools.denied = vec!["post".to_owned()];
}

#[tokio::test(start_paused = true)]
async fn forbidden_tool_is_no_way_to_do_it() {
    let post = ScriptedTool::new("post__sendMessage", Effect::Writes, json!({ "type": "object" }))
        .described("Sends a text message to a person.")
        .of_server("post");
    let given = Given::asked("Send Ruth a message", []).of("tiny-0.5b").built_in().set(without_the_post);

    let line = given.tool(post).reply().await.line();

    assert!(line.starts_with(r#"asked nothing; spoke "I can't send "#), "{line}");
}
