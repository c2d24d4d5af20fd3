//! Forgetting in the copies: backups, and files in quarantine.

use std::path::Path;

use rusqlite::Connection;
use storage::notes::{COPIES_HAVE_TO_FORGET, COPIES_OUT_OF_REACH, delete_note, note, set_note};
use storage::{StorageError, Store, backup_folder, copies, drop_unfinished_backups, remove_with_logs};

use super::deletion::delete_scope;
use super::request::{CopyOutcome, CopyReport, Forget, ForgetOutcome, ForgetRequest};
use super::scope::scope_in_copy;
use super::undo_records;
use crate::MemoryError;
use crate::error::Failure;
use crate::memory::{Memory, WriteTransaction};

impl Memory {
    /// Forgets in the copies. Returns those that changed, were deleted, or could not be reached;
    /// [`Memory::finish_scrubbing`] tries the latter again.
    pub(crate) async fn forget_in_copies(
        &self,
        what: Forget,
        forgotten: &ForgetOutcome,
        now_micros: i64,
    ) -> Result<Vec<CopyReport>, MemoryError> {
        let path = self.store.path().to_path_buf();
        // On the writer thread, which is not making a backup then.
        self.store
            .write(move |_| {
                drop_unfinished_backups(&path, &backup_folder(&path));
                Ok(())
            })
            .await?;
        let all = copies(self.store.path());
        let request = ForgetRequest { what, forgotten: forgotten.clone(), copies: all };
        let (copied, left) = self.try_to_forget(request, now_micros).await?;
        let names = left.copies.iter().filter_map(|copy| name_of(copy)).collect::<Vec<_>>();
        self.change(move |changing| {
            let mut out_of_reach = out_of_reach(changing)?;
            out_of_reach.extend(names);
            note_out_of_reach(changing, &out_of_reach)?;
            Ok(delete_note(changing, COPIES_HAVE_TO_FORGET)?)
        })
        .await?;
        if !left.copies.is_empty() {
            self.shared.open_requests.lock().push(left);
        }
        Ok(copied)
    }

    /// Forgets in the copies of a request. Also returns the request for those that could not be reached.
    async fn try_to_forget(
        &self,
        request: ForgetRequest,
        now_micros: i64,
    ) -> Result<(Vec<CopyReport>, ForgetRequest), MemoryError> {
        let store = self.store.clone();
        let forgetting = tokio::task::spawn_blocking(move || {
            let (mut copied, mut left) = (Vec::new(), Vec::new());
            for path in &request.copies {
                let outcome = match forget_in(&store, path, &request, now_micros) {
                    Ok(0) => continue,
                    Ok(things) => CopyOutcome::Forgot(things),
                    Err(failure) if is_out_of_reach(&failure) => {
                        tracing::warn!(?failure, "a copy cannot be reached; forgetting there is tried again");
                        left.push(path.clone());
                        CopyOutcome::OutOfReach { lacks_key: lacks_key(&failure) }
                    }
                    Err(failure) => {
                        tracing::warn!(?failure, "could not forget in a copy, so it is deleted");
                        match remove_with_logs(path) {
                            Ok(()) => CopyOutcome::Deleted,
                            Err(failure) => {
                                tracing::warn!(?failure, "could not delete a copy; it is tried again");
                                left.push(path.clone());
                                CopyOutcome::OutOfReach { lacks_key: false }
                            }
                        }
                    }
                };
                copied.push(CopyReport { path: path.clone(), outcome });
            }
            (copied, ForgetRequest { copies: left, ..request })
        });
        Ok(forgetting.await.map_err(|_| StorageError::Closed)?)
    }

    /// Forgets in the copies that could not be reached before, if this process still has the request. Deletes copies whose
    /// request is lost, because the process that had it ended. Copies that still cannot be reached are tried again.
    pub(crate) async fn finish_scrubbing(&self, now_micros: i64) -> Result<(), MemoryError> {
        let (noted, mut out_of_reach) = self
            .store
            .read(|connection| Ok((note(connection, COPIES_HAVE_TO_FORGET)?, out_of_reach(connection)?)))
            .await?;
        let since: Option<i64> = noted.and_then(|since| since.parse().ok());
        // Another process may be doing it now.
        let is_over = since.is_some_and(|since| !(0..SCRUBBING_TAKES_MICROS).contains(&(now_micros - since)));
        if !is_over && out_of_reach.is_empty() {
            return Ok(());
        }
        let known = self.retry_open_requests(&mut out_of_reach, now_micros).await;
        let path = self.store.path().to_path_buf();
        let store = self.store.clone();
        let deleting = tokio::task::spawn_blocking(move || {
            delete_copies(&store, &path, |name| is_over || out_of_reach.contains(name))
        });
        let mut noted = deleting.await.map_err(|_| StorageError::Closed)?;
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

    /// Forgets in the copies of the open requests, and takes these copies out of `out_of_reach`. Returns the names of the
    /// copies that still cannot be reached.
    async fn retry_open_requests(&self, out_of_reach: &mut Vec<String>, now_micros: i64) -> Vec<String> {
        let requests = std::mem::take(&mut *self.shared.open_requests.lock());
        let mut left = Vec::new();
        let mut known: Vec<String> = Vec::new();
        for mut request in requests {
            request.copies.retain(|copy| copy.exists());
            for name in request.copies.iter().filter_map(|copy| name_of(copy)) {
                // There is one line per request for a copy.
                if let Some(place) = out_of_reach.iter().position(|noted| *noted == name) {
                    out_of_reach.remove(place);
                }
            }
            // A failed request must not lose the others.
            let still = match self.try_to_forget(request.clone(), now_micros).await {
                Ok((_, still)) => still,
                Err(error) => {
                    tracing::warn!(%error, "could not forget in the copies; it is tried again later");
                    request
                }
            };
            known.extend(still.copies.iter().filter_map(|copy| name_of(copy)));
            left.push(still);
        }
        left.retain(|request| !request.copies.is_empty());
        self.shared.open_requests.lock().extend(left);
        known
    }
}

/// Deletes the copies of the database at `path` that may contain forgotten items. Returns the names of those
/// that stay.
fn delete_copies(store: &Store, path: &Path, may_contain: impl Fn(&String) -> bool) -> Vec<String> {
    let mut stay = Vec::new();
    for copy in copies(path) {
        let Some(name) = name_of(&copy).filter(&may_contain) else { continue };
        match store.check_copy(&copy) {
            Err(failure) if is_out_of_reach(&failure) => {
                tracing::warn!(?failure, "a copy that may contain forgotten items cannot be reached");
                stay.push(name);
            }
            _ => {
                tracing::warn!("a copy may contain forgotten items, so it is deleted");
                if let Err(failure) = remove_with_logs(&copy) {
                    tracing::warn!(?failure, "could not delete a copy; it is tried again");
                    stay.push(name);
                }
            }
        }
    }
    stay
}

/// Returns `true` if the failure is no fault of the file, so that the file must not be removed.
fn is_out_of_reach(failure: &StorageError) -> bool {
    lacks_key(failure) || failure.is_transient() || matches!(failure, StorageError::Newer { .. })
}

fn lacks_key(failure: &StorageError) -> bool {
    failure.is_about_the_key() || matches!(failure, StorageError::NoEncryption { .. })
}

/// Longest time that forgetting in the copies takes, in microseconds: ten minutes.
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
        let scope = scope_in_copy(transaction, &request.what, &request.forgotten, now_micros)?;
        delete_scope(&mut WriteTransaction::new(transaction), &scope, now_micros)?;
        // Nothing can be undone in a copy.
        undo_records::drop_all(transaction)?;
        Ok(scope.items().count())
    })?;
    forgotten.map_err(|failure| match failure {
        Failure::Sqlite(error) => StorageError::from_sqlite(copy, error),
        // A copy that contradicts its own ids is damaged.
        Failure::Refused(_) => StorageError::Damaged { path: copy.to_path_buf() },
    })
}
