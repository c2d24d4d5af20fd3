//! Copies of the database, so that a broken disk or a mistake costs a day at most.

use std::path::{Path, PathBuf};

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use rusqlite::{Connection, OpenFlags};

use crate::MemoryError;
use crate::aside::{is_set_aside, set_aside_files};
use crate::cipher::sync_folder_of;
use crate::error::{Outcome, of_system};
use crate::forget::copies::{carry_over, drop_notes};
use crate::key::{Header, Key, Place, unlock};
use crate::memory::Memory;
use crate::store::{follow_link, set_aside};
use crate::{cipher, private, schema, undo};

/// How many backups are kept: one a day of the last week, one a week of the last month, one a month of the last year.
const DAYS: usize = 7;
const WEEKS: usize = 4;
const MONTHS: usize = 12;

/// The form of the first databases. What has none is empty, though SQLite finds every page of it in order.
const OLDEST: i64 = 1;

/// How the names of backups begin, and end.
const PREFIX: &str = "jarvis-";
const SUFFIX: &str = ".db";

/// A backup.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Backup {
    /// The file.
    pub path: PathBuf,
    /// When it was made, UTC.
    pub made_at: DateTime,
    /// Its size in bytes.
    pub bytes: u64,
}

/// The folder of the backups of the database at `path`.
pub fn backup_folder(path: &Path) -> PathBuf {
    path.with_file_name("backups")
}

/// The backups of the database at `path`, newest first. Files that are none are passed over.
pub fn backups(path: &Path) -> Vec<Backup> {
    let Ok(files) = std::fs::read_dir(backup_folder(path)) else { return Vec::new() };
    let mut backups: Vec<Backup> = files
        .filter_map(Result::ok)
        .filter_map(|file| {
            let path = file.path();
            Some(Backup { made_at: made_at(&path)?, path, bytes: file.metadata().ok()?.len() })
        })
        .collect();
    backups.sort_by_key(|backup| std::cmp::Reverse(backup.made_at));
    backups
}

/// When a backup was made, as its name says; `None` for other files.
fn made_at(file: &Path) -> Option<DateTime> {
    let stamp = file.file_name()?.to_str()?.strip_prefix(PREFIX)?.strip_suffix(SUFFIX)?;
    DateTime::strptime("%Y%m%d-%H%M%S", stamp).ok()
}

/// Which of these backups, newest first, are more than are kept.
fn surplus(backups: &[Backup]) -> Vec<&Backup> {
    let mut kept = std::collections::BTreeSet::new();
    let mut keep_first_of_each = |count: usize, key: fn(&DateTime) -> (i16, i16)| {
        let mut seen = Vec::new();
        for (place, backup) in backups.iter().enumerate() {
            let key = key(&backup.made_at);
            if !seen.contains(&key) && seen.len() < count {
                seen.push(key);
                kept.insert(place);
            }
        }
    };
    keep_first_of_each(DAYS, |at| (at.year(), at.date().day_of_year()));
    keep_first_of_each(WEEKS, |at| {
        let week = at.date().iso_week_date();
        (week.year(), i16::from(week.week()))
    });
    keep_first_of_each(MONTHS, |at| (at.year(), i16::from(at.month())));
    backups.iter().enumerate().filter(|(place, _)| !kept.contains(place)).map(|(_, backup)| backup).collect()
}

/// Copies the database of this connection to the backups, whole, also while others use it. It has the same key.
pub(crate) fn copy(
    connection: &Connection,
    path: &Path,
    key: Option<&Key>,
    now_micros: i64,
) -> Outcome<PathBuf> {
    let folder = backup_folder(path);
    private::make_folder(&folder).map_err(of_system)?;
    let now = Timestamp::from_microsecond(now_micros).unwrap_or(Timestamp::UNIX_EPOCH);
    let stamp = now.to_zoned(TimeZone::UTC).strftime("%Y%m%d-%H%M%S").to_string();
    let backup = folder.join(format!("{PREFIX}{stamp}{SUFFIX}"));
    // Under another name until it is whole: a backup that is cut short is none.
    let growing = backup.with_extension("db.part");
    remove(&growing).map_err(of_system)?;
    let made = grow(connection, &growing, key)
        .and_then(|()| Ok(std::fs::rename(&growing, &backup).map_err(of_system)?))
        .and_then(|()| Ok(sync_folder_of(&backup).map_err(of_system)?));
    if made.is_err() {
        // The first error is the one to tell. What is left would fill the disk, and forgetting would not find it.
        let _ = remove_whole(&growing);
    }
    made.map(|()| backup)
}

fn grow(connection: &Connection, growing: &Path, key: Option<&Key>) -> Outcome<()> {
    private::begin(growing).map_err(of_system)?;
    connection.execute("VACUUM INTO ?1", [growing.to_string_lossy()])?;
    // What was forgotten is not kept for undoing in here.
    let copied = open(growing, key)?;
    copied.execute_batch("PRAGMA secure_delete = ON;")?;
    let form = schema::form(&copied)?;
    if form < OLDEST {
        // Another process took the file away while it grew, and what stands there now is another.
        return Err(of_system(std::io::Error::other("the backup came out empty")).into());
    }
    if form >= 2 {
        undo::drop_all(&copied)?;
        drop_notes(&copied)?;
    }
    copied.close().map_err(|(_, error)| error)?;
    // SQLite leaves that to the system: after a power cut the backup would be as long as it was, and empty.
    cipher::sync(growing).map_err(of_system)?;
    Ok(())
}

fn remove(path: &Path) -> std::io::Result<()> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

impl Memory {
    /// Makes a backup and removes those that are more than are kept. Says where it is.
    ///
    /// # Errors
    ///
    /// [`MemoryError`] when it cannot be written; then the older ones are all still there.
    pub async fn back_up(&self, now_micros: i64) -> Result<PathBuf, MemoryError> {
        let path = self.store.path().to_path_buf();
        let made = {
            let (path, key) = (path.clone(), self.store.key().cloned());
            self.store
                .with_writer(move |connection| copy(connection, &path, key.as_ref(), now_micros))
                .await?
        };
        let all = backups(&path);
        for surplus in surplus(&all) {
            if let Err(error) = std::fs::remove_file(&surplus.path) {
                tracing::warn!(%error, "an old backup could not be removed");
            }
        }
        Ok(made)
    }

    /// The backups, newest first.
    pub fn backups(&self) -> Vec<Backup> {
        backups(self.store.path())
    }
}

/// Every copy of the database at `path` that Jarvis made: backups, and files that were set aside.
pub(crate) fn copies(path: &Path) -> Vec<PathBuf> {
    let backups = backups(path).into_iter().map(|backup| backup.path);
    backups.chain(set_aside_files(path)).collect()
}

/// The same for whoever must miss none.
///
/// # Errors
///
/// A folder could not be read to its end.
pub(crate) fn every_copy(path: &Path) -> std::io::Result<Vec<PathBuf>> {
    let is_backup = |file: &Path| made_at(file).is_some();
    let mut copies = files_in(&backup_folder(path), is_backup)?;
    if let Some(folder) = path.parent() {
        copies.extend(files_in(folder, |file| is_set_aside(path, file))?);
    }
    Ok(copies)
}

/// Those of a folder's files; none where there is no folder.
fn files_in(folder: &Path, is_wanted: impl Fn(&Path) -> bool) -> std::io::Result<Vec<PathBuf>> {
    let files = match std::fs::read_dir(folder) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        files => files?,
    };
    let mut wanted = Vec::new();
    for file in files {
        let file = file?.path();
        if is_wanted(&file) {
            wanted.push(file);
        }
    }
    Ok(wanted)
}

/// Removes a copy and what belongs to it; the copy last, so that it is found again where that fails.
pub(crate) fn remove_whole(path: &Path) -> Result<(), MemoryError> {
    for end in ["-wal", "-shm", "-journal", ""] {
        let mut file = path.as_os_str().to_os_string();
        file.push(end);
        remove(Path::new(&file))
            .map_err(|source| MemoryError::Folder { path: path.to_path_buf(), source })?;
    }
    Ok(())
}

/// Puts a backup in the place of the database at `place`, which is set aside, never deleted. Says where it is kept;
/// `None` when there was none. An encrypted memory stays encrypted and a plain one plain, whatever the backup is. Whoever
/// calls holds the right to the folder: nobody else may use the database meanwhile. Blocking.
///
/// # Errors
///
/// [`MemoryError`] when the backup is damaged or newer than this program, cannot be copied, or a key is missing; then
/// nothing was changed.
pub fn restore(place: impl Into<Place>, backup: &Path) -> Result<Option<PathBuf>, MemoryError> {
    let place = place.into();
    let path = &place.path;
    follow_link(path)?;
    let its_key = place.key_of(backup)?;
    let key = match Header::of(path) {
        Header::None | Header::Other => its_key.clone(),
        Header::Plain | Header::Encrypted { .. } => place.key_of(path)?,
    };
    if !is_sound(backup, its_key.as_ref()) {
        return Err(MemoryError::Damaged { path: backup.to_path_buf() });
    }
    let form = open(backup, its_key.as_ref()).and_then(|connection| schema::form(&connection));
    if form.map_err(|error| MemoryError::of(backup, error))? > schema::NEWEST {
        return Err(MemoryError::Newer { path: backup.to_path_buf() });
    }
    let growing = path.with_extension("db.part");
    cipher::copy_file(backup, its_key.as_ref(), &growing, key.as_ref())?;
    let replaced = carry_over(path, &growing, key.as_ref())
        .map_err(|failure| MemoryError::of(&growing, failure))
        .and_then(|()| replace(path, &growing, key.as_ref()));
    if replaced.is_err() {
        // The first error is the one to tell.
        let _ = remove_whole(&growing);
    }
    replaced
}

/// Puts a whole file in the place of the memory at `path`, which is set aside.
fn replace(path: &Path, whole: &Path, key: Option<&Key>) -> Result<Option<PathBuf>, MemoryError> {
    let failed = |source| MemoryError::Folder { path: path.to_path_buf(), source };
    let aside = match path.exists() {
        true => {
            if let Ok(connection) = open(path, key) {
                // What was forgotten is not kept for undoing in there. A file too old for that has nothing to undo.
                let _ = connection.execute_batch("PRAGMA secure_delete = ON; DELETE FROM undo;");
                // What is still in the log belongs to the file; where that fails, both are set aside.
                let _ = connection.execute_batch("PRAGMA wal_checkpoint(TRUNCATE);");
            }
            Some(set_aside(path, "replaced")?)
        }
        false => None,
    };
    std::fs::rename(whole, path).and_then(|()| sync_folder_of(path)).map_err(|error| {
        if let Some(aside) = &aside {
            // The first error is the one to tell.
            let _ = std::fs::rename(aside, path);
        }
        failed(error)
    })?;
    Ok(aside)
}

/// Opens a file to which nobody else writes. One that is not there stays so.
pub(crate) fn open(file: &Path, key: Option<&Key>) -> rusqlite::Result<Connection> {
    let connection =
        Connection::open_with_flags(file, OpenFlags::default() & !OpenFlags::SQLITE_OPEN_CREATE)?;
    unlock(&connection, key)?;
    Ok(connection)
}

/// Is it a memory, with every page in order?
pub(crate) fn is_sound(file: &Path, key: Option<&Key>) -> bool {
    let is_sound = || {
        let connection = open_to_read(file, key)?;
        Ok::<_, rusqlite::Error>(is_in_order(&connection)? && schema::form(&connection)? >= OLDEST)
    };
    is_sound().is_ok_and(|is_sound| is_sound)
}

/// Is every page of a database in order, or what keeps it from being read?
pub(crate) fn read_through(file: &Path, key: Option<&Key>) -> rusqlite::Result<bool> {
    is_in_order(&open_to_read(file, key)?)
}

fn open_to_read(file: &Path, key: Option<&Key>) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(file, flags)?;
    unlock(&connection, key)?;
    Ok(connection)
}

fn is_in_order(connection: &Connection) -> rusqlite::Result<bool> {
    let said: String = connection.query_row("PRAGMA integrity_check(1)", [], |row| row.get(0))?;
    Ok(said == "ok")
}

/// The newest backup of the database at `place` that is sound, and its key; `None` when there is none.
///
/// # Errors
///
/// [`MemoryError`] when the key is missing that would tell.
pub(crate) fn newest_sound(place: &Place) -> Result<Option<(Backup, Option<Key>)>, MemoryError> {
    for backup in backups(&place.path) {
        let key = match place.key_of(&backup.path) {
            // A keychain that gives keys of this memory is not locked: this one is long gone.
            Err(MemoryError::NoKey { .. } | MemoryError::OtherKey { .. })
                if place.key_of(&place.path).is_ok_and(|key| key.is_some())
                    || place.key_of_copies().is_some() =>
            {
                continue;
            }
            key => key?,
        };
        if is_sound(&backup.path, key.as_ref()) {
            return Ok(Some((backup, key)));
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;

    #[test]
    fn what_came_out_empty_or_is_gone_is_no_backup() {
        let folder = tempfile::tempdir().unwrap();
        let (growing, gone) = (folder.path().join("growing"), folder.path().join("gone"));

        let grown = grow(&Connection::open_in_memory().unwrap(), &growing, None);
        let opened = open(&gone, None);

        assert!(matches!(grown, Err(crate::error::Failure::Sqlite(_))), "{grown:?}");
        assert!(opened.is_err() && !gone.exists());
    }

    #[test]
    fn backups_thin_out_with_age() {
        let noon = |days: i32| {
            let day = date(2025, 11, 22).checked_sub(jiff::Span::new().days(days)).unwrap();
            Backup { path: PathBuf::new(), made_at: day.at(12, 0, 0, 0), bytes: 0 }
        };
        let daily: Vec<Backup> = (0..400).map(noon).collect();

        let surplus: Vec<&Backup> = surplus(&daily);

        let kept = daily.iter().filter(|backup| !surplus.contains(backup));
        let kept: Vec<String> = kept.map(|backup| backup.made_at.date().to_string()).collect();
        let days = [
            "2025-11-22",
            "2025-11-21",
            "2025-11-20",
            "2025-11-19",
            "2025-11-18",
            "2025-11-17",
            "2025-11-16",
        ];
        let weeks = ["2025-11-09", "2025-11-02"];
        assert_eq!(kept[..7], days);
        assert_eq!(kept[7..9], weeks);
        assert_eq!(kept.len(), 7 + 2 + 11, "and the last of every month before: {kept:?}");
    }
}
