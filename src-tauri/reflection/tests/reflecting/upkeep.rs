//! Sweeps, tidying and importing: shown, stored, undone, stopped.

use futures::StreamExt;
use jiff::tz::TimeZone;
use llm::CancellationToken;
use memory::{Branch, EntryId, Evidence, NewEntry, NewFact};
use reflection::sweeps::SweepEvent;
use reflection::{ConsolidationEvent, ImportEvent, Mode};
use testkit::FixedClock;

use crate::support::{Home, Instead, MINUTE, NOW, Pass, at};

async fn entry(home: &Home, day: i8, source: &str, summary: &str, topics: &[&str]) -> EntryId {
    let entry = NewEntry {
        day: jiff::civil::date(2025, 11, day),
        source: source.into(),
        summary: summary.into(),
        topics: topics.iter().map(|&topic| topic.to_owned()).collect(),
    };
    home.memory.write_entry(entry, vec![], NOW).await.unwrap()
}

async fn two_entries(home: &Home) {
    let trains = "The user asked for trains to York. The assistant could not find them. The user likes tea.";
    entry(home, 20, "conversation", trains, &["trains", "teas"]).await;
    let rain = "The user asked whether it rains. The assistant could not tell at all. The user likes cake.";
    entry(home, 21, "conversation", rain, &["rain", "tea"]).await;
}

#[tokio::test]
async fn a_sweep_is_shown_then_stored_then_undone() {
    let home = Home::new();
    two_entries(&home).await;
    let before = home.diary().await;
    let (clock, stop) = (FixedClock::at(&at(NOW).to_string()), CancellationToken::new());

    let shown: Vec<_> = home.reflection.sweep_deflections(Mode::Preview, &clock, &stop).collect().await;
    assert_eq!(home.diary().await, before);
    let stored: Vec<_> = home.reflection.sweep_deflections(Mode::Apply, &clock, &stop).collect().await;

    assert!(matches!(shown.last(), Some(SweepEvent::Finished { changed: 2 })));
    let [.., SweepEvent::Stored { undo, changed: 2 }, SweepEvent::Finished { changed: 2 }] = stored[..]
    else {
        panic!("{stored:?}")
    };
    assert_eq!(home.diary().await[1].1, "The user asked for trains to York. The user likes tea.");
    home.memory.undo(Some(undo), NOW + MINUTE).await.unwrap();
    assert_eq!(home.diary().await, before);
}

#[tokio::test]
async fn a_sweep_that_is_stopped_keeps_what_it_did_and_can_be_undone() {
    let home = Home::new();
    two_entries(&home).await;
    let before = home.diary().await;
    let (clock, stop) = (FixedClock::at(&at(NOW).to_string()), CancellationToken::new());
    home.model.instead(|_, given| given.contains("trains").then_some(Instead::Hangs));

    let mut events = home.reflection.sweep_deflections(Mode::Apply, &clock, &stop);
    let mut seen = Vec::new();
    while let Some(event) = events.next().await {
        if matches!(event, SweepEvent::Row { .. }) {
            stop.cancel();
        }
        seen.push(event);
    }

    let [.., SweepEvent::Stored { undo, changed: 1 }, SweepEvent::Aborted { .. }] = seen[..] else {
        panic!("{seen:?}")
    };
    let after = home.diary().await;
    assert!(!after[0].1.contains("could not") && after[1].1.contains("could not"));
    home.memory.undo(Some(undo), NOW).await.unwrap();
    assert_eq!(home.diary().await, before);
}

#[tokio::test]
async fn what_is_written_during_a_sweep_is_not_overwritten() {
    let home = Home::new();
    two_entries(&home).await;
    let (clock, stop) = (FixedClock::at(&at(NOW).to_string()), CancellationToken::new());

    let mut events = home.reflection.sweep_deflections(Mode::Apply, &clock, &stop);
    while let Some(event) = events.next().await {
        if matches!(event, SweepEvent::Row { done: 1, .. }) {
            entry(&home, 21, "conversation", "Written anew.", &["a"]).await;
        }
    }

    assert_eq!(home.diary().await[0].1, "Written anew.");
    assert!(!home.diary().await[1].1.contains("could not"));
}

#[tokio::test]
async fn topics_are_tidied_and_that_is_undone() {
    let home = Home::new();
    two_entries(&home).await;
    let (clock, stop) = (FixedClock::at(&at(NOW).to_string()), CancellationToken::new());

    home.reflection.sweep_tags(Mode::Preview, &clock, &stop).count().await;
    assert_eq!(home.memory.topics().await.unwrap().len(), 4);
    home.reflection.sweep_tags(Mode::Apply, &clock, &stop).count().await;

    assert_eq!(home.memory.topics().await.unwrap()[0], ("tea".into(), 2));
    home.memory.undo(None, NOW).await.unwrap();
    assert_eq!(home.memory.topics().await.unwrap().len(), 4);
}

#[tokio::test]
async fn a_sweep_of_topics_that_is_stopped_keeps_what_it_did_and_can_be_undone() {
    let home = Home::new();
    for day in 20..=22 {
        entry(&home, day, "conversation", "The user likes tea.", &["teas", "habits"]).await;
    }
    let before = home.memory.topics().await.unwrap();
    let (clock, stop) = (FixedClock::at(&at(NOW).to_string()), CancellationToken::new());

    let mut events = home.reflection.sweep_tags(Mode::Apply, &clock, &stop);
    let mut seen = Vec::new();
    while let Some(event) = events.next().await {
        if matches!(event, SweepEvent::Row { done: 2, .. }) {
            stop.cancel();
        }
        seen.push(event);
    }

    let [.., SweepEvent::Stored { undo, changed: 2 }, SweepEvent::Aborted { changed: 2 }] = seen[..] else {
        panic!("{seen:?}")
    };
    let counted = [("habits".into(), 3), ("tea".into(), 2), ("teas".into(), 1)];
    assert_eq!(home.memory.topics().await.unwrap(), counted);
    home.memory.undo(Some(undo), NOW + MINUTE).await.unwrap();
    assert_eq!(home.memory.topics().await.unwrap(), before);
}

#[tokio::test]
async fn a_sweep_of_topics_that_is_stopped_while_the_model_thinks_changes_nothing() {
    let home = Home::new();
    two_entries(&home).await;
    let (clock, stop) = (FixedClock::at(&at(NOW).to_string()), CancellationToken::new());
    let stops = stop.clone();
    home.model.instead(move |_, _| {
        stops.cancel();
        Some(Instead::Hangs)
    });

    let events: Vec<_> = home.reflection.sweep_tags(Mode::Apply, &clock, &stop).collect().await;

    assert!(
        matches!(events[..], [SweepEvent::Started { total: 2 }, SweepEvent::Aborted { changed: 0 }]),
        "{events:?}"
    );
    assert_eq!(home.memory.topics().await.unwrap().len(), 4);
}

fn fact(text: &str) -> NewFact {
    let evidence = Evidence { quote: text.into(), observed_at: NOW, ..Evidence::default() };
    NewFact { text: text.into(), evidence }
}

#[tokio::test]
async fn facts_are_tidied_and_that_is_undone() {
    let home = Home::new();
    let user = Branch::User.node();
    for text in ["The user runs on Mondays.", "The user runs on Fridays.", "The user likes tea."] {
        home.memory.learn(user, fact(text), NOW).await.unwrap();
    }
    let before = home.memory.archive().await.unwrap();
    home.model.instead(|pass, _| {
        let tidy = r#"{"facts": ["The user runs on Mondays and Fridays.", "The user likes tea."]}"#;
        (pass == Pass::Merge).then(|| Instead::Says(tidy.into()))
    });
    let (clock, stop) = (FixedClock::at(&at(NOW).to_string()), CancellationToken::new());

    home.reflection.consolidate(Mode::Preview, &clock, &stop).count().await;
    assert_eq!(home.memory.archive().await.unwrap(), before);
    let events: Vec<_> = home.reflection.consolidate(Mode::Apply, &clock, &stop).collect().await;

    let [.., ConsolidationEvent::Stored { undo, nodes: 1 }, ConsolidationEvent::Finished] = events[..] else {
        panic!("{events:?}")
    };
    assert_eq!(home.of_user().await, ["The user runs on Mondays and Fridays.", "The user likes tea."]);
    let runs = home.facts(user).await[0].id;
    assert_eq!(home.memory.evidence(runs).await.unwrap().iter().filter(|e| !e.quote.is_empty()).count(), 2);
    home.memory.undo(Some(undo), NOW).await.unwrap();
    assert_eq!(home.memory.archive().await.unwrap(), before);
    assert!(!home.memory.examine(NOW).await.unwrap().needs_repair());
}

#[tokio::test]
async fn tidying_that_is_stopped_stores_the_nodes_that_are_done_and_can_be_undone() {
    let home = Home::new();
    let (user, world) = (Branch::User.node(), Branch::World.node());
    for (node, text) in
        [(user, "The user runs."), (user, "The user jogs."), (world, "Rain."), (world, "Wet.")]
    {
        home.memory.learn(node, fact(text), NOW).await.unwrap();
    }
    let before = home.memory.archive().await.unwrap();
    home.model.instead(|pass, given| {
        let is_of_user = given.contains("jogs");
        let one = || Instead::Says(r#"{"facts": ["The user runs and jogs."]}"#.into());
        (pass == Pass::Merge).then(|| if is_of_user { one() } else { Instead::Hangs })
    });
    let (clock, stop) = (FixedClock::at(&at(NOW).to_string()), CancellationToken::new());

    let mut events = home.reflection.consolidate(Mode::Apply, &clock, &stop);
    let mut seen = Vec::new();
    while let Some(event) = events.next().await {
        if matches!(event, ConsolidationEvent::Node { .. }) {
            stop.cancel();
        }
        seen.push(event);
    }

    let [.., ConsolidationEvent::Stored { undo, nodes: 1 }, ConsolidationEvent::Aborted] = seen[..] else {
        panic!("{seen:?}")
    };
    assert_eq!(home.of_user().await, ["The user runs and jogs."]);
    assert_eq!(home.facts(world).await.len(), 2);
    home.memory.undo(Some(undo), NOW + MINUTE).await.unwrap();
    assert_eq!(home.memory.archive().await.unwrap(), before);
}

#[tokio::test]
async fn a_reader_who_leaves_a_tidying_stores_nothing() {
    let home = Home::new();
    for text in ["The user runs.", "The user jogs."] {
        home.memory.learn(Branch::User.node(), fact(text), NOW).await.unwrap();
    }
    home.model.instead(|_, _| Some(Instead::Says(r#"{"facts": ["The user runs and jogs."]}"#.into())));
    let (clock, stop) = (FixedClock::at(&at(NOW).to_string()), CancellationToken::new());

    let seen = home.reflection.consolidate(Mode::Apply, &clock, &stop).take(2).count().await;

    assert_eq!((seen, home.of_user().await.len()), (2, 2));
}

fn told(event: &ImportEvent) -> String {
    match event {
        ImportEvent::Started { total } => format!("started {total}"),
        ImportEvent::Entry { processed, total, day, facts, error } => {
            format!("{processed}/{total} {day} {facts} {}", error.as_ref().map_or("", |error| error.code()))
        }
        ImportEvent::Finished => "finished".into(),
        ImportEvent::Aborted => "aborted".into(),
        ImportEvent::Failed(error) => format!("failed {}", error.code()),
    }
}

#[tokio::test]
async fn an_imported_diary_becomes_facts() {
    let home = Home::new();
    entry(&home, 1, "import voice", "I like tea", &["tea"]).await;
    entry(&home, 2, "import voice", "I like cake", &["cake"]).await;
    entry(&home, 3, "conversation", "I like secrets", &["a"]).await;
    let (zone, clock, stop) = (TimeZone::UTC, FixedClock::at(&at(NOW).to_string()), CancellationToken::new());
    let import = || home.reflection.import_diary(&zone, 8192, &clock, &stop).map(|event| told(&event));

    let first: Vec<String> = import().collect().await;
    let again: Vec<String> = import().collect().await;

    assert_eq!(first, ["started 2", "1/2 2025-11-01 1 ", "2/2 2025-11-02 1 ", "finished"]);
    assert_eq!(again, ["started 2", "1/2 2025-11-01 0 ", "2/2 2025-11-02 0 ", "finished"]);
    assert_eq!(home.of_user().await, ["The user likes tea.", "The user likes cake."]);
    let tea = home.facts(Branch::User.node()).await[0].id;
    let evidence = home.memory.evidence(tea).await.unwrap();
    assert_eq!((evidence.len(), evidence[0].channel.as_str(), evidence[0].participant), (1, "import", None));
}

#[tokio::test]
async fn importing_goes_on_after_a_failure_and_ends_when_stopped() {
    let home = Home::new();
    for day in 1..=3 {
        entry(&home, day, "import voice", &format!("I like day {day}"), &["a"]).await;
    }
    let (zone, clock, stop) = (TimeZone::UTC, FixedClock::at(&at(NOW).to_string()), CancellationToken::new());
    home.model.instead(|_, given| given.contains("day 1").then_some(Instead::Refuses));

    let mut events = home.reflection.import_diary(&zone, 8192, &clock, &stop);
    let mut seen = Vec::new();
    while let Some(event) = events.next().await {
        seen.push(told(&event));
        if seen.len() == 3 {
            stop.cancel();
        }
    }

    assert_eq!(seen, ["started 3", "1/3 2025-11-01 0 model_failed", "2/3 2025-11-02 1 ", "aborted"]);
}
