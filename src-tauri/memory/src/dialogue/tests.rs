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

fn told(page: &[Told]) -> Vec<&str> {
    page.iter().map(|told| told.said.text.as_str()).collect()
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
    dialogue.say(&main, &Origin::Typed, Participant::User, " what time is it ", MINUTE);
    dialogue.say(&main, &Origin::Typed, Participant::Assistant, "Noon.", MINUTE);
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
        dialogue.say(&main, &Origin::Typed, Participant::User, &minute.to_string(), minute * MINUTE);
    }

    let newest = dialogue.history(&main, i64::MAX, 3).await.unwrap();
    assert!(dialogue.flush(Duration::from_secs(30)).await);
    let oldest = dialogue.history(&main, 2 * MINUTE, 100).await.unwrap();
    let written = dialogue.history(&main, newest[0].said.at_micros, 2).await.unwrap();

    assert_eq!(told(&newest), ["247", "248", "249"]);
    assert_eq!(told(&oldest), ["0", "1"]);
    assert_eq!(told(&written), ["245", "246"]);
    assert!(newest.iter().chain(&oldest).all(|told| told.channel == "typed"));
}

#[rstest]
#[case::its_words(Forget::Words(Private("SECRET plan".into())))]
#[case::its_time(Forget::Span(MINUTE..2 * MINUTE))]
#[case::its_conversation(Forget::Conversation("temporary".into()))]
#[tokio::test]
async fn what_was_said_in_passing_is_forgotten_too(#[case] what: Forget) {
    let folder = tempfile::tempdir().unwrap();
    let (dialogue, ..) = open(&folder.path().join("jarvis.db")).await;
    let (main, passing) = (ConversationId::main(), ConversationId::temporary(1));
    dialogue.say(&main, &Origin::Typed, Participant::User, "tea", 3 * MINUTE);
    dialogue.say(&passing, &Origin::Typed, Participant::User, "the secret plan", MINUTE);

    dialogue.forget(what, Undo::Never, 4 * MINUTE).await.unwrap();

    let hour = Duration::from_secs(3_600);
    assert!(dialogue.recent(&passing, hour, 4 * MINUTE).is_empty());
    assert_eq!(texts(&dialogue.recent(&main, hour, 4 * MINUTE)), ["tea"]);
}

#[tokio::test]
async fn what_could_not_be_written_is_forgotten_too() {
    let folder = tempfile::tempdir().unwrap();
    let (dialogue, _keeping) = open(&folder.path().join("jarvis.db")).await;
    let main = ConversationId::main();
    let other = rusqlite::Connection::open(folder.path().join("jarvis.db")).unwrap();
    other.execute_batch("ALTER TABLE messages RENAME TO elsewhere").unwrap();
    dialogue.say(&main, &Origin::Typed, Participant::User, "the secret plan", MINUTE);
    assert!(dialogue.flush(Duration::from_secs(10)).await);
    other.execute_batch("ALTER TABLE elsewhere RENAME TO messages").unwrap();
    let before = dialogue.recent(&main, Duration::from_secs(60), MINUTE).len();

    let wish = Forget::Words(Private("secret plan".into()));
    dialogue.forget(wish, Undo::Never, 2 * MINUTE).await.unwrap();

    assert_eq!(before, 1);
    assert!(dialogue.recent(&main, Duration::from_secs(3_600), 2 * MINUTE).is_empty());
}

#[tokio::test]
async fn what_is_older_than_the_window_is_no_longer_recent() {
    let folder = tempfile::tempdir().unwrap();
    let (dialogue, ..) = open(&folder.path().join("jarvis.db")).await;
    let main = ConversationId::main();

    dialogue.say(&main, &Origin::Typed, Participant::User, "old", 0);
    dialogue.say(&main, &Origin::Typed, Participant::User, "new", 4 * MINUTE);
    dialogue.say(&ConversationId("other".into()), &Origin::Typed, Participant::User, "elsewhere", 4 * MINUTE);

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

    dialogue.say(&ConversationId::main(), &Origin::Typed, Participant::User, "kept", MINUTE);
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

    dialogue.say(&ConversationId::main(), &Origin::Typed, Participant::User, "kept", MINUTE);
    let flushed_while_locked = dialogue.flush(Duration::from_millis(50)).await;
    other.execute_batch("COMMIT").unwrap();

    assert!(!flushed_while_locked);
    assert!(dialogue.flush(Duration::from_secs(30)).await);
    let written: String = other.query_row("SELECT text FROM messages", [], |row| row.get(0)).unwrap();
    assert_eq!(written, "kept");
}

#[tokio::test]
async fn once_the_clock_is_right_again_what_is_said_has_the_right_time() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("jarvis.db");
    let (main, day) = (ConversationId::main(), 24 * 60 * MINUTE);
    let say =
        |dialogue: &Dialogue, text, at| dialogue.say(&main, &Origin::Typed, Participant::User, text, at);
    let (dialogue, keeping) = open(&path).await;
    say(&dialogue, "by a clock that is ahead", 9 * day);
    say(&dialogue, "right", day);
    say(&dialogue, "a little back", day - MINUTE);
    say(&dialogue, "and on", day + MINUTE);
    assert!(dialogue.flush(Duration::from_secs(10)).await);
    drop(dialogue);
    keeping.await.unwrap();

    let (dialogue, ..) = open(&path).await;
    say(&dialogue, "right after a restart", day + 2 * MINUTE);

    let recent = dialogue.recent(&main, Duration::from_secs(300), day + 2 * MINUTE);
    let times: Vec<(&str, i64)> = recent.iter().map(|said| (said.text.as_str(), said.at_micros)).collect();
    let expected = [
        ("right", day),
        ("a little back", day + 1),
        ("and on", day + MINUTE),
        ("right after a restart", day + 2 * MINUTE),
    ];
    assert_eq!(times, expected);
}

#[tokio::test]
async fn however_much_was_said_by_a_clock_that_was_ahead_what_was_said_since_is_at_hand_after_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("jarvis.db");
    let (main, day) = (ConversationId::main(), 24 * 60 * MINUTE);
    let (dialogue, keeping) = open(&path).await;
    for count in 0..AT_HAND as i64 {
        dialogue.say(&main, &Origin::Typed, Participant::User, "by a clock that is ahead", 9 * day + count);
    }
    dialogue.say(&main, &Origin::Typed, Participant::User, "right", day);
    assert!(dialogue.flush(Duration::from_secs(30)).await);
    drop(dialogue);
    keeping.await.unwrap();

    let (dialogue, ..) = open(&path).await;

    assert_eq!(texts(&dialogue.recent(&main, Duration::from_secs(300), day + MINUTE)), ["right"]);
}

#[tokio::test]
async fn what_is_said_at_a_time_that_is_taken_in_the_database_is_kept_beside_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("jarvis.db");
    let main = ConversationId::main();
    let (dialogue, _keeping) = open(&path).await;
    for minute in 0..AT_HAND as i64 + 10 {
        dialogue.say(&main, &Origin::Typed, Participant::User, "the first time", minute * MINUTE);
    }
    dialogue.say(&main, &Origin::Typed, Participant::User, "again, by a clock set back", 2 * MINUTE);
    assert!(dialogue.flush(Duration::from_secs(10)).await);

    let both = dialogue.history(&main, 3 * MINUTE, 2).await.unwrap();

    assert_eq!(told(&both), ["the first time", "again, by a clock set back"]);
    assert_eq!(both[1].said.at_micros, 2 * MINUTE + 1);
}

#[test]
fn what_is_said_while_the_database_is_read_stays_at_hand() {
    let line =
        |text: &str, at, kept| Line { said: Said::new(Participant::User, text, at), channel: "", kept };
    let at_hand = |lines: Vec<Line>| AtHand::from([(ConversationId::main(), lines)]);
    let held = Mutex::new(at_hand(vec![
        line("forgotten", 1, Kept::Written),
        line("in passing", 2, Kept::Nowhere),
        line("kept", 9, Kept::Written),
        line("being written", 3, Kept::Waiting),
        line("written and read", 4, Kept::Waiting),
    ]));
    let settled = settled(&held);
    let read = at_hand(vec![line("kept", 9, Kept::Written), line("written and read", 4, Kept::Written)]);
    {
        let mut held = held.lock().unwrap();
        let lines = held.get_mut(&ConversationId::main()).unwrap();
        lines[3].kept = Kept::Written;
        lines.push(line("said meanwhile", 5, Kept::Waiting));
    }

    put_in_place(&held, read, &settled);

    let held = held.into_inner().unwrap();
    let said: Vec<Said> = held[&ConversationId::main()].iter().map(|line| line.said.clone()).collect();
    assert_eq!(texts(&said), ["in passing", "being written", "written and read", "said meanwhile", "kept"]);
}
