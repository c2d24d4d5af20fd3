//! The branches of the flow of a reply, a row for each.

use llm::{EmbedError, LlmError};
use serde_json::json;
use settings::{Preparation, ProtocolChoice};
use testkit::{BagOfWords, ScriptedTool, ToolRun, Turn};
use tools::{Effect, ToolResult};

use crate::fixture::Given;

/// Why nothing stands behind a branch. Source: docs/behaviour/replying.md#profiles: the checklist still has these rows, but
/// nothing of the flow implements them.
const IGNORED: &str = "not part of the flow";

/// The way a branch is shown.
enum Shown {
    /// By a reply: what is given, and the line that is seen of it.
    Reply(Box<Given>, &'static str),
    /// Not at all, and why.
    Not(&'static str),
}

fn row(branch: &'static str, given: Given, seen: &'static str) -> (&'static str, Shown) {
    (branch, Shown::Reply(Box::new(given), seen))
}

fn ignored(branch: &'static str) -> (&'static str, Shown) {
    (branch, Shown::Not(IGNORED))
}

fn weather(result: ToolResult) -> ScriptedTool {
    let parameters = json!({ "type": "object", "properties": { "location": { "type": "string" } } });
    ScriptedTool::new("getWeather", Effect::ReadOnly, parameters).runs([ToolRun::Returns(result)])
}

fn calls_weather() -> Turn {
    Turn::calls("getWeather", json!({ "location": "Leeds" }))
}

fn staged(settings: &mut settings::Settings) {
    settings.replying.preparation = Preparation::Staged;
}

const LIKES: &str = "The user drinks green tea in the morning.";

fn entry_and_prompt() -> Vec<(&'static str, Shown)> {
    let failing = || BagOfWords::failing((0..9).map(|_| EmbedError::Cancelled));
    vec![
        ignored("redaction/database: vector search enabled"),
        ignored("redaction/database: vector search disabled"),
        row(
            "redaction/database: embedding succeeds",
            Given::asked("which tea do I drink?", [Turn::says("Green tea.")]).knowing(LIKES),
            r#"asked answer; recalled 1; spoke "Green tea."; kept 2"#,
        ),
        row(
            "redaction/database: embedding fails and is ignored",
            Given::asked("which tea do I drink?", [Turn::says("Green tea.")])
                .knowing(LIKES)
                .embedding_with(failing()),
            r#"asked answer; recalled 1; spoke "Green tea."; kept 2"#,
        ),
        row(
            "system prompt: unified prompt loaded",
            Given::asked("good day", [Turn::says("Good day.")]),
            r#"asked answer; spoke "Good day."; kept 2"#,
        ),
    ]
}

fn conversation_memory() -> Vec<(&'static str, Shown)> {
    let answers = || [Turn::says(""), Turn::says(r#"{"keywords": ["tea"]}"#), Turn::says("Green tea.")];
    vec![
        row(
            "conversation memory: parameters extracted",
            Given::asked("which tea do I drink?", answers()).knowing(LIKES).set(staged),
            r#"asked planner, extractor, answer; recalled 1; spoke "Green tea."; kept 2"#,
        ),
        row(
            "conversation memory: parameters empty",
            Given::asked(
                "what do I drink?",
                [Turn::says(""), Turn::says("no idea"), Turn::says(""), Turn::says("Tell me.")],
            )
            .set(staged),
            r#"asked planner, extractor, extractor, answer; spoke "Tell me."; kept 2"#,
        ),
        row(
            "conversation memory: tool allowed",
            Given::asked("rain?", [calls_weather(), Turn::says("Rain.")])
                .tool(weather(ToolResult::done("rain"))),
            r#"asked answer, answer; ran getweather succeeded; spoke "Rain."; kept 2"#,
        ),
        row(
            "conversation memory: tool not allowed",
            Given::asked("call mum", [Turn::calls("callMum", json!({})), Turn::says("I cannot call.")])
                .tool(weather(ToolResult::done("rain"))),
            r#"asked answer, answer; spoke "I cannot call."; kept 2"#,
        ),
        row(
            "conversation memory: tool succeeds with text",
            Given::asked("rain?", [calls_weather(), Turn::says("Rain, 11 degrees.")])
                .tool(weather(ToolResult::done("rain, 11 C"))),
            r#"asked answer, answer; ran getweather succeeded; spoke "Rain, 11 degrees."; kept 2"#,
        ),
        row(
            "conversation memory: tool fails",
            Given::asked("rain?", [calls_weather(), Turn::says("The weather is not to be had.")])
                .tool(weather(ToolResult::failed("no network"))),
            r#"asked answer, answer; ran getweather failed; spoke "The weather is not to be had."; kept 2"#,
        ),
        row(
            "conversation memory: tool has no results",
            Given::asked("rain?", [calls_weather(), Turn::says("Nobody knows.")])
                .tool(weather(ToolResult { success: true, ..ToolResult::default() })),
            r#"asked answer, answer; ran getweather succeeded; spoke "Nobody knows."; kept 2"#,
        ),
    ]
}

fn planning() -> Vec<(&'static str, Shown)> {
    let two_turns = |settings: &mut settings::Settings| settings.replying.max_turns = 1;
    vec![
        ignored("document context: chunks present"),
        ignored("document context: none"),
        ignored("planning: plan JSON parsed"),
        ignored("planning: plan JSON invalid"),
        ignored("planning: step FINAL_RESPONSE"),
        ignored("planning: step ANALYZE"),
        row(
            "planning: step with a tool",
            Given::asked(
                "rain in Leeds?",
                [Turn::says("getWeather location='Leeds'\nReply to the user."), Turn::says("Rain.")],
            )
            .of("small-1b")
            .set(|settings| {
                staged(settings);
                settings.replying.tool_protocol = ProtocolChoice::Text;
            })
            .tool(weather(ToolResult::done("rain"))),
            r#"asked planner, answer; ran getweather succeeded; spoke "Rain."; kept 2"#,
        ),
        row(
            "planning: unknown step",
            Given::asked(
                "rain in Leeds?",
                [Turn::says("lookOutOfTheWindow\nReply to the user."), Turn::says("I see no window.")],
            )
            .of("small-1b")
            .set(|settings| {
                staged(settings);
                settings.replying.tool_protocol = ProtocolChoice::Text;
            })
            .tool(weather(ToolResult::done("rain"))),
            r#"asked planner, answer; spoke "I see no window."; kept 2"#,
        ),
        row(
            "planning: completed without a final step, partial answer",
            Given::asked("rain?", [calls_weather(), Turn::says("I am not finished. It rains in Leeds.")])
                .tool(weather(ToolResult::done("rain in Leeds")))
                .set(two_turns),
            r#"asked answer, max_turn_digest; ran getweather succeeded; spoke "I am not finished. It rains in Leeds."; kept 2"#,
        ),
    ]
}

fn retry() -> Vec<(&'static str, Shown)> {
    let broken = || LlmError::Failed { detail: "out of memory".into() };
    vec![
        row(
            "retry: plain chat produces text",
            Given::asked("what time is it?", [Turn::says(""), Turn::says("Noon.")]),
            r#"asked answer, answer; spoke "Noon."; kept 2"#,
        ),
        row(
            "retry: plain chat stays empty",
            Given::asked("what time is it?", [Turn::says(""), Turn::says("")]),
            r#"asked answer, answer; spoke "I'm afraid I have no answer to that. Could you put it another way?"; kept 2"#,
        ),
        row(
            "retry: the model fails",
            Given::asked("what time is it?", [Turn::fails_after("It is", broken())]),
            r#"asked answer; failed; spoke "It is"; kept 2"#,
        ),
    ]
}

fn output() -> Vec<(&'static str, Shown)> {
    vec![
        row(
            "output: tool markers are dropped",
            Given::asked("what time is it?", [Turn::says("It is noon.\n[Tool result: getTime]\n12:00")]),
            r#"asked answer; spoke "It is noon."; kept 2"#,
        ),
        row(
            "output: speech enabled",
            Given::asked("good day", [Turn::says("Good day.")]),
            r#"asked answer; spoke "Good day."; kept 2"#,
        ),
        row(
            "output: speech disabled",
            Given::asked("good day", [Turn::says("Good day.")])
                .set(|settings| settings.speaking.enabled = false),
            r#"asked answer; showed "Good day."; kept 2"#,
        ),
        row(
            "output: typed queries are answered on the screen",
            Given::asked("good day", [Turn::says("Good day.")]).typed(),
            r#"asked answer; showed "Good day."; kept 2"#,
        ),
        row(
            "output: dialogue memory keeps the reply",
            Given::asked("good day", [Turn::says("Good day."), Turn::says("And to you.")]).then("and you?"),
            r#"asked answer; spoke "And to you."; kept 4"#,
        ),
        row(
            "output: dialogue memory fails and is ignored",
            Given::asked("good day", [Turn::says("Good day.")]).without_database(),
            r#"asked answer; spoke "Good day."; kept 2"#,
        ),
    ]
}

#[tokio::test]
async fn every_branch_of_the_checklist_is_shown_or_ignored_with_a_reason() {
    let rows = [entry_and_prompt(), conversation_memory(), planning(), retry(), output()];

    let mut wrong = Vec::new();
    for (branch, shown) in rows.into_iter().flatten() {
        match shown {
            Shown::Reply(given, expected) => {
                let seen = given.reply().await.line();
                if seen != expected {
                    wrong.push(format!("{branch}\n  expected {expected}\n  seen     {seen}"));
                }
            }
            Shown::Not(reason) => assert!(!reason.is_empty(), "{branch} has no reason"),
        }
    }

    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
