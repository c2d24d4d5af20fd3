//! Forgetting in the copies: backups, and files that were set aside.

use std::path::Path;
use std::sync::PoisonError;

use rusqlite::Connection;
use storage::notes::{COPIES_HAVE_TO_FORGET, COPIES_OUT_OF_REACH, delete_note, note, set_note};
use storage::{StorageError, Store, backup_folder, copies, drop_unfinished_backups, remove_with_logs};

use super::deletion::take_away;
use super::request::{Copied, CopyOutcome, Forget, ForgetRequest, Forgotten};
use super::scope::reach_in_copy;
use super::undo_records;
use crate::MemoryError;
use crate::error::Failure;
use crate::memory::{Changing, Memory};

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
            .write(move |_| {
                drop_unfinished_backups(&path, &backup_folder(&path));
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
            Ok(delete_note(changing, COPIES_HAVE_TO_FORGET)?)
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
        let store = self.store.clone();
        let forgetting = tokio::task::spawn_blocking(move || {
            let (mut copied, mut left) = (Vec::new(), Vec::new());
            for path in &wish.copies {
                let outcome = match forget_in(&store, path, &wish, now_micros) {
                    Ok(0) => continue,
                    Ok(things) => CopyOutcome::Forgot(things),
                    Err(failure) if is_out_of_reach(&failure) => {
                        tracing::warn!(?failure, "a copy cannot be reached, so it still has to forget");
                        left.push(path.clone());
                        CopyOutcome::OutOfReach { lacks_key: lacks_key(&failure) }
                    }
                    Err(failure) => {
                        tracing::warn!(?failure, "a copy could not forget, so it is removed");
                        match remove_with_logs(path) {
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
        Ok(forgetting.await.map_err(|_| StorageError::Closed)?)
    }

    /// Lets the copies forget that could not be reached, as far as this process knows what. Removes those of which nobody
    /// knows any more what they had to forget, for whoever knew was killed or has ended; what still cannot be reached
    /// stays, and is tried again.
    pub(crate) async fn finish_scrubbing(&self, now_micros: i64) -> Result<(), MemoryError> {
        let (noted, mut out_of_reach) = self
            .store
            .read(|connection| Ok((note(connection, COPIES_HAVE_TO_FORGET)?, out_of_reach(connection)?)))
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
        let store = self.store.clone();
        let unknown = tokio::task::spawn_blocking(move || {
            let mut stay = Vec::new();
            for copy in copies(&path) {
                let Some(name) = name_of(&copy) else { continue };
                if !is_over && !out_of_reach.contains(&name) {
                    continue;
                }
                match store.check_copy(&copy) {
                    Err(failure) if is_out_of_reach(&failure) => {
                        tracing::warn!(?failure, "a copy that may hold what was forgotten cannot be reached");
                        stay.push(name);
                    }
                    _ => {
                        tracing::warn!("a copy may hold what was forgotten, so it is removed");
                        if let Err(failure) = remove_with_logs(&copy) {
                            tracing::warn!(?failure, "a copy cannot be removed, so it still has to go");
                            stay.push(name);
                        }
                    }
                }
            }
            stay
        });
        let mut noted = unknown.await.map_err(|_| StorageError::Closed)?;
        noted.extend(known);
        self.change(move |changing| {
            note_out_of_reach(changing, &noted)?;
            if is_over {
                delete_note(changing, COPIES_HAVE_TO_FORGET)?;
            }
            Ok(())
        })
        .await
    }
}

/// Whether the failure is no fault of the file, so that the file must not be removed.
fn is_out_of_reach(failure: &StorageError) -> bool {
    lacks_key(failure) || failure.is_transient() || matches!(failure, StorageError::Newer { .. })
}

fn lacks_key(failure: &StorageError) -> bool {
    failure.is_about_the_key() || matches!(failure, StorageError::NoEncryption { .. })
}

/// That never takes longer than so many microseconds: ten minutes.
const SCRUBBING_TAKES_MICROS: i64 = 600_000_000;

fn out_of_reach(connection: &Connection) -> rusqlite::Result<Vec<String>> {
    let names = note(connection, COPIES_OUT_OF_REACH)?.unwrap_or_default();
    Ok(names.lines().map(str::to_owned).collect())
}

fn note_out_of_reach(connection: &Connection, names: &[String]) -> rusqlite::Result<()> {
    match names.is_empty() {
        true => delete_note(connection, COPIES_OUT_OF_REACH),
        false => set_note(connection, COPIES_OUT_OF_REACH, &names.join("\n")),
    }
}

fn name_of(copy: &Path) -> Option<String> {
    copy.file_name().map(|name| name.to_string_lossy().into_owned())
}

/// Forgets in a copy. Returns how many items it held.
fn forget_in(
    store: &Store,
    copy: &Path,
    request: &ForgetRequest,
    now_micros: i64,
) -> Result<usize, StorageError> {
    let forgotten = store.change_copy(copy, |transaction| -> Result<usize, Failure> {
        let reach = reach_in_copy(transaction, &request.what, &request.forgotten, now_micros)?;
        take_away(&mut Changing::new(transaction), &reach, now_micros)?;
        // Nothing can be undone in a copy.
        undo_records::drop_all(transaction)?;
        Ok(reach.items().count())
    })?;
    forgotten.map_err(|failure| match failure {
        Failure::Sqlite(error) => StorageError::from_sqlite(copy, error),
        // A copy that contradicts its own ids is damaged.
        Failure::Refused(_) => StorageError::Damaged { path: copy.to_path_buf() },
    })
}
