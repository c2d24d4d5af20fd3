//! Unusual text in every field: it is stored, found, exported, imported, forgotten and restored like any other text.

use memory::{
    Appointment, Archive, Branch, DiaryFilter, Forget, Meal, NewEntry, NewMessage, Participant, Recall, Undo,
};
use rstest::rstest;
use vocabulary::{ConversationId, Private};

use crate::support::{Home, NOW, appointment, message, records_without_change_times};

async fn home_with(text: &str) -> Home {
    let home = Home::new();
    let memory = &home.memory;
    let said = NewMessage { channel: text.into(), ..message(text, NOW, Participant::User, text) };
    memory.add_messages(vec![said]).await.unwrap();
    let micros = serde_json::Map::from_iter([(text.to_owned(), text.into())]);
    let meal = Meal {
        eaten_at: NOW,
        source: text.into(),
        description: text.into(),
        micros: Some(micros),
        ..Meal::default()
    };
    memory.log_meal(meal).await.unwrap();
    memory.appoint(Appointment { zone: text.into(), ..appointment(text) }, NOW).await.unwrap();
    memory.add_todo(text, text, NOW).await.unwrap();
    let node = memory.create_node(Branch::User.node(), text, text, NOW).await.unwrap();
    memory.learn(node, crate::support::fact(text), NOW).await.unwrap();
    let entry = NewEntry {
        day: jiff::civil::date(2025, 11, 22),
        source: text.into(),
        summary: text.into(),
        topics: vec![text.replace(',', " ")],
    };
    memory.write_entry(entry, vec![1], NOW).await.unwrap();
    home
}

#[rstest]
#[case::nul("a\0zebra")]
#[case::emoji("zebra 🦓👩‍👩‍👧‍👦")]
#[case::right_to_left("\u{202e}zebra הדרכון שלי")]
#[case::sql("zebra'); DROP TABLE todos; --")]
#[case::full_text("zebra AND NOT \"x\" NEAR(*) ^ : - {a b}")]
#[case::patterns("zebra % _ \\ [a-z]*?")]
#[case::invisible("zebra e\u{301}\u{323}\u{feff}\u{200d}")]
#[tokio::test]
async fn odd_text_works_in_every_field(#[case] text: &str) {
    let home = home_with(text).await;
    let memory = &home.memory;
    let before = records_without_change_times(memory).await;
    let json = serde_json::to_vec(&memory.archive().await.unwrap()).unwrap();

    let words = Recall { words: text.into(), limit: 9, ..Recall::default() };
    let found = memory.recall(words).await.unwrap().len();
    let filter = DiaryFilter { words: text.into(), ..DiaryFilter::default() };
    let days = memory.entries(filter).await.unwrap().len();
    let filter = DiaryFilter { topics: vec![text.replace(',', " ")], ..DiaryFilter::default() };
    let of_topic = memory.entries(filter).await.unwrap().len();
    let nodes = memory.search_nodes(text, 9, NOW).await.unwrap().len();
    let named = memory.node_named(text, None).await.unwrap().is_some();
    let to_do = memory.todos(Some(text)).await.unwrap().len();
    let page = memory.conversations().await.unwrap().remove(0);
    let other = Home::new();
    other.memory.import(Archive::from_json(&json).unwrap(), NOW).await.unwrap();
    let again = other.memory.import(Archive::from_json(&json).unwrap(), NOW).await.unwrap();
    let taken_in = serde_json::to_vec(&other.memory.archive().await.unwrap()).unwrap();
    let forgotten = memory.forget(Forget::Words(Private("zebra".into())), Undo::Possible, NOW).await.unwrap();
    let left = records_without_change_times(memory).await;
    memory.undo(forgotten.undo, NOW).await.unwrap();

    assert_eq!((found, days, of_topic, nodes, named, to_do), (4, 1, 1, 1, true, 1));
    assert_eq!((page.id, page.messages), (ConversationId(text.into()), 1));
    assert_eq!(again, memory::ImportCounts::default());
    assert_eq!(String::from_utf8(taken_in).unwrap(), String::from_utf8(json).unwrap());
    assert_eq!(forgotten.items.len(), 7);
    assert!(!serde_json::to_string(&left).unwrap().contains("zebra"));
    let mut after = records_without_change_times(memory).await;
    // The search counted as a use of the node.
    for (node, was) in after.nodes.iter_mut().zip(&before.nodes) {
        (node.access_count, node.last_accessed) = (was.access_count, was.last_accessed);
    }
    assert_eq!(after, before);
}

#[rstest]
#[case::leading(r"\ud83e zebra")]
#[case::trailing(r"zebra \udd93")]
#[case::swapped(r"\udd93\ud83e")]
fn invalid_utf8_in_an_export_is_refused(#[case] text: &str) {
    let json = format!(
        r#"{{"format": "jarvis-memory-2", "todos": [{{"list": "a", "text": "{text}", "created_at": 1}}]}}"#
    );

    let why = Archive::from_json(json.as_bytes()).unwrap_err();

    assert!(why.contains("no JSON") && why.contains("line 1"), "{why}");
}
