//! The database in a temporary folder.

use super::*;

fn count(store: &Store) -> impl Future<Output = Result<i64, StorageError>> {
    store.read(|c| c.query_row("SELECT count(*) FROM messages", [], |row| row.get(0)))
}

async fn insert(store: &Store, at: i64) -> Result<(), StorageError> {
    store
        .write(move |connection| {
            let sql = "INSERT INTO messages (conversation, said_at, speaker, text) VALUES ('main', ?1, 'user', 'hi')";
            in_transaction(connection, |transaction| transaction.execute(sql, [at]).map(|_| ()))
        })
        .await
}

#[tokio::test]
async fn written_rows_survive_closing_and_opening() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("deep/jarvis.db");

    let first = Store::open(&path, no_preparation).unwrap().store;
    insert(&first, 1).await.unwrap();
    first.close();
    let second = Store::open(&path, no_preparation).unwrap().store;

    assert_eq!(count(&second).await.unwrap(), 1);
    assert!(matches!(insert(&first, 2).await, Err(StorageError::Closed)));
}

#[tokio::test]
async fn write_that_changes_no_row_notifies_nobody() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(&folder.path().join("jarvis.db"), no_preparation).unwrap().store;
    let mut changes = store.changes();
    changes.mark_unchanged();

    let deletes_nothing = |connection: &mut Connection| {
        in_transaction(connection, |transaction| transaction.execute("DELETE FROM messages", []).map(|_| ()))
    };
    store.write(deletes_nothing).await.unwrap();
    let after_nothing = changes.has_changed().unwrap();
    insert(&store, 1).await.unwrap();

    assert!(!after_nothing);
    assert!(changes.has_changed().unwrap());
}

#[tokio::test]
async fn failed_write_notifies_nobody() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(&folder.path().join("jarvis.db"), no_preparation).unwrap().store;
    insert(&store, 1).await.unwrap();
    let mut changes = store.changes();
    changes.mark_unchanged();

    let fails_half_way = |connection: &mut Connection| {
        in_transaction(connection, |transaction| -> rusqlite::Result<()> {
            transaction.execute("DELETE FROM messages", [])?;
            transaction.execute_batch("no statement")
        })
    };
    store.write(fails_half_way).await.unwrap_err();

    assert!(!changes.has_changed().unwrap());
    assert_eq!(count(&store).await.unwrap(), 1);
}

#[tokio::test]
async fn damaged_file_is_quarantined_and_a_new_one_created() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("jarvis.db");
    std::fs::write(&path, "this is no database, and long enough to be looked at twice".repeat(100)).unwrap();

    let opened = Store::open(&path, no_preparation).unwrap();

    assert!(opened.trouble.unwrap().message.contains("damaged"));
    assert_eq!(count(&opened.store).await.unwrap(), 0);
    let kept = std::fs::read_dir(folder.path()).unwrap().filter_map(Result::ok);
    assert!(kept.into_iter().any(|entry| entry.file_name().to_string_lossy().contains(".damaged-")));
}

#[tokio::test]
async fn locked_database_fails_and_works_once_released() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("jarvis.db");
    let store = Store::open(&path, no_preparation).unwrap().store;
    let other = Connection::open(&path).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();

    let refused = insert(&store, 1).await.unwrap_err();
    other.execute_batch("COMMIT").unwrap();

    assert!(matches!(refused, StorageError::Locked { .. }) && refused.is_transient());
    insert(&store, 1).await.unwrap();
}

#[tokio::test]
async fn panic_is_rolled_back_and_next_write_succeeds() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(&folder.path().join("jarvis.db"), no_preparation).unwrap().store;
    let half_done =
        "INSERT INTO messages (conversation, said_at, speaker, text) VALUES ('main', 1, 'user', 'half')";

    let within = store
        .write(move |connection| {
            in_transaction(connection, |transaction| -> rusqlite::Result<()> {
                transaction.execute(half_done, [])?;
                panic!("within a transaction")
            })
        })
        .await;
    let by_hand = store
        .write(move |connection| -> rusqlite::Result<()> {
            connection.execute_batch("BEGIN")?;
            connection.execute(half_done, [])?;
            panic!("with an open transaction")
        })
        .await;
    let reading = store.read(|_| -> rusqlite::Result<()> { panic!("while reading") }).await;
    insert(&store, 2).await.unwrap();

    for outcome in [within, by_hand, reading] {
        assert!(matches!(outcome, Err(StorageError::Panicked)), "{outcome:?}");
    }
    assert_eq!(count(&store).await.unwrap(), 1);
}

#[tokio::test]
async fn file_of_a_newer_version_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("jarvis.db");
    Connection::open(&path).unwrap().execute_batch("PRAGMA user_version = 999").unwrap();

    assert!(matches!(Store::open(&path, no_preparation), Err(StorageError::Newer { .. })));
}

#[cfg(not(feature = "encryption"))]
#[test]
fn build_without_encryption_leaves_encrypted_file_unchanged() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("jarvis.db");
    let encrypted = b"JarvisE1".repeat(1000);
    std::fs::write(&file, &encrypted).unwrap();

    let opened = Store::open(&file, no_preparation).err().unwrap();
    let checked = check(&file).unwrap_err();
    let requested = crate::encrypt(&DatabaseLocation::from(&file)).unwrap_err();

    for error in [opened, checked, requested] {
        assert!(matches!(error, StorageError::NoEncryption { .. }), "{error:?}");
        assert!(error.remedy().contains("a build of Jarvis with encryption"));
    }
    assert_eq!(std::fs::read(&file).unwrap(), encrypted);
}
