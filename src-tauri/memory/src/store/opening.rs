//! Opening the file: what is checked, and what is put in the place of a damaged one.

use std::path::{Path, PathBuf};

use rusqlite::{Connection, OpenFlags};
use vocabulary::{Stage, Trouble};

use super::BUSY_TIMEOUT;
use crate::aside::newest_set_aside;
use crate::embeddings::{note, set_note};
use crate::error::{Failure, MemoryError};
use crate::item::{ItemId, Kind};
use crate::key::{Header, Key, Place, unlock};
use crate::{backup, cipher, private, schema, words};

/// Files up to this size are read through each time they are opened; larger ones after a crash.
///
/// Source: `cargo xtask bench memory`; 115 MB take 0.1 to 0.3 s, 1.15 GB took 2 to 5 s.
const CHECKED_BYTES: u64 = 128 << 20;

/// What is in the place of a damaged file.
pub(super) struct Anew {
    pub connection: Connection,
    pub key: Option<Key>,
    pub trouble: Trouble,
}

/// Takes the rights from others that files of an older version gave them.
pub(super) fn keep_private(path: &Path) {
    let logs = cipher::LOGS.map(|log| cipher::with_ending(path, log));
    let files = backup::copies(path).into_iter().chain(logs).chain([path.to_path_buf()]);
    files.for_each(|file| private::keep(&file));
    private::keep(&backup::backup_folder(path));
}

/// The disk that a link leads to may only be unplugged: nothing is put in the place of the link.
///
/// # Errors
///
/// [`MemoryError::LinkToNothing`] where it leads nowhere.
pub(crate) fn follow_link(path: &Path) -> Result<(), MemoryError> {
    let is_link = std::fs::symlink_metadata(path).is_ok_and(|file| file.is_symlink());
    match std::fs::metadata(path) {
        Err(error) if is_link && error.kind() == std::io::ErrorKind::NotFound => {
            Err(MemoryError::LinkToNothing { path: path.to_path_buf() })
        }
        _ => Ok(()),
    }
}

/// Is there nothing where a memory was? Backups tell that there was one, and what was set aside: who wants to begin anew
/// moves them too.
pub(super) fn is_lost(path: &Path) -> bool {
    let is_nothing = match std::fs::metadata(path) {
        Ok(file) => file.is_file() && file.len() == 0,
        Err(error) => error.kind() == std::io::ErrorKind::NotFound,
    };
    is_nothing && (!backup::backups(path).is_empty() || newest_set_aside(path).is_some())
}

/// Sets a damaged file aside, and goes on from the newest backup that is sound, or from nothing. The same where the file
/// is lost.
pub(super) fn begin_anew(place: &Place, key: Option<Key>) -> Result<Anew, MemoryError> {
    let path = &place.path;
    let failed = |source| MemoryError::Folder { path: path.clone(), source };
    let aside_before = newest_set_aside(path);
    let has_backups = !backup::backups(path).is_empty();
    // Before anything is moved: a locked keychain would make every encrypted backup look worthless.
    let backup = backup::newest_sound(place)?;
    let key = match &backup {
        // What is encrypted stays so, and what is plain. Where damage hides which, it is as the backup is.
        Some((_, its_key)) if Header::of(path) == Header::Other => its_key.clone(),
        None if Header::of(path) == Header::Other => place.key_of_copies(),
        _ => key,
    };
    let hides_which = Header::of(path) == Header::Other;
    let growing = path.with_extension("db.part");
    if let Some((backup, its_key)) = &backup {
        cipher::copy_file(&backup.path, its_key.as_ref(), &growing, key.as_ref())?;
    }
    // A log alone is of no use: SQLite removes it too.
    let cleared = if is_lost(path) {
        backup::remove_whole(path).map(|()| None)
    } else {
        set_aside(path, "damaged").map(Some)
    };
    let replaced = cleared.and_then(|aside| {
        if backup.is_some() {
            std::fs::rename(&growing, path).and_then(|()| cipher::sync_folder_of(path)).map_err(failed)?;
        }
        Ok(aside)
    });
    if replaced.is_err() {
        // The first error is the one to tell.
        let _ = backup::remove_whole(&growing);
    }
    let aside = replaced?;
    let connection = open_writer(path, key.as_ref()).map_err(|unusable| unusable.into_error(path))?;
    let (what, kept) = match &aside {
        Some(aside) => ("was damaged", format!("The damaged file is kept at {}.", aside.display())),
        None => {
            let moved = format!("If you moved it, quit Jarvis and put it back at {}.", path.display());
            // Whoever set it aside may have been killed before anything took its place.
            let aside = aside_before.map(|aside| format!(" An earlier one is kept at {}.", aside.display()));
            ("was gone or empty", moved + &aside.unwrap_or_default())
        }
    };
    let message = match backup {
        Some((backup, _)) => format!(
            "The memory file {what}, so the backup of {} is in its place.",
            backup.made_at.strftime("%Y-%m-%d at %H:%M UTC")
        ),
        None => {
            let plain = if hides_which && key.is_none() { " The new one is not encrypted." } else { "" };
            let no_backup = match aside.is_none() && has_backups {
                true => "its backups are damaged",
                false => "there is no backup",
            };
            format!("The memory file {what} and {no_backup}, so a new one was begun.{plain}")
        }
    };
    Ok(Anew { connection, key, trouble: Trouble::new(Stage::Memory, message, kept) })
}

pub(super) fn make_folder_of(path: &Path) -> Result<(), MemoryError> {
    let Some(folder) = path.parent() else { return Ok(()) };
    private::make_folder(folder).map_err(|source| MemoryError::Folder { path: folder.to_path_buf(), source })
}

pub(super) enum Unusable {
    Damaged,
    Newer,
    Sqlite(rusqlite::Error),
}

impl Unusable {
    pub fn into_error(self, path: &Path) -> MemoryError {
        match self {
            Self::Newer => MemoryError::Newer { path: path.to_path_buf() },
            Self::Sqlite(error) => MemoryError::of(path, error),
            Self::Damaged => MemoryError::Damaged { path: path.to_path_buf() },
        }
    }
}

impl From<rusqlite::Error> for Unusable {
    fn from(error: rusqlite::Error) -> Self {
        use rusqlite::ErrorCode::{DatabaseCorrupt, NotADatabase, SchemaChanged};
        match error.sqlite_error_code() {
            Some(DatabaseCorrupt | NotADatabase) => Self::Damaged,
            // As `schema::bring_up` says it; SQLite itself mends this one.
            Some(SchemaChanged) => Self::Newer,
            _ => Self::Sqlite(error),
        }
    }
}

pub(super) fn open_writer(path: &Path, key: Option<&Key>) -> Result<Connection, Unusable> {
    let needs_check = needs_check(path);
    if !path.exists() {
        // Where it cannot be made, SQLite says why.
        let _ = private::begin(path);
    }
    let mut connection = Connection::open(path)?;
    unlock(&connection, key)?;
    connection.busy_timeout(BUSY_TIMEOUT)?;
    if needs_check {
        let healthy: String = connection.query_row("PRAGMA quick_check(1)", [], |row| row.get(0))?;
        if healthy != "ok" {
            return Err(Unusable::Damaged);
        }
    }
    // FULL, not NORMAL: what was acknowledged survives a power cut, not only a crash.
    connection.execute_batch(
        "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA temp_store = MEMORY;
         PRAGMA secure_delete = ON; PRAGMA cache_size = -16000;",
    )?;
    let form = schema::form(&connection)?;
    if (1..schema::NEWEST).contains(&form) {
        // A step that goes wrong is taken back by SQLite; one that did wrong is taken back with this.
        let now = jiff::Timestamp::now().as_microsecond();
        backup::copy(&connection, path, key, now).map_err(|failure| match failure {
            Failure::Sqlite(error) => Unusable::Sqlite(error),
            Failure::Refused(_) => Unusable::Damaged,
        })?;
    }
    schema::bring_up(&mut connection)?;
    note_words(&mut connection)?;
    Ok(connection)
}

/// Is the file read through before it is used? A large one only if it was not closed in good order, which leaves its log
/// behind; what befalls it while it lies there is found by [`check`] and when it is read.
fn needs_check(path: &Path) -> bool {
    let mut log = path.as_os_str().to_os_string();
    log.push("-wal");
    let bytes = std::fs::metadata(path).map_or(0, |file| file.len());
    bytes <= CHECKED_BYTES || Path::new(&log).exists()
}

/// The note that says that every message was made findable once.
const WORDS_ARE_NOTED: &str = "words_are_noted";

/// Makes messages findable that were written before there was a search; killed in the middle, at the next start.
fn note_words(connection: &mut Connection) -> rusqlite::Result<()> {
    if note(connection, WORDS_ARE_NOTED)?.is_some() {
        return Ok(());
    }
    let transaction = connection.transaction()?;
    {
        let mut select = transaction.prepare("SELECT id, text FROM messages")?;
        let mut rows = select.query([])?;
        while let Some(row) = rows.next()? {
            let item = ItemId::new(Kind::Message, row.get(0)?);
            if !words::is_noted(&transaction, item)? {
                words::insert(&transaction, item, row.get_ref(1)?.as_str()?)?;
            }
        }
    }
    set_note(&transaction, WORDS_ARE_NOTED, "yes")?;
    transaction.commit()
}

pub(super) fn open_reader(path: &Path, key: Option<&Key>) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    unlock(&connection, key)?;
    connection.busy_timeout(BUSY_TIMEOUT)?;
    // Recall reads from many places: 16 MB instead of 2 hold what full-text search needs again and again.
    connection.execute_batch("PRAGMA cache_size = -16000;")?;
    Ok(connection)
}

/// Moves a database, and its log, out of the way, named after `why`.
pub(crate) fn set_aside(path: &Path, why: &str) -> Result<PathBuf, MemoryError> {
    let stamp = jiff::Zoned::now().strftime("%Y%m%d-%H%M%S").to_string();
    let beside = |suffix: &str| {
        let mut name = path.file_name().unwrap_or_default().to_os_string();
        name.push(suffix);
        path.with_file_name(name)
    };
    let failed = |source| MemoryError::Folder { path: path.to_path_buf(), source };
    let mut mark = format!(".{why}-{stamp}");
    while beside(&mark).exists() {
        mark.push('+');
    }
    let aside = beside(&mark);
    std::fs::rename(path, &aside).map_err(failed)?;
    for log in ["-wal", "-shm"] {
        match std::fs::rename(beside(log), beside(&format!("{mark}{log}"))) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(failed(error)),
            _ => {}
        }
    }
    Ok(aside)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_large_file_is_read_through_only_when_it_was_not_closed_in_good_order() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("jarvis.db");
        std::fs::File::create(&path).unwrap().set_len(CHECKED_BYTES + 1).unwrap();

        assert!(!needs_check(&path));
        std::fs::write(folder.path().join("jarvis.db-wal"), "").unwrap();
        assert!(needs_check(&path));
    }
}
