//! Encrypting a memory and making it plain again, with every copy there is of it.
//!
//! Each file is written anew beside the old one, checked, and put in its place by a rename: killed at any moment, either
//! the old one or the new one is whole. The key is in the keychain before the first encrypted file is in place, and stays
//! there until the last one is gone; killed in between, the next one who opens the memory lets the keychain forget it. Keys
//! of other memories are never touched.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, params};
use secrecy::ExposeSecret;

use crate::backup::{backup_folder, copies, is_sound, open, remove_whole};
use crate::key::{Fingerprint, Header, Key, Place};
use crate::{MemoryError, Store, private};

pub(crate) mod spare; // keys that are left over

/// Was this program built with encryption?
pub const CAN_ENCRYPT: bool = cfg!(feature = "encryption");

/// How files end that are being encrypted or decrypted.
pub(crate) const GROWING: &str = ".migrating";

/// How backups and restored files end while they are being made.
pub(crate) const UNFINISHED: &str = ".part";

/// How the logs of a database end.
pub(crate) const LOGS: [&str; 3] = ["-wal", "-shm", "-journal"];

/// So long it is waited for other processes that use the memory.
const PATIENCE: Duration = Duration::from_secs(2);

/// What encrypting or decrypting came to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Migrated {
    /// The memory itself was changed; `false` where it was as wanted already.
    pub is_changed: bool,
    /// So many copies were changed: backups, and files that were set aside.
    pub copies: usize,
    /// Damaged backups that would have stayed plain, so they were removed.
    pub removed: Vec<PathBuf>,
    /// Copies that stay as they were: encrypting leaves damaged ones readable, with their logs; decrypting leaves encrypted
    /// what is damaged, or what nobody has the key of.
    pub left: Vec<PathBuf>,
    /// The keys of this memory that the keychain still keeps.
    pub kept_keys: BTreeSet<Fingerprint>,
}

/// How well the words on the disk are protected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Protection {
    /// The memory is encrypted.
    pub is_encrypted: bool,
    /// Its key, then.
    pub key: Option<Fingerprint>,
    /// Copies that are not, or are too damaged to tell.
    pub plain_copies: Vec<PathBuf>,
}

/// Tells from the first bytes of the files how the memory at `path` is protected.
pub fn protection(path: &Path) -> Protection {
    let plain = |copy: &PathBuf| matches!(Header::of(copy), Header::Plain | Header::Other);
    let key = Header::of(path).fingerprint();
    Protection {
        is_encrypted: key.is_some(),
        key,
        plain_copies: copies(path).into_iter().filter(plain).collect(),
    }
}

/// Encrypts the memory and every copy of it, the copies first, so that an encrypted memory has no plain ones. The key is
/// made and kept before. May be asked again: what was left is done then. Whoever calls holds the right to the folder.
/// Blocking.
///
/// # Errors
///
/// [`MemoryError`]: the key cannot be kept, somebody uses the memory, it is damaged, or the disk is full. The memory is as
/// it was then; some copies may be encrypted already.
pub fn encrypt(place: &Place) -> Result<Migrated, MemoryError> {
    let path = &place.path;
    if !CAN_ENCRYPT {
        return Err(MemoryError::NoEncryption { path: path.clone() });
    }
    let (alone, its_key) = open_alone(place)?;
    spare::forget(place);
    let key = match &its_key {
        Some(key) => key.clone(),
        None => key_to_encrypt_with(place)?,
    };
    let (mut migrated, _) = change_copies(place, Some(&key), true)?;
    if its_key.is_none() {
        replace(alone, path, Some(&key))?;
        migrated.is_changed = true;
    }
    migrated.kept_keys.insert(key.fingerprint());
    spare::forget(place);
    Ok(migrated)
}

/// Makes the memory and every copy of it plain, the memory first, then forgets each key that was used, unless something
/// is left that needs it. May be asked again: what was left is done then. Whoever calls holds the right to the folder. Blocking.
///
/// # Errors
///
/// [`MemoryError`]: the key is missing, somebody uses the memory, it is damaged, or the disk is full. The key is kept then,
/// and the memory is as it was. [`MemoryError::CopiesStayEncrypted`] and [`MemoryError::KeyNotForgotten`] say that the
/// memory is plain already.
pub fn decrypt(place: &Place) -> Result<Migrated, MemoryError> {
    let path = &place.path;
    let (alone, its_key) = open_alone(place)?;
    let is_changed = its_key.is_some();
    let gives_keys = is_changed || place.key_of_copies().is_some();
    let of_copies = copies(path).into_iter().filter_map(|copy| Header::of(&copy).fingerprint());
    spare::note(path, of_copies.chain(its_key.as_ref().map(Key::fingerprint)))?;
    if is_changed {
        replace(alone, path, None)?;
    }
    let copies_stay =
        |source| MemoryError::CopiesStayEncrypted { path: path.clone(), source: Box::new(source) };
    let (migrated, mut used) = change_copies(place, None, gives_keys).map_err(copies_stay)?;
    used.extend(its_key.as_ref().map(Key::fingerprint));
    // Where nobody can tell, any of them may be needed.
    let needed = spare::needed_by_copies(path).unwrap_or_else(|| used.clone());
    for key in used.difference(&needed) {
        place.keys.delete(*key).map_err(|source| MemoryError::KeyNotForgotten { key: *key, source })?;
    }
    spare::forget(place);
    let keeps = |key: &Fingerprint| place.keys.get(*key).is_ok_and(|key| key.is_some());
    let kept_keys = needed.into_iter().filter(keeps).collect();
    Ok(Migrated { is_changed, kept_keys, ..migrated })
}

/// Removes what was left behind by an encryption, a decryption, a backup or a restoring that was killed. Whoever calls
/// holds the right to the folder.
pub(crate) fn drop_unfinished(path: &Path) {
    drop_files(path, &[GROWING, UNFINISHED]);
}

/// Removes the backups that are not whole: nobody could search them. One that is being made elsewhere just now holds what
/// the memory was before, and is made anew.
pub(crate) fn drop_unfinished_backups(path: &Path) {
    drop_files(path, &[UNFINISHED]);
}

fn drop_files(path: &Path, endings: &[&str]) {
    let backups = files_in(&backup_folder(path));
    for file in beside(path).into_iter().chain(backups) {
        let name = file.to_string_lossy();
        let name = LOGS.iter().find_map(|log| name.strip_suffix(log)).unwrap_or(&name);
        if endings.iter().any(|ending| name.ends_with(ending))
            && let Err(error) = std::fs::remove_file(&file)
        {
            tracing::warn!(%error, "an unfinished file could not be removed");
        }
    }
}

/// The key that copies of this memory are encrypted with already, or a new one, which is kept from now on. Nothing that
/// is kept is overwritten: each key has a name of its own.
fn key_to_encrypt_with(place: &Place) -> Result<Key, MemoryError> {
    let failed = |source| MemoryError::KeyNotKept { path: place.path.clone(), source };
    if let Some(key) = place.key_of_copies() {
        return Ok(key);
    }
    let key = Key::random().map_err(failed)?;
    spare::note(&place.path, [key.fingerprint()])?;
    place.keys.set(&key).map_err(failed)?;
    // A locked keychain may take what it does not give back.
    match place.keys.get(key.fingerprint()).map_err(failed)? {
        Some(kept) if kept.to_hex().expose_secret() == key.to_hex().expose_secret() => Ok(key),
        _ => Err(failed("the key was stored, but could not be read again".into())),
    }
}

/// Opens the memory so that nobody else can, brought to the newest form and with no log beside it.
fn open_alone(place: &Place) -> Result<(Connection, Option<Key>), MemoryError> {
    let path = &place.path;
    Store::open_undamaged(place.clone())?.close();
    let key = place.key_of(path)?;
    let alone = lock(path, key.as_ref()).map_err(|error| MemoryError::of(path, error))?;
    // Nobody makes a backup now, or has one half made.
    drop_unfinished(path);
    Ok((alone, key))
}

/// Opens a file for nobody else, until the connection is dropped.
fn lock(file: &Path, key: Option<&Key>) -> rusqlite::Result<Connection> {
    let connection = open(file, key)?;
    connection.busy_timeout(PATIENCE)?;
    // Fails while anybody else has the file open; takes the log in, and removes it.
    connection.query_row("PRAGMA journal_mode = DELETE", [], |_| Ok(()))?;
    connection.execute_batch("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; COMMIT;")?;
    Ok(connection)
}

/// Encrypts the copies of a memory with `key`, or makes them plain; where the keychain gives other keys, a key that is
/// missing is gone. Says which keys were needed for that.
fn change_copies(
    place: &Place,
    key: Option<&Key>,
    gives_keys: bool,
) -> Result<(Migrated, BTreeSet<Fingerprint>), MemoryError> {
    let mut migrated = Migrated::default();
    let mut used = BTreeSet::new();
    for copy in copies(&place.path) {
        let is_backup = copy.parent() == Some(&backup_folder(&place.path));
        let its_key = match (Header::of(&copy), key) {
            (Header::None, _) | (Header::Encrypted { .. }, Some(_)) => continue,
            (Header::Plain | Header::Other, None) => continue,
            (Header::Plain | Header::Other, Some(_)) => None,
            (Header::Encrypted { .. }, None) => match place.key_of(&copy) {
                // Of a key that is long gone, for the keychain gives others.
                Err(MemoryError::NoKey { .. } | MemoryError::OtherKey { .. }) if gives_keys => {
                    migrated.left.push(copy);
                    continue;
                }
                key => key?,
            },
        };
        if is_sound(&copy, its_key.as_ref()) {
            let alone = lock(&copy, its_key.as_ref()).map_err(|error| MemoryError::of(&copy, error))?;
            replace(alone, &copy, key)?;
            migrated.copies += 1;
            used.extend(its_key.as_ref().map(Key::fingerprint));
        } else if key.is_some() && is_backup {
            remove_whole(&copy)?;
            migrated.removed.push(copy);
        } else {
            let logs = ["-wal", "-journal"].map(|ending| with_ending(&copy, ending));
            migrated.left.push(copy);
            migrated.left.extend(logs.into_iter().filter(|log| log.exists()));
        }
    }
    Ok((migrated, used))
}

/// Writes what is in `alone` anew, with another key or none, and puts it in the place of `file`.
fn replace(alone: Connection, file: &Path, key: Option<&Key>) -> Result<(), MemoryError> {
    let failed = |source| MemoryError::Folder { path: file.to_path_buf(), source };
    let growing = with_ending(file, GROWING);
    write_anew(&alone, file, &growing, key)?;
    // Elsewhere the file is let go only when it is gone: in between nobody gets hold of what is going. Windows puts nothing
    // in the place of an open file.
    let alone = if cfg!(windows) {
        drop(alone);
        None
    } else {
        Some(alone)
    };
    std::fs::rename(&growing, file).and_then(|()| sync_folder_of(file)).map_err(failed)?;
    drop(alone);
    Ok(())
}

/// Copies a database that nobody writes to; `key` is that of the copy.
///
/// # Errors
///
/// [`MemoryError`]; then there is no copy.
pub(crate) fn copy_file(
    from: &Path,
    its_key: Option<&Key>,
    to: &Path,
    key: Option<&Key>,
) -> Result<(), MemoryError> {
    let is_same = match (its_key, key) {
        (None, None) => true,
        (Some(_), Some(key)) => Header::of(from).needs(key),
        _ => false,
    };
    if is_same {
        let copied = private::create(to).and_then(|_| std::fs::copy(from, to)).and_then(|_| sync(to));
        private::keep(to);
        return copied.map_err(|source| {
            // The first error is the one to tell.
            let _ = remove(to);
            MemoryError::Folder { path: to.to_path_buf(), source }
        });
    }
    let source = open(from, its_key).map_err(|error| MemoryError::of(from, error))?;
    write_anew(&source, from, to, key)
}

/// Writes all that is in `source`, the database of `from`, to a new file, and checks it.
fn write_anew(source: &Connection, from: &Path, to: &Path, key: Option<&Key>) -> Result<(), MemoryError> {
    let failed = |source| MemoryError::Folder { path: to.to_path_buf(), source };
    remove(to).and_then(|()| private::begin(to)).map_err(failed)?;
    let written = export(source, to, key)
        .map_err(|error| MemoryError::of(to, error))
        .and_then(|()| sync(to).map_err(failed))
        .and_then(|()| match is_sound(to, key) {
            true => Ok(()),
            // What was read from is at fault, or the disk.
            false => Err(MemoryError::Damaged { path: from.to_path_buf() }),
        });
    if written.is_err() {
        // The first error is the one to tell.
        let _ = remove(to);
    }
    written
}

fn export(source: &Connection, to: &Path, key: Option<&Key>) -> rusqlite::Result<()> {
    let spec = key.map(Key::as_sqlcipher_takes_it);
    let spec = spec.as_ref().map_or("", |spec| spec.expose_secret());
    // Without a log: a copy that is cut short is thrown away.
    source.execute("ATTACH ?1 AS copy KEY ?2", params![to.to_string_lossy(), spec])?;
    let exported = export_attached(source);
    let detached = source.execute_batch("DETACH copy");
    exported.and(detached)
}

fn export_attached(source: &Connection) -> rusqlite::Result<()> {
    let form: i64 = source.query_row("PRAGMA main.user_version", [], |row| row.get(0))?;
    source.execute_batch("PRAGMA copy.journal_mode = OFF;")?;
    source.query_row("SELECT sqlcipher_export('copy')", [], |_| Ok(()))?;
    source.pragma_update(Some("copy"), "user_version", form)?;
    let mut tables =
        source.prepare("SELECT name FROM main.sqlite_schema WHERE type = 'table' AND rootpage > 0")?;
    let tables = tables.query_map([], |row| row.get::<_, String>(0))?;
    for table in tables {
        let table = table?.replace('"', "\"\"");
        let rows = |schema: &str| {
            let sql = format!("SELECT count(*) FROM {schema}.\"{table}\"");
            source.query_row(&sql, [], |row| row.get::<_, i64>(0))
        };
        if rows("main")? != rows("copy")? {
            let code = rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_CORRUPT);
            return Err(rusqlite::Error::SqliteFailure(code, None));
        }
    }
    Ok(())
}

/// The files in the folder of `path` whose names begin with its own, itself not among them.
fn beside(path: &Path) -> Vec<PathBuf> {
    let Some(name) = path.file_name() else { return Vec::new() };
    let begin = format!("{}.", name.to_string_lossy());
    let is_beside =
        |file: &PathBuf| file.file_name().is_some_and(|name| name.to_string_lossy().starts_with(&begin));
    files_in(path.parent().unwrap_or(Path::new("."))).into_iter().filter(is_beside).collect()
}

fn files_in(folder: &Path) -> Vec<PathBuf> {
    let Ok(files) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut files: Vec<PathBuf> = files.filter_map(Result::ok).map(|file| file.path()).collect();
    files.sort();
    files
}

pub(crate) fn with_ending(file: &Path, ending: &str) -> PathBuf {
    let mut name: OsString = file.as_os_str().to_os_string();
    name.push(ending);
    name.into()
}

fn remove(file: &Path) -> io::Result<()> {
    match std::fs::remove_file(file) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Windows syncs only what is open for writing.
pub(crate) fn sync(file: &Path) -> io::Result<()> {
    std::fs::OpenOptions::new().write(true).open(file)?.sync_all()
}

/// Makes a rename last through a power cut, where folders can be synced.
pub(crate) fn sync_folder_of(file: &Path) -> io::Result<()> {
    match file.parent() {
        Some(folder) if cfg!(unix) => std::fs::File::open(folder)?.sync_all(),
        _ => Ok(()),
    }
}

#[cfg(all(test, feature = "encryption"))]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::backups;
    use crate::key::{KeyProblem, KeyStore};

    struct Kept(Key);

    impl KeyStore for Kept {
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
    fn an_older_encrypted_file_is_backed_up_encrypted_and_brought_up() {
        let folder = tempfile::tempdir().unwrap();
        let (plain, path) = (folder.path().join("plain.db"), folder.path().join("jarvis.db"));
        let key = Key::random().unwrap();
        let older = "CREATE TABLE messages (id INTEGER PRIMARY KEY, conversation TEXT NOT NULL, said_at INTEGER NOT NULL,
                 speaker TEXT NOT NULL, text TEXT NOT NULL, UNIQUE (conversation, said_at)) STRICT;
             INSERT INTO messages VALUES (1, 'main', 1, 'user', 'an old giraffe');
             PRAGMA user_version = 1;";
        Connection::open(&plain).unwrap().execute_batch(older).unwrap();
        copy_file(&plain, None, &path, Some(&key)).unwrap();

        let place = Place { path: path.clone(), keys: Arc::new(Kept(key.clone())) };
        Store::open(place.clone()).unwrap().store.close();

        let backup = backups(&path).remove(0).path;
        let form_of = |file: &Path| crate::schema::form(&open(file, Some(&key)).unwrap()).unwrap();
        assert_eq!((form_of(&backup), form_of(&path)), (1, crate::schema::NEWEST));
        assert!(Header::of(&backup).needs(&key));
        assert_eq!(crate::check(place).unwrap(), 1);
    }
}
