//! Forgetting in the copies: backups, and files that were set aside.

use std::path::{Path, PathBuf};
use std::sync::PoisonError;

use rusqlite::{Connection, TransactionBehavior};

use super::reach::reach_in_copy;
use super::{Copied, CopyOutcome, Forget, Forgotten, take_away};
use crate::MemoryError;
use crate::aside::set_aside_files;
use crate::backup::{copies, open, read_through, remove_whole};
use crate::cipher::drop_unfinished_backups;
use crate::embeddings::{drop_note, note, set_note};
use crate::error::{Outcome, Refusal};
use crate::key::{Header, Key, Place};
use crate::memory::{Changing, Memory};
use crate::{schema, undo};

impl Memory {
    /// Forgets in the backups too, and in what was set aside. Says which of them held some of it, are gone, or could not
    /// be reached; those are tried again by [`Memory::finish_scrubbing`].
    pub(crate) async fn forget_in_copies(
        &self,
        what: Forget,
        forgotten: &Forgotten,
        now_micros: i64,
    ) -> Result<Vec<Copied>, MemoryError> {
        let path = self.store.path().to_path_buf();
        // By the writer, who makes no backup meanwhile.
        self.store
            .with_writer(move |_| {
                drop_unfinished_backups(&path);
                Ok(())
            })
            .await?;
        let all = copies(self.store.path());
        let wish = ForgetRequest { what, forgotten: forgotten.clone(), copies: all };
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
    async fn try_to_forget(
        &self,
        wish: ForgetRequest,
        now_micros: i64,
    ) -> Result<(Vec<Copied>, ForgetRequest), MemoryError> {
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
                        CopyOutcome::OutOfReach { lacks_key: lacks_key(&failure) }
                    }
                    Err(failure) => {
                        tracing::warn!(?failure, "a copy could not forget, so it is removed");
                        match remove_whole(path) {
                            Ok(()) => CopyOutcome::Deleted,
                            Err(failure) => {
                                tracing::warn!(?failure, "a copy cannot be removed, so it still has to go");
                                left.push(path.clone());
                                CopyOutcome::OutOfReach { lacks_key: false }
                            }
                        }
                    }
                };
                copied.push(Copied { path: path.clone(), outcome });
            }
            (copied, ForgetRequest { copies: left, ..wish })
        });
        forgetting.await.map_err(|_| MemoryError::Closed)
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
            // What went wrong with one wish must not lose the others.
            let still = match self.try_to_forget(wish.clone(), now_micros).await {
                Ok((_, still)) => still,
                Err(error) => {
                    tracing::warn!(%error, "the copies could not forget for now");
                    wish
                }
            };
            known.extend(still.copies.iter().filter_map(|copy| name_of(copy)));
            left.push(still);
        }
        left.retain(|wish| !wish.copies.is_empty());
        self.shared.unfulfilled.lock().unwrap_or_else(PoisonError::into_inner).extend(left);
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
                        if let Err(failure) = remove_whole(&copy) {
                            tracing::warn!(?failure, "a copy cannot be removed, so it still has to go");
                            stay.push(name);
                        }
                    }
                }
            }
            stay
        });
        let mut noted = unknown.await.map_err(|_| MemoryError::Closed)?;
        noted.extend(known);
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
#[derive(Clone)]
pub(crate) struct ForgetRequest {
    what: Forget,
    forgotten: Forgotten,
    copies: Vec<PathBuf>,
}

/// Is it not the file that is at fault, so that it is no reason to remove it?
fn is_out_of_reach(failure: &MemoryError) -> bool {
    lacks_key(failure) || failure.is_transient() || matches!(failure, MemoryError::Newer { .. })
}

fn lacks_key(failure: &MemoryError) -> bool {
    failure.is_about_the_key() || matches!(failure, MemoryError::NoEncryption { .. })
}

/// Could this copy be changed now?
fn reach_for(place: &Place, memory_key: Option<&Key>, copy: &Path) -> Result<(), MemoryError> {
    let key = key_for(place, memory_key, copy)?;
    let form = open(copy, key.as_ref()).and_then(|connection| {
        connection.execute_batch("BEGIN IMMEDIATE; ROLLBACK;")?;
        schema::form(&connection)
    });
    match form.map_err(|error| MemoryError::of(copy, error))? {
        form if form > schema::NEWEST => Err(MemoryError::Newer { path: copy.to_path_buf() }),
        _ => Ok(()),
    }
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

/// Forgets in a copy of the database at `place`. Says how many things it held.
fn forget_in(
    place: &Place,
    memory_key: Option<&Key>,
    copy: &Path,
    wish: &ForgetRequest,
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
        let reach = reach_in_copy(&transaction, &wish.what, &wish.forgotten, now_micros)?;
        take_away(&mut Changing::new(&transaction), &reach, now_micros)?;
        // Nobody undoes anything in a copy.
        undo::drop_all(&transaction)?;
        transaction.commit()?;
        Ok(reach.items().count())
    };
    forget().map_err(|failure| MemoryError::of(copy, failure))
}

/// Carries over to a file that takes the place of the memory at `path` what its copies still have to forget. A memory that
/// cannot be read has nothing to carry over.
pub(crate) fn carry_over(path: &Path, growing: &Path, key: Option<&Key>) -> Outcome<()> {
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

/// A copy has no copies of its own: once it is restored, those would have to forget again.
pub(crate) fn drop_notes(copy: &Connection) -> rusqlite::Result<()> {
    drop_note(copy, SCRUBBING)?;
    drop_note(copy, OUT_OF_REACH)
}
