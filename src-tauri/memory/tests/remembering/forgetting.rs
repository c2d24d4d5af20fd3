//! Forgetting deletes from all records, and can be undone for ten minutes.

use jiff::civil::date;
use memory::{
    Branch, EmbeddedPassage, Evidence, FactStatus, Forget, ItemId, LearnOutcome, MemoryError, NewEntry,
    NewFact, Participant, Recall, RecordKind, Refusal, Undo,
};
use vocabulary::Private;

use crate::support::{DAY, Home, MINUTE, NOW, fact, list, message, open, records_without_change_times};

pub const SECRET: &str = "zanzibarquux";

/// A memory with a secret in every kind of record: messages, diary, facts, history, vectors, backup.
pub async fn home_with_a_secret() -> Home {
    let home = Home::new();
    let memory = &home.memory;
    home.say(NOW, "what a lovely morning").await;
    home.say(NOW + 1, &format!("my hideout is {SECRET} near the sea")).await;
    home.answer(NOW + 2, &format!("{SECRET}, noted.")).await;
    home.say(NOW + 3, "and I bought a cello").await;
    let messages: Vec<i64> = memory.pending_messages(10).await.unwrap().iter().map(|u| u.message).collect();
    let entry = NewEntry {
        day: date(2025, 11, 22),
        source: "conversation".into(),
        summary: format!("The user hides in {SECRET}. They bought a cello."),
        topics: vec![SECRET.into(), "cello".into()],
    };
    let entry = memory.write_entry(entry, messages.clone(), NOW + 4).await.unwrap();
    let fact_from = |text: String, message| NewFact {
        text: text.clone(),
        evidence: Evidence {
            quote: text,
            observed_at: NOW,
            message: Some(message),
            entry: Some(entry.0),
            ..Evidence::default()
        },
    };
    let LearnOutcome::New(id) = memory
        .learn(Branch::User.node(), fact_from(format!("Hides in {SECRET}."), messages[1]), NOW)
        .await
        .unwrap()
    else {
        panic!("new");
    };
    memory
        .correct(id, fact_from(format!("Hides in {SECRET} by the sea."), messages[1]), NOW + DAY)
        .await
        .unwrap();
    memory.learn(Branch::User.node(), fact_from("Owns a cello.".into(), messages[3]), NOW).await.unwrap();
    list(memory, SECRET, NOW + 5).await;
    list(memory, "cello", NOW + 5).await;
    memory.use_embeddings_of("tiny").await.unwrap();
    let passages = memory.passages(100).await.unwrap();
    let embedded = passages.into_iter().map(|passage| {
        let vectors = vec![vec![1.0f32; 8]; passage.texts.len()];
        EmbeddedPassage { passage, vectors }
    });
    memory.keep_embeddings("tiny", embedded.collect()).await.unwrap();
    memory.back_up(NOW).await.unwrap();
    home
}

/// The files in the folder that contain a text.
pub fn files_containing(home: &Home, text: &str) -> Vec<String> {
    let mut holders = Vec::new();
    let mut folders = vec![home.folder.path().to_path_buf()];
    while let Some(folder) = folders.pop() {
        for file in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
            if file.file_type().unwrap().is_dir() {
                folders.push(file.path());
                continue;
            }
            let bytes = std::fs::read(file.path()).unwrap();
            if bytes.windows(text.len()).any(|window| window.eq_ignore_ascii_case(text.as_bytes())) {
                holders.push(file.file_name().to_string_lossy().into_owned());
            }
        }
    }
    holders
}

async fn by_words(home: &Home) -> Vec<RecordKind> {
    let found =
        home.memory.recall(Recall { words: SECRET.into(), limit: 20, ..Recall::default() }).await.unwrap();
    found.iter().map(|found| found.item.id.kind).collect()
}

#[tokio::test]
async fn forgotten_words_are_in_no_file_after_ten_minutes() {
    let home = home_with_a_secret().await;
    assert!(!files_containing(&home, SECRET).is_empty(), "the search of the test finds it");

    let forgotten = home
        .memory
        .forget(Forget::Words(Private(SECRET.into())), Undo::Possible, NOW + MINUTE)
        .await
        .unwrap();
    let kinds: Vec<RecordKind> = forgotten.items.iter().map(|item| item.id.kind).collect();
    let found = by_words(&home).await;
    home.memory.expire_undo(NOW + 12 * MINUTE).await.unwrap();
    let archive = home.memory.archive().await.unwrap();
    archive.write_folder(&home.folder.path().join("export"), &jiff::tz::TimeZone::UTC).unwrap();

    let lists = [RecordKind::Meal, RecordKind::Appointment, RecordKind::Todo];
    assert_eq!(
        kinds[..5],
        [RecordKind::Message, RecordKind::Message, RecordKind::Diary, RecordKind::Fact, RecordKind::Fact]
    );
    assert_eq!(kinds[5..], lists);
    assert!(found.is_empty());
    assert_eq!(files_containing(&home, SECRET), Vec::<String>::new());
    home.memory.store().close();
    assert_eq!(files_containing(&home, SECRET), Vec::<String>::new());
    assert!(!files_containing(&home, "cello").is_empty(), "the rest is still there");
}

#[tokio::test]
async fn forgetting_for_good_deletes_at_once() {
    let home = home_with_a_secret().await;

    home.memory.forget(Forget::Words(Private(SECRET.into())), Undo::Never, NOW).await.unwrap();

    assert_eq!(files_containing(&home, SECRET), Vec::<String>::new());
    assert!(matches!(home.memory.undo(None, NOW).await, Err(MemoryError::Refused(Refusal::NothingToUndo))));
}

#[tokio::test]
async fn undo_restores_everything_that_was_forgotten() {
    let home = home_with_a_secret().await;
    let before = records_without_change_times(&home.memory).await;

    let forgotten = home
        .memory
        .forget(Forget::Words(Private(SECRET.into())), Undo::Possible, NOW + MINUTE)
        .await
        .unwrap();
    let without = records_without_change_times(&home.memory).await;
    home.memory.undo(forgotten.undo, NOW + 9 * MINUTE).await.unwrap();
    let after = records_without_change_times(&home.memory).await;

    assert_ne!(before, without);
    assert_eq!(before, after);
    assert_eq!(by_words(&home).await.len(), 4);
    assert!(
        home.memory.pending_messages(10).await.unwrap().is_empty(),
        "the diary is written again, so nothing waits"
    );
}

#[tokio::test]
async fn remaining_messages_of_a_forgotten_day_become_pending() {
    let home = home_with_a_secret().await;

    home.memory.forget(Forget::Words(Private(SECRET.into())), Undo::Possible, NOW).await.unwrap();

    let waiting = home.memory.pending_messages(10).await.unwrap();
    let texts: Vec<&str> = waiting.iter().map(|waiting| waiting.content.text.as_str()).collect();
    assert_eq!(texts, ["what a lovely morning", "and I bought a cello"]);
    let facts = home.memory.facts(Branch::User.node()).await.unwrap();
    assert_eq!(facts.len(), 1);
    assert_eq!((facts[0].text.as_str(), facts[0].status), ("Owns a cello.", FactStatus::Current));
    let reembedded = home.memory.passages(100).await.unwrap();
    assert!(reembedded.len() >= 2, "the neighbours were embedded together with it");
}

#[tokio::test]
async fn last_thing_is_the_last_message_and_its_answer() {
    let home = Home::new();
    home.say(NOW, "keep this").await;
    home.answer(NOW + 1, "kept").await;
    home.say(NOW + 2, "forget this").await;
    home.answer(NOW + 3, "said back").await;

    let preview = home.memory.would_forget(Forget::LastThing, NOW).await.unwrap();
    let forgotten = home.memory.forget(Forget::LastThing, Undo::Possible, NOW + 4).await.unwrap();

    assert_eq!(preview, forgotten.items);
    let texts: Vec<&str> = forgotten.items.iter().map(|item| item.text.as_str()).collect();
    assert_eq!(texts, ["forget this", "said back"]);
}

#[tokio::test]
async fn time_span_and_conversation_can_be_forgotten() {
    let home = Home::new();
    home.say(NOW - DAY, "yesterday").await;
    home.say(NOW, "today").await;
    home.memory
        .add_messages(vec![crate::support::message("other", NOW, memory::Participant::User, "elsewhere")])
        .await
        .unwrap();

    let span = home.memory.forget(Forget::Span(NOW - 2 * DAY..NOW - 1), Undo::Never, NOW).await.unwrap();
    let conversation =
        home.memory.forget(Forget::Conversation("other".into()), Undo::Never, NOW).await.unwrap();

    assert_eq!(span.items[0].text.as_str(), "yesterday");
    assert_eq!(conversation.items[0].text.as_str(), "elsewhere");
    assert_eq!(home.memory.conversations().await.unwrap()[0].messages, 1);
}

#[tokio::test]
async fn forgetting_a_fact_forgets_its_source_messages() {
    let home = home_with_a_secret().await;
    let facts = home.memory.facts(Branch::User.node()).await.unwrap();
    let cello = facts.iter().find(|fact| fact.text.contains("cello")).unwrap();

    home.memory.forget(Forget::Items(vec![cello.id.item()]), Undo::Never, NOW).await.unwrap();
    home.memory.forget(Forget::Span(NOW + 5..NOW + 6), Undo::Never, NOW).await.unwrap();

    assert_eq!(files_containing(&home, "cello"), Vec::<String>::new());
}

#[tokio::test]
async fn forgetting_nothing_is_reported_and_fixed_nodes_stay() {
    let home = Home::new();
    home.memory.learn(Branch::User.node(), fact("Likes tea."), NOW).await.unwrap();

    let words =
        home.memory.forget(Forget::Words(Private("coffee".into())), Undo::Possible, NOW).await.unwrap();
    let blank = home.memory.forget(Forget::Words(Private(" ?! ".into())), Undo::Possible, NOW).await.unwrap();
    let branch = home
        .memory
        .forget(Forget::Items(vec![ItemId::new(RecordKind::Node, 2)]), Undo::Possible, NOW)
        .await
        .unwrap();

    assert!(words.items.is_empty() && blank.items.is_empty() && branch.items.is_empty());
    assert_eq!(home.memory.facts(Branch::User.node()).await.unwrap().len(), 1);
}

#[tokio::test]
async fn undo_expires_after_ten_minutes_across_restarts() {
    let home = home_with_a_secret().await;
    home.memory.forget(Forget::LastThing, Undo::Possible, NOW).await.unwrap();
    home.memory.store().close();

    let memory = open(&home.path());
    let late = memory.undo(None, NOW + 11 * MINUTE).await;

    assert!(matches!(late, Err(MemoryError::Refused(Refusal::NothingToUndo))));
}

#[tokio::test]
async fn undo_keeps_messages_said_since() {
    let home = Home::new();
    home.say(NOW, "the first").await;
    home.memory.forget(Forget::LastThing, Undo::Possible, NOW + 1).await.unwrap();
    home.say(NOW + 2, "the second").await;

    home.memory.undo(None, NOW + 3).await.unwrap();

    let archive = home.memory.archive().await.unwrap();
    let texts: Vec<&str> = archive.messages.iter().map(|message| message.text.as_str()).collect();
    assert_eq!(texts, ["the first", "the second"]);
}

#[tokio::test]
async fn restored_entry_replaces_a_rewritten_day() {
    let home = home_with_a_secret().await;
    let memory = &home.memory;
    memory.forget(Forget::Words(Private(SECRET.into())), Undo::Possible, NOW).await.unwrap();
    let waiting = memory.pending_messages(10).await.unwrap().iter().map(|waiting| waiting.message).collect();
    let entry = NewEntry {
        day: date(2025, 11, 22),
        source: "conversation".into(),
        summary: "They bought a cello.".into(),
        topics: vec![],
    };
    memory.write_entry(entry, waiting, NOW + 1).await.unwrap();

    memory.undo(None, NOW + MINUTE).await.unwrap();

    let entries = memory.entries(memory::DiaryFilter::default()).await.unwrap();
    assert_eq!(entries.len(), 1);
    assert!(entries[0].summary.contains(SECRET));
    assert!(!memory.examine(NOW).await.unwrap().needs_repair());
}

#[tokio::test]
async fn undone_facts_return_with_their_history() {
    let home = Home::new();
    let memory = &home.memory;
    let node = Branch::User.node();
    let learned = memory.learn(node, fact("Has a dog."), NOW).await.unwrap();
    let LearnOutcome::New(older) = learned else { panic!("new") };
    let LearnOutcome::New(newer) = memory.learn(Branch::World.node(), fact("has a dog"), NOW).await.unwrap()
    else {
        panic!("new")
    };
    memory.repair(NOW).await.unwrap();
    assert_eq!(memory.fact(newer).await.unwrap().unwrap().replaced_by, Some(older));

    memory.forget(Forget::Words(Private("dog".into())), Undo::Possible, NOW).await.unwrap();
    memory.undo(None, NOW + 1).await.unwrap();

    assert_eq!(memory.fact(newer).await.unwrap().unwrap().replaced_by, Some(older));
    assert_eq!(memory.facts(node).await.unwrap().len(), 1);
}

#[tokio::test]
async fn backup_contains_no_undo_records() {
    let home = home_with_a_secret().await;
    home.memory.forget(Forget::Words(Private(SECRET.into())), Undo::Possible, NOW).await.unwrap();

    home.memory.back_up(NOW + MINUTE).await.unwrap();
    home.memory.expire_undo(NOW + 11 * MINUTE).await.unwrap();

    assert_eq!(files_containing(&home, SECRET), Vec::<String>::new());
}

#[tokio::test]
async fn forgetting_for_good_leaves_nothing_to_undo() {
    let home = home_with_a_secret().await;
    let cello = Forget::Words(Private("hideout".into()));
    home.memory.forget(cello, Undo::Possible, NOW).await.unwrap();

    home.memory.forget(Forget::Words(Private(SECRET.into())), Undo::Never, NOW).await.unwrap();

    assert_eq!(files_containing(&home, SECRET), Vec::<String>::new());
}

#[tokio::test]
async fn words_in_evidence_are_found_and_forgotten() {
    let home = Home::new();
    let evidence = Evidence { quote: format!("I meet {SECRET} on Mondays"), ..Evidence::default() };
    let therapist = NewFact { text: "Sees somebody on Mondays.".into(), evidence };
    home.memory.learn(Branch::User.node(), therapist, NOW).await.unwrap();

    home.memory.forget(Forget::Words(Private(SECRET.into())), Undo::Never, NOW).await.unwrap();

    assert_eq!(files_containing(&home, SECRET), Vec::<String>::new());
}

#[tokio::test]
async fn older_backup_forgets_words_edited_away_since() {
    let home = home_with_a_secret().await;
    let entry = home.memory.entries(memory::DiaryFilter::default()).await.unwrap()[0].id;
    home.memory.rewrite_entries("edit", vec![(entry, "A quiet day.".into(), vec![])], NOW).await.unwrap();

    home.memory.forget(Forget::Words(Private(SECRET.into())), Undo::Never, NOW + MINUTE).await.unwrap();

    assert_eq!(files_containing(&home, SECRET), Vec::<String>::new());
}

#[tokio::test]
async fn conversation_of_years_is_forgotten_and_restored() {
    let home = Home::new();
    let said =
        (0..20_000).map(|count| message("main", NOW + count, Participant::User, &format!("word {count}")));
    home.memory.add_messages(said.collect()).await.unwrap();
    let rows: Vec<i64> =
        home.memory.pending_messages(20_000).await.unwrap().iter().map(|said| said.message).collect();
    for (day, rows) in rows.chunks(2_000).enumerate() {
        let entry = NewEntry {
            day: date(2025, 11, 1 + day as i8),
            source: "conversation".into(),
            summary: "Many words.".into(),
            topics: vec![],
        };
        home.memory.write_entry(entry, rows.to_vec(), NOW).await.unwrap();
    }
    home.memory.use_embeddings_of("tiny").await.unwrap();
    home.memory.prepare_recall().await.unwrap();
    let passages = home.memory.passages(20_000).await.unwrap();
    let embedded = passages.into_iter().map(|passage| {
        let vectors = vec![vec![1.0f32; 8]; passage.texts.len()];
        EmbeddedPassage { passage, vectors }
    });
    home.memory.keep_embeddings("tiny", embedded.collect()).await.unwrap();

    let wish = Forget::Conversation("main".into());
    let forgotten = home.memory.forget(wish, Undo::Possible, NOW + MINUTE).await.unwrap();
    let left = home.memory.examine(NOW).await.unwrap();
    let back = home.memory.undo(None, NOW + 2 * MINUTE).await.unwrap();
    let after = home.memory.examine(NOW).await.unwrap();

    assert_eq!((forgotten.items.len(), back.len()), (20_010, 20_010));
    assert_eq!((left.messages, left.entries, left.orphans), (0, 0, 0));
    assert_eq!((after.messages, after.entries, after.pending_messages), (20_000, 10, 0));
    assert!(!after.needs_repair());
}
