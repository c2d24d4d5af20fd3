//! Batch passes, consolidation and import: preview, storing, undo and stopping.

use futures::StreamExt;
use jiff::tz::TimeZone;
use llm::CancellationToken;
use memory::{Branch, EntryId, Evidence, NewEntry, NewFact};
use reflection::batch_passes::BatchPassEvent;
use reflection::{ConsolidationEvent, ImportEvent, Mode};
use testkit::FixedClock;

use crate::support::{Fixture, MINUTE, NOW, Override, Pass, at};

async fn entry(fixture: &Fixture, day: i8, source: &str, summary: &str, topics: &[&str]) -> EntryId {
    let entry = NewEntry {
        day: jiff::civil::date(2025, 11, day),
        source: source.into(),
        summary: summary.into(),
        topics: topics.iter().map(|&topic| topic.to_owned()).collect(),
    };
    fixture.memory.write_entry(entry, vec![], NOW).await.unwrap()
}

async fn two_entries(fixture: &Fixture) {
    let trains = "The user asked for trains to York. The assistant could not find them. The user likes tea.";
    entry(fixture, 20, "conversation", trains, &["trains", "teas"]).await;
    let rain = "The user asked whether it rains. The assistant could not tell at all. The user likes cake.";
    entry(fixture, 21, "conversation", rain, &["rain", "tea"]).await;
}

#[tokio::test]
async fn batch_pass_is_previewed_then_stored_then_undone() {
    let fixture = Fixture::new();
    two_entries(&fixture).await;
    let before = fixture.diary().await;
    let (clock, stop) = (FixedClock::at(&at(NOW).to_string()), CancellationToken::new());

    let shown: Vec<_> = fixture.reflection.remove_deflections(Mode::Preview, &clock, &stop).collect().await;
    assert_eq!(fixture.diary().await, before);
    let stored: Vec<_> = fixture.reflection.remove_deflections(Mode::Apply, &clock, &stop).collect().await;

    assert!(matches!(shown.last(), Some(BatchPassEvent::Finished { changed: 2 })));
    let [.., BatchPassEvent::Stored { undo, changed: 2 }, BatchPassEvent::Finished { changed: 2 }] =
        stored[..]
    else {
        panic!("{stored:?}")
    };
    assert_eq!(fixture.diary().await[1].1, "The user asked for trains to York. The user likes tea.");
    fixture.memory.undo(Some(undo), NOW + MINUTE).await.unwrap();
    assert_eq!(fixture.diary().await, before);
}

#[tokio::test]
async fn stopped_batch_pass_keeps_its_changes_and_can_be_undone() {
    let fixture = Fixture::new();
    two_entries(&fixture).await;
    let before = fixture.diary().await;
    let (clock, stop) = (FixedClock::at(&at(NOW).to_string()), CancellationToken::new());
    fixture.model.override_answers(|_, given| given.contains("trains").then_some(Override::Hangs));

    let mut events = fixture.reflection.remove_deflections(Mode::Apply, &clock, &stop);
    let mut seen = Vec::new();
    while let Some(event) = events.next().await {
        if matches!(event, BatchPassEvent::Row { .. }) {
            stop.cancel();
        }
        seen.push(event);
    }

    let [.., BatchPassEvent::Stored { undo, changed: 1 }, BatchPassEvent::Aborted { .. }] = seen[..] else {
        panic!("{seen:?}")
    };
    let after = fixture.diary().await;
    assert!(!after[0].1.contains("could not") && after[1].1.contains("could not"));
    fixture.memory.undo(Some(undo), NOW).await.unwrap();
    assert_eq!(fixture.diary().await, before);
}

#[tokio::test]
async fn entry_written_during_a_batch_pass_is_not_overwritten() {
    let fixture = Fixture::new();
    two_entries(&fixture).await;
    let (clock, stop) = (FixedClock::at(&at(NOW).to_string()), CancellationToken::new());

    let mut events = fixture.reflection.remove_deflections(Mode::Apply, &clock, &stop);
    while let Some(event) = events.next().await {
        if matches!(event, BatchPassEvent::Row { done: 1, .. }) {
            entry(&fixture, 21, "conversation", "Written anew.", &["a"]).await;
        }
    }

    assert_eq!(fixture.diary().await[0].1, "Written anew.");
    assert!(!fixture.diary().await[1].1.contains("could not"));
}

#[tokio::test]
async fn topics_are_merged_and_the_change_can_be_undone() {
    let fixture = Fixture::new();
    two_entries(&fixture).await;
    let (clock, stop) = (FixedClock::at(&at(NOW).to_string()), CancellationToken::new());

    fixture.reflection.merge_topics(Mode::Preview, &clock, &stop).count().await;
    assert_eq!(fixture.memory.topics().await.unwrap().len(), 4);
    fixture.reflection.merge_topics(Mode::Apply, &clock, &stop).count().await;

    assert_eq!(fixture.memory.topics().await.unwrap()[0], ("tea".into(), 2));
    fixture.memory.undo(None, NOW).await.unwrap();
    assert_eq!(fixture.memory.topics().await.unwrap().len(), 4);
}

#[tokio::test]
async fn stopped_topic_pass_keeps_its_changes_and_can_be_undone() {
    let fixture = Fixture::new();
    for day in 20..=22 {
        entry(&fixture, day, "conversation", "The user likes tea.", &["teas", "habits"]).await;
    }
    let before = fixture.memory.topics().await.unwrap();
    let (clock, stop) = (FixedClock::at(&at(NOW).to_string()), CancellationToken::new());

    let mut events = fixture.reflection.merge_topics(Mode::Apply, &clock, &stop);
    let mut seen = Vec::new();
    while let Some(event) = events.next().await {
        if matches!(event, BatchPassEvent::Row { done: 2, .. }) {
            stop.cancel();
        }
        seen.push(event);
    }

    let [.., BatchPassEvent::Stored { undo, changed: 2 }, BatchPassEvent::Aborted { changed: 2 }] = seen[..]
    else {
        panic!("{seen:?}")
    };
    let counted = [("habits".into(), 3), ("tea".into(), 2), ("teas".into(), 1)];
    assert_eq!(fixture.memory.topics().await.unwrap(), counted);
    fixture.memory.undo(Some(undo), NOW + MINUTE).await.unwrap();
    assert_eq!(fixture.memory.topics().await.unwrap(), before);
}

#[tokio::test]
async fn topic_pass_stopped_during_its_question_changes_nothing() {
    let fixture = Fixture::new();
    two_entries(&fixture).await;
    let (clock, stop) = (FixedClock::at(&at(NOW).to_string()), CancellationToken::new());
    let stops = stop.clone();
    fixture.model.override_answers(move |_, _| {
        stops.cancel();
        Some(Override::Hangs)
    });

    let events: Vec<_> = fixture.reflection.merge_topics(Mode::Apply, &clock, &stop).collect().await;

    assert!(
        matches!(events[..], [BatchPassEvent::Started { total: 2 }, BatchPassEvent::Aborted { changed: 0 }]),
        "{events:?}"
    );
    assert_eq!(fixture.memory.topics().await.unwrap().len(), 4);
}

fn fact(text: &str) -> NewFact {
    let evidence = Evidence { quote: text.into(), observed_at: NOW, ..Evidence::default() };
    NewFact { text: text.into(), evidence }
}

#[tokio::test]
async fn facts_are_consolidated_and_the_change_can_be_undone() {
    let fixture = Fixture::new();
    let user = Branch::User.node();
    for text in ["The user runs on Mondays.", "The user runs on Fridays.", "The user likes tea."] {
        fixture.memory.learn(user, fact(text), NOW).await.unwrap();
    }
    let before = fixture.memory.archive().await.unwrap();
    fixture.model.override_answers(|pass, _| {
        let tidy = r#"{"facts": ["The user runs on Mondays and Fridays.", "The user likes tea."]}"#;
        (pass == Pass::Merge).then(|| Override::Says(tidy.into()))
    });
    let (clock, stop) = (FixedClock::at(&at(NOW).to_string()), CancellationToken::new());

    fixture.reflection.consolidate(Mode::Preview, &clock, &stop).count().await;
    assert_eq!(fixture.memory.archive().await.unwrap(), before);
    let events: Vec<_> = fixture.reflection.consolidate(Mode::Apply, &clock, &stop).collect().await;

    let [.., ConsolidationEvent::Stored { undo, nodes: 1 }, ConsolidationEvent::Finished] = events[..] else {
        panic!("{events:?}")
    };
    assert_eq!(fixture.user_facts().await, ["The user runs on Mondays and Fridays.", "The user likes tea."]);
    let runs = fixture.facts(user).await[0].id;
    assert_eq!(
        fixture.memory.evidence(runs).await.unwrap().iter().filter(|e| !e.quote.is_empty()).count(),
        2
    );
    fixture.memory.undo(Some(undo), NOW).await.unwrap();
    assert_eq!(fixture.memory.archive().await.unwrap(), before);
    assert!(!fixture.memory.examine(NOW).await.unwrap().needs_repair());
}

#[tokio::test]
async fn stopped_consolidation_stores_the_finished_nodes() {
    let fixture = Fixture::new();
    let (user, world) = (Branch::User.node(), Branch::World.node());
    for (node, text) in
        [(user, "The user runs."), (user, "The user jogs."), (world, "Rain."), (world, "Wet.")]
    {
        fixture.memory.learn(node, fact(text), NOW).await.unwrap();
    }
    let before = fixture.memory.archive().await.unwrap();
    fixture.model.override_answers(|pass, given| {
        let is_of_user = given.contains("jogs");
        let one = || Override::Says(r#"{"facts": ["The user runs and jogs."]}"#.into());
        (pass == Pass::Merge).then(|| if is_of_user { one() } else { Override::Hangs })
    });
    let (clock, stop) = (FixedClock::at(&at(NOW).to_string()), CancellationToken::new());

    let mut events = fixture.reflection.consolidate(Mode::Apply, &clock, &stop);
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
    assert_eq!(fixture.user_facts().await, ["The user runs and jogs."]);
    assert_eq!(fixture.facts(world).await.len(), 2);
    fixture.memory.undo(Some(undo), NOW + MINUTE).await.unwrap();
    assert_eq!(fixture.memory.archive().await.unwrap(), before);
}

#[tokio::test]
async fn dropped_consolidation_stream_stores_nothing() {
    let fixture = Fixture::new();
    for text in ["The user runs.", "The user jogs."] {
        fixture.memory.learn(Branch::User.node(), fact(text), NOW).await.unwrap();
    }
    fixture
        .model
        .override_answers(|_, _| Some(Override::Says(r#"{"facts": ["The user runs and jogs."]}"#.into())));
    let (clock, stop) = (FixedClock::at(&at(NOW).to_string()), CancellationToken::new());

    let seen = fixture.reflection.consolidate(Mode::Apply, &clock, &stop).take(2).count().await;

    assert_eq!((seen, fixture.user_facts().await.len()), (2, 2));
}

fn describe(event: &ImportEvent) -> String {
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
async fn imported_diary_becomes_facts() {
    let fixture = Fixture::new();
    entry(&fixture, 1, "import voice", "I like tea", &["tea"]).await;
    entry(&fixture, 2, "import voice", "I like cake", &["cake"]).await;
    entry(&fixture, 3, "conversation", "I like secrets", &["a"]).await;
    let (zone, clock, stop) = (TimeZone::UTC, FixedClock::at(&at(NOW).to_string()), CancellationToken::new());
    let import = || fixture.reflection.import_diary(&zone, 8192, &clock, &stop).map(|event| describe(&event));

    let first: Vec<String> = import().collect().await;
    let again: Vec<String> = import().collect().await;

    assert_eq!(first, ["started 2", "1/2 2025-11-01 1 ", "2/2 2025-11-02 1 ", "finished"]);
    assert_eq!(again, ["started 2", "1/2 2025-11-01 0 ", "2/2 2025-11-02 0 ", "finished"]);
    assert_eq!(fixture.user_facts().await, ["The user likes tea.", "The user likes cake."]);
    let tea = fixture.facts(Branch::User.node()).await[0].id;
    let evidence = fixture.memory.evidence(tea).await.unwrap();
    assert_eq!((evidence.len(), evidence[0].channel.as_str(), evidence[0].participant), (1, "import", None));
}

#[tokio::test]
async fn import_continues_after_a_failure_and_ends_when_stopped() {
    let fixture = Fixture::new();
    for day in 1..=3 {
        entry(&fixture, day, "import voice", &format!("I like day {day}"), &["a"]).await;
    }
    let (zone, clock, stop) = (TimeZone::UTC, FixedClock::at(&at(NOW).to_string()), CancellationToken::new());
    fixture.model.override_answers(|_, given| given.contains("day 1").then_some(Override::Refuses));

    let mut events = fixture.reflection.import_diary(&zone, 8192, &clock, &stop);
    let mut seen = Vec::new();
    while let Some(event) = events.next().await {
        seen.push(describe(&event));
        if seen.len() == 3 {
            stop.cancel();
        }
    }

    assert_eq!(seen, ["started 3", "1/3 2025-11-01 0 model_failed", "2/3 2025-11-02 1 ", "aborted"]);
}
