//! The diary.

use std::time::Duration;

use jiff::civil::date;
use memory::{DiaryFilter, NewEntry, Recall, is_due};
use rstest::rstest;

use crate::support::{Home, MINUTE, NOW};

fn entry(day: i8, summary: &str, topics: &[&str]) -> NewEntry {
    NewEntry {
        day: date(2025, 11, day),
        source: "conversation".into(),
        summary: summary.into(),
        topics: topics.iter().map(|&topic| topic.into()).collect(),
    }
}

#[rstest]
#[case::nothing_waits(None, false)]
#[case::just_said(Some((0, 0)), false)]
#[case::silent_for_the_window(Some((-5, -5)), true)]
#[case::talking_for_the_window(Some((-5, 0)), true)]
#[case::a_clock_set_back(Some((60, 60)), false)]
fn the_diary_is_due(#[case] waiting_minutes: Option<(i64, i64)>, #[case] expected: bool) {
    let waiting = waiting_minutes.map(|(oldest, newest)| (NOW + oldest * MINUTE, NOW + newest * MINUTE));

    assert_eq!(is_due(waiting, NOW, Duration::from_secs(300)), expected);
}

#[tokio::test]
async fn messages_said_during_a_diary_pass_stay_pending() {
    let home = Home::new();
    home.say(NOW, "one").await;
    home.answer(NOW + 1, "two").await;
    let taken = home.memory.pending_messages(10).await.unwrap();

    home.say(NOW + 2, "three").await;
    let ids = taken.iter().map(|unwritten| unwritten.message).collect();
    home.memory.write_entry(entry(22, "One and two.", &["numbers"]), ids, NOW + 3).await.unwrap();

    let waiting = home.memory.pending_messages(10).await.unwrap();
    let texts: Vec<&str> = waiting.iter().map(|waiting| waiting.content.text.as_str()).collect();
    assert_eq!(texts, ["three"]);
    assert_eq!(waiting[0].channel, "typed");
}

#[tokio::test]
async fn rewriting_a_day_keeps_one_entry_with_its_id() {
    let home = Home::new();
    let first = home.memory.write_entry(entry(22, "Morning.", &["a"]), vec![], NOW).await.unwrap();

    let second =
        home.memory.write_entry(entry(22, "Morning and evening.\nBoth.", &["a"]), vec![], NOW).await.unwrap();
    let found =
        home.memory.recall(Recall { words: "evening".into(), limit: 5, ..Recall::default() }).await.unwrap();

    assert_eq!(first, second);
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].item.text.as_str(), "Morning and evening.\nBoth.");
}

#[tokio::test]
async fn entries_are_filtered_by_words_topics_and_days() {
    let home = Home::new();
    for (day, summary, topics) in [
        (20, "Fixed the bike.", vec!["Bike", "repairs"]),
        (21, "Rain all day.", vec!["weather"]),
        (22, "Rode the bike.", vec!["bike"]),
    ] {
        home.memory.write_entry(entry(day, summary, &topics), vec![], NOW).await.unwrap();
    }
    let days = |filter| async {
        let entries = home.memory.entries(filter).await.unwrap();
        entries.into_iter().map(|entry| entry.day.day()).collect::<Vec<_>>()
    };

    assert_eq!(days(DiaryFilter { words: "bike".into(), ..DiaryFilter::default() }).await, [22, 20]);
    assert_eq!(days(DiaryFilter { topics: vec!["BIK".into()], ..DiaryFilter::default() }).await, [22, 20]);
    let from = date(2025, 11, 21)..=date(2025, 11, 22);
    assert_eq!(days(DiaryFilter { days: Some(from), limit: Some(1), ..DiaryFilter::default() }).await, [22]);
    let topics = home.memory.topics().await.unwrap();
    assert_eq!(topics[0], ("bike".to_owned(), 2));
}

#[tokio::test]
async fn rewritten_entries_can_be_undone() {
    let home = Home::new();
    let id =
        home.memory.write_entry(entry(22, "I could not help. Rode.", &["a"]), vec![], NOW).await.unwrap();

    let undo = home
        .memory
        .rewrite_entries("deflections", vec![(id, "Rode.".into(), vec!["b".into()])], NOW)
        .await
        .unwrap();
    let rewritten = home.memory.entry(id).await.unwrap().unwrap();
    home.memory.undo(Some(undo), NOW + MINUTE).await.unwrap();

    assert_eq!((rewritten.summary.as_str(), rewritten.written_at), ("Rode.", NOW));
    let back = home.memory.entry(id).await.unwrap().unwrap();
    assert_eq!((back.summary.as_str(), back.topics), ("I could not help. Rode.", vec!["a".to_owned()]));
    assert_eq!(
        home.memory
            .recall(Recall { words: "help".into(), limit: 5, ..Recall::default() })
            .await
            .unwrap()
            .len(),
        1
    );
}

#[tokio::test]
async fn entry_knows_its_source_messages() {
    let home = Home::new();
    for (at, text) in [(1, "first"), (2, "second"), (3, "third"), (4, "fourth")] {
        home.say(NOW + at, text).await;
    }
    let messages: Vec<i64> =
        home.memory.pending_messages(2).await.unwrap().iter().map(|u| u.message).collect();
    let entry = home.memory.write_entry(entry(22, "Counted.", &[]), messages.clone(), NOW).await.unwrap();

    let sources = home.memory.sources_of(entry, 10).await.unwrap();
    let around = home.memory.messages_around(messages[1], 1).await.unwrap();

    let texts = |found: Vec<memory::Message>| {
        found.into_iter().map(|message| message.content.text.0).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(texts(sources), "first second");
    assert_eq!(texts(around), "first second third");
    assert!(home.memory.messages_around(99, 1).await.unwrap().is_empty());
}

#[tokio::test]
async fn diary_messages_are_pending_for_the_fact_search() {
    let home = Home::new();
    home.answer(NOW, "Good morning.").await;
    home.say(NOW + 1, "I like tea").await;
    home.say(NOW + 2, "***").await;
    let taken = home.memory.pending_messages(10).await.unwrap();

    let written = taken[..2].to_vec();
    let id = home.memory.continue_entry(entry(22, "Tea.", &["tea"]), None, written, NOW + 3).await.unwrap();
    home.memory.skip_messages(vec![taken[2].message], NOW + 3).await.unwrap();
    let waiting = home.memory.unsearched_messages(10).await.unwrap();
    home.memory.mark_searched(vec![taken[0].message], NOW + 4).await.unwrap();

    let ids: Vec<_> = waiting.iter().map(|waiting| (waiting.message, waiting.entry)).collect();
    assert_eq!(ids, [(taken[0].message, Some(id)), (taken[1].message, Some(id))]);
    assert_eq!(waiting[1].before.as_ref(), Some(&taken[0].content));
    assert_eq!(home.memory.unsearched_messages(10).await.unwrap().len(), 1);
}

#[tokio::test]
async fn entry_made_from_forgotten_messages_is_refused() {
    let home = Home::new();
    home.say(NOW, "I hide in a lighthouse").await;
    let taken = home.memory.pending_messages(10).await.unwrap();

    home.memory.forget(memory::Forget::LastThing, memory::Undo::Never, NOW + 1).await.unwrap();
    home.say(NOW + 2, "I like tea").await;
    let refused = home.memory.continue_entry(entry(22, "Lighthouse.", &["a"]), None, taken, NOW + 3).await;

    assert!(matches!(refused, Err(memory::MemoryError::Refused(memory::Refusal::Outdated))));
    assert_eq!(home.memory.pending_messages(10).await.unwrap().len(), 1);
}
