//! Forgetting in files in quarantine.

use memory::{CopyOutcome, Forget, MemoryError, Refusal, Undo, quarantined, restore};
use vocabulary::Private;

use crate::forgetting::{SECRET, files_containing, home_with_a_secret};
use crate::support::{DAY, Home, MINUTE, NOW, open};

fn secret() -> Forget {
    Forget::Words(Private(SECRET.into()))
}

/// A secret that was said after the restored backup was made: only the quarantined file contains it.
async fn home_with_a_secret_in_quarantine() -> Home {
    let home = Home::new();
    home.say(NOW, "what a lovely morning").await;
    let backup = home.memory.back_up(NOW).await.unwrap();
    home.say(NOW + MINUTE, &format!("my hideout is {SECRET}")).await;
    home.say(NOW + 2 * MINUTE, "I bought a cello").await;
    home.memory.store().close();
    restore(&home.path(), &backup).unwrap();
    let memory = open(&home.path());
    Home { memory, ..home }
}

#[tokio::test]
async fn quarantined_file_forgets_and_keeps_the_rest() {
    let home = home_with_a_secret_in_quarantine().await;
    let aside = quarantined(&home.path()).remove(0);

    let forgotten = home.memory.forget(secret(), Undo::Possible, NOW + 3 * MINUTE).await.unwrap();

    assert!(aside.is_sound);
    assert!(forgotten.items.is_empty(), "nothing of it is in use");
    let outcomes: Vec<_> = forgotten.copies.iter().map(|copy| (&copy.path, copy.outcome)).collect();
    assert_eq!(outcomes, [(&aside.path, CopyOutcome::Forgot(1))]);
    assert_eq!(files_containing(&home, SECRET), Vec::<String>::new());
    let kept = open(&aside.path).archive().await.unwrap();
    let said: Vec<&str> = kept.messages.iter().map(|message| message.text.as_str()).collect();
    assert_eq!(said, ["what a lovely morning", "I bought a cello"]);
}

#[tokio::test]
async fn unsearchable_damaged_copy_is_deleted_and_reported() {
    let home = home_with_a_secret().await;
    home.memory.store().close();
    let mut bytes = std::fs::read(home.path()).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle..middle + 8192].fill(0x5a);
    let aside = home.folder.path().join("jarvis.db.damaged-20251122-120000");
    std::fs::write(&aside, bytes).unwrap();
    std::fs::write(home.folder.path().join("jarvis.db.damaged-20251122-120000-wal"), SECRET).unwrap();
    let memory = open(&home.path());
    assert!(quarantined(&home.path()).iter().all(|aside| !aside.is_sound));

    let forgotten = memory.forget(secret(), Undo::Never, NOW + MINUTE).await.unwrap();

    let deleted = forgotten.copies.iter().filter(|copy| copy.outcome == CopyOutcome::Deleted);
    assert_eq!(deleted.map(|copy| &copy.path).collect::<Vec<_>>(), [&aside]);
    assert_eq!(files_containing(&home, SECRET), Vec::<String>::new());
}

#[tokio::test]
async fn undeletable_damaged_copy_is_deleted_once_possible() {
    let home = home_with_a_secret().await;
    let good = home.memory.back_up(NOW).await.unwrap();
    let damaged = good.with_file_name("jarvis-20251121-120000.db");
    std::fs::write(&damaged, SECRET.repeat(100)).unwrap();
    let in_the_way = good.with_file_name("jarvis-20251121-120000.db-shm");
    std::fs::create_dir(&in_the_way).unwrap();

    let forgotten = home.memory.forget(secret(), Undo::Never, NOW + MINUTE).await.unwrap();
    home.memory.expire_undo(NOW + DAY).await.unwrap();
    let while_in_the_way = (good.exists(), damaged.exists());
    std::fs::remove_dir(&in_the_way).unwrap();
    home.memory.expire_undo(NOW + DAY).await.unwrap();

    assert!(forgotten.are_copies_done);
    let outcome = |file| forgotten.copies.iter().find(|copy| copy.path == file).map(|copy| copy.outcome);
    assert_eq!(outcome(damaged.clone()), Some(CopyOutcome::OutOfReach { lacks_key: false }));
    assert!(matches!(outcome(good.clone()), Some(CopyOutcome::Forgot(_))));
    assert_eq!((while_in_the_way, good.exists(), damaged.exists()), ((true, true), true, false));
    assert_eq!(files_containing(&home, SECRET), Vec::<String>::new());
}

#[tokio::test]
async fn pending_requests_of_copies_survive_a_restore() {
    let home = home_with_a_secret().await;
    let backup = home.memory.back_up(NOW).await.unwrap();
    let later = home.memory.back_up(NOW + DAY).await.unwrap();
    home.memory.store().close();
    let pending = format!("INSERT INTO notes VALUES ('backups_have_to_forget', '{NOW}')");
    rusqlite::Connection::open(home.path()).unwrap().execute_batch(&pending).unwrap();
    let pending_in_backup = open(&home.path()).back_up(NOW + 2 * DAY).await.unwrap();
    let notes = |file: &std::path::Path| -> i64 {
        let sql = "SELECT count(*) FROM notes WHERE name = 'backups_have_to_forget'";
        rusqlite::Connection::open(file).unwrap().query_row(sql, [], |row| row.get(0)).unwrap()
    };
    let in_backup = notes(&pending_in_backup);

    restore(&home.path(), &backup).unwrap();
    let carried = notes(&home.path());
    open(&home.path()).expire_undo(NOW + 3 * DAY).await.unwrap();

    assert_eq!((in_backup, carried), (0, 1));
    assert!(!backup.exists() && !later.exists() && quarantined(&home.path()).is_empty());
}

#[tokio::test]
async fn quarantined_file_contains_no_undo_records() {
    let home = home_with_a_secret().await;
    let backup = home.memory.back_up(NOW).await.unwrap();
    home.memory.forget(secret(), Undo::Possible, NOW + 1).await.unwrap();
    home.memory.store().close();

    restore(&home.path(), &backup).unwrap();

    assert_eq!(files_containing(&home, SECRET), Vec::<String>::new());
    let memory = open(&home.path());
    assert!(matches!(memory.undo(None, NOW + 2).await, Err(MemoryError::Refused(Refusal::NothingToUndo))));
}
