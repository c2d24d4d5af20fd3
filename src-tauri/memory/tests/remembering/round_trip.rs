//! An export that is imported elsewhere gives the same rows.

use jiff::civil::date;
use memory::{
    Archive, Branch, Evidence, FactId, Forget, ItemId, Meal, Merge, MergedLine, NewEntry, NewFact, NodeEdit,
    NodeId, Participant, RecordKind, Undo,
};
use proptest::prelude::*;
use rusqlite::Connection;
use rusqlite::types::Value;

use crate::support::{DAY, Home, NOW, appointment, message};

/// Selects the fields of a row, with texts instead of ids.
const TABLES: [&str; 9] = [
    "SELECT 'message', conversation, said_at, speaker, text, channel, digested_at, searched_at FROM messages",
    "SELECT 'entry', day, source, summary, topics, written_at FROM diary",
    "SELECT 'source', d.day, d.source, m.conversation, m.said_at
     FROM diary_sources s JOIN diary d ON d.id = s.entry JOIN messages m ON m.id = s.message",
    "SELECT 'node', n.name, n.description, p.name, p.created_at, n.access_count, n.last_accessed, n.created_at,
            n.updated_at FROM nodes n JOIN nodes p ON p.id = n.parent",
    "SELECT 'fact', n.name, n.created_at, f.text, f.folded, f.status, f.valid_from, f.valid_to, f.position, r.text,
            r.valid_from FROM facts f JOIN nodes n ON n.id = f.node LEFT JOIN facts r ON r.id = f.replaced_by",
    "SELECT 'evidence', f.text, f.valid_from, e.quote, e.observed_at, e.day, e.conversation, e.speaker, e.channel,
            e.wording, m.said_at, m.conversation, d.day, d.source
     FROM evidence e JOIN facts f ON f.id = e.fact LEFT JOIN messages m ON m.id = e.message
     LEFT JOIN diary d ON d.id = e.entry",
    "SELECT 'meal', eaten_at, entered_at, source, description, calories_kcal, protein_g, micros, confidence FROM meals",
    "SELECT 'appointment', kind, label, first_at, due_at, repeats, zone, status, created_at, paused_at
     FROM appointments",
    "SELECT 'todo', list, text, created_at, done_at FROM todos",
];

fn rows(home: &Home) -> Vec<String> {
    let connection = Connection::open(home.path()).unwrap();
    let mut rows = Vec::new();
    for sql in TABLES {
        let mut select = connection.prepare(sql).unwrap();
        let columns = select.column_count();
        let found = select.query_map([], |row| {
            let cells = (0..columns).map(|column| row.get::<_, Value>(column));
            cells.collect::<rusqlite::Result<Vec<_>>>().map(|cells| format!("{cells:?}"))
        });
        rows.extend(found.unwrap().map(Result::unwrap));
    }
    rows.sort();
    rows
}

/// Performs a random operation. A refused one changes nothing.
async fn act(home: &Home, step: i64, what: u8, which: u8, text: &str) {
    let (memory, now) = (&home.memory, NOW + step * 1000);
    let row = i64::from(which % 7) + 1;
    let node = NodeId(2 + i64::from(which % 6));
    let evidence = Evidence {
        quote: text.to_owned(),
        observed_at: now,
        day: which.is_multiple_of(2).then(|| date(2025, 11, 22)),
        conversation: "main".into(),
        participant: which.is_multiple_of(3).then_some(Participant::User),
        channel: "voice".into(),
        message: which.is_multiple_of(4).then_some(row),
        entry: which.is_multiple_of(5).then_some(1),
        wording: String::new(),
    };
    let fact = NewFact { text: format!("{text} {}", which % 9), evidence: evidence.clone() };
    match what % 14 {
        0 | 1 => {
            let speaker = if which.is_multiple_of(2) { Participant::User } else { Participant::Assistant };
            let said = message(["main", "other"][usize::from(which % 2)], now, speaker, text);
            drop(memory.add_messages(vec![said]).await);
        }
        2 => {
            let entry = NewEntry {
                day: date(2025, 11, 20 + (which % 3) as i8),
                source: "conversation".into(),
                summary: text.into(),
                topics: vec!["one".into(), "two words".into()],
            };
            let waiting = memory.pending_messages(2).await.unwrap().iter().map(|it| it.message).collect();
            drop(memory.write_entry(entry, waiting, now).await);
        }
        3 => drop(memory.mark_searched(vec![row], now).await),
        4 | 5 => drop(memory.learn(node, fact, now).await),
        6 => drop(memory.correct(FactId(row), fact, now).await),
        7 => drop(memory.retract(FactId(row), now).await),
        8 => drop(memory.create_node(node, text, "what belongs here", now).await),
        9 => {
            let edit = NodeEdit { description: Some(text.into()), ..NodeEdit::default() };
            drop(memory.edit_node(node, edit, now).await);
            drop(memory.touch_node(node, now).await);
        }
        10 => {
            let from: Vec<FactId> = memory.facts(node).await.unwrap().iter().map(|fact| fact.id).collect();
            let line = MergedLine {
                text: format!("{text} merged"),
                stands_for: from.clone(),
                replaces: vec![],
                evidence: vec![evidence],
            };
            drop(memory.merge_facts(Merge { node, from, lines: vec![line] }, now).await);
        }
        11 => {
            let meal = Meal {
                eaten_at: now - DAY,
                entered_at: now,
                description: text.into(),
                calories_kcal: Some(f64::from(which) / 7.0),
                micros: serde_json::json!({ text: 0.1 }).as_object().cloned(),
                ..Meal::default()
            };
            drop(memory.log_meal(meal).await);
            drop(memory.add_todo("list", text, now).await);
        }
        12 => drop(memory.appoint(appointment(text), now).await),
        _ => {
            let kind = if which.is_multiple_of(2) { RecordKind::Message } else { RecordKind::Fact };
            let what = Forget::Items(vec![ItemId::new(kind, row)]);
            memory.forget(what, Undo::Never, now).await.unwrap();
        }
    }
}

async fn round_trip(actions: Vec<(u8, u8, String)>) {
    let (here, there) = (Home::new(), Home::new());
    for (step, (what, which, text)) in actions.into_iter().enumerate() {
        act(&here, step as i64, what, which, &text).await;
    }

    let archive = here.memory.archive().await.unwrap();
    let json = serde_json::to_vec(&archive).unwrap();
    there.memory.import(Archive::from_json(&json).unwrap(), NOW + DAY).await.unwrap();

    let (before, after) = (rows(&here), rows(&there));
    assert_eq!(before, after);
    assert_eq!(there.memory.archive().await.unwrap(), archive);
    assert_eq!(there.memory.examine(NOW + DAY).await.unwrap(), here.memory.examine(NOW + DAY).await.unwrap());
    let again = there.memory.import(archive, NOW + 2 * DAY).await.unwrap();
    assert_eq!(
        (again, rows(&there)),
        (memory::ImportCounts::default(), after),
        "taken in twice it adds nothing"
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn imported_export_has_equal_rows(
        actions in prop::collection::vec((any::<u8>(), any::<u8>(), "\\PC{0,12}"), 1..60)
    ) {
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
        runtime.block_on(round_trip(actions));
    }
}

#[tokio::test]
async fn export_of_the_older_format_is_imported_without_links() {
    let json = br#"{"format": "jarvis-memory-1", "messages": [{"conversation": "main", "at_micros": 5,
        "speaker": "user", "channel": "typed", "text": "I like tea"}], "diary": [{"day": "2025-01-02", "source": "x",
        "summary": "Tea.", "topics": ["tea"]}], "nodes": [{"path": ["User", "Drinks"], "description": "d", "facts": [
        {"text": "Likes tea.", "status": "current", "valid_from": 5, "valid_to": null, "evidence": [{"quote": "I like tea",
        "observed_at": 5, "day": "2025-01-02", "conversation": "main", "speaker": "user", "channel": "typed",
        "message": 77, "entry": 9}]}]}]}"#;
    let home = Home::new();

    home.memory.import(Archive::from_json(json).unwrap(), NOW).await.unwrap();
    let again = home.memory.import(Archive::from_json(json).unwrap(), NOW).await.unwrap();

    assert_eq!(again, memory::ImportCounts::default());
    assert!(home.memory.pending_messages(9).await.unwrap().is_empty(), "its diary holds what was said");
    let drinks = home.memory.node_named("drinks", Some(Branch::User.node())).await.unwrap().unwrap();
    let fact = home.memory.facts(drinks.id).await.unwrap().remove(0);
    let evidence = home.memory.evidence(fact.id).await.unwrap().remove(0);
    assert_eq!((evidence.message, evidence.entry), (None, None));
    assert_eq!(evidence.wording, "Likes tea.");
}

#[tokio::test]
async fn pending_messages_stay_pending_after_import() {
    let (here, there) = (Home::new(), Home::new());
    here.say(NOW, "this awaits the diary").await;

    there.memory.import(here.memory.archive().await.unwrap(), NOW + 1).await.unwrap();

    assert_eq!(
        there.memory.pending_messages(9).await.unwrap()[0].content.text.as_str(),
        "this awaits the diary"
    );
}
