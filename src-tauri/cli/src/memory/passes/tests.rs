//! Batch passes with a language model on a scripted server: what is printed, stored and undone.

use ::memory::{Branch, DiaryFilter, Evidence, NewEntry, NewFact};
use std::sync::Arc;

use jiff::Timestamp;
use serde_json::json;
use testkit::{OllamaServer, ScriptedAnswer};
use vocabulary::Clock;

use super::super::tests::{Home, NOW};

/// The undo of a pass is due ten minutes after it by this clock.
struct RealClock;

impl Clock for RealClock {
    fn now(&self) -> Timestamp {
        Timestamp::now()
    }
}

/// A home whose settings name this server, with a diary and facts.
async fn home(server: &OllamaServer) -> Home {
    let mut home = Home::new();
    home.clock = Arc::new(RealClock);
    let settings = json!({ "llm": { "provider": "ollama", "base_url": server.url() } });
    home.write_settings(settings);
    let memory = home.memory();
    for (day, source, summary) in [
        (20, "import voice", "The user likes tea."),
        (21, "conversation", "The user bought a kettle. The assistant could not say where."),
    ] {
        let entry = NewEntry {
            day: jiff::civil::date(2025, 11, day),
            source: source.into(),
            summary: summary.into(),
            topics: vec!["teas".into(), "kitchen".into()],
        };
        memory.write_entry(entry, vec![], NOW).await.unwrap();
    }
    for text in ["The user runs.", "The user jogs."] {
        let evidence = Evidence { quote: text.into(), observed_at: NOW, ..Evidence::default() };
        memory.learn(Branch::User.node(), NewFact { text: text.into(), evidence }, NOW).await.unwrap();
    }
    memory.store().close();
    home
}

async fn topics(home: &Home) -> Vec<(String, usize)> {
    let memory = home.memory();
    let topics = memory.topics().await.unwrap();
    memory.store().close();
    topics
}

async fn facts(home: &Home) -> Vec<String> {
    let memory = home.memory();
    let facts = memory.facts(Branch::User.node()).await.unwrap();
    memory.store().close();
    facts.into_iter().map(|fact| fact.text).collect()
}

#[tokio::test]
async fn topics_pass_previews_changes_and_is_undone() {
    let server = OllamaServer::start([ScriptedAnswer::says(r#"{"teas": "tea"}"#)]);
    let home = home(&server).await;
    let as_written = [("kitchen".to_owned(), 2), ("teas".to_owned(), 2)];

    let shown = home.runs(&["maintain", "--with", "topics", "--preview"]).await.unwrap();
    let after_the_preview = topics(&home).await;
    let done = home.runs(&["maintain", "--with", "topics"]).await.unwrap();
    let after = topics(&home).await;
    home.runs(&["undo"]).await.unwrap();

    insta::assert_snapshot!(shown, @r"
    1 of 2  2025-11-21  tea, kitchen
    2 of 2  2025-11-20  tea, kitchen
    Done: 2 of 2 to change.
    ");
    insta::assert_snapshot!(done, @r"
    1 of 2  2025-11-21  tea, kitchen
    2 of 2  2025-11-20  tea, kitchen
    2 changed. `jarvis memory undo` takes it back, for ten minutes.
    Done: 2 of 2 to change.
    ");
    assert_eq!(after_the_preview, as_written);
    assert_eq!(after, [("kitchen".to_owned(), 2), ("tea".to_owned(), 2)]);
    assert_eq!(topics(&home).await, as_written);
}

#[tokio::test]
async fn facts_pass_previews_merges_and_is_undone() {
    let server = OllamaServer::start([ScriptedAnswer::says(r#"{"facts": ["The user runs and jogs."]}"#)]);
    let home = home(&server).await;

    let shown = home.runs(&["maintain", "--with", "facts", "--preview"]).await.unwrap();
    let after_the_preview = facts(&home).await;
    let done = home.runs(&["maintain", "--with", "facts"]).await.unwrap();
    let after = facts(&home).await;
    home.runs(&["undo"]).await.unwrap();

    insta::assert_snapshot!(shown, @r"
    1 of 1  User: 2 facts become 1
    Done.
    ");
    insta::assert_snapshot!(done, @r"
    1 of 1  User: 2 facts become 1
    1 node changed. `jarvis memory undo` takes it back, for ten minutes.
    Done.
    ");
    assert_eq!(after_the_preview, ["The user runs.", "The user jogs."]);
    assert_eq!(after, ["The user runs and jogs."]);
    assert_eq!(facts(&home).await, ["The user runs.", "The user jogs."]);
}

#[tokio::test]
async fn only_imported_entries_are_learned_from_without_preview() {
    let found = json!([{"branch": "USER", "fact": "The user likes tea.", "quote": "The user likes tea."}]);
    let answers = [found.to_string(), "NONE".into(), r#"{"facts": []}"#.into()];
    let server = OllamaServer::start(answers.map(ScriptedAnswer::says));
    let home = home(&server).await;

    let refused = home.runs(&["maintain", "--with", "imported", "--preview"]).await.unwrap_err().to_string();
    let asked_for_the_preview = server.asked().len();
    let learnt = home.runs(&["maintain", "--with", "imported"]).await.unwrap();

    assert!(refused.contains("has no preview"), "{refused}");
    assert_eq!(asked_for_the_preview, 0);
    insta::assert_snapshot!(learnt, @r"
    1 of 1  2025-11-20: 1 new fact
    Done.
    ");
    assert_eq!(facts(&home).await, ["The user runs.", "The user jogs.", "The user likes tea."]);
}

/// Sends Ctrl+C, as a terminal does, once the model was asked this many times.
#[cfg(unix)]
async fn interrupt_after(server: &OllamaServer, questions: usize) {
    while server.asked().len() < questions {
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    }
    let me = std::process::id().to_string();
    assert!(std::process::Command::new("kill").args(["-INT", &me]).status().unwrap().success());
}

#[cfg(unix)]
#[tokio::test]
async fn ctrl_c_stops_a_pass_and_keeps_what_was_done() {
    let server = OllamaServer::start([
        ScriptedAnswer::says("The user bought a kettle."),
        ScriptedAnswer::stalls_after("The"),
    ]);
    let home = home(&server).await;

    let (printed, ()) =
        tokio::join!(home.runs(&["maintain", "--with", "deflections"]), interrupt_after(&server, 2));

    insta::assert_snapshot!(printed.unwrap(), @r"
    1 of 2  2025-11-21  The user bought a kettle.
    1 changed. `jarvis memory undo` takes it back, for ten minutes.
    Stopped: 1 to change until then.
    ");
    let memory = home.memory();
    let entries = memory.entries(DiaryFilter::default()).await.unwrap();
    let summaries: Vec<String> = entries.into_iter().map(|entry| entry.summary).collect();
    assert_eq!(summaries, ["The user bought a kettle.", "The user likes tea."]);
}

#[cfg(unix)]
#[tokio::test]
async fn ctrl_c_during_the_topics_question_changes_nothing() {
    let server = OllamaServer::start([ScriptedAnswer::stalls_after("{")]);
    let home = home(&server).await;

    let (printed, ()) =
        tokio::join!(home.runs(&["maintain", "--with", "topics"]), interrupt_after(&server, 1));

    assert_eq!(printed.unwrap(), "Stopped: 0 to change until then.\n");
    assert_eq!(topics(&home).await, [("kitchen".to_owned(), 2), ("teas".to_owned(), 2)]);
}
