//! Forgetting in encrypted copies, and in copies that cannot be reached.

use std::path::PathBuf;

use memory::{CopyOutcome, Forget, Key, KeyStore, Undo, decrypt};
use rusqlite::Connection;

use crate::encrypted_home::EncryptedHome;
use crate::support::{DAY, NOW};

#[tokio::test]
async fn encrypted_backups_forget_too() {
    let home = EncryptedHome::encrypted().await;
    let memory = home.open();
    memory.forget(Forget::Words(vocabulary::Private("Zanzibar".into())), Undo::Never, NOW).await.unwrap();
    memory.store().close();

    let backup = memory::backups(&home.path()).remove(0).path;
    memory::restore(home.place(), &backup).unwrap();

    assert!(!home.finds("Zanzibar").await, "not in the backup");
    assert!(home.finds("food").await || home.finds("giraffe").await, "the rest of it is there");
}

/// A memory with an encrypted backup, whose key was moved from the keychain to the folder beside it.
async fn home_with_a_backup_out_of_reach() -> (EncryptedHome, PathBuf) {
    let home = EncryptedHome::encrypted().await;
    let backup = memory::backups(&home.path()).remove(0).path;
    let kept = std::fs::read(&backup).unwrap();
    let (key, hidden) = (home.keys().remove(0), home.keychain.path().join("hidden"));
    std::fs::copy(&key, &hidden).unwrap();
    decrypt(&home.place()).unwrap();
    std::fs::write(&backup, kept).unwrap();
    (home, backup)
}

fn forget_zanzibar() -> Forget {
    Forget::Words(vocabulary::Private("Zanzibar".into()))
}

#[tokio::test]
async fn backup_without_key_forgets_once_the_key_is_back() {
    let (home, backup) = home_with_a_backup_out_of_reach().await;
    let before = std::fs::read(&backup).unwrap();
    let memory = home.open();

    let forgotten = memory.forget(forget_zanzibar(), Undo::Never, NOW).await.unwrap();
    memory.expire_undo(NOW + DAY).await.unwrap();
    let unchanged = std::fs::read(&backup).unwrap();
    let digits = std::fs::read_to_string(home.keychain.path().join("hidden")).unwrap();
    home.key_store().set(&Key::from_hex(&digits).unwrap()).unwrap();
    memory.expire_undo(NOW + DAY).await.unwrap();
    memory.store().close();

    let outcomes: Vec<CopyOutcome> = forgotten.copies.iter().map(|copy| copy.outcome).collect();
    assert_eq!(outcomes, [CopyOutcome::OutOfReach { lacks_key: true }]);
    assert!(forgotten.are_copies_done && unchanged == before);
    memory::restore(home.place(), &backup).unwrap();
    assert!(!home.finds("Zanzibar").await, "the backup forgot it too");
    assert!(home.finds("giraffe").await, "and nothing else");
}

#[tokio::test]
async fn backup_with_lost_request_is_deleted_once_reachable() {
    let (home, backup) = home_with_a_backup_out_of_reach().await;
    let memory = home.open();
    memory.forget(forget_zanzibar(), Undo::Never, NOW).await.unwrap();
    memory.store().close();
    let memory = home.open();

    memory.expire_undo(NOW + DAY).await.unwrap();
    let was_left = backup.exists();
    let digits = std::fs::read_to_string(home.keychain.path().join("hidden")).unwrap();
    home.key_store().set(&Key::from_hex(&digits).unwrap()).unwrap();
    memory.expire_undo(NOW + DAY).await.unwrap();

    assert!(was_left && !backup.exists());
}

#[tokio::test]
async fn open_memory_forgets_in_backups_with_locked_keychain() {
    let home = EncryptedHome::encrypted().await;
    let memory = home.open();
    let (key, away) = (home.keys().remove(0), home.data.path().join("away"));
    std::fs::rename(&key, &away).unwrap();

    let forgotten = memory.forget(forget_zanzibar(), Undo::Never, NOW).await.unwrap();

    let outcomes: Vec<CopyOutcome> = forgotten.copies.iter().map(|copy| copy.outcome).collect();
    assert!(matches!(outcomes[..], [CopyOutcome::Forgot(_)]), "{outcomes:?}");
}

#[tokio::test]
async fn backup_in_use_forgets_once_it_is_released() {
    let home = EncryptedHome::with_records().await;
    let backup = memory::backups(&home.path()).remove(0).path;
    let memory = home.open();
    let user = Connection::open(&backup).unwrap();
    user.execute_batch("BEGIN EXCLUSIVE").unwrap();

    let forgotten = memory.forget(forget_zanzibar(), Undo::Never, NOW).await.unwrap();
    drop(user);
    memory.expire_undo(NOW + DAY).await.unwrap();
    memory.store().close();

    let outcomes: Vec<CopyOutcome> = forgotten.copies.iter().map(|copy| copy.outcome).collect();
    assert_eq!(outcomes, [CopyOutcome::OutOfReach { lacks_key: false }]);
    memory::restore(home.place(), &backup).unwrap();
    assert!(!home.finds("Zanzibar").await && home.finds("giraffe").await);
}
