//! Backups: complete copies of the database, so that a broken disk or a mistake costs a day at most.

use std::path::{Path, PathBuf};

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use rusqlite::Connection;

use crate::copies::{BACKUP_PREFIX, BACKUP_SUFFIX, BACKUP_TIME, Backup, backup_folder, backups};
use crate::error::{StorageError, as_sqlite_error};
use crate::files::{remove, remove_with_logs, sync, sync_folder_of};
use crate::key::Key;
use crate::location::DatabaseLocation;
use crate::notes::{COPIES_HAVE_TO_FORGET, COPIES_OUT_OF_REACH, delete_note};
use crate::store::connection::{is_sound, open};
use crate::{private, schema};

/// The number of backups that are kept: one per day of the last week, one per week of the last month, one per month
/// of the last year.
const DAYS: usize = 7;
const WEEKS: usize = 4;
const MONTHS: usize = 12;

/// Backups that exceed the numbers above. `backups` are sorted newest first.
fn surplus(backups: &[Backup]) -> Vec<&Backup> {
    let mut kept = std::collections::BTreeSet::new();
    let mut keep_first_of_each = |count: usize, key: fn(&DateTime) -> (i16, i16)| {
        let mut seen = Vec::new();
        for (index, backup) in backups.iter().enumerate() {
            let key = key(&backup.made_at);
            if !seen.contains(&key) && seen.len() < count {
                seen.push(key);
                kept.insert(index);
            }
        }
    };
    keep_first_of_each(DAYS, |at| (at.year(), at.date().day_of_year()));
    keep_first_of_each(WEEKS, |at| {
        let week = at.date().iso_week_date();
        (week.year(), i16::from(week.week()))
    });
    keep_first_of_each(MONTHS, |at| (at.year(), i16::from(at.month())));
    backups.iter().enumerate().filter(|(index, _)| !kept.contains(index)).map(|(_, backup)| backup).collect()
}

/// Copies the database of this connection into the backup folder, also while others use it. The copy has the same key.
pub(crate) fn copy(
    connection: &Connection,
    path: &Path,
    key: Option<&Key>,
    now_micros: i64,
) -> rusqlite::Result<PathBuf> {
    let folder = backup_folder(path);
    private::make_folder(&folder).map_err(as_sqlite_error)?;
    let now = Timestamp::from_microsecond(now_micros).unwrap_or(Timestamp::UNIX_EPOCH);
    let stamp = now.to_zoned(TimeZone::UTC).strftime(BACKUP_TIME).to_string();
    let backup = folder.join(format!("{BACKUP_PREFIX}{stamp}{BACKUP_SUFFIX}"));
    // Named differently until it is complete, so that a partial copy is never taken for a backup.
    let partial = backup.with_extension("db.part");
    remove(&partial).map_err(as_sqlite_error)?;
    let made = write_copy(connection, &partial, key)
        .and_then(|()| std::fs::rename(&partial, &backup).map_err(as_sqlite_error))
        .and_then(|()| sync_folder_of(&backup).map_err(as_sqlite_error));
    if made.is_err() {
        // The first error is reported. A leftover would fill the disk, and forgetting would not find it.
        let _ = remove_with_logs(&partial);
    }
    made.map(|()| backup)
}

fn write_copy(connection: &Connection, partial: &Path, key: Option<&Key>) -> rusqlite::Result<()> {
    private::create_if_missing(partial).map_err(as_sqlite_error)?;
    connection.execute("VACUUM INTO ?1", [partial.to_string_lossy()])?;
    let copied = open(partial, key)?;
    copied.execute_batch("PRAGMA secure_delete = ON;")?;
    let version = schema::version(&copied)?;
    if version < schema::OLDEST_VERSION {
        // Another process removed the file during the copy, and SQLite created a new one.
        return Err(as_sqlite_error(std::io::Error::other("the backup came out empty")));
    }
    if version >= 2 {
        // Undo records contain what was forgotten. Pending requests concern the copies of the original only.
        copied.execute("DELETE FROM undo", [])?;
        delete_note(&copied, COPIES_HAVE_TO_FORGET)?;
        delete_note(&copied, COPIES_OUT_OF_REACH)?;
    }
    if version >= 8 {
        // A voice belongs to the body of a person: it is enrolled anew where a backup has to be used.
        copied.execute("DELETE FROM voices", [])?;
    }
    copied.close().map_err(|(_, error)| error)?;
    // SQLite leaves this to the system: after a power cut the backup would have its size, but be empty.
    sync(partial).map_err(as_sqlite_error)
}

/// Removes surplus backups of the database at `path`.
pub(crate) fn thin_out(path: &Path) {
    for surplus in surplus(&backups(path)) {
        if let Err(error) = std::fs::remove_file(&surplus.path) {
            tracing::warn!(%error, "could not remove an old backup");
        }
    }
}

/// The newest sound backup and its key; `None` when there is none. Fails when a missing key keeps a backup from being
/// checked.
pub(crate) fn newest_sound(
    location: &DatabaseLocation,
) -> Result<Option<(Backup, Option<Key>)>, StorageError> {
    for backup in backups(&location.path) {
        let key = match location.key_of(&backup.path) {
            // The keychain returns other keys of this memory, so it is not locked: this key was deleted long ago.
            Err(StorageError::NoKey { .. } | StorageError::OtherKey { .. })
                if location.key_of(&location.path).is_ok_and(|key| key.is_some())
                    || location.key_of_copies().is_some() =>
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
    fn empty_copy_is_no_backup_and_missing_file_is_not_made() {
        let folder = tempfile::tempdir().unwrap();
        let (partial, gone) = (folder.path().join("partial"), folder.path().join("gone"));

        let written = write_copy(&Connection::open_in_memory().unwrap(), &partial, None);
        let opened = open(&gone, None);

        assert!(written.is_err(), "{written:?}");
        assert!(opened.is_err() && !gone.exists());
    }

    #[test]
    fn backups_are_thinned_out_with_age() {
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
