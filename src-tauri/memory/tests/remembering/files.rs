//! Backups, exports, imports, and files of other versions.

use std::io::Write;

use jiff::civil::date;
use jiff::tz::TimeZone;
use memory::{
    Appointment, AppointmentKind, AppointmentStatus, Archive, Branch, Meal, Memory, NewEntry, NodeEdit,
    Recall, Refusal, Repeats,
};
use proptest::prelude::*;
use rstest::rstest;
use rusqlite::Connection;

use crate::support::{DAY, Home, NOW, fact, open};

async fn full_home() -> Home {
    let home = Home::new();
    let memory = &home.memory;
    home.say(NOW, "my bike is red").await;
    home.answer(NOW + 1, "A fine colour.").await;
    let entry = NewEntry {
        day: date(2025, 11, 22),
        source: "conversation".into(),
        summary: "A red bike.".into(),
        topics: vec!["bike".into()],
    };
    memory.write_entry(entry, vec![], NOW).await.unwrap();
    let node = memory.create_node(Branch::User.node(), "Things", "What the user owns", NOW).await.unwrap();
    memory.learn(node, fact("Owns a red bike."), NOW).await.unwrap();
    memory
        .log_meal(Meal {
            eaten_at: NOW,
            description: "soup".into(),
            calories_kcal: Some(200.0),
            ..Meal::default()
        })
        .await
        .unwrap();
    memory.add_todo("shopping", "milk", NOW).await.unwrap();
    let reminder = Appointment {
        id: 0,
        kind: AppointmentKind::Reminder,
        label: "call Anna".into(),
        due_at: NOW + DAY,
        first_at: None,
        repeats: Repeats::Weekly,
        zone: "Europe/London".into(),
        status: AppointmentStatus::Waiting,
        paused_at: None,
        created_at: 0,
    };
    memory.appoint(reminder, NOW).await.unwrap();
    home
}

#[tokio::test]
async fn secrets_in_an_imported_file_are_redacted() {
    let home = full_home().await;
    let mut written = serde_json::to_string(&home.memory.archive().await.unwrap()).unwrap();
    let words = ["my bike is red", "A fine colour.", "A red bike.", "What the user owns", "Owns a red bike."];
    for text in words.iter().chain(&["soup", "milk", "call Anna", "\"bike\""]) {
        assert!(written.contains(text), "{text} is not in {written}");
        let secret = if text.starts_with('"') { "\"ann@example.org\"" } else { "ann@example.org" };
        written = written.replace(text, secret);
    }
    let file = home.folder.path().join("memory.json");
    std::fs::write(&file, written).unwrap();

    let read = serde_json::to_string(&Archive::read(&file).unwrap()).unwrap();

    assert!(!read.contains("ann@") && read.matches("[REDACTED_EMAIL]").count() >= 9, "{read}");
}

#[tokio::test]
async fn export_can_be_imported_again() {
    let home = full_home().await;
    let archive = home.memory.archive().await.unwrap();
    let (folder, file) = (home.folder.path().join("export"), home.folder.path().join("export.tar.gz"));
    archive.write_folder(&folder, &TimeZone::UTC).unwrap();
    archive.write_file(&file, &TimeZone::UTC).unwrap();

    for source in [folder.clone(), folder.join("memory.json"), file] {
        let other = Home::new();
        let imported = other.memory.import(Archive::read(&source).unwrap(), NOW).await.unwrap();
        let again = other.memory.import(Archive::read(&source).unwrap(), NOW).await.unwrap();

        assert_eq!((imported.messages, imported.entries, imported.nodes, imported.facts), (2, 1, 1, 1));
        assert_eq!(imported.others, 3);
        assert_eq!(again, memory::ImportCounts::default(), "taken in twice it adds nothing");
        assert_eq!(other.memory.archive().await.unwrap(), archive);
    }
    let knowledge = std::fs::read_to_string(folder.join("knowledge.md")).unwrap();
    assert!(knowledge.contains("## User › Things") && knowledge.contains("- Owns a red bike."));
    let said = std::fs::read_to_string(folder.join("conversations/main-2025-11.md")).unwrap();
    assert!(said.contains("# 2025-11-22") && said.contains("**You** 12:00"));
}

#[tokio::test]
async fn database_of_the_reference_program_is_imported() {
    let home = Home::new();
    let path = home.folder.path().join("jarvis-old.db");
    Connection::open(&path)
        .unwrap()
        .execute_batch(
            "CREATE TABLE conversation_summaries (id INTEGER PRIMARY KEY, date_utc TEXT, ts_utc TEXT, summary TEXT,
                 topics TEXT, source_app TEXT);
             INSERT INTO conversation_summaries VALUES (1, '2024-05-01', '2024-05-01T10:00:00Z', 'Planned a trip.',
                 'travel, spain', 'voice'), (2, 'nonsense', '', 'lost', NULL, NULL);
             CREATE TABLE meals (id INTEGER PRIMARY KEY, ts_utc TEXT, source_app TEXT, description TEXT,
                 calories_kcal REAL, micros_json TEXT);
             INSERT INTO meals VALUES (1, '2024-05-01T12:00:00', 'voice', 'paella', 600, '{\"iron_mg\": 2}');
             CREATE TABLE memory_nodes (id TEXT PRIMARY KEY, name TEXT, description TEXT, data TEXT, parent_id TEXT);
             INSERT INTO memory_nodes VALUES ('root', 'Root', '', '', NULL), ('user', 'User', '', 'Likes sun.', 'root'),
                 ('n1', 'Travel', 'Trips', 'Went to Spain.\nFlew there.', 'user'),
                 ('n2', 'Lost', '', 'An orphan.', NULL);",
        )
        .unwrap();

    let imported = home.memory.import(Archive::read(&path).unwrap(), NOW).await.unwrap();

    assert_eq!((imported.entries, imported.facts, imported.others), (1, 4, 1));
    let entry = &home.memory.entries(memory::DiaryFilter::default()).await.unwrap()[0];
    assert_eq!((entry.day, entry.topics.len()), (date(2024, 5, 1), 2));
    let travel = home.memory.node_named("travel", Some(Branch::User.node())).await.unwrap().unwrap();
    assert_eq!(home.memory.facts(travel.id).await.unwrap().len(), 2);
    assert!(home.memory.node_named("lost", Some(Branch::User.node())).await.unwrap().is_some());
    assert_eq!(home.memory.meals(0..i64::MAX, 9).await.unwrap()[0].calories_kcal, Some(600.0));
}

/// A database of an earlier assistant with these node rows.
fn reference(folder: &std::path::Path, nodes: &str) -> std::path::PathBuf {
    let path = folder.join("jarvis-old.db");
    let table = "CREATE TABLE memory_nodes (id TEXT PRIMARY KEY, name TEXT, description TEXT, data TEXT, parent_id TEXT)";
    let connection = Connection::open(&path).unwrap();
    connection.execute_batch(&format!("{table}; INSERT INTO memory_nodes VALUES {nodes};")).unwrap();
    path
}

#[rstest]
#[case::itself("('a', 'Loop', '', 'x', 'a')")]
#[case::each_other("('a', 'Loop', '', 'x', 'b'), ('b', 'Loop', '', 'y', 'a')")]
#[case::beside_a_circle(
    "('a', 'Loop', '', 'x', 'b'), ('b', 'Loop', '', 'y', 'b'), ('c', 'C', '', '', 'user')"
)]
fn cyclic_tree_is_refused(#[case] nodes: &str) {
    let folder = tempfile::tempdir().unwrap();

    let refused = Archive::read(&reference(folder.path(), nodes)).unwrap_err();

    assert!(refused.to_string().contains("a node \"Loop\" that is below itself"), "{refused}");
}

#[tokio::test]
async fn deepest_possible_tree_can_be_exported_and_imported() {
    let home = Home::new();
    let memory = &home.memory;
    let mut deepest = Branch::User.node();
    let mut levels = 1;
    while let Ok(node) = memory.create_node(deepest, &format!("level {levels}"), "", NOW).await {
        (deepest, levels) = (node, levels + 1);
    }
    // Moving nodes cannot make the tree deeper either.
    let beside = memory.create_node(Branch::User.node(), "beside", "", NOW).await.unwrap();
    let to = |parent| NodeEdit { parent: Some(parent), ..NodeEdit::default() };
    let moved = memory.edit_node(beside, to(deepest), NOW).await;
    memory.learn(deepest, fact("Lies deep."), NOW).await.unwrap();
    let archive = memory.archive().await.unwrap();

    let other = Home::new();
    other.memory.import(archive.clone(), NOW).await.unwrap();

    assert_eq!(levels, 20);
    assert!(matches!(moved, Err(memory::MemoryError::Refused(Refusal::TooDeep))), "{moved:?}");
    assert_eq!(other.memory.archive().await.unwrap().nodes.len(), archive.nodes.len());
    assert!(other.memory.tree(NOW).await.unwrap().iter().any(|(depth, _)| *depth == 20));
}

#[rstest]
#[case::empty(b"", "no JSON")]
#[case::text(b"hello", "no JSON")]
#[case::other_json(b"{\"a\": 1}", "not exported by Jarvis")]
#[case::newer(b"{\"format\": \"jarvis-memory-9\"}", "update Jarvis")]
#[case::wrong_types(b"{\"format\": \"jarvis-memory-2\", \"messages\": 5}", "damaged")]
#[case::cut_off(b"{\"format\": \"jarvis-memory-2\", \"messages\": [", "no JSON")]
#[case::half_an_archive(b"\x1f\x8b\x08\x00", "could not be read")]
#[case::a_broken_database(b"SQLite format 3\0 and then nonsense", "could not be read")]
fn foreign_file_is_refused_with_a_reason(#[case] bytes: &[u8], #[case] expected: &str) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    std::fs::write(&path, bytes).unwrap();

    let Refusal::Unreadable(why) = Archive::read(&path).unwrap_err() else { panic!("another refusal") };

    assert!(why.contains(expected), "{why}");
}

proptest! {
    #[test]
    fn no_file_makes_reading_panic(bytes in prop::collection::vec(any::<u8>(), 0..400), kind in 0usize..4) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        let start: &[u8] = [&b""[..], b"\x1f\x8b", b"SQLite format 3\0", b"{\"format\": \"jarvis-memory-1\","][kind];
        let mut file = std::fs::File::create(&path).unwrap();
        file.write_all(start).unwrap();
        file.write_all(&bytes).unwrap();

        let _ = Archive::read(&path);
    }

    /// An export with changed bytes is refused or imported. It never panics.
    #[test]
    fn no_damage_to_an_export_makes_reading_panic(place in 0usize..2000, byte in any::<u8>()) {
        let json = br#"{"format": "jarvis-memory-1", "messages": [{"conversation": "main", "at_micros": 5,
            "speaker": "user", "text": "hi"}], "diary": [{"day": "2025-01-02", "source": "x", "summary": "s"}],
            "nodes": [{"path": ["User", "A"], "facts": [{"text": "f", "status": "current", "evidence": [{"quote": "q",
            "observed_at": 1, "day": "2025-01-02"}]}]}], "meals": [{"eaten_at": 1, "micros": {"a": 1}}],
            "appointments": [{"kind": "timer", "due_at": 7, "repeats": "daily"}]}"#;
        let mut damaged = json.to_vec();
        let place = place % damaged.len();
        damaged[place] = byte;

        let _ = Archive::from_json(&damaged);
    }
}

#[tokio::test]
async fn damaged_file_is_replaced_by_the_last_sound_backup() {
    let home = Home::new();
    home.say(NOW, "before the backup").await;
    home.memory.back_up(NOW).await.unwrap();
    home.say(NOW + 1, "after it").await;
    home.memory.store().close();
    let broken_backup = home.folder.path().join("backups/jarvis-20990101-000000.db");
    std::fs::write(broken_backup, "no database").unwrap();
    let mut bytes = std::fs::read(home.path()).unwrap();
    let middle = bytes.len() / 2;
    bytes[100..middle].fill(0x5a);
    std::fs::write(home.path(), bytes).unwrap();

    let opened = Memory::open(&home.path()).unwrap();

    let trouble = opened.trouble.unwrap();
    assert!(trouble.message.contains("backup of 2025-11-22"), "{}", trouble.message);
    let memory = opened.memory;
    let found =
        memory.recall(Recall { words: "backup".into(), limit: 5, ..Recall::default() }).await.unwrap();
    assert_eq!(found.len(), 1);
}

#[tokio::test]
async fn backup_is_complete_and_surplus_ones_are_removed() {
    let home = Home::new();
    home.say(NOW, "hello").await;
    for hour in (0..12).rev() {
        home.memory.back_up(NOW - hour * DAY / 24).await.unwrap();
    }

    let kept = home.memory.backups();

    assert_eq!(kept.len(), 1, "one a day: {kept:?}");
    assert_eq!(kept[0].made_at, date(2025, 11, 22).at(12, 0, 0, 0));
    assert_eq!(open(&kept[0].path).conversations().await.unwrap()[0].messages, 1);
}

#[tokio::test]
async fn older_file_is_backed_up_migrated_and_indexed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("jarvis.db");
    Connection::open(&path)
        .unwrap()
        .execute_batch(
            "CREATE TABLE messages (id INTEGER PRIMARY KEY, conversation TEXT NOT NULL, said_at INTEGER NOT NULL,
                 speaker TEXT NOT NULL CHECK (speaker IN ('user', 'assistant')), text TEXT NOT NULL,
                 UNIQUE (conversation, said_at)) STRICT;
             INSERT INTO messages (conversation, said_at, speaker, text) VALUES ('main', 1, 'user', 'an old giraffe');
             PRAGMA user_version = 1;",
        )
        .unwrap();

    let memory = open(&path);
    let found =
        memory.recall(Recall { words: "giraffe".into(), limit: 5, ..Recall::default() }).await.unwrap();

    assert_eq!(found.len(), 1);
    assert_eq!(memory.backups().len(), 1);
    let form: i64 = Connection::open(&memory.backups()[0].path)
        .unwrap()
        .query_row("PRAGMA user_version", [], |row| row.get(0))
        .unwrap();
    assert_eq!(form, 1, "the backup is what was there before");
}

#[tokio::test]
async fn restoring_quarantines_the_old_file() {
    let home = full_home().await;
    let backup = home.memory.back_up(NOW).await.unwrap();
    home.say(NOW + DAY, "my bike is blue now").await;
    home.memory.store().close();

    let aside = memory::restore(&home.path(), &backup).unwrap().unwrap();
    let again = memory::restore(&home.path(), &backup).unwrap().unwrap();

    assert!(!all_of(&home.path()).await.contains("blue"));
    assert!(all_of(&aside).await.contains("blue"), "nothing is lost");
    assert_ne!(aside, again, "each one is kept");
    assert!(backup.exists());
}

async fn all_of(path: &std::path::Path) -> String {
    let recall = Recall { limit: 10, ..Recall::default() };
    let found = open(path).recall(recall).await.unwrap();
    found.into_iter().map(|found| found.item.text.0).collect::<Vec<_>>().join(" ")
}

#[tokio::test]
async fn damaged_backup_is_not_restored() {
    let home = full_home().await;
    let backup = home.folder.path().join("broken.db");
    std::fs::write(&backup, "no database, but long enough to be looked at".repeat(100)).unwrap();
    home.memory.store().close();

    let refused = memory::restore(&home.path(), &backup);

    assert!(matches!(refused, Err(memory::StorageError::Damaged { .. })));
    assert_eq!(memory::check(&home.path()).unwrap(), 2);
}

#[test]
fn checking_a_damaged_file_leaves_it_in_place() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("jarvis.db");
    std::fs::write(&path, "no database, but long enough to be looked at".repeat(100)).unwrap();

    let refused = memory::check(&path).err();

    assert!(matches!(refused, Some(memory::StorageError::Damaged { .. })));
    assert!(path.exists());
}
