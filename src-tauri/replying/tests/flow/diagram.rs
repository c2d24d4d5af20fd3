//! The steps of the flow of a reply in their order, a row for each. The profile router has
//! rows of its own beside the profiles.

use serde_json::json;
use settings::Preparation;
use testkit::{ScriptedTool, ToolRun, Turn};
use tools::{Effect, ToolResult};

use crate::fixture::{Given, Seen};

/// An arrow, the reply that takes it, and what shows it.
struct Arrow {
    name: &'static str,
    given: Given,
    view: fn(&Seen) -> String,
    expected: &'static str,
}

fn arrow(name: &'static str, given: Given, view: fn(&Seen) -> String, expected: &'static str) -> Arrow {
    Arrow { name, given, view, expected }
}

fn weather(text: &str) -> ScriptedTool {
    let parameters = json!({ "type": "object", "properties": { "location": { "type": "string" } } });
    ScriptedTool::new("getWeather", Effect::ReadOnly, parameters)
        .runs([ToolRun::Returns(ToolResult::done(text))])
}

fn rain() -> Given {
    let call = Turn::calls("getWeather", json!({ "location": "Leeds" }));
    Given::asked("rain?", [call, Turn::says("Rain, I am afraid.")]).tool(weather("rain, 11 C"))
}

fn staged(settings: &mut settings::Settings) {
    settings.replying.preparation = Preparation::Staged;
}

fn recalling(fact: Option<&'static str>, extracted: &'static str) -> Given {
    let turns = [Turn::says("searchMemory\nReply."), Turn::says(extracted), Turn::says("Green tea.")];
    let given = Given::asked("which tea do I drink?", turns).set(staged);
    fact.into_iter().fold(given, Given::knowing)
}

/// The newest message of the last request.
fn newest(seen: &Seen) -> String {
    let request = seen.asked.last().unwrap();
    request.messages.last().unwrap().content.clone()
}

/// The roles of the messages of the last request.
fn roles(seen: &Seen) -> String {
    let request = seen.asked.last().unwrap();
    request.messages.iter().map(|message| message.role.as_str()).collect::<Vec<_>>().join(", ")
}

/// Returns the number of lines with the time in the last request, and the first of them.
fn context(seen: &Seen) -> String {
    let request = seen.asked.last().unwrap();
    let texts = request.messages.iter().flat_map(|message| message.content.lines());
    let lines: Vec<&str> = texts.filter(|line| line.starts_with("[Context:")).collect();
    format!("{}: {}", lines.len(), lines[0])
}

fn entry() -> Vec<Arrow> {
    vec![
        arrow(
            "caller to engine: text; redact",
            Given::asked("my mail is ann@example.com", [Turn::says("Noted.")]),
            |seen| newest(seen).lines().last().unwrap_or_default().to_owned(),
            "my mail is [REDACTED_EMAIL]",
        ),
        arrow(
            "engine to short-term memory: recent messages",
            Given::asked("good day", [Turn::says("Good day."), Turn::says("Well.")]).then("how are you?"),
            roles,
            "system, user, assistant, user",
        ),
        arrow(
            "engine to recall: extract parameters",
            recalling(Some("The user drinks green tea."), r#"{"keywords": ["tea"]}"#),
            |seen| seen.asked[1].messages[1].content.lines().last().unwrap_or_default().to_owned(),
            "which tea do I drink?",
        ),
        arrow(
            "keywords present: store returns the memory context",
            recalling(Some("The user drinks green tea."), r#"{"keywords": ["tea"]}"#),
            |seen| newest(seen).contains("The user drinks green tea.").to_string(),
            "true",
        ),
        arrow(
            "keywords present: the memory context is optional",
            recalling(None, r#"{"keywords": ["tea"]}"#),
            Seen::line,
            r#"asked planner, extractor, answer; spoke "Green tea."; kept 2"#,
        ),
    ]
}

fn agentic_loop() -> Vec<Arrow> {
    vec![
        arrow("clean up stale context, inject fresh context", rain(), context, TIME_AND_PLACE),
        arrow("engine to model: chat, content comes back", rain(), Seen::line, RAIN),
        arrow(
            "tool calls: run the tool, result text",
            rain(),
            |seen| seen.asked[1].messages.last().unwrap().content.clone(),
            "rain, 11 C",
        ),
        arrow(
            "tool calls: append the tool message with the result",
            rain(),
            roles,
            "system, user, assistant, tool",
        ),
        arrow("natural language: print and speak, exit the loop", rain(), Seen::line, RAIN),
        arrow(
            "empty and stuck after several turns: append the fallback prompt",
            Given::asked(
                "rain?",
                [Turn::calls("getWeather", json!({})), Turn::says(""), Turn::says("Rain.")],
            )
            .tool(weather("rain")),
            |seen| newest(seen).lines().next().unwrap_or_default().to_owned(),
            FALLBACK,
        ),
        arrow(
            "empty, no recovery: exit the loop without a response",
            Given::asked("rain?", [Turn::says(""), Turn::says("")]),
            Seen::line,
            r#"asked answer, answer; spoke "I'm afraid I have no answer to that. Could you put it another way?"; kept 2"#,
        ),
    ]
}

fn output() -> Vec<Arrow> {
    vec![
        arrow(
            "sanitize: drop tool markers",
            Given::asked("rain?", [Turn::says("TOOL: getWeather\nRain.")]),
            Seen::line,
            r#"asked answer; spoke "Rain."; kept 2"#,
        ),
        arrow("print, and speak where it is wanted", rain().typed(), Seen::line, SHOWN_RAIN),
        arrow(
            "short-term memory: the interaction is added",
            Given::asked("good day", [Turn::says("Good day.")]),
            Seen::line,
            r#"asked answer; spoke "Good day."; kept 2"#,
        ),
        arrow("engine to caller: reply", rain(), Seen::line, RAIN),
    ]
}

const RAIN: &str = r#"asked answer, answer; ran getweather succeeded; spoke "Rain, I am afraid."; kept 2"#;
const SHOWN_RAIN: &str =
    r#"asked answer, answer; ran getweather succeeded; showed "Rain, I am afraid."; kept 2"#;
const TIME_AND_PLACE: &str =
    "1: [Context: Current local time: Monday, September 15, 2025 at 17:53 UTC. Location: Leeds]";
const FALLBACK: &str =
    "[You have what the tools returned. Answer the user now, in your own words, and call nothing more.]";

#[tokio::test]
async fn every_arrow_of_the_diagram_is_taken() {
    let mut wrong = Vec::new();
    for Arrow { name, given, view, expected } in [entry(), agentic_loop(), output()].into_iter().flatten() {
        let seen = view(&given.reply().await);
        if seen != expected {
            wrong.push(format!("{name}\n  expected {expected}\n  seen     {seen}"));
        }
    }

    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
