//! Backups that go wrong half-way.

use std::path::{Path, PathBuf};

use memory::{Forget, MemoryError, NewMessage, Speaker, Undo};
use vocabulary::Private;

use crate::forgetting::{SECRET, holds};
use crate::support::{Home, MINUTE, NOW, message, open};

/// The files in a folder.
fn files_in(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap()
        .map(|file| file.unwrap().path())
        .filter(|file| file.is_file())
        .collect();
    files.sort();
    files
}

fn leave_behind(home: &Home, what: &str) -> [PathBuf; 3] {
    let backups = home.folder.path().join("backups");
    std::fs::create_dir_all(&backups).unwrap();
    let left = [
        backups.join("jarvis-20251121-120000.db.part"),
        backups.join("jarvis-20251121-120000.db.part-journal"),
        home.folder.path().join("jarvis.db.part"),
    ];
    left.iter().for_each(|file| std::fs::write(file, what).unwrap());
    left
}

#[tokio::test]
async fn a_backup_that_fails_leaves_nothing_behind() {
    let home = Home::new();
    let said = (0..3000).map(|count| message("main", NOW + count, Speaker::User, "hello there"));
    home.memory.add_messages(said.collect::<Vec<NewMessage>>()).await.unwrap();
    let good = home.memory.back_up(NOW).await.unwrap();
    // What another program changed is read from the disk again, and there it is damaged by now.
    let other = rusqlite::Connection::open(home.path()).unwrap();
    other.execute_batch("PRAGMA user_version = 3; PRAGMA wal_checkpoint(TRUNCATE);").unwrap();
    let mut bytes = std::fs::read(home.path()).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle..middle + 8192].fill(0x5a);
    std::fs::write(home.path(), bytes).unwrap();

    let failed = home.memory.back_up(NOW + MINUTE).await.unwrap_err();

    assert!(matches!(failed, MemoryError::Damaged { .. }), "{failed:?}");
    assert_eq!(files_in(&home.folder.path().join("backups")), [good]);
}

#[tokio::test]
async fn a_backup_that_was_killed_is_gone_after_the_next_start() {
    let home = Home::new();
    home.memory.store().close();
    let left = leave_behind(&home, "half of it");

    open(&home.path());

    assert!(left.iter().all(|file| !file.exists()));
}

#[tokio::test]
async fn what_is_forgotten_does_not_stay_in_a_backup_that_was_killed() {
    let home = Home::new();
    home.say(NOW, &format!("my hideout is {SECRET}")).await;
    leave_behind(&home, SECRET);

    home.memory.forget(Forget::Words(Private(SECRET.into())), Undo::Never, NOW + MINUTE).await.unwrap();

    assert_eq!(holds(&home, SECRET), Vec::<String>::new());
}
