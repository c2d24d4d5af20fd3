//! Undoing restores records beside newer ones.

use jiff::civil::date;
use memory::{DiaryFilter, EntryId, Forget, MemoryError, NewEntry, Recall, RecordKind, Refusal, Undo};
use vocabulary::Private;

use crate::forgetting::{SECRET, home_with_a_secret};
use crate::support::{Home, MINUTE, NOW, records_without_change_times};

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
    let waiting = home.memory.pending_messages(100).await.unwrap();
    let messages = waiting.iter().map(|waiting| waiting.message).collect();
    home.memory.write_entry(entry(summary), messages, at).await.unwrap()
}

async fn waiting(home: &Home) -> Vec<String> {
    let waiting = home.memory.pending_messages(100).await.unwrap();
    waiting.into_iter().map(|waiting| waiting.content.text.0).collect()
}

#[tokio::test]
async fn messages_since_forgetting_become_pending_on_undo() {
    let home = home_with_a_secret().await;
    home.memory.forget(secret(), Undo::Possible, NOW + MINUTE).await.unwrap();
    home.say(NOW + 2 * MINUTE, "and then I sold the cello").await;
    write_diary(&home, "They bought a cello, and sold it.", NOW + 3 * MINUTE).await;

    home.memory.undo(None, NOW + 4 * MINUTE).await.unwrap();

    assert_eq!(waiting(&home).await, ["and then I sold the cello"]);
}

#[tokio::test]
async fn messages_since_an_edit_become_pending_on_undo() {
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
async fn undoing_an_edit_without_later_messages_leaves_none_pending() {
    let home = Home::new();
    home.say(NOW, "I rode my bike").await;
    let id = write_diary(&home, "Rode a bike.", NOW + 1).await;
    let before = records_without_change_times(&home.memory).await;
    home.memory.rewrite_entries("edit", vec![(id, "Rode.".into(), vec![])], NOW + 2).await.unwrap();

    home.memory.undo(None, NOW + MINUTE).await.unwrap();

    assert_eq!(records_without_change_times(&home.memory).await, before);
}

#[tokio::test]
async fn undo_after_reimport_creates_no_duplicates() {
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

/// Selects the messages in these words.
async fn what_was_said(home: &Home, words: &str) -> Forget {
    let recall =
        Recall { words: words.into(), kinds: vec![RecordKind::Message], limit: 1, ..Recall::default() };
    let found = home.memory.recall(recall).await.unwrap();
    Forget::Items(found.iter().map(|found| found.item.id).collect())
}

#[tokio::test]
async fn undoing_an_edit_keeps_later_forgetting() {
    let home = Home::new();
    home.say(NOW, "I rode my bike").await;
    home.say(NOW + 1, &format!("my hideout is {SECRET}")).await;
    let id = write_diary(&home, &format!("Rode a bike to {SECRET}."), NOW + 2).await;
    let rewritten = vec![(id, "Rode to the hideout.".into(), vec![])];
    let edit = home.memory.rewrite_entries("edit", rewritten, NOW + 3).await.unwrap();
    home.memory.forget(what_was_said(&home, SECRET).await, Undo::Possible, NOW + 4).await.unwrap();

    home.memory.undo(Some(edit), NOW + 5).await.unwrap();

    assert!(home.memory.entries(DiaryFilter::default()).await.unwrap().is_empty());
    assert_eq!(waiting(&home).await, ["I rode my bike"]);
}

#[tokio::test]
async fn forgotten_words_do_not_return_by_undoing_an_edit() {
    let home = Home::new();
    let id = write_diary(&home, &format!("Went to {SECRET}."), NOW).await;
    let rewritten = vec![(id, "Went out.".into(), vec![])];
    let edit = home.memory.rewrite_entries("edit", rewritten, NOW + 1).await.unwrap();

    let forgotten = home.memory.forget(secret(), Undo::Possible, NOW + 2).await.unwrap();
    let undone = home.memory.undo(Some(edit), NOW + 3).await;

    assert!(forgotten.items.is_empty());
    assert!(matches!(undone, Err(MemoryError::Refused(Refusal::NothingToUndo))));
    assert_eq!(home.memory.entry(id).await.unwrap().unwrap().summary, "Went out.");
}

#[tokio::test]
async fn earlier_forgetting_can_be_undone_alone_or_in_order() {
    for in_turn in [false, true] {
        let home = Home::new();
        for (place, text) in ["first", "second", "third"].iter().enumerate() {
            home.say(NOW + place as i64, text).await;
        }
        write_diary(&home, "The first, the second and the third.", NOW + 3).await;
        let before = records_without_change_times(&home.memory).await;
        let mut undos = Vec::new();
        for words in ["first", "second"] {
            let wish = what_was_said(&home, words).await;
            let forgotten = home.memory.forget(wish, Undo::Possible, NOW + 4).await.unwrap();
            undos.extend(forgotten.undo);
        }

        if in_turn {
            home.memory.undo(Some(undos[1]), NOW + 6).await.unwrap();
        }
        home.memory.undo(Some(undos[0]), NOW + 7).await.unwrap();

        if in_turn {
            assert_eq!(records_without_change_times(&home.memory).await, before);
        } else {
            assert_eq!(waiting(&home).await, ["first", "third"]);
            assert!(home.memory.archive().await.unwrap().diary.is_empty());
        }
    }
}
