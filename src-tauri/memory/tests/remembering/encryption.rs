//! Encryption: no readable text on the disk, no loss, and a missing key does not count as damage.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use memory::{
    DatabaseLocation, EncryptionReport, Fingerprint, Forget, Key, KeyProblem, KeyStore, Memory, MemoryError,
    Participant, Recall, StorageError, Undo, check, decrypt, encrypt, protection,
};
use rstest::rstest;
use rusqlite::Connection;

use crate::encrypted_home::{EncryptedHome, KeysInFolder};
use crate::support::{DAY, NOW, message};

/// A keychain that returns a wrong key.
struct WrongKeyStore;

impl KeyStore for WrongKeyStore {
    fn get(&self, _: Fingerprint) -> Result<Option<Key>, KeyProblem> {
        Key::random().map(Some)
    }

    fn set(&self, _: &Key) -> Result<(), KeyProblem> {
        Ok(())
    }

    fn delete(&self, _: Fingerprint) -> Result<(), KeyProblem> {
        Ok(())
    }
}

/// A keychain that cannot be reached.
struct UnreachableKeychain;

impl KeyStore for UnreachableKeychain {
    fn get(&self, _: Fingerprint) -> Result<Option<Key>, KeyProblem> {
        Err("the keychain does not answer".into())
    }

    fn set(&self, _: &Key) -> Result<(), KeyProblem> {
        Err("the keychain does not answer".into())
    }

    fn delete(&self, _: Fingerprint) -> Result<(), KeyProblem> {
        Err("the keychain does not answer".into())
    }
}

/// A locked keychain: it looks empty, and stored keys cannot be read again.
struct LockedKeychain;

impl KeyStore for LockedKeychain {
    fn get(&self, _: Fingerprint) -> Result<Option<Key>, KeyProblem> {
        Ok(None)
    }

    fn set(&self, _: &Key) -> Result<(), KeyProblem> {
        Ok(())
    }

    fn delete(&self, _: Fingerprint) -> Result<(), KeyProblem> {
        Ok(())
    }
}

fn begins(path: &Path) -> Vec<u8> {
    std::fs::read(path).unwrap()[..8].to_vec()
}

#[tokio::test]
async fn encrypted_files_contain_no_readable_words() {
    let home = EncryptedHome::with_records().await;
    let backup = memory::backups(&home.path()).remove(0).path;
    memory::restore(home.place(), &backup).unwrap().unwrap();
    assert_eq!(home.files_with("giraffe").len(), 3, "the memory, its backup, and what was set aside");

    let migrated = encrypt(&home.place()).unwrap();
    let memory = home.open();
    let later = message("main", NOW + DAY, Participant::User, "the giraffe met an okapi");
    memory.add_messages(vec![later]).await.unwrap();
    memory.back_up(NOW + DAY).await.unwrap();
    let while_open = [home.files_with("giraffe"), home.files_with("zanzibar"), home.files_with("okapi")];
    let has_log =
        home.files().iter().any(|(path, bytes)| path.ends_with("jarvis.db-wal") && !bytes.is_empty());
    memory.store().close();

    assert!(
        migrated.is_changed && migrated.remaining_keys == protection(&home.path()).key.into_iter().collect()
    );
    assert_eq!(migrated.copies, 2);
    assert!(has_log, "what was just said is in the log");
    assert_eq!(while_open, [const { Vec::<PathBuf>::new() }; 3]);
    assert!(home.files_with("giraffe").is_empty() && home.files_with("okapi").is_empty());
    assert!(home.files().iter().all(|(path, _)| begins(path) == b"JarvisE1"), "each is as long as before");
    assert!(home.finds("okapi").await && home.finds("Zanzibar").await);
    let key = std::fs::read_to_string(&home.keys()[0]).unwrap();
    assert!(home.files_with(&key).is_empty());
}

/// The schema and all rows of a memory, without their positions in the file.
fn schema_and_rows(connection: &Connection) -> Vec<String> {
    let mut schema_and_rows = Vec::new();
    let mut names = connection
        .prepare("SELECT name, coalesce(sql, '') FROM sqlite_schema WHERE type = 'table' ORDER BY name")
        .unwrap();
    let names = names.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
    let names: Vec<(String, String)> = names.map(Result::unwrap).collect();
    for (name, sql) in names {
        schema_and_rows.push(sql);
        let mut rows = connection.prepare(&format!("SELECT * FROM \"{name}\"")).unwrap();
        let columns = rows.column_count();
        let rows = rows.query_map([], |row| {
            (0..columns).map(|column| row.get_ref(column).map(|cell| format!("{cell:?}"))).collect()
        });
        let mut rows: Vec<String> = rows
            .unwrap()
            .map(|row: rusqlite::Result<Vec<String>>| format!("{name} {:?}", row.unwrap()))
            .collect();
        rows.sort();
        schema_and_rows.extend(rows);
    }
    let form: i64 = connection.query_row("PRAGMA user_version", [], |row| row.get(0)).unwrap();
    schema_and_rows.push(form.to_string());
    schema_and_rows
}

#[tokio::test]
async fn encrypting_and_decrypting_lose_nothing() {
    let home = EncryptedHome::with_records().await;
    let memory = home.open();
    let gone = Forget::Items(vec!["message-2".parse().unwrap()]);
    memory.forget(gone, Undo::Never, NOW).await.unwrap();
    let before = memory.archive().await.unwrap();
    memory.store().close();
    let insides_before = schema_and_rows(&Connection::open(home.path()).unwrap());

    encrypt(&home.place()).unwrap();
    let memory = home.open();
    let while_encrypted = memory.archive().await.unwrap();
    let health = memory.examine(NOW).await.unwrap();
    memory.store().close();
    let migrated = decrypt(&home.place()).unwrap();
    let insides_after = schema_and_rows(&Connection::open(home.path()).unwrap());
    let memory = home.open();
    let after = memory.archive().await.unwrap();
    memory.add_messages(vec![message("main", NOW + 9, Participant::User, "hello again")]).await.unwrap();

    assert_eq!((&while_encrypted, &after), (&before, &before));
    assert_eq!(insides_after, insides_before);
    assert!(health.damage.is_empty() && !health.needs_repair(), "{health:?}");
    assert_eq!(migrated, EncryptionReport { is_changed: true, copies: 1, ..EncryptionReport::default() });
    assert!(home.keys().is_empty(), "nothing needs the key any more");
    assert!(
        home.files()
            .iter()
            .filter(|(path, _)| path.extension().unwrap() == "db")
            .all(|(path, _)| begins(path) == b"SQLite f")
    );
    let hits = memory.search_ids("hello again").await;
    assert_eq!(hits, ["message-3"], "no id is given twice");
}

trait SearchIds {
    async fn search_ids(&self, words: &str) -> Vec<String>;
}

impl SearchIds for Memory {
    async fn search_ids(&self, words: &str) -> Vec<String> {
        let recall = Recall { words: words.into(), limit: 9, ..Recall::default() };
        self.recall(recall).await.unwrap().into_iter().map(|found| found.item.id.to_string()).collect()
    }
}

#[rstest]
#[case::locked(|_: &EncryptedHome| Box::new(LockedKeychain) as Box<dyn KeyStore>, "NoKey")]
#[case::out_of_reach(|_: &EncryptedHome| Box::new(UnreachableKeychain) as Box<dyn KeyStore>, "NoKeychain")]
#[case::another_key(|_: &EncryptedHome| Box::new(WrongKeyStore) as Box<dyn KeyStore>, "OtherKey")]
#[tokio::test]
async fn encrypted_memory_without_its_key_is_left_unchanged(
    #[case] keychain: fn(&EncryptedHome) -> Box<dyn KeyStore>,
    #[case] expected: &str,
) {
    let home = EncryptedHome::encrypted().await;
    let before = home.files();
    let keys: Arc<dyn KeyStore> = keychain(&home).into();
    let place = DatabaseLocation { path: home.path(), keys };
    let backup = memory::backups(&home.path()).remove(0).path;

    let of_storage = |error: MemoryError| match error {
        MemoryError::Storage(error) => error,
        MemoryError::Refused(refusal) => panic!("{refusal}"),
    };

    let refused = [
        Memory::open(place.clone()).err().map(of_storage),
        check(place.clone()).err(),
        memory::restore(place.clone(), &backup).err(),
        encrypt(&place).err(),
        decrypt(&place).err(),
    ];

    for error in refused {
        let error = error.unwrap();
        assert!(error.is_about_the_key() && format!("{error:?}").starts_with(expected), "{error:?}");
        assert!(error.remedy().contains("key") && error.to_string().contains("key"), "{error}");
    }
    assert_eq!(home.files(), before);
    let moved = home.data.path().join("elsewhere");
    std::fs::create_dir(&moved).unwrap();
    std::fs::rename(home.path(), moved.join("jarvis.db")).unwrap();
    assert!(Memory::open(place).is_err(), "begun anew it would be plain, beside encrypted backups");
}

#[tokio::test]
async fn bare_path_to_an_encrypted_memory_reports_a_missing_key() {
    let home = EncryptedHome::encrypted().await;

    assert!(matches!(Memory::open(&home.path()), Err(MemoryError::Storage(StorageError::NoKey { .. }))));
}

#[tokio::test]
async fn damaged_encrypted_memory_is_replaced_by_its_backup() {
    let home = EncryptedHome::encrypted().await;
    let mut bytes = std::fs::read(home.path()).unwrap();
    let end = bytes.len();
    bytes[1000..end / 2].fill(0x5a);
    std::fs::write(home.path(), bytes).unwrap();

    let opened = Memory::open(home.place()).unwrap();
    opened.memory.store().close();

    assert!(opened.trouble.unwrap().message.contains("the backup of 2025-11-22"));
    assert_eq!(begins(&home.path()), b"JarvisE1");
    assert!(home.files_with("giraffe").is_empty());
    assert!(home.finds("giraffe").await);
    assert_eq!(
        home.files().iter().filter(|(path, _)| path.to_string_lossy().contains(".damaged-")).count(),
        1
    );
}

#[tokio::test]
async fn damaged_memory_without_backup_is_replaced_encrypted() {
    let home = EncryptedHome::encrypted().await;
    std::fs::remove_dir_all(home.data.path().join("backups")).unwrap();
    let mut bytes = std::fs::read(home.path()).unwrap();
    bytes[100..4000].fill(0x5a);
    std::fs::write(home.path(), bytes).unwrap();

    let opened = Memory::open(home.place()).unwrap();
    let memory = opened.memory;
    memory.add_messages(vec![message("main", NOW, Participant::User, "a new giraffe")]).await.unwrap();
    memory.store().close();

    assert!(opened.trouble.unwrap().message.contains("there is no backup"));
    assert!(protection(&home.path()).is_encrypted && home.files_with("giraffe").is_empty());
}

#[rstest]
#[case::beside_a_damaged_backup(true)]
#[case::with_nothing_beside_it(false)]
#[tokio::test]
async fn unknown_encryption_follows_the_newest_backup(#[case] has_backup: bool) {
    let home = EncryptedHome::encrypted().await;
    let backup = memory::backups(&home.path()).remove(0).path;
    let mut bytes = std::fs::read(&backup).unwrap();
    bytes[5000..9000].fill(7);
    std::fs::write(&backup, bytes).unwrap();
    if !has_backup {
        std::fs::remove_file(&backup).unwrap();
    }
    std::fs::write(home.path(), "no database at all".repeat(1000)).unwrap();

    let opened = Memory::open(home.place()).unwrap();
    opened.memory.store().close();

    let message = opened.trouble.unwrap().message;
    assert_eq!(protection(&home.path()).is_encrypted, has_backup);
    assert_eq!(message.contains("The new one is not encrypted."), !has_backup, "{message}");
}

#[tokio::test]
async fn unknown_encryption_waits_for_the_key_of_its_backups() {
    let home = EncryptedHome::encrypted().await;
    let mut bytes = std::fs::read(home.path()).unwrap();
    bytes[..4096].fill(0);
    std::fs::write(home.path(), bytes).unwrap();
    let before = home.files();

    let refused = Memory::open(home.place_with(LockedKeychain)).err();
    let unchanged = home.files();
    let opened = Memory::open(home.place()).unwrap();
    opened.memory.store().close();

    assert!(matches!(refused, Some(MemoryError::Storage(StorageError::NoKey { .. }))), "{refused:?}");
    assert_eq!(unchanged, before);
    assert!(opened.trouble.is_some() && protection(&home.path()).is_encrypted);
    assert!(home.finds("giraffe").await);
}

#[tokio::test]
async fn restored_backup_is_encrypted_as_the_memory_was() {
    let home = EncryptedHome::with_records().await;
    let plain = home.keychain.path().join("plain.db");
    let encrypted = home.keychain.path().join("encrypted.db");
    std::fs::copy(&memory::backups(&home.path())[0].path, &plain).unwrap();
    encrypt(&home.place()).unwrap();
    std::fs::copy(&memory::backups(&home.path())[0].path, &encrypted).unwrap();

    memory::restore(home.place(), &plain).unwrap();
    let plain_into_encrypted = (protection(&home.path()).is_encrypted, home.finds("giraffe").await);
    let readable = home.files_with("giraffe");
    let key = Key::from_hex(&std::fs::read_to_string(&home.keys()[0]).unwrap()).unwrap();
    decrypt(&home.place()).unwrap();
    home.key_store().set(&key).unwrap();
    memory::restore(home.place(), &encrypted).unwrap();

    assert_eq!(plain_into_encrypted, (true, true));
    assert!(readable.is_empty(), "{readable:?}");
    assert!(!protection(&home.path()).is_encrypted && home.finds("giraffe").await);
}

#[rstest]
#[case::out_of_reach(Box::new(UnreachableKeychain))]
#[case::not_keeping(Box::new(LockedKeychain))]
#[tokio::test]
async fn nothing_is_encrypted_if_the_key_cannot_be_stored(#[case] keys: Box<dyn KeyStore>) {
    let home = EncryptedHome::with_records().await;
    let place = DatabaseLocation { path: home.path(), keys: keys.into() };

    let refused = encrypt(&place).err();

    let refused = refused.unwrap();
    assert!(matches!(refused, StorageError::KeyNotStored { .. }), "{refused:?}");
    assert!(refused.remedy().contains("was not encrypted") && refused.remedy().contains("Start a keychain"));
    assert!(!protection(&home.path()).is_encrypted && home.finds("giraffe").await);
}

#[tokio::test]
async fn two_memories_of_one_user_have_separate_keys() {
    let (home, other) = (EncryptedHome::encrypted().await, EncryptedHome::with_records().await);
    let place = DatabaseLocation { path: other.path(), keys: Arc::new(home.key_store()) };

    let encrypted = encrypt(&place).unwrap();
    let keys = home.keys();
    let decrypted = decrypt(&place).unwrap();

    assert_eq!((encrypted.remaining_keys.len(), keys.len(), home.keys().len()), (1, 2, 1));
    assert!(decrypted.remaining_keys.is_empty());
    assert!(home.finds("giraffe").await, "its key is still there");
}

#[tokio::test]
async fn undeletable_key_is_reported_after_decryption() {
    let home = EncryptedHome::encrypted().await;
    let key = protection(&home.path()).key.unwrap();

    let error = decrypt(&home.place_with(UndeletableKeychain(home.key_store()))).unwrap_err();

    assert!(
        error.to_string().contains("decrypted now") && error.to_string().contains(&key.to_string()),
        "{error}"
    );
    assert!(!protection(&home.path()).is_encrypted && home.finds("giraffe").await);
}

/// A keychain that cannot delete keys.
struct UndeletableKeychain(KeysInFolder);

impl KeyStore for UndeletableKeychain {
    fn get(&self, fingerprint: Fingerprint) -> Result<Option<Key>, KeyProblem> {
        self.0.get(fingerprint)
    }

    fn set(&self, key: &Key) -> Result<(), KeyProblem> {
        self.0.set(key)
    }

    fn delete(&self, _: Fingerprint) -> Result<(), KeyProblem> {
        Err("nothing is forgotten here".into())
    }
}

#[tokio::test]
async fn key_needed_by_old_backups_is_reused() {
    let home = EncryptedHome::encrypted().await;
    let backup = memory::backups(&home.path()).remove(0).path;
    let kept = home.keychain.path().join("backup.db");
    std::fs::copy(&backup, &kept).unwrap();
    let (file, key) = (home.keys().remove(0), std::fs::read(&home.keys()[0]).unwrap());
    decrypt(&home.place()).unwrap();
    std::fs::copy(&kept, &backup).unwrap();

    let refused = encrypt(&home.place_with(LockedKeychain)).err();
    std::fs::write(&file, &key).unwrap();
    encrypt(&home.place()).unwrap();

    assert!(matches!(refused, Some(StorageError::KeyNotStored { .. })), "{refused:?}");
    assert_eq!(home.keys(), std::slice::from_ref(&file), "the same key serves again");
    assert_eq!(std::fs::read(file).unwrap(), key);
}

#[tokio::test]
async fn damaged_copies_are_reported() {
    let home = EncryptedHome::with_records().await;
    let path = |name: &str| home.data.path().join(name);
    let nonsense = "SQLite format 3\0 and then nothing of use".repeat(200);
    std::fs::write(path("jarvis.db.damaged-20251101-120000"), &nonsense).unwrap();
    std::fs::write(path("jarvis.db.damaged-20251101-120000-wal"), "words").unwrap();
    std::fs::write(path("backups/jarvis-20251101-120000.db"), &nonsense).unwrap();
    std::fs::write(path("backups/jarvis-20251101-120000.db-journal"), "words").unwrap();
    std::fs::write(path("backups/jarvis-20251102-120000.db.part"), &nonsense).unwrap();

    let migrated = encrypt(&home.place()).unwrap();
    let seen = protection(&home.path());
    std::fs::write(&memory::backups(&home.path())[0].path, "JarvisE1".repeat(1000)).unwrap();
    let again = encrypt(&home.place()).unwrap();

    let left = [path("jarvis.db.damaged-20251101-120000"), path("jarvis.db.damaged-20251101-120000-wal")];
    assert_eq!(migrated.left, left);
    assert!(!path("backups/jarvis-20251101-120000.db-journal").exists());
    assert_eq!(migrated.removed, [path("backups/jarvis-20251101-120000.db")]);
    assert!(!path("backups/jarvis-20251102-120000.db.part").exists());
    assert_eq!((seen.is_encrypted, seen.plain_copies), (true, left[..1].to_vec()));
    assert_eq!((again.is_changed, again.copies, again.left), (false, 0, migrated.left));
}

#[tokio::test]
async fn key_is_kept_while_a_copy_needs_it() {
    let home = EncryptedHome::encrypted().await;
    let backup = memory::backups(&home.path()).remove(0).path;
    let sound = std::fs::read(&backup).unwrap();
    let mut damaged = sound.clone();
    damaged[5000..6000].fill(7);
    std::fs::write(&backup, damaged).unwrap();

    let first = decrypt(&home.place()).unwrap();
    let kept = home.keys();
    std::fs::write(&backup, sound).unwrap();
    let second = decrypt(&home.place()).unwrap();

    assert_eq!((first.is_changed, first.left, first.remaining_keys.len()), (true, vec![backup], 1));
    assert_eq!((kept.len(), home.keys().len()), (1, 0));
    assert_eq!(second, EncryptionReport { copies: 1, ..EncryptionReport::default() });
}

#[tokio::test]
async fn encryption_changes_nothing_while_memory_is_in_use() {
    let home = EncryptedHome::with_records().await;
    let other = home.open();
    let said = message("main", NOW + 5, Participant::User, "while you are at it");
    other.add_messages(vec![said]).await.unwrap();

    let refused = encrypt(&home.place()).err();
    other.add_messages(vec![message("main", NOW + 6, Participant::User, "and after")]).await.unwrap();
    other.store().close();
    encrypt(&home.place()).unwrap();

    assert!(matches!(refused, Some(StorageError::Locked { .. })), "{refused:?}");
    assert!(home.finds("after").await && home.finds("while").await);
}

#[test]
fn missing_memory_can_be_encrypted() {
    let home = EncryptedHome::new();

    encrypt(&home.place()).unwrap();

    assert!(protection(&home.path()).is_encrypted);
    assert_eq!(check(home.place()).unwrap(), 0);
}
