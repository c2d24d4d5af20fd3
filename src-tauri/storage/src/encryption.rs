//! Encrypting a memory with all of its copies, and decrypting it again.
//!
//! Each file is rewritten beside the old one, checked, and replaced by a rename: after a kill at any moment, either the old
//! or the new file is complete. The keychain has the key before the first encrypted file is in place, and until the last
//! one is gone. After a kill in between, the next run deletes the key ([`leftover_keys`]). Keys of other memories are never
//! touched.

pub(crate) mod header; // whether a file is encrypted, and with which key
pub(crate) mod leftover_keys;
pub(crate) mod rewriting;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::Connection;
use secrecy::ExposeSecret;

use crate::copies::{backup_folder, copies};
use crate::error::StorageError;
use crate::files::{MIGRATING, drop_unfinished, remove_with_logs, sync_folder_of, with_suffix};
use crate::key::{Fingerprint, Key};
use crate::location::DatabaseLocation;
use crate::store::connection::{is_sound, open};
use crate::store::{Store, no_preparation};
use header::Header;
use rewriting::rewrite;

/// `true` if this program was built with encryption.
pub const CAN_ENCRYPT: bool = cfg!(feature = "encryption");

/// The time to wait for other processes to release the database.
const LOCK_TIMEOUT: Duration = Duration::from_secs(2);

/// The changes of [`encrypt`] or [`decrypt`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EncryptionReport {
    /// `true` if the memory itself was changed; `false` when it already was as requested.
    pub is_changed: bool,
    /// Number of changed copies: backups, and files in quarantine.
    pub copies: usize,
    /// Damaged backups that would have stayed unencrypted, so they were removed.
    pub removed: Vec<PathBuf>,
    /// Copies that were left unchanged. Encrypting leaves damaged files in quarantine readable, with their logs. Decrypting
    /// leaves files that are damaged, or whose key is lost.
    pub left: Vec<PathBuf>,
    /// Keys of this memory that the keychain still holds.
    pub remaining_keys: BTreeSet<Fingerprint>,
}

/// The encryption of the memory and its copies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Protection {
    /// `true` if the memory is encrypted.
    pub is_encrypted: bool,
    /// The key of an encrypted memory.
    pub key: Option<Fingerprint>,
    /// Copies that are not encrypted, or too damaged to tell.
    pub plain_copies: Vec<PathBuf>,
}

/// Reads the headers of the memory at `path` and its copies.
pub fn protection(path: &Path) -> Protection {
    let plain = |copy: &PathBuf| matches!(Header::from_file(copy), Header::Unencrypted | Header::Other);
    let key = Header::from_file(path).fingerprint();
    Protection {
        is_encrypted: key.is_some(),
        key,
        plain_copies: copies(path).into_iter().filter(plain).collect(),
    }
}

/// Encrypts the memory and every copy of it, with a key that the keychain already holds or a new one. Copies come first, so
/// that an encrypted memory has no unencrypted copies. Calling it again completes an interrupted run. The caller owns the
/// folder. Blocking.
///
/// When it fails, the memory is unchanged; some copies may be encrypted already.
pub fn encrypt(location: &DatabaseLocation) -> Result<EncryptionReport, StorageError> {
    let path = &location.path;
    if !CAN_ENCRYPT {
        return Err(StorageError::NoEncryption { path: path.clone() });
    }
    let (connection, own_key) = open_exclusively(location)?;
    leftover_keys::delete_unneeded(location);
    let key = match &own_key {
        Some(key) => key.clone(),
        None => key_to_encrypt_with(location)?,
    };
    let (mut report, _) = change_copies(location, Some(&key), true)?;
    if own_key.is_none() {
        relocation(connection, path, Some(&key))?;
        report.is_changed = true;
    }
    report.remaining_keys.insert(key.fingerprint());
    leftover_keys::delete_unneeded(location);
    Ok(report)
}

/// Decrypts the memory and then every copy of it, and deletes the keys that nothing needs any more. Calling it again
/// completes an interrupted run. The caller owns the folder. Blocking.
///
/// When it fails, the key is kept and the memory is unchanged, except for [`StorageError::CopiesStayEncrypted`] and
/// [`StorageError::KeyNotDeleted`]: then the memory is decrypted already.
pub fn decrypt(location: &DatabaseLocation) -> Result<EncryptionReport, StorageError> {
    let path = &location.path;
    let (connection, own_key) = open_exclusively(location)?;
    let is_changed = own_key.is_some();
    let has_keys = is_changed || location.key_of_copies().is_some();
    let of_copies = copies(path).into_iter().filter_map(|copy| Header::from_file(&copy).fingerprint());
    leftover_keys::note(path, of_copies.chain(own_key.as_ref().map(Key::fingerprint)))?;
    if is_changed {
        relocation(connection, path, None)?;
    }
    let copies_stay =
        |source| StorageError::CopiesStayEncrypted { path: path.clone(), source: Box::new(source) };
    let (report, mut used) = change_copies(location, None, has_keys).map_err(copies_stay)?;
    used.extend(own_key.as_ref().map(Key::fingerprint));
    // If that is unknown, any of them may be needed.
    let needed = leftover_keys::needed_by_copies(path).unwrap_or_else(|| used.clone());
    for key in used.difference(&needed) {
        location.keys.delete(*key).map_err(|source| StorageError::KeyNotDeleted { key: *key, source })?;
    }
    leftover_keys::delete_unneeded(location);
    let keeps = |key: &Fingerprint| location.keys.get(*key).is_ok_and(|key| key.is_some());
    let remaining_keys = needed.into_iter().filter(keeps).collect();
    Ok(EncryptionReport { is_changed, remaining_keys, ..report })
}

/// The key that copies of this memory are already encrypted with, or a new key, which is stored in the keychain. Each key has
/// its own name, so no stored key is overwritten.
fn key_to_encrypt_with(location: &DatabaseLocation) -> Result<Key, StorageError> {
    let failed = |source| StorageError::KeyNotStored { path: location.path.clone(), source };
    if let Some(key) = location.key_of_copies() {
        return Ok(key);
    }
    let key = Key::random().map_err(failed)?;
    leftover_keys::note(&location.path, [key.fingerprint()])?;
    location.keys.set(&key).map_err(failed)?;
    // A locked keychain may accept a key that it does not return.
    match location.keys.get(key.fingerprint()).map_err(failed)? {
        Some(kept) if kept.to_hex().expose_secret() == key.to_hex().expose_secret() => Ok(key),
        _ => Err(failed("the key was stored, but could not be read again".into())),
    }
}

/// Migrates the memory and opens it exclusively, with no log beside it.
fn open_exclusively(location: &DatabaseLocation) -> Result<(Connection, Option<Key>), StorageError> {
    let path = &location.path;
    Store::open_existing(location.clone(), no_preparation)?.close();
    let key = location.key_of(path)?;
    let connection = lock(path, key.as_ref()).map_err(|error| StorageError::from_sqlite(path, error))?;
    // No other process can be writing a backup now.
    drop_unfinished(path, &backup_folder(path));
    Ok((connection, key))
}

/// Opens a file exclusively, until the connection is dropped.
fn lock(file: &Path, key: Option<&Key>) -> rusqlite::Result<Connection> {
    let connection = open(file, key)?;
    connection.busy_timeout(LOCK_TIMEOUT)?;
    // Fails while another connection is open; merges the log into the file and removes it.
    connection.query_row("PRAGMA journal_mode = DELETE", [], |_| Ok(()))?;
    connection.execute_batch("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; COMMIT;")?;
    Ok(connection)
}

/// Encrypts the copies of a memory with `key`, or decrypts them. `has_keys`: the keychain returns other keys of this memory,
/// so it is not locked, and a missing key is lost. Also returns the keys that were used.
fn change_copies(
    location: &DatabaseLocation,
    key: Option<&Key>,
    has_keys: bool,
) -> Result<(EncryptionReport, BTreeSet<Fingerprint>), StorageError> {
    let mut report = EncryptionReport::default();
    let mut used = BTreeSet::new();
    for copy in copies(&location.path) {
        let is_backup = copy.parent() == Some(&backup_folder(&location.path));
        let own_key = match (Header::from_file(&copy), key) {
            (Header::None, _) | (Header::Encrypted { .. }, Some(_)) => continue,
            (Header::Unencrypted | Header::Other, None) => continue,
            (Header::Unencrypted | Header::Other, Some(_)) => None,
            (Header::Encrypted { .. }, None) => match location.key_of(&copy) {
                // The key was deleted long ago.
                Err(StorageError::NoKey { .. } | StorageError::OtherKey { .. }) if has_keys => {
                    report.left.push(copy);
                    continue;
                }
                key => key?,
            },
        };
        if is_sound(&copy, own_key.as_ref()) {
            let connection =
                lock(&copy, own_key.as_ref()).map_err(|error| StorageError::from_sqlite(&copy, error))?;
            relocation(connection, &copy, key)?;
            report.copies += 1;
            used.extend(own_key.as_ref().map(Key::fingerprint));
        } else if key.is_some() && is_backup {
            remove_with_logs(&copy)?;
            report.removed.push(copy);
        } else {
            let logs = ["-wal", "-journal"].map(|ending| with_suffix(&copy, ending));
            report.left.push(copy);
            report.left.extend(logs.into_iter().filter(|log| log.exists()));
        }
    }
    Ok((report, used))
}

/// Rewrites a database with another key or none, and replaces `file` with the result.
fn relocation(connection: Connection, file: &Path, key: Option<&Key>) -> Result<(), StorageError> {
    let failed = |source| StorageError::Folder { path: file.to_path_buf(), source };
    let partial = with_suffix(file, MIGRATING);
    rewrite(&connection, file, &partial, key)?;
    // The lock is held until the file is replaced, so that no process opens the old one in between. Windows cannot replace an
    // open file.
    let connection = if cfg!(windows) {
        drop(connection);
        None
    } else {
        Some(connection)
    };
    std::fs::rename(&partial, file).and_then(|()| sync_folder_of(file)).map_err(failed)?;
    drop(connection);
    Ok(())
}

#[cfg(all(test, feature = "encryption"))]
mod tests {
    use std::sync::Arc;

    use super::rewriting::copy_file;
    use super::*;
    use crate::copies::backups;
    use crate::key::{KeyProblem, KeyStore};

    struct OneKey(Key);

    impl KeyStore for OneKey {
        fn get(&self, _: Fingerprint) -> Result<Option<Key>, KeyProblem> {
            Ok(Some(self.0.clone()))
        }

        fn set(&self, _: &Key) -> Result<(), KeyProblem> {
            Ok(())
        }

        fn delete(&self, _: Fingerprint) -> Result<(), KeyProblem> {
            Ok(())
        }
    }

    #[test]
    fn older_encrypted_file_is_backed_up_and_migrated() {
        let folder = tempfile::tempdir().unwrap();
        let (plain, path) = (folder.path().join("plain.db"), folder.path().join("jarvis.db"));
        let key = Key::random().unwrap();
        let older = "CREATE TABLE messages (id INTEGER PRIMARY KEY, conversation TEXT NOT NULL, said_at INTEGER NOT NULL,
                 speaker TEXT NOT NULL, text TEXT NOT NULL, UNIQUE (conversation, said_at)) STRICT;
             INSERT INTO messages VALUES (1, 'main', 1, 'user', 'an old giraffe');
             PRAGMA user_version = 1;";
        Connection::open(&plain).unwrap().execute_batch(older).unwrap();
        copy_file(&plain, None, &path, Some(&key)).unwrap();

        let location = DatabaseLocation { path: path.clone(), keys: Arc::new(OneKey(key.clone())) };
        Store::open(location.clone(), no_preparation).unwrap().store.close();

        let backup = backups(&path).remove(0).path;
        let version_of = |file: &Path| crate::schema::version(&open(file, Some(&key)).unwrap()).unwrap();
        assert_eq!((version_of(&backup), version_of(&path)), (1, crate::schema::NEWEST_VERSION));
        assert!(Header::from_file(&backup).is_encrypted_with(&key));
        assert_eq!(crate::store::check(location).unwrap(), 1);
    }
}
