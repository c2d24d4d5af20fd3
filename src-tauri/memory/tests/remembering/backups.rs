//! Interrupted backups, and lost memories.

use std::path::{Path, PathBuf};

use memory::{
    CopyOutcome, Forget, Memory, MemoryError, NewMessage, Participant, StorageError, Undo, check, restore,
};
use rstest::rstest;
use vocabulary::Private;

use crate::forgetting::{SECRET, files_containing};
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
async fn failed_backup_leaves_nothing_behind() {
    let home = Home::new();
    let said = (0..3000).map(|count| message("main", NOW + count, Participant::User, "hello there"));
    home.memory.add_messages(said.collect::<Vec<NewMessage>>()).await.unwrap();
    let good = home.memory.back_up(NOW).await.unwrap();
    // A change by another program makes SQLite read the page again, which is damaged on the disk.
    let other = rusqlite::Connection::open(home.path()).unwrap();
    other.execute_batch("PRAGMA user_version = 3; PRAGMA wal_checkpoint(TRUNCATE);").unwrap();
    let mut bytes = std::fs::read(home.path()).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle..middle + 8192].fill(0x5a);
    std::fs::write(home.path(), bytes).unwrap();

    let failed = home.memory.back_up(NOW + MINUTE).await.unwrap_err();

    assert!(matches!(failed, MemoryError::Storage(StorageError::Damaged { .. })), "{failed:?}");
    assert_eq!(files_in(&home.folder.path().join("backups")), [good]);
}

#[tokio::test]
async fn interrupted_backup_is_removed_at_the_next_start() {
    let home = Home::new();
    home.memory.store().close();
    let left = leave_behind(&home, "half of it");

    open(&home.path());

    assert!(left.iter().all(|file| !file.exists()));
}

#[tokio::test]
async fn forgetting_removes_interrupted_backups() {
    let home = Home::new();
    home.say(NOW, &format!("my hideout is {SECRET}")).await;
    leave_behind(&home, SECRET);

    home.memory.forget(Forget::Words(Private(SECRET.into())), Undo::Never, NOW + MINUTE).await.unwrap();

    assert_eq!(files_containing(&home, SECRET), Vec::<String>::new());
}

/// The files that remain of a lost memory.
#[derive(Debug, Clone, Copy)]
enum Remains {
    Nothing,
    AnEmptyFile,
    OnlyItsLog,
}

#[rstest]
#[tokio::test]
async fn lost_memory_is_replaced_by_its_last_backup(
    #[values(Remains::Nothing, Remains::AnEmptyFile, Remains::OnlyItsLog)] left: Remains,
) {
    let home = Home::new();
    home.say(NOW, "before the backup").await;
    home.memory.back_up(NOW).await.unwrap();
    home.say(NOW + 1, "after it").await;
    let log = home.folder.path().join("jarvis.db-wal");
    let in_log = std::fs::read(&log).unwrap();
    home.memory.store().close();
    std::fs::remove_file(home.path()).unwrap();
    match left {
        Remains::Nothing => {}
        Remains::AnEmptyFile => std::fs::write(home.path(), "").unwrap(),
        Remains::OnlyItsLog => std::fs::write(&log, in_log).unwrap(),
    }

    let checked = check(&home.path()).err();
    let opened = Memory::open(&home.path()).unwrap();

    assert!(matches!(checked, Some(StorageError::Damaged { .. })), "{checked:?}");
    let trouble = opened.trouble.unwrap();
    assert!(trouble.message.contains("gone or empty, so the backup of 2025-11-22"), "{}", trouble.message);
    let memory = opened.memory;
    let said = memory.archive().await.unwrap().messages;
    assert_eq!(said.iter().map(|said| said.text.as_str()).collect::<Vec<_>>(), ["before the backup"]);
    assert_eq!(memory.examine(NOW).await.unwrap().damage, "");
}

#[cfg(unix)]
#[tokio::test]
async fn dangling_link_is_reported_and_not_replaced() {
    let home = Home::new();
    home.say(NOW, "before the backup").await;
    let backup = home.memory.back_up(NOW).await.unwrap();
    home.memory.store().close();
    let disk = home.folder.path().join("disk.db");
    std::fs::rename(home.path(), &disk).unwrap();
    std::os::unix::fs::symlink(&disk, home.path()).unwrap();
    let unplugged = home.folder.path().join("unplugged");
    std::fs::rename(&disk, &unplugged).unwrap();

    let errors = [
        Memory::open(&home.path()).err(),
        check(&home.path()).err().map(MemoryError::from),
        restore(&home.path(), &backup).err().map(MemoryError::from),
    ];
    std::fs::rename(&unplugged, &disk).unwrap();
    let opened = Memory::open(&home.path()).unwrap();

    for error in errors {
        assert!(matches!(error, Some(MemoryError::Storage(StorageError::LinkToNothing { .. }))), "{error:?}");
    }
    assert_eq!(opened.trouble, None);
    assert!(std::fs::symlink_metadata(home.path()).unwrap().is_symlink());
}

#[tokio::test]
async fn empty_file_is_no_backup() {
    let home = Home::new();
    home.say(NOW, "before the backup").await;
    let sound = home.memory.back_up(NOW).await.unwrap();
    home.memory.store().close();
    let empty = sound.with_file_name("jarvis-20251123-120000.db");
    std::fs::write(&empty, "").unwrap();
    std::fs::remove_file(home.path()).unwrap();

    let restored = restore(&home.path(), &empty);
    let opened = Memory::open(&home.path()).unwrap();

    assert!(matches!(restored, Err(StorageError::Damaged { .. })), "{restored:?}");
    let trouble = opened.trouble.unwrap();
    assert!(trouble.message.contains("the backup of 2025-11-22"), "{}", trouble.message);
    assert_eq!(opened.memory.archive().await.unwrap().messages.len(), 1);
}

#[tokio::test]
async fn memory_with_only_a_quarantined_file_counts_as_lost() {
    let home = Home::new();
    home.memory.store().close();
    let older = home.folder.path().join("jarvis.db.replaced-20251120-120000");
    let newer = home.folder.path().join("jarvis.db.damaged-20251121-120000");
    std::fs::write(&older, "older").unwrap();
    std::fs::rename(home.path(), &newer).unwrap();

    let checked = check(&home.path()).err();
    let trouble = Memory::open(&home.path()).unwrap().trouble.unwrap();

    assert!(matches!(checked, Some(StorageError::Damaged { .. })), "{checked:?}");
    assert!(trouble.message.contains("gone or empty and there is no backup"), "{}", trouble.message);
    let report = format!("{trouble:?}");
    assert!(report.contains(&newer.display().to_string()), "{report}");
}

#[test]
fn new_memory_without_backups_reports_no_trouble() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("jarvis.db");
    std::fs::create_dir(folder.path().join("backups")).unwrap();
    std::fs::write(&path, "").unwrap();

    assert_eq!(Memory::open(&path).unwrap().trouble, None);
}

#[tokio::test]
async fn copy_of_a_newer_version_is_reported_and_never_deleted() {
    let home = Home::new();
    home.say(NOW, &format!("my hideout is {SECRET}")).await;
    let copy = home.memory.back_up(NOW).await.unwrap();
    rusqlite::Connection::open(&copy).unwrap().execute_batch("PRAGMA user_version = 999").unwrap();
    let wish = Forget::Words(Private(SECRET.into()));

    let forgotten = home.memory.forget(wish, Undo::Never, NOW + MINUTE).await.unwrap();
    home.memory.store().close();
    open(&home.path()).expire_undo(NOW + 20 * MINUTE).await.unwrap();

    let outcomes: Vec<CopyOutcome> = forgotten.copies.iter().map(|copy| copy.outcome).collect();
    assert_eq!(outcomes, [CopyOutcome::OutOfReach { lacks_key: false }]);
    assert!(copy.exists());
}
