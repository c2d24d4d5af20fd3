use std::path::Path;

use rstest::rstest;

use super::*;

const MINUTE: i64 = 60_000_000;

async fn open(path: &Path) -> (Dialogue, tokio::task::JoinHandle<()>) {
    let (dialogue, keeping) = Dialogue::begin(path, |_| {});
    let keeping = tokio::spawn(keeping);
    assert!(dialogue.opened(Duration::from_secs(30)).await);
    (dialogue, keeping)
}

fn texts(said: &[Said]) -> Vec<&str> {
    said.iter().map(|said| said.text.as_str()).collect()
}

#[tokio::test]
async fn the_dialogue_survives_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("jarvis.db");
    let main = ConversationId::main();

    let (dialogue, keeping) = open(&path).await;
    dialogue.say(&main, &Origin::Typed, Speaker::User, " what time is it ", MINUTE);
    dialogue.say(&main, &Origin::Typed, Speaker::Assistant, "Noon.", MINUTE);
    assert!(dialogue.flush(Duration::from_secs(10)).await);
    drop(dialogue);
    keeping.await.unwrap();
    let (dialogue, ..) = open(&path).await;

    let recent = dialogue.recent(&main, Duration::from_secs(300), 2 * MINUTE);
    assert_eq!(texts(&recent), ["what time is it", "Noon."]);
    assert_eq!(recent[1].at_micros, MINUTE + 1);
}

#[tokio::test]
async fn history_goes_back_page_by_page() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("jarvis.db");
    let main = ConversationId::main();
    let (dialogue, _keeping) = open(&path).await;
    for minute in 0..AT_HAND as i64 + 50 {
        dialogue.say(&main, &Origin::Typed, Speaker::User, &minute.to_string(), minute * MINUTE);
    }

    let newest = dialogue.history(&main, i64::MAX, 3).await.unwrap();
    assert!(dialogue.flush(Duration::from_secs(30)).await);
    let oldest = dialogue.history(&main, 2 * MINUTE, 100).await.unwrap();
    let written = dialogue.history(&main, newest[0].at_micros, 2).await.unwrap();

    assert_eq!(texts(&newest), ["247", "248", "249"]);
    assert_eq!(texts(&oldest), ["0", "1"]);
    assert_eq!(texts(&written), ["245", "246"]);
}

#[rstest]
#[case::its_words(Forget::Words(Private("SECRET plan".into())))]
#[case::its_time(Forget::Span(MINUTE..2 * MINUTE))]
#[case::its_conversation(Forget::Conversation("temporary".into()))]
#[tokio::test]
async fn what_was_said_in_passing_is_forgotten_too(#[case] what: Forget) {
    let folder = tempfile::tempdir().unwrap();
    let (dialogue, ..) = open(&folder.path().join("jarvis.db")).await;
    let (main, passing) = (ConversationId::main(), ConversationId::temporary());
    dialogue.say(&main, &Origin::Typed, Speaker::User, "tea", 3 * MINUTE);
    dialogue.say(&passing, &Origin::Typed, Speaker::User, "the secret plan", MINUTE);

    dialogue.forget(what, Undo::Never, 4 * MINUTE).await.unwrap();

    let hour = Duration::from_secs(3_600);
    assert!(dialogue.recent(&passing, hour, 4 * MINUTE).is_empty());
    assert_eq!(texts(&dialogue.recent(&main, hour, 4 * MINUTE)), ["tea"]);
}

#[tokio::test]
async fn what_is_older_than_the_window_is_no_longer_recent() {
    let folder = tempfile::tempdir().unwrap();
    let (dialogue, ..) = open(&folder.path().join("jarvis.db")).await;
    let main = ConversationId::main();

    dialogue.say(&main, &Origin::Typed, Speaker::User, "old", 0);
    dialogue.say(&main, &Origin::Typed, Speaker::User, "new", 4 * MINUTE);
    dialogue.say(&ConversationId("other".into()), &Origin::Typed, Speaker::User, "elsewhere", 4 * MINUTE);

    assert_eq!(texts(&dialogue.recent(&main, Duration::from_secs(300), 5 * MINUTE)), ["new"]);
}

#[tokio::test]
async fn a_dialogue_goes_on_before_its_database_can_be_opened() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("jarvis.db");
    rusqlite::Connection::open(&path).unwrap().execute_batch("PRAGMA user_version = 999").unwrap();
    let (troubles, told) = std::sync::mpsc::channel();
    let (dialogue, keeping) = Dialogue::begin(&path, move |trouble| troubles.send(trouble).unwrap());
    let _keeping = tokio::spawn(keeping);

    dialogue.say(&ConversationId::main(), &Origin::Typed, Speaker::User, "kept", MINUTE);
    assert!(!dialogue.opened(Duration::from_millis(200)).await);
    std::fs::remove_file(&path).unwrap();

    assert!(dialogue.flush(Duration::from_secs(30)).await);
    assert!(told.recv().unwrap().unwrap().message.contains("newer version"));
    assert_eq!(told.recv().unwrap(), None);
    assert_eq!(texts(&dialogue.recent(&ConversationId::main(), Duration::from_secs(60), MINUTE)), ["kept"]);
}

#[tokio::test]
async fn what_is_said_while_the_database_is_locked_is_written_later() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("jarvis.db");
    let (dialogue, _keeping) = open(&path).await;
    let other = rusqlite::Connection::open(&path).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();

    dialogue.say(&ConversationId::main(), &Origin::Typed, Speaker::User, "kept", MINUTE);
    let flushed_while_locked = dialogue.flush(Duration::from_millis(50)).await;
    other.execute_batch("COMMIT").unwrap();

    assert!(!flushed_while_locked);
    assert!(dialogue.flush(Duration::from_secs(30)).await);
    let written: String = other.query_row("SELECT text FROM messages", [], |row| row.get(0)).unwrap();
    assert_eq!(written, "kept");
}
