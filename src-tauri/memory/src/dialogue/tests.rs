use std::path::Path;

use rstest::rstest;
use tokio::task::JoinHandle;
use vocabulary::{Private, ReplyPart};

use super::recent_turns::MAX_TURNS;
use super::*;
use crate::memory::Memory;
use crate::records::messages::NewMessage;

const MINUTE: i64 = 60_000_000;

async fn open(path: &Path) -> (Dialogue, JoinHandle<()>) {
    let (dialogue, running) = start(path, |_| {});
    assert!(dialogue.opened(Duration::from_secs(30)).await);
    (dialogue, running)
}

/// The task ends once the dialogue is dropped and the database closed.
fn start(
    path: &Path,
    report: impl Fn(Option<vocabulary::Trouble>) + Send + Sync + 'static,
) -> (Dialogue, JoinHandle<()>) {
    let (service, opening) = MemoryService::start(path, report);
    let (dialogue, writing) = Dialogue::start(&service);
    (dialogue, tokio::spawn(async { _ = tokio::join!(opening, writing) }))
}

fn texts_of(page: &[DialogueMessage]) -> Vec<&str> {
    page.iter().map(|message| message.content.text.as_str()).collect()
}

fn texts(content: &[MessageContent]) -> Vec<&str> {
    content.iter().map(|content| content.text.as_str()).collect()
}

#[tokio::test]
async fn dialogue_survives_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("jarvis.db");
    let main = ConversationId::main();

    let (dialogue, running) = open(&path).await;
    dialogue.say(&main, &Origin::Typed, Participant::User, " what time is it ", MINUTE);
    dialogue.say(&main, &Origin::Typed, Participant::Assistant, "Noon.", MINUTE);
    assert!(dialogue.flush(Duration::from_secs(10)).await);
    drop(dialogue);
    running.await.unwrap();
    let (dialogue, ..) = open(&path).await;

    let recent = dialogue.recent(&main, Duration::from_secs(300), 2 * MINUTE);
    assert_eq!(texts(&recent), ["what time is it", "Noon."]);
    assert_eq!(recent[1].at_micros, MINUTE + 1);
}

#[tokio::test]
async fn history_is_read_page_by_page() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("jarvis.db");
    let main = ConversationId::main();
    let (dialogue, _running) = open(&path).await;
    for minute in 0..MAX_TURNS as i64 + 50 {
        dialogue.say(&main, &Origin::Typed, Participant::User, &minute.to_string(), minute * MINUTE);
    }

    let newest = dialogue.history(&main, i64::MAX, 3).await.unwrap();
    assert!(dialogue.flush(Duration::from_secs(30)).await);
    let oldest = dialogue.history(&main, 2 * MINUTE, 100).await.unwrap();
    let written = dialogue.history(&main, newest[0].content.at_micros, 2).await.unwrap();

    assert_eq!(texts_of(&newest), ["247", "248", "249"]);
    assert_eq!(texts_of(&oldest), ["0", "1"]);
    assert_eq!(texts_of(&written), ["245", "246"]);
    assert!(newest.iter().chain(&oldest).all(|message| message.channel == "typed"));
}

#[rstest]
#[case::its_words(Forget::Words(Private("SECRET plan".into())))]
#[case::its_time(Forget::Span(MINUTE..2 * MINUTE))]
#[case::its_conversation(Forget::Conversation("temporary-1".into()))]
#[tokio::test]
async fn temporary_messages_are_forgotten_too(#[case] what: Forget) {
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
async fn messages_that_could_not_be_written_are_forgotten_too() {
    let folder = tempfile::tempdir().unwrap();
    let (dialogue, _running) = open(&folder.path().join("jarvis.db")).await;
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
async fn messages_older_than_the_window_are_not_recent() {
    let folder = tempfile::tempdir().unwrap();
    let (dialogue, ..) = open(&folder.path().join("jarvis.db")).await;
    let main = ConversationId::main();

    dialogue.say(&main, &Origin::Typed, Participant::User, "old", 0);
    dialogue.say(&main, &Origin::Typed, Participant::User, "new", 4 * MINUTE);
    dialogue.say(&ConversationId("other".into()), &Origin::Typed, Participant::User, "elsewhere", 4 * MINUTE);

    assert_eq!(texts(&dialogue.recent(&main, Duration::from_secs(300), 5 * MINUTE)), ["new"]);
}

#[tokio::test]
async fn dialogue_works_before_its_database_can_be_opened() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("jarvis.db");
    rusqlite::Connection::open(&path).unwrap().execute_batch("PRAGMA user_version = 999").unwrap();
    let (troubles, mut reports) = tokio::sync::mpsc::unbounded_channel();
    let (dialogue, _running) = start(&path, move |trouble| troubles.send(trouble).unwrap());

    dialogue.say(&ConversationId::main(), &Origin::Typed, Participant::User, "kept", MINUTE);
    let refused = reports.recv().await.unwrap().unwrap();
    std::fs::remove_file(&path).unwrap();

    assert!(refused.message.contains("newer version"), "{refused}");
    assert!(dialogue.flush(Duration::from_secs(30)).await);
    assert_eq!(reports.recv().await.unwrap(), None);
    assert_eq!(texts(&dialogue.recent(&ConversationId::main(), Duration::from_secs(60), MINUTE)), ["kept"]);
}

#[tokio::test]
async fn message_said_while_database_is_locked_is_written_later() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("jarvis.db");
    let (dialogue, _running) = open(&path).await;
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
async fn messages_have_the_right_time_once_the_clock_is_right() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("jarvis.db");
    let (main, day) = (ConversationId::main(), 24 * 60 * MINUTE);
    let say =
        |dialogue: &Dialogue, text, at| dialogue.say(&main, &Origin::Typed, Participant::User, text, at);
    let (dialogue, running) = open(&path).await;
    say(&dialogue, "by a clock that is ahead", 9 * day);
    say(&dialogue, "right", day);
    say(&dialogue, "a little back", day - MINUTE);
    say(&dialogue, "and on", day + MINUTE);
    assert!(dialogue.flush(Duration::from_secs(10)).await);
    drop(dialogue);
    running.await.unwrap();

    let (dialogue, ..) = open(&path).await;
    say(&dialogue, "right after a restart", day + 2 * MINUTE);

    let recent = dialogue.recent(&main, Duration::from_secs(300), day + 2 * MINUTE);
    let times: Vec<(&str, i64)> =
        recent.iter().map(|content| (content.text.as_str(), content.at_micros)).collect();
    let expected = [
        ("right", day),
        ("a little back", day + 1),
        ("and on", day + MINUTE),
        ("right after a restart", day + 2 * MINUTE),
    ];
    assert_eq!(times, expected);
}

#[tokio::test]
async fn newer_messages_load_despite_many_from_a_fast_clock() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("jarvis.db");
    let (main, day) = (ConversationId::main(), 24 * 60 * MINUTE);
    let (dialogue, running) = open(&path).await;
    for count in 0..MAX_TURNS as i64 {
        dialogue.say(&main, &Origin::Typed, Participant::User, "by a clock that is ahead", 9 * day + count);
    }
    dialogue.say(&main, &Origin::Typed, Participant::User, "right", day);
    assert!(dialogue.flush(Duration::from_secs(30)).await);
    drop(dialogue);
    running.await.unwrap();

    let (dialogue, ..) = open(&path).await;

    assert_eq!(texts(&dialogue.recent(&main, Duration::from_secs(300), day + MINUTE)), ["right"]);
}

#[tokio::test]
async fn message_at_a_taken_time_is_stored_just_after_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("jarvis.db");
    let main = ConversationId::main();
    let (dialogue, _running) = open(&path).await;
    for minute in 0..MAX_TURNS as i64 + 10 {
        dialogue.say(&main, &Origin::Typed, Participant::User, "the first time", minute * MINUTE);
    }
    dialogue.say(&main, &Origin::Typed, Participant::User, "again, by a clock set back", 2 * MINUTE);
    assert!(dialogue.flush(Duration::from_secs(10)).await);

    let both = dialogue.history(&main, 3 * MINUTE, 2).await.unwrap();

    assert_eq!(texts_of(&both), ["the first time", "again, by a clock set back"]);
    assert_eq!(both[1].content.at_micros, 2 * MINUTE + 1);
}

fn words(text: &str) -> crate::Recall {
    crate::Recall { words: text.into(), limit: 9, ..crate::Recall::default() }
}

/// Two messages of the main conversation, then a question to be withdrawn, beside a neighbouring conversation.
fn say_four(dialogue: &Dialogue) {
    let (main, other) = (ConversationId::main(), ConversationId("other".into()));
    let say = |of, text, at| dialogue.say(of, &Origin::Typed, Participant::User, text, at);
    say(&main, "a tulip", MINUTE);
    say(&main, "a daffodil", 2 * MINUTE);
    say(&other, "a crocus", 3 * MINUTE);
    say(&main, "a snowdrop", 3 * MINUTE);
}

async fn assert_only_the_snowdrop_is_gone(dialogue: &Dialogue, memory: &Memory) {
    let hour = Duration::from_secs(3_600);
    let (main, other) = (ConversationId::main(), ConversationId("other".into()));
    assert_eq!(texts(&dialogue.recent(&main, hour, 4 * MINUTE)), ["a tulip", "a daffodil"]);
    assert_eq!(texts(&dialogue.recent(&other, hour, 4 * MINUTE)), ["a crocus"]);
    assert_eq!(texts_of(&dialogue.history(&main, i64::MAX, 9).await.unwrap()), ["a tulip", "a daffodil"]);
    assert!(memory.recall(words("snowdrop")).await.unwrap().is_empty());
    assert_eq!(memory.recall(words("crocus")).await.unwrap().len(), 1);
    let pending = memory.pending_messages(9).await.unwrap();
    let pending: Vec<&str> = pending.iter().map(|message| message.content.text.as_str()).collect();
    assert_eq!(pending, ["a tulip", "a daffodil", "a crocus"]);
    assert_eq!(memory.examine(4 * MINUTE).await.unwrap().orphans, 0);
}

#[tokio::test]
async fn withdrawn_message_is_deleted_from_the_database() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("jarvis.db");
    let (dialogue, running) = open(&path).await;
    say_four(&dialogue);
    assert!(dialogue.flush(Duration::from_secs(10)).await);

    dialogue.withdraw(&ConversationId::main(), 3 * MINUTE);
    let at_once = dialogue.recent(&ConversationId::main(), Duration::from_secs(3_600), 4 * MINUTE).len();
    assert!(dialogue.flush(Duration::from_secs(10)).await);

    assert_eq!(at_once, 2);
    let memory = dialogue.service.memory().unwrap();
    assert_only_the_snowdrop_is_gone(&dialogue, &memory).await;
    drop((dialogue, memory));
    running.await.unwrap();
    let (dialogue, ..) = open(&path).await;
    assert_only_the_snowdrop_is_gone(&dialogue, &dialogue.service.memory().unwrap()).await;
}

#[tokio::test]
async fn message_withdrawn_before_its_write_never_arrives() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("jarvis.db");
    let (dialogue, _running) = open(&path).await;
    let other = rusqlite::Connection::open(&path).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();

    say_four(&dialogue);
    dialogue.withdraw(&ConversationId::main(), 3 * MINUTE);
    let queued = *dialogue.queue_length.borrow();
    other.execute_batch("COMMIT").unwrap();

    assert!(dialogue.flush(Duration::from_secs(30)).await);
    assert_eq!(queued, 4, "three messages, and the deletion of what may be written already");
    assert_only_the_snowdrop_is_gone(&dialogue, &dialogue.service.memory().unwrap()).await;
}

#[tokio::test]
async fn message_withdrawn_while_it_is_being_written_is_deleted() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("jarvis.db");
    let (dialogue, _running) = open(&path).await;
    let main = ConversationId::main();
    let other = rusqlite::Connection::open(&path).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();

    dialogue.say(&main, &Origin::Typed, Participant::User, "a snowdrop", MINUTE);
    // The writer may take the job here, and then waits for the lock. Nothing shows if it did: either way, the message must
    // be gone in the end.
    tokio::task::yield_now().await;
    dialogue.withdraw(&main, MINUTE);
    other.execute_batch("COMMIT").unwrap();

    assert!(dialogue.flush(Duration::from_secs(30)).await);
    assert!(dialogue.history(&main, i64::MAX, 9).await.unwrap().is_empty());
}

#[tokio::test]
async fn message_said_after_a_withdrawal_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let (dialogue, _running) = open(&folder.path().join("jarvis.db")).await;
    let main = ConversationId::main();

    dialogue.say(&main, &Origin::Typed, Participant::User, "a snowdrop", MINUTE);
    dialogue.withdraw(&main, MINUTE);
    dialogue.say(&main, &Origin::Typed, Participant::User, "a tulip", MINUTE);

    assert!(dialogue.flush(Duration::from_secs(30)).await);
    assert_eq!(texts_of(&dialogue.history(&main, i64::MAX, 9).await.unwrap()), ["a tulip"]);
}

#[tokio::test]
async fn ended_conversation_keeps_no_recent_turns() {
    let folder = tempfile::tempdir().unwrap();
    let (dialogue, _running) = open(&folder.path().join("jarvis.db")).await;
    let (main, temporary) = (ConversationId::main(), ConversationId::temporary(1));
    for conversation in [&main, &temporary] {
        dialogue.say(conversation, &Origin::Typed, Participant::User, "hello", MINUTE);
    }

    dialogue.end_conversation(&temporary);

    let hour = Duration::from_secs(3_600);
    assert!(dialogue.recent(&temporary, hour, MINUTE).is_empty());
    assert_eq!(dialogue.recent(&main, hour, MINUTE).len(), 1);
}

fn traced(selection: &str) -> ReplyTrace {
    ReplyTrace { selection: selection.to_owned(), ..ReplyTrace::default() }
}

/// A query in the main conversation, answered by the reply of this number.
fn typed(reply: u64) -> Query {
    Query {
        reply: ReplyId(reply),
        text: "rain?".into(),
        language: None,
        origin: Origin::Typed,
        conversation: ConversationId::main(),
        replaces_previous: false,
    }
}

#[tokio::test]
async fn delivery_is_kept_with_its_reply_alone() {
    let folder = tempfile::tempdir().unwrap();
    let (dialogue, _running) = open(&folder.path().join("jarvis.db")).await;
    let main = ConversationId::main();
    let delivery = DeliveryTrace { is_shown: true, missing: vec![ReplyPart::Voice], ..Default::default() };
    dialogue.say_reply(&typed(1), "No rain.", traced("hybrid"), MINUTE);
    // At the same time: it is moved on by a microsecond.
    dialogue.say_reply(&typed(2), "Snow.", traced("llm"), MINUTE);

    dialogue.note_delivery(&main, ReplyId(2), delivery.clone());
    dialogue.note_delivery(&main, ReplyId(3), DeliveryTrace::default());
    assert!(dialogue.flush(Duration::from_secs(10)).await);

    let [first, second] = [dialogue.trace(&main, MINUTE).await, dialogue.trace(&main, MINUTE + 1).await];
    assert_eq!(first.unwrap(), Some(traced("hybrid")));
    assert_eq!(second.unwrap(), Some(ReplyTrace { delivery: Some(delivery), ..traced("llm") }));
}

#[tokio::test]
async fn delivery_of_a_temporary_conversation_is_not_written() {
    let folder = tempfile::tempdir().unwrap();
    let (dialogue, _running) = open(&folder.path().join("jarvis.db")).await;
    let temporary = ConversationId::temporary(1);
    let query = Query { conversation: temporary.clone(), ..typed(1) };
    dialogue.say_reply(&query, "No rain.", traced("hybrid"), MINUTE);

    dialogue.note_delivery(&temporary, ReplyId(1), DeliveryTrace::default());

    assert!(dialogue.flush(Duration::from_secs(10)).await);
    assert_eq!(dialogue.trace(&temporary, MINUTE).await.unwrap(), None);
}

#[tokio::test]
async fn trace_is_kept_as_long_as_its_reply() {
    let folder = tempfile::tempdir().unwrap();
    let (dialogue, _running) = open(&folder.path().join("jarvis.db")).await;
    let main = ConversationId::main();
    dialogue.say(&main, &Origin::Typed, Participant::User, "rain?", MINUTE);
    dialogue.say_reply(&typed(1), "No rain.", traced("hybrid"), 2 * MINUTE);
    assert!(dialogue.flush(Duration::from_secs(10)).await);

    let kept = dialogue.trace(&main, 2 * MINUTE).await.unwrap();
    let of_user = dialogue.trace(&main, MINUTE).await.unwrap();
    let forgotten = Forget::Words(Private("rain".into()));
    dialogue.forget(forgotten, Undo::Never, 3 * MINUTE).await.unwrap();
    let after = dialogue.trace(&main, 2 * MINUTE).await.unwrap();

    assert_eq!((kept, of_user, after), (Some(traced("hybrid")), None, None));
}

#[tokio::test]
async fn only_the_newest_thousand_traces_are_kept() {
    let folder = tempfile::tempdir().unwrap();
    let (dialogue, _running) = open(&folder.path().join("jarvis.db")).await;
    let main = ConversationId::main();
    let memory = dialogue.service.memory().unwrap();
    let many: Vec<NewMessage> = (0..1_001)
        .map(|at| NewMessage {
            conversation: main.clone(),
            channel: "typed".into(),
            content: MessageContent::new(Participant::Assistant, "yes", at),
            is_in_diary: true,
        })
        .collect();
    memory.add_messages(many).await.unwrap();
    let of_each = "INSERT INTO traces SELECT id, '{}' FROM messages";
    memory.change(move |changing| Ok(changing.execute_batch(of_each)?)).await.unwrap();

    dialogue.say_reply(&typed(1), "newest", traced("llm"), MINUTE);
    assert!(dialogue.flush(Duration::from_secs(10)).await);

    let count = "SELECT count(*) FROM traces";
    let kept: i64 =
        memory.read(|connection| connection.query_row(count, [], |row| row.get(0))).await.unwrap();
    assert_eq!(kept, 1_000);
    assert_eq!(dialogue.trace(&main, 1).await.unwrap(), None);
    assert_eq!(dialogue.trace(&main, MINUTE).await.unwrap(), Some(traced("llm")));
}
