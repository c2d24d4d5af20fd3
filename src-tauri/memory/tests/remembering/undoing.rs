//! What is undone comes back among all that happened meanwhile.

use jiff::civil::date;
use memory::{DiaryFilter, EntryId, Forget, NewEntry, Undo};
use vocabulary::Private;

use crate::forgetting::{SECRET, home_with_a_secret};
use crate::support::{Home, MINUTE, NOW, remembered};

fn entry(summary: &str) -> NewEntry {
    NewEntry {
        day: date(2025, 11, 22),
        source: "conversation".into(),
        summary: summary.into(),
        topics: vec![],
    }
}

fn secret() -> Forget {
    Forget::Words(Private(SECRET.into()))
}

/// Lets the diary take in what waits for it.
async fn write_diary(home: &Home, summary: &str, at: i64) -> EntryId {
    let waiting = home.memory.unwritten(100).await.unwrap();
    let messages = waiting.iter().map(|waiting| waiting.message).collect();
    home.memory.write_entry(entry(summary), messages, at).await.unwrap()
}

async fn waiting(home: &Home) -> Vec<String> {
    let waiting = home.memory.unwritten(100).await.unwrap();
    waiting.into_iter().map(|waiting| waiting.said.text.0).collect()
}

#[tokio::test]
async fn what_was_said_since_forgetting_waits_for_the_diary_again_when_it_is_undone() {
    let home = home_with_a_secret().await;
    home.memory.forget(secret(), Undo::Possible, NOW + MINUTE).await.unwrap();
    home.say(NOW + 2 * MINUTE, "and then I sold the cello").await;
    write_diary(&home, "They bought a cello, and sold it.", NOW + 3 * MINUTE).await;

    home.memory.undo(None, NOW + 4 * MINUTE).await.unwrap();

    assert_eq!(waiting(&home).await, ["and then I sold the cello"]);
}

#[tokio::test]
async fn what_the_diary_took_in_since_an_edit_waits_again_when_that_is_undone() {
    let home = Home::new();
    home.say(NOW, "I rode my bike").await;
    let id = write_diary(&home, "Rode a bike.", NOW + 1).await;
    let rewritten = vec![(id, "Rode.".into(), vec![])];
    let undo = home.memory.rewrite_entries("edit", rewritten, NOW + 2).await.unwrap();
    home.say(NOW + 3, "and then I swam").await;
    write_diary(&home, "Rode. Swam.", NOW + 4).await;

    home.memory.undo(Some(undo), NOW + MINUTE).await.unwrap();

    assert_eq!(home.memory.entry(id).await.unwrap().unwrap().summary, "Rode a bike.");
    assert_eq!(waiting(&home).await, ["and then I swam"]);
}

#[tokio::test]
async fn undoing_an_edit_after_which_nothing_was_said_leaves_nothing_waiting() {
    let home = Home::new();
    home.say(NOW, "I rode my bike").await;
    let id = write_diary(&home, "Rode a bike.", NOW + 1).await;
    let before = remembered(&home.memory).await;
    home.memory.rewrite_entries("edit", vec![(id, "Rode.".into(), vec![])], NOW + 2).await.unwrap();

    home.memory.undo(None, NOW + MINUTE).await.unwrap();

    assert_eq!(remembered(&home.memory).await, before);
}

#[tokio::test]
async fn what_was_taken_in_again_since_it_was_forgotten_is_there_once() {
    let home = home_with_a_secret().await;
    let before = home.memory.archive().await.unwrap();
    home.memory.forget(secret(), Undo::Possible, NOW + MINUTE).await.unwrap();
    home.memory.import(before.clone(), NOW + 2 * MINUTE).await.unwrap();

    home.memory.undo(None, NOW + 3 * MINUTE).await.unwrap();

    let after = home.memory.archive().await.unwrap();
    let said = |archive: &memory::Archive| {
        archive.messages.iter().map(|message| (message.at_micros, message.text.clone())).collect::<Vec<_>>()
    };
    assert_eq!(said(&after), said(&before));
    let entries = home.memory.entries(DiaryFilter::default()).await.unwrap();
    let days: Vec<(&str, usize)> =
        after.diary.iter().map(|entry| (entry.summary.as_str(), entry.sources.len())).collect();
    assert_eq!(days, [(before.diary[0].summary.as_str(), 4)]);
    assert_eq!(entries.len(), 1);
    assert!(waiting(&home).await.is_empty());
}
