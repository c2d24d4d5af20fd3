//! The database: one writer thread and a pool of readers.

use std::panic::AssertUnwindSafe;
use std::path::Path;
use std::sync::{Arc, mpsc};

use parking_lot::Mutex;
use rusqlite::{Connection, Transaction, TransactionBehavior};
use tokio::sync::{oneshot, watch};
use vocabulary::Trouble;

use crate::backup;
use crate::copies::{backup_folder, is_lost, quarantined_files};
use crate::encryption::header::Header;
use crate::encryption::leftover_keys;
use crate::error::StorageError;
use crate::files::{drop_unfinished, refuse_dangling_link};
use crate::key::Key;
use crate::location::DatabaseLocation;
use crate::schema;

pub(crate) mod connection;
mod opening; // checking the file, and replacing a damaged one

use connection::{open, read_through};
use opening::{
    OpenFailure, Replacement, make_folder_of, open_pooled_reader, open_writer, replace_damaged, restrict_all,
};
pub use opening::{Prepare, no_preparation};

/// Jobs waiting for the writer thread. When it is full, callers wait: nothing is dropped.
const WAITING_JOBS: usize = 64;

/// Connections kept open for reading.
const READERS: usize = 4;

type Job = Box<dyn FnOnce(&mut Connection) + Send>;

/// An open database. Clones share it; it closes when the last one is dropped or [`Store::close`] is called.
#[derive(Clone)]
pub struct Store {
    shared: Arc<StoreState>,
}

struct StoreState {
    location: DatabaseLocation,
    /// `None` for an unencrypted database.
    key: Option<Key>,
    jobs: Mutex<Option<mpsc::SyncSender<Job>>>,
    writer: Mutex<Option<std::thread::JoinHandle<()>>>,
    readers: Mutex<Vec<Connection>>,
    /// Number of jobs of the writer that changed rows.
    changes: watch::Sender<u64>,
}

/// An open database, and what happened while opening it.
pub struct OpenedStore {
    /// The database, ready for use.
    pub store: Store,
    /// Set when the file was damaged or lost: where the old file is, and what replaced it.
    pub trouble: Option<Trouble>,
}

impl Store {
    /// Opens the database, creates it if it is missing, and migrates it to the newest version. The newest sound backup, or an
    /// empty database, replaces a damaged file, which moves into quarantine and is never deleted. A backup also replaces a
    /// missing or empty file. An encrypted file without its key is left unchanged. Blocking.
    pub fn open(
        location: impl Into<DatabaseLocation>,
        prepare: Prepare,
    ) -> Result<OpenedStore, StorageError> {
        let location = location.into();
        let path = &location.path;
        make_folder_of(path)?;
        refuse_dangling_link(path)?;
        drop_unfinished(path, &backup_folder(path));
        leftover_keys::delete_unneeded(&location);
        restrict_all(path);
        let key = location.key()?;
        let opened = match is_lost(path) {
            true => Err(OpenFailure::Damaged),
            false => open_writer(path, key.as_ref(), prepare),
        };
        match opened {
            Ok(connection) => {
                Ok(OpenedStore { store: Self::start(connection, location, key)?, trouble: None })
            }
            Err(OpenFailure::Damaged) => {
                let Replacement { connection, key, trouble } = replace_damaged(&location, key, prepare)?;
                Ok(OpenedStore { store: Self::start(connection, location, key)?, trouble: Some(trouble) })
            }
            Err(failure) => Err(failure.into_error(path)),
        }
    }

    /// Opens a database that is neither missing nor damaged; else it is an error and the file stays where it is. Blocking.
    pub(crate) fn open_existing(
        location: impl Into<DatabaseLocation>,
        prepare: Prepare,
    ) -> Result<Self, StorageError> {
        let location = location.into();
        make_folder_of(&location.path)?;
        refuse_dangling_link(&location.path)?;
        let key = location.key()?;
        if is_lost(&location.path) {
            return Err(StorageError::Damaged { path: location.path });
        }
        let connection = open_writer(&location.path, key.as_ref(), prepare)
            .map_err(|failure| failure.into_error(&location.path))?;
        Self::start(connection, location, key)
    }

    fn start(
        connection: Connection,
        location: DatabaseLocation,
        key: Option<Key>,
    ) -> Result<Self, StorageError> {
        let (jobs, waiting) = mpsc::sync_channel::<Job>(WAITING_JOBS);
        let writer = std::thread::Builder::new()
            .name("memory-writer".into())
            .spawn(move || write_until_closed(connection, &waiting))
            .map_err(|source| StorageError::Folder { path: location.path.clone(), source })?;
        let shared = StoreState {
            location,
            key,
            jobs: Mutex::new(Some(jobs)),
            writer: Mutex::new(Some(writer)),
            readers: Mutex::new(Vec::new()),
            changes: watch::Sender::new(0),
        };
        Ok(Self { shared: Arc::new(shared) })
    }

    /// The place where the file is.
    pub fn path(&self) -> &Path {
        &self.shared.location.path
    }

    /// The place where the file is, and where its key is stored.
    pub fn location(&self) -> &DatabaseLocation {
        &self.shared.location
    }

    /// A number that grows with every write that changed a row. A write that changed none notifies nobody, so a subscriber
    /// that writes after each change comes to rest.
    pub fn changes(&self) -> watch::Receiver<u64> {
        self.shared.changes.subscribe()
    }

    /// Runs `work` on the connection of the writer, outside of any transaction. A panic in `work` fails only this call.
    /// Everything that `work` committed is on the disk when this returns.
    ///
    /// Dropping the future does not cancel the work.
    pub async fn with_writer<T: Send + 'static, E: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Connection) -> Result<T, E> + Send + 'static,
    ) -> Result<Result<T, E>, StorageError> {
        let (done, outcome) = oneshot::channel();
        let changes = self.shared.changes.clone();
        let job: Job = Box::new(move |connection| {
            let rows_before = connection.total_changes();
            // Dropping a transaction rolls it back, so a panic leaves no half-done change visible.
            let outcome = std::panic::catch_unwind(AssertUnwindSafe(|| work(&mut *connection)));
            if outcome.is_err()
                && !connection.is_autocommit()
                && let Err(error) = connection.execute_batch("ROLLBACK")
            {
                tracing::error!(%error, "could not roll back after a panic");
            }
            let is_written = matches!(outcome, Ok(Ok(_)));
            let rows = connection.total_changes() - rows_before;
            tracing::trace!(rows, is_written, "the writer did a job");
            if is_written && rows > 0 {
                changes.send_modify(|count| *count += 1);
            }
            // The caller may be gone; the write is done all the same.
            let _ = done.send(outcome.ok());
        });
        let jobs = self.shared.jobs.lock().clone().ok_or(StorageError::Closed)?;
        tokio::task::spawn_blocking(move || jobs.send(job))
            .await
            .ok()
            .and_then(Result::ok)
            .ok_or(StorageError::Closed)?;
        outcome.await.map_err(|_| StorageError::Closed)?.ok_or(StorageError::Panicked)
    }

    /// The same for work that only fails with errors of SQLite.
    pub async fn write<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T, StorageError> {
        self.with_writer(work).await?.map_err(|error| StorageError::from_sqlite(self.path(), error))
    }

    /// Runs `work` on a connection that only reads, off the async threads. All that it reads is of one moment.
    pub async fn read<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T, StorageError> {
        self.read_with(|shared| shared.readers.lock().pop(), work).await
    }

    async fn read_with<T: Send + 'static>(
        &self,
        idle: fn(&StoreState) -> Option<Connection>,
        work: impl FnOnce(&Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T, StorageError> {
        let shared = Arc::clone(&self.shared);
        let read = tokio::task::spawn_blocking(move || {
            let path = &shared.location.path;
            let failed = |error| StorageError::from_sqlite(path, error);
            let idle = idle(&shared);
            let connection = match idle {
                Some(connection) => connection,
                None => open_pooled_reader(path, shared.key.as_ref()).map_err(failed)?,
            };
            // One snapshot for all statements: each alone would lock the file and look for changes again.
            let outcome =
                connection.unchecked_transaction().and_then(|snapshot| work(&snapshot)).map_err(failed);
            let mut readers = shared.readers.lock();
            if readers.len() < READERS {
                readers.push(connection);
            }
            outcome
        });
        read.await.map_err(|_| StorageError::Panicked)?
    }

    /// The same on a connection of its own. A search table keeps what it read of its structure until it is searched again, so
    /// that a check of the whole file by an older connection finds parts that are gone.
    pub async fn read_anew<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T, StorageError> {
        self.read_with(|_| None, work).await
    }

    /// Makes a backup and removes surplus ones. Returns its path. When it fails, all older backups are still there.
    pub async fn back_up(&self, now_micros: i64) -> Result<std::path::PathBuf, StorageError> {
        let path = self.path().to_path_buf();
        let (database, key) = (path.clone(), self.shared.key.clone());
        let copy =
            move |connection: &mut Connection| backup::copy(connection, &database, key.as_ref(), now_micros);
        let made = self.write(copy).await?;
        backup::thin_out(&path);
        Ok(made)
    }

    /// Runs `work` in a transaction on a copy of this database: a backup, or a file in quarantine. The copy is migrated
    /// first. A file in quarantine is read completely before, because the parts that SQLite cannot read may contain forgotten items. Blocking.
    pub fn change_copy<T, E: From<rusqlite::Error>>(
        &self,
        copy: &Path,
        work: impl FnOnce(&Transaction<'_>) -> Result<T, E>,
    ) -> Result<Result<T, E>, StorageError> {
        let failed = |error| StorageError::from_sqlite(copy, error);
        let key = self.key_for(copy)?;
        let is_quarantined = quarantined_files(self.path()).iter().any(|file| file == copy);
        if is_quarantined && !read_through(copy, key.as_ref()).map_err(failed)? {
            return Err(StorageError::Damaged { path: copy.to_path_buf() });
        }
        let change = || -> Result<T, E> {
            let mut connection = open(copy, key.as_ref())?;
            connection.execute_batch(
                "PRAGMA journal_mode = DELETE; PRAGMA secure_delete = ON; PRAGMA foreign_keys = ON;",
            )?;
            schema::migrate(&mut connection)?;
            in_transaction(&mut connection, work)
        };
        Ok(change())
    }

    /// Checks that a copy could be changed now; the error says why not. Blocking.
    pub fn check_copy(&self, copy: &Path) -> Result<(), StorageError> {
        let key = self.key_for(copy)?;
        let version = open(copy, key.as_ref()).and_then(|connection| {
            connection.execute_batch("BEGIN IMMEDIATE; ROLLBACK;")?;
            schema::version(&connection)
        });
        match version.map_err(|error| StorageError::from_sqlite(copy, error))? {
            version if version > schema::NEWEST_VERSION => {
                Err(StorageError::Newer { path: copy.to_path_buf() })
            }
            _ => Ok(()),
        }
    }

    /// The key of a copy. The key of the open database is available even while the keychain is locked.
    fn key_for(&self, copy: &Path) -> Result<Option<Key>, StorageError> {
        match &self.shared.key {
            Some(key) if Header::from_file(copy).is_encrypted_with(key) => Ok(Some(key.clone())),
            _ => self.shared.location.key_of(copy),
        }
    }

    /// Limits the size of the file, as a full disk would. The limit is never below the present size.
    pub async fn limit_pages(&self, pages: u32) -> Result<(), StorageError> {
        let sql = format!("PRAGMA max_page_count = {}", pages.max(1));
        self.write(move |connection| connection.query_row(&sql, [], |_| Ok(()))).await
    }

    /// Finishes pending writes and closes the file. Blocking. Later calls fail with [`StorageError::Closed`].
    pub fn close(&self) {
        self.shared.jobs.lock().take();
        self.shared.readers.lock().clear();
        if let Some(writer) = self.shared.writer.lock().take()
            && writer.join().is_err()
        {
            tracing::error!("the writer thread of the memory panicked");
        }
    }
}

/// Checks a database without changing it, also while another process uses it. Returns the number of messages. Blocking.
pub fn check(location: impl Into<DatabaseLocation>) -> Result<i64, StorageError> {
    let location = location.into();
    let path = &location.path;
    let failed = |error| StorageError::from_sqlite(path, error);
    refuse_dangling_link(path)?;
    if is_lost(path) {
        return Err(StorageError::Damaged { path: path.clone() });
    }
    let connection = open_pooled_reader(path, location.key()?.as_ref()).map_err(failed)?;
    let healthy: String =
        connection.query_row("PRAGMA quick_check(1)", [], |row| row.get(0)).map_err(failed)?;
    if healthy != "ok" {
        return Err(StorageError::Damaged { path: path.clone() });
    }
    connection.query_row("SELECT count(*) FROM messages", [], |row| row.get(0)).map_err(failed)
}

fn write_until_closed(mut connection: Connection, waiting: &mpsc::Receiver<Job>) {
    while let Ok(job) = waiting.recv() {
        job(&mut connection);
    }
    // Leaves a single file behind, with no log beside it.
    if let Err(error) = connection.execute_batch("PRAGMA wal_checkpoint(TRUNCATE); PRAGMA optimize;") {
        tracing::warn!(%error, "could not merge the log of the memory on closing");
    }
}

/// Runs `work` in a transaction, which is rolled back when `work` fails.
pub fn in_transaction<T, E: From<rusqlite::Error>>(
    connection: &mut Connection,
    work: impl FnOnce(&Transaction<'_>) -> Result<T, E>,
) -> Result<T, E> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let value = work(&transaction)?;
    transaction.commit()?;
    Ok(value)
}

#[cfg(test)]
mod tests;
