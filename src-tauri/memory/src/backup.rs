//! Copies of the database, so that a broken disk or a mistake costs a day at most.

use std::path::{Path, PathBuf};
use std::sync::PoisonError;

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use rusqlite::{Connection, OpenFlags, TransactionBehavior};

use crate::MemoryError;
use crate::aside::set_aside_files;
use crate::embeddings::{drop_note, note, set_note};
use crate::error::{Outcome, Refusal};
use crate::forget::{Copied, CopyOutcome, Forget, Forgotten, reach_in_copy, take_away};
use crate::key::{Header, Key, Place, unlock};
use crate::memory::{Changing, Memory};
use crate::store::set_aside;
use crate::{cipher, schema, undo};

/// How many backups are kept: one a day of the last week, one a week of the last month, one a month of the last year.
const DAYS: usize = 7;
const WEEKS: usize = 4;
const MONTHS: usize = 12;

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
            let name = file.file_name();
            let stamp = name.to_str()?.strip_prefix(PREFIX)?.strip_suffix(SUFFIX)?;
            let made_at = DateTime::strptime("%Y%m%d-%H%M%S", stamp).ok()?;
            Some(Backup { path: file.path(), made_at, bytes: file.metadata().ok()?.len() })
        })
        .collect();
    backups.sort_by_key(|backup| std::cmp::Reverse(backup.made_at));
    backups
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
    let failed = |error: std::io::Error| rusqlite::Error::ToSqlConversionFailure(error.into());
    std::fs::create_dir_all(&folder).map_err(failed)?;
    let now = Timestamp::from_microsecond(now_micros).unwrap_or(Timestamp::UNIX_EPOCH);
    let stamp = now.to_zoned(TimeZone::UTC).strftime("%Y%m%d-%H%M%S").to_string();
    let backup = folder.join(format!("{PREFIX}{stamp}{SUFFIX}"));
    // Under another name until it is whole: a backup that is cut short is none.
    let growing = backup.with_extension("db.part");
    remove(&growing).map_err(failed)?;
    remove(&backup).map_err(failed)?;
    connection.execute("VACUUM INTO ?1", [growing.to_string_lossy()])?;
    // What was forgotten is not kept for undoing in here.
    let copied = open(&growing, key)?;
    copied.execute_batch("PRAGMA secure_delete = ON;")?;
    if schema::form(&copied)? >= 2 {
        undo::drop_all(&copied)?;
        // Nor does it have copies of its own: once it is restored, those would have to forget again.
        drop_note(&copied, SCRUBBING)?;
        drop_note(&copied, OUT_OF_REACH)?;
    }
    copied.close().map_err(|(_, error)| error)?;
    std::fs::rename(&growing, &backup).map_err(failed)?;
    Ok(backup)
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

    /// Forgets in the backups too, and in what was set aside. Says which of them held some of it, are gone, or could not
    /// be reached; those are tried again by [`Memory::finish_scrubbing`].
    pub(crate) async fn forget_in_copies(
        &self,
        what: Forget,
        forgotten: &Forgotten,
        now_micros: i64,
    ) -> Result<Vec<Copied>, MemoryError> {
        let all = copies(self.store.path());
        let wish = Wish { what, forgotten: forgotten.clone(), copies: all };
        let (copied, left) = self.try_to_forget(wish, now_micros).await?;
        let names = left.copies.iter().filter_map(|copy| name_of(copy)).collect::<Vec<_>>();
        self.change(move |changing| {
            let mut out_of_reach = out_of_reach(changing)?;
            out_of_reach.extend(names);
            note_out_of_reach(changing, &out_of_reach)?;
            Ok(drop_note(changing, SCRUBBING)?)
        })
        .await?;
        if !left.copies.is_empty() {
            self.shared.unfulfilled.lock().unwrap_or_else(PoisonError::into_inner).push(left);
        }
        Ok(copied)
    }

    /// Forgets in the copies that the wish names. What is left of it are those that could not be reached.
    async fn try_to_forget(&self, wish: Wish, now_micros: i64) -> Result<(Vec<Copied>, Wish), MemoryError> {
        let (place, key) = (self.store.place().clone(), self.store.key().cloned());
        let forgetting = tokio::task::spawn_blocking(move || {
            let (mut copied, mut left) = (Vec::new(), Vec::new());
            for path in &wish.copies {
                let outcome = match forget_in(&place, key.as_ref(), path, &wish, now_micros) {
                    Ok(0) => continue,
                    Ok(things) => CopyOutcome::Forgot(things),
                    Err(failure) if is_out_of_reach(&failure) => {
                        tracing::warn!(?failure, "a copy cannot be reached, so it still has to forget");
                        left.push(path.clone());
                        CopyOutcome::OutOfReach { lacks_key: !failure.is_transient() }
                    }
                    Err(failure) => {
                        tracing::warn!(?failure, "a copy could not forget, so it is removed");
                        remove_whole(path)?;
                        CopyOutcome::Deleted
                    }
                };
                copied.push(Copied { path: path.clone(), outcome });
            }
            Ok((copied, Wish { copies: left, ..wish }))
        });
        forgetting.await.map_err(|_| MemoryError::Closed)?
    }

    /// Lets the copies forget that could not be reached, as far as this process knows what. Removes those of which nobody
    /// knows any more what they had to forget, for whoever knew was killed or has ended; what still cannot be reached
    /// stays, and is tried again.
    pub(crate) async fn finish_scrubbing(&self, now_micros: i64) -> Result<(), MemoryError> {
        let (noted, mut out_of_reach) = self
            .store
            .read(|connection| Ok((note(connection, SCRUBBING)?, out_of_reach(connection)?)))
            .await?;
        let since: Option<i64> = noted.and_then(|since| since.parse().ok());
        // Another process may be at it just now.
        let is_over = since.is_some_and(|since| !(0..SCRUBBING_TAKES_MICROS).contains(&(now_micros - since)));
        if !is_over && out_of_reach.is_empty() {
            return Ok(());
        }
        let wishes =
            std::mem::take(&mut *self.shared.unfulfilled.lock().unwrap_or_else(PoisonError::into_inner));
        let mut left = Vec::new();
        let mut known: Vec<String> = Vec::new();
        for mut wish in wishes {
            wish.copies.retain(|copy| copy.exists());
            for name in wish.copies.iter().filter_map(|copy| name_of(copy)) {
                // One note for each wish that a copy has to fulfil.
                if let Some(place) = out_of_reach.iter().position(|noted| *noted == name) {
                    out_of_reach.remove(place);
                }
            }
            let (_, still) = self.try_to_forget(wish, now_micros).await?;
            known.extend(still.copies.iter().filter_map(|copy| name_of(copy)));
            left.push(still);
        }
        left.retain(|wish| !wish.copies.is_empty());
        let path = self.store.path().to_path_buf();
        let (place, key) = (self.store.place().clone(), self.store.key().cloned());
        let unknown = tokio::task::spawn_blocking(move || {
            let mut stay = Vec::new();
            for copy in copies(&path) {
                let Some(name) = name_of(&copy) else { continue };
                if !is_over && !out_of_reach.contains(&name) {
                    continue;
                }
                match reach_for(&place, key.as_ref(), &copy) {
                    Err(failure) if is_out_of_reach(&failure) => {
                        tracing::warn!(?failure, "a copy that may hold what was forgotten cannot be reached");
                        stay.push(name);
                    }
                    _ => {
                        tracing::warn!("a copy may hold what was forgotten, so it is removed");
                        remove_whole(&copy)?;
                    }
                }
            }
            Ok::<_, MemoryError>(stay)
        });
        let mut noted = unknown.await.map_err(|_| MemoryError::Closed)??;
        noted.extend(known);
        self.shared.unfulfilled.lock().unwrap_or_else(PoisonError::into_inner).extend(left);
        self.change(move |changing| {
            note_out_of_reach(changing, &noted)?;
            if is_over {
                drop_note(changing, SCRUBBING)?;
            }
            Ok(())
        })
        .await
    }
}

/// What copies still have to forget.
pub(crate) struct Wish {
    what: Forget,
    forgotten: Forgotten,
    copies: Vec<PathBuf>,
}

/// Is it not the file that is at fault, so that it is no reason to remove it?
fn is_out_of_reach(failure: &MemoryError) -> bool {
    failure.is_about_the_key()
        || failure.is_transient()
        || matches!(failure, MemoryError::NoEncryption { .. })
}

/// Could this copy be changed now?
fn reach_for(place: &Place, memory_key: Option<&Key>, copy: &Path) -> Result<(), MemoryError> {
    let key = key_for(place, memory_key, copy)?;
    open(copy, key.as_ref())
        .and_then(|connection| connection.execute_batch("BEGIN IMMEDIATE; ROLLBACK;"))
        .map_err(|error| MemoryError::of(copy, error))
}

/// The key of a copy. That of the open memory is at hand, even while the keychain is locked.
fn key_for(place: &Place, memory_key: Option<&Key>, copy: &Path) -> Result<Option<Key>, MemoryError> {
    match memory_key {
        Some(key) if Header::of(copy).needs(key) => Ok(Some(key.clone())),
        _ => place.key_of(copy),
    }
}

/// The note that backups still have to forget something.
const SCRUBBING: &str = "backups_have_to_forget";

/// The note that names the copies that could not be reached when they had to forget: a line for each wish.
const OUT_OF_REACH: &str = "copies_out_of_reach";

/// That never takes longer than so many microseconds: ten minutes.
const SCRUBBING_TAKES_MICROS: i64 = 600_000_000;

/// Notes that the backups still have to forget something.
pub(crate) fn note_scrubbing(connection: &Connection, now_micros: i64) -> rusqlite::Result<()> {
    set_note(connection, SCRUBBING, &now_micros.to_string())
}

fn out_of_reach(connection: &Connection) -> rusqlite::Result<Vec<String>> {
    let names = note(connection, OUT_OF_REACH)?.unwrap_or_default();
    Ok(names.lines().map(str::to_owned).collect())
}

fn note_out_of_reach(connection: &Connection, names: &[String]) -> rusqlite::Result<()> {
    match names.is_empty() {
        true => drop_note(connection, OUT_OF_REACH),
        false => set_note(connection, OUT_OF_REACH, &names.join("\n")),
    }
}

fn name_of(copy: &Path) -> Option<String> {
    copy.file_name().map(|name| name.to_string_lossy().into_owned())
}

/// Every copy of the database at `path` that Jarvis made: backups, and files that were set aside.
pub(crate) fn copies(path: &Path) -> Vec<PathBuf> {
    let backups = backups(path).into_iter().map(|backup| backup.path);
    backups.chain(set_aside_files(path)).collect()
}

/// Removes a copy and what belongs to it.
pub(crate) fn remove_whole(path: &Path) -> Result<(), MemoryError> {
    for end in ["", "-wal", "-shm", "-journal"] {
        let mut file = path.as_os_str().to_os_string();
        file.push(end);
        remove(Path::new(&file))
            .map_err(|source| MemoryError::Folder { path: path.to_path_buf(), source })?;
    }
    Ok(())
}

/// Forgets in a copy of the database at `place`. Says how many things it held.
fn forget_in(
    place: &Place,
    memory_key: Option<&Key>,
    copy: &Path,
    wish: &Wish,
    now_micros: i64,
) -> Result<usize, MemoryError> {
    let key = key_for(place, memory_key, copy)?;
    let forget = || -> Outcome<usize> {
        // What SQLite cannot read to its end may hold anything.
        if set_aside_files(&place.path).iter().any(|aside| aside == copy)
            && !read_through(copy, key.as_ref())?
        {
            return Err(Refusal::Unreadable("it is damaged".to_owned()).into());
        }
        let mut connection = open(copy, key.as_ref())?;
        connection.execute_batch(
            "PRAGMA journal_mode = DELETE; PRAGMA secure_delete = ON; PRAGMA foreign_keys = ON;",
        )?;
        schema::bring_up(&mut connection)?;
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let reach = reach_in_copy(&transaction, &wish.what, &wish.forgotten)?;
        take_away(&mut Changing::new(&transaction), &reach, now_micros)?;
        // Nobody undoes anything in a copy.
        undo::drop_all(&transaction)?;
        transaction.commit()?;
        Ok(reach.items().count())
    };
    forget().map_err(|failure| MemoryError::of(copy, failure))
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
    let failed = |source| MemoryError::Folder { path: path.to_path_buf(), source };
    let growing = path.with_extension("db.part");
    cipher::copy_file(backup, its_key.as_ref(), &growing, key.as_ref())?;
    carry_over(path, &growing, key.as_ref()).map_err(|failure| {
        // The first error is the one to tell.
        let _ = remove_whole(&growing);
        MemoryError::of(&growing, failure)
    })?;
    let aside = match path.exists() {
        true => {
            if let Ok(connection) = open(path, key.as_ref()) {
                // What was forgotten is not kept for undoing in there. A file too old for that has nothing to undo.
                let _ = connection.execute_batch("PRAGMA secure_delete = ON; DELETE FROM undo;");
                // What is still in the log belongs to the file; where that fails, both are set aside.
                let _ = connection.execute_batch("PRAGMA wal_checkpoint(TRUNCATE);");
            }
            Some(set_aside(path, "replaced")?)
        }
        false => None,
    };
    std::fs::rename(&growing, path).map_err(|error| {
        if let Some(aside) = &aside {
            // The first error is the one to tell.
            let _ = std::fs::rename(aside, path);
        }
        failed(error)
    })?;
    Ok(aside)
}

/// Carries over to a file that takes the place of the memory at `path` what its copies still have to forget. A memory that
/// cannot be read has nothing to carry over.
fn carry_over(path: &Path, growing: &Path, key: Option<&Key>) -> Outcome<()> {
    if !path.exists() {
        return Ok(());
    }
    let read = || {
        let connection = open(path, key)?;
        Ok([(SCRUBBING, note(&connection, SCRUBBING)?), (OUT_OF_REACH, note(&connection, OUT_OF_REACH)?)])
    };
    let notes = read().unwrap_or_else(|error: rusqlite::Error| {
        tracing::warn!(%error, "the memory could not be asked what its copies still have to forget");
        [(SCRUBBING, None), (OUT_OF_REACH, None)]
    });
    if notes.iter().all(|(_, value)| value.is_none()) {
        return Ok(());
    }
    let mut connection = open(growing, key)?;
    connection.execute_batch("PRAGMA journal_mode = DELETE;")?;
    schema::bring_up(&mut connection)?;
    for (name, value) in notes {
        if let Some(value) = value {
            set_note(&connection, name, &value)?;
        }
    }
    connection.close().map_err(|(_, error)| error)?;
    Ok(())
}

/// Opens a file to which nobody else writes.
pub(crate) fn open(file: &Path, key: Option<&Key>) -> rusqlite::Result<Connection> {
    let connection = Connection::open(file)?;
    unlock(&connection, key)?;
    Ok(connection)
}

/// Is every page of a database in order?
pub(crate) fn is_sound(file: &Path, key: Option<&Key>) -> bool {
    read_through(file, key).is_ok_and(|is_sound| is_sound)
}

/// The same, with what kept it from being read.
fn read_through(file: &Path, key: Option<&Key>) -> rusqlite::Result<bool> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(file, flags)?;
    unlock(&connection, key)?;
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
