//! Snapshots of the questions to models.

use rstest::rstest;
use serde_json::json;
use settings::{Preparation, ProtocolChoice};
use testkit::{ScriptedTool, ToolRun, Turn};
use tools::{Effect, ToolResult};

use crate::fixture::Given;

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

#[rstest]
#[case::about_the_world("What is the capital of Germany?", false)]
#[case::about_here("Is there a bakery nearby?", true)]
#[case::german_about_here("Gibt es hier in der Nähe einen Bäcker?", true)]
#[case::weather("Will it be cold tomorrow?", true)]
#[tokio::test(start_paused = true)]
async fn small_model_is_told_the_place_only_if_it_needs_it(
    #[case] asked: &'static str,
    #[case] is_told: bool,
) {
    let given = Given::asked(asked, [Turn::says("Berlin."), Turn::says("Berlin."), Turn::says("Berlin.")]);
    let given = given.of("tiny-0.5b").tool(weather());

    let seen = given.reply().await;

    assert_eq!(seen.request(0).contains("stands in Leeds"), is_told, "{}", seen.request(0));
}

#[rstest]
#[case::of_a_server(true)]
#[case::built_in(false)]
#[tokio::test(start_paused = true)]
async fn tool_from_outside_that_takes_a_place_brings_it(#[case] is_of_server: bool) {
    let parameters = json!({ "type": "object", "properties": { "city": { "type": "string" } } });
    let tool = ScriptedTool::new("findBakery", Effect::ReadOnly, parameters).described("Finds a bakery.");
    let tool = if is_of_server { tool.of_server("maps") } else { tool };
    let given = Given::asked("I want a bakery", [Turn::says("null"), Turn::says("Hm."), Turn::says("Hm.")]);

    let seen = given.of("tiny-0.5b").tool(tool).reply().await;

    assert_eq!(seen.request(0).contains("stands in Leeds"), is_of_server, "{}", seen.request(0));
}

#[tokio::test(start_paused = true)]
async fn tool_that_names_playlists_is_offered_before_the_keys_of_a_player() {
    let keys = ScriptedTool::new("controlMedia", Effect::Writes, json!({ "type": "object" }))
        .described("Pauses the music, goes on with it, or skips a song.");
    let player = ScriptedTool::new("startPlayback", Effect::Writes, json!({ "type": "object" }))
        .described("Plays a playlist or an album.")
        .of_server("player");
    let given = Given::asked("Play a playlist", [Turn::says("null"), Turn::says("Hm."), Turn::says("Hm.")]);

    let seen = given.of("tiny-0.5b").tool(keys).tool(player).reply().await;

    let request = seen.request(0);
    let place = |name: &str| request.find(name).unwrap_or_else(|| panic!("{name}: {request}"));
    assert!(place("startPlayback") < place("controlMedia"), "{request}");
}

fn tides() -> ScriptedTool {
    ScriptedTool::reading("readTides").described("The tides of a harbour.")
}

/// A small model that has read the tools that are built in: the weather and the tides, or the weather alone.
fn knowing_the_weather(tides: ScriptedTool) -> Given {
    let choice = r#"{"tool": "getWeather", "arguments": {"location": "Leeds"}}"#;
    let given = Given::asked("weather in Leeds?", [Turn::says(choice), Turn::says("Rain.")]);
    given.of("tiny-0.5b").knowing_tools().tool(weather()).tool(tides)
}

#[tokio::test]
async fn model_that_knows_the_tools_is_asked_which_of_them_is_due() {
    let seen = knowing_the_weather(tides()).reply().await;

    insta::assert_snapshot!("choice_of_known_tools", seen.request(0));
}

#[tokio::test]
async fn tools_are_described_beside_the_question_if_a_server_has_one_of_them() {
    let seen = knowing_the_weather(tides().of_server("harbour")).reply().await;

    let (system, newest) =
        seen.request(0).split_once("<user>").map(|(a, b)| (a.to_owned(), b.to_owned())).unwrap();
    assert!(!system.contains("getWeather"), "{system}");
    assert!(newest.contains("- getWeather: ") && newest.contains("- readTides: "), "{newest}");
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
        settings.replying.preparation = Preparation::Staged;
        settings.replying.tool_protocol = ProtocolChoice::Text;
    });

    let seen = given.reply().await;

    for (number, name) in ["planner", "extractor", "resolver", "answer"].into_iter().enumerate() {
        insta::assert_snapshot!(format!("staged_{name}"), seen.request(number));
    }
}

/// Characters to a token in these prompts, text and JSON schemas together. Source: Qwen2.5's own counts, 3.94 and 4.00 for the
/// first two and 3.43 for schemas.
const CHARS_PER_TOKEN: f64 = 3.9;
const CHARS_PER_TOKEN_OF_SCHEMAS: f64 = 3.4;

/// Rules that never change and five built-in tools, whose descriptions are as long as those of any. Source of the limits:
/// first tokens on two cores, where 700 tokens take about 3 s to read.
#[rstest]
#[case::small_model_that_chooses("tiny-0.5b", ProtocolChoice::Auto, 700.0)]
#[case::small_model_with_text("tiny-0.5b", ProtocolChoice::Text, 700.0)]
#[case::large_model("big-model-70b", ProtocolChoice::Native, 2_000.0)]
#[tokio::test]
async fn rules_and_five_tools_fit_their_budget(
    #[case] model: &'static str,
    #[case] protocol: ProtocolChoice,
    #[case] budget: f64,
) {
    let (_, memory) = tokio::sync::watch::channel(None);
    let five = ["getTime", "setTimer", "setReminder", "calculate", "addTodo"];
    let built_in = tools::builtin::all(tools::builtin::Parts::from_memory(memory));
    let chosen = built_in.into_iter().filter(|tool| five.contains(&tool.declaration().name.as_str()));
    let given = Given::asked("", [Turn::says("x"), Turn::says("x")]).of(model);
    let given = chosen.fold(given, Given::shared_tool).choosing(protocol);

    let request = given.reply().await.asked.remove(0);

    let chars = |texts: Vec<String>| texts.iter().map(|text| text.chars().count()).sum::<usize>() as f64;
    let texts = request.messages.iter().map(|message| message.content.clone()).collect();
    let schemas = request.tools.iter().map(|tool| serde_json::to_string(tool).unwrap()).collect();
    let tokens = chars(texts) / CHARS_PER_TOKEN + chars(schemas) / CHARS_PER_TOKEN_OF_SCHEMAS;
    assert!(tokens <= budget, "{tokens:.0} tokens");
}
