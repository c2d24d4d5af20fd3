//! The database file: opening, mending, the one writer and the readers.

use std::panic::AssertUnwindSafe;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::time::Duration;

use rusqlite::{Connection, Transaction, TransactionBehavior};
use tokio::sync::oneshot;
use vocabulary::Trouble;

use crate::cipher;
use crate::error::{Failure, MemoryError, Outcome};
use crate::key::{Key, Place};

mod opening; // checking it, and what takes the place of a damaged one

use opening::{Anew, Unusable, begin_anew, is_lost, keep_private, make_folder_of, open_reader, open_writer};
pub(crate) use opening::{follow_link, set_aside};

/// How long SQLite itself waits for another program to let go of the database.
const BUSY_TIMEOUT: Duration = Duration::from_secs(2);

/// Jobs waiting for the writer. Writers wait when it is full: nothing is dropped.
const WAITING_JOBS: usize = 64;

/// Connections kept open for reading.
const READERS: usize = 4;

type Job = Box<dyn FnOnce(&mut Connection) + Send>;

/// The database. Clones share it; it closes when the last one goes or [`Store::close`] is called.
#[derive(Clone)]
pub struct Store {
    shared: Arc<Shared>,
}

struct Shared {
    place: Place,
    /// What the file is opened with; `None` for a plain one.
    key: Option<Key>,
    jobs: Mutex<Option<mpsc::SyncSender<Job>>>,
    writer: Mutex<Option<std::thread::JoinHandle<()>>>,
    readers: Mutex<Vec<Connection>>,
}

/// A store, and what had to be done to open it.
pub struct Opened {
    /// The store, ready for use.
    pub store: Store,
    /// The file was damaged or lost: where it was put, and what is in its place.
    pub trouble: Option<Trouble>,
}

impl Store {
    /// Opens the database at `place`, makes it if there is none, and brings it to the newest form. A damaged file is
    /// set aside, never deleted, for the newest backup or a new one; where there is none, or an empty one, though there are
    /// backups, the newest takes its place. An encrypted one without its key is left alone. Blocking.
    ///
    /// # Errors
    ///
    /// [`MemoryError`] when the file is in use, cannot be written, is newer than this program, or lacks its key.
    pub fn open(place: impl Into<Place>) -> Result<Opened, MemoryError> {
        let place = place.into();
        let path = &place.path;
        make_folder_of(path)?;
        follow_link(path)?;
        cipher::drop_unfinished(path);
        cipher::spare::forget(&place);
        keep_private(path);
        let key = place.key()?;
        let opened = if is_lost(path) { Err(Unusable::Damaged) } else { open_writer(path, key.as_ref()) };
        match opened {
            Ok(connection) => {
                Ok(Opened { store: Self::of_connection(connection, place, key)?, trouble: None })
            }
            Err(Unusable::Damaged) => {
                let Anew { connection, key, trouble } = begin_anew(&place, key)?;
                Ok(Opened { store: Self::of_connection(connection, place, key)?, trouble: Some(trouble) })
            }
            Err(unusable) => Err(unusable.into_error(path)),
        }
    }

    /// Opens a sound database; a damaged file is an error, and stays where it is. Blocking.
    pub(crate) fn open_undamaged(place: Place) -> Result<Self, MemoryError> {
        make_folder_of(&place.path)?;
        follow_link(&place.path)?;
        let key = place.key()?;
        if is_lost(&place.path) {
            return Err(MemoryError::Damaged { path: place.path });
        }
        let connection =
            open_writer(&place.path, key.as_ref()).map_err(|unusable| unusable.into_error(&place.path))?;
        Self::of_connection(connection, place, key)
    }

    fn of_connection(connection: Connection, place: Place, key: Option<Key>) -> Result<Self, MemoryError> {
        let (jobs, waiting) = mpsc::sync_channel::<Job>(WAITING_JOBS);
        let writer = std::thread::Builder::new()
            .name("memory-writer".into())
            .spawn(move || write_until_closed(connection, &waiting))
            .map_err(|source| MemoryError::Folder { path: place.path.clone(), source })?;
        let shared = Shared {
            place,
            key,
            jobs: Mutex::new(Some(jobs)),
            writer: Mutex::new(Some(writer)),
            readers: Mutex::new(Vec::new()),
        };
        Ok(Self { shared: Arc::new(shared) })
    }

    /// Where the file is.
    pub fn path(&self) -> &Path {
        &self.shared.place.path
    }

    /// Where it is, and who keeps its key.
    pub fn place(&self) -> &Place {
        &self.shared.place
    }

    /// What it is opened with; `None` for a plain one.
    pub(crate) fn key(&self) -> Option<&Key> {
        self.shared.key.as_ref()
    }

    /// Runs `work` on the writer's connection, outside of any transaction; a panic is an error of this work alone. What it committed is on disk when this returns.
    ///
    /// Not cancel-safe in the sense that a drop does not take the write back.
    pub(crate) async fn with_writer<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Connection) -> Outcome<T> + Send + 'static,
    ) -> Result<T, MemoryError> {
        let (done, outcome) = oneshot::channel();
        let job: Job = Box::new(move |connection| {
            // The transaction under way is taken back as it is dropped, so nothing half done is left to be seen.
            let outcome = std::panic::catch_unwind(AssertUnwindSafe(|| work(&mut *connection)));
            if outcome.is_err()
                && !connection.is_autocommit()
                && let Err(error) = connection.execute_batch("ROLLBACK")
            {
                tracing::error!(%error, "what a panic left half done could not be taken back");
            }
            // A caller that went away still gets its write done.
            let _ = done.send(outcome.ok());
        });
        let jobs = lock(&self.shared.jobs).clone().ok_or(MemoryError::Closed)?;
        tokio::task::spawn_blocking(move || jobs.send(job))
            .await
            .ok()
            .and_then(Result::ok)
            .ok_or(MemoryError::Closed)?;
        let written = outcome.await.map_err(|_| MemoryError::Closed)?;
        written.ok_or(MemoryError::Panicked)?.map_err(|error| MemoryError::of(self.path(), error))
    }

    /// Runs `work` on a reading connection, off the async threads.
    ///
    /// # Errors
    ///
    /// [`MemoryError`].
    pub(crate) async fn read<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T, MemoryError> {
        let shared = Arc::clone(&self.shared);
        let read = tokio::task::spawn_blocking(move || {
            let path = &shared.place.path;
            let idle = lock(&shared.readers).pop();
            let connection = match idle {
                Some(connection) => connection,
                None => {
                    open_reader(path, shared.key.as_ref()).map_err(|error| MemoryError::of(path, error))?
                }
            };
            let outcome = work(&connection).map_err(|error| MemoryError::of(path, error));
            let mut readers = lock(&shared.readers);
            if readers.len() < READERS {
                readers.push(connection);
            }
            outcome
        });
        read.await.map_err(|_| MemoryError::Panicked)?
    }

    /// Lets the file grow to so many pages and no further, as a full disk would; never below what it has.
    ///
    /// # Errors
    ///
    /// [`MemoryError`] when the database is closed.
    pub async fn limit_pages(&self, pages: u32) -> Result<(), MemoryError> {
        self.with_writer(move |connection| {
            let sql = format!("PRAGMA max_page_count = {}", pages.max(1));
            Ok(connection.query_row(&sql, [], |_| Ok(()))?)
        })
        .await
    }

    /// Finishes what is being written and closes the file. Blocking. Later calls say [`MemoryError::Closed`].
    pub fn close(&self) {
        lock(&self.shared.jobs).take();
        lock(&self.shared.readers).clear();
        if let Some(writer) = lock(&self.shared.writer).take()
            && writer.join().is_err()
        {
            tracing::error!("the memory writer did not end cleanly");
        }
    }
}

/// Checks the database at `place` without changing it, also while another process uses it; says how many messages it
/// holds. Blocking.
///
/// # Errors
///
/// [`MemoryError`] that says what is wrong.
pub fn check(place: impl Into<Place>) -> Result<i64, MemoryError> {
    let place = place.into();
    let path = &place.path;
    let sorted = |error| MemoryError::of(path, error);
    follow_link(path)?;
    if is_lost(path) {
        return Err(MemoryError::Damaged { path: path.clone() });
    }
    let connection = open_reader(path, place.key()?.as_ref()).map_err(sorted)?;
    let healthy: String =
        connection.query_row("PRAGMA quick_check(1)", [], |row| row.get(0)).map_err(sorted)?;
    if healthy != "ok" {
        return Err(MemoryError::Damaged { path: path.to_path_buf() });
    }
    connection.query_row("SELECT count(*) FROM messages", [], |row| row.get(0)).map_err(sorted)
}

/// A panic elsewhere leaves plain values behind: they stay usable.
fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn write_until_closed(mut connection: Connection, waiting: &mpsc::Receiver<Job>) {
    while let Ok(job) = waiting.recv() {
        job(&mut connection);
    }
    // Leaves one plain file behind, with no log beside it.
    if let Err(error) = connection.execute_batch("PRAGMA wal_checkpoint(TRUNCATE); PRAGMA optimize;") {
        tracing::warn!(%error, "the memory could not be tidied up on closing");
    }
}

pub(crate) fn in_transaction<T, E: Into<Failure>>(
    connection: &mut Connection,
    work: impl FnOnce(&Transaction<'_>) -> Result<T, E>,
) -> Outcome<T> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let value = work(&transaction).map_err(Into::into)?;
    transaction.commit()?;
    Ok(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(store: &Store) -> impl Future<Output = Result<i64, MemoryError>> {
        store.read(|c| c.query_row("SELECT count(*) FROM messages", [], |row| row.get(0)))
    }

    async fn insert(store: &Store, at: i64) -> Result<(), MemoryError> {
        store
            .with_writer(move |connection| {
                let sql = "INSERT INTO messages (conversation, said_at, speaker, text) VALUES ('main', ?1, 'user', 'hi')";
                in_transaction(connection, |transaction| transaction.execute(sql, [at]).map(|_| ()))
            })
            .await
    }

    #[tokio::test]
    async fn what_was_written_is_there_after_opening_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("deep/jarvis.db");

        let first = Store::open(&path).unwrap().store;
        insert(&first, 1).await.unwrap();
        first.close();
        let second = Store::open(&path).unwrap().store;

        assert_eq!(count(&second).await.unwrap(), 1);
        assert!(matches!(insert(&first, 2).await, Err(MemoryError::Closed)));
    }

    #[tokio::test]
    async fn a_damaged_file_is_set_aside_and_a_new_one_begun() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("jarvis.db");
        std::fs::write(&path, "this is no database, and long enough to be looked at twice".repeat(100))
            .unwrap();

        let opened = Store::open(&path).unwrap();

        assert!(opened.trouble.unwrap().message.contains("damaged"));
        assert_eq!(count(&opened.store).await.unwrap(), 0);
        let kept = std::fs::read_dir(folder.path()).unwrap().filter_map(Result::ok);
        assert!(kept.into_iter().any(|entry| entry.file_name().to_string_lossy().contains(".damaged-")));
    }

    #[tokio::test]
    async fn a_locked_database_says_so_and_works_once_it_is_free() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("jarvis.db");
        let store = Store::open(&path).unwrap().store;
        let other = Connection::open(&path).unwrap();
        other.execute_batch("BEGIN IMMEDIATE").unwrap();

        let refused = insert(&store, 1).await.unwrap_err();
        other.execute_batch("COMMIT").unwrap();

        assert!(matches!(refused, MemoryError::Locked { .. }) && refused.is_transient());
        insert(&store, 1).await.unwrap();
    }

    #[tokio::test]
    async fn a_panic_is_taken_back_and_the_next_write_is_done() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(&folder.path().join("jarvis.db")).unwrap().store;
        let half_done =
            "INSERT INTO messages (conversation, said_at, speaker, text) VALUES ('main', 1, 'user', 'half')";

        let within = store
            .with_writer(move |connection| {
                in_transaction(connection, |transaction| -> rusqlite::Result<()> {
                    transaction.execute(half_done, [])?;
                    panic!("within a transaction")
                })
            })
            .await;
        let by_hand = store
            .with_writer(move |connection| -> Outcome<()> {
                connection.execute_batch("BEGIN")?;
                connection.execute(half_done, [])?;
                panic!("with a transaction that nobody drops")
            })
            .await;
        let reading = store.read(|_| -> rusqlite::Result<()> { panic!("while reading") }).await;
        insert(&store, 2).await.unwrap();

        for outcome in [within, by_hand, reading] {
            assert!(matches!(outcome, Err(MemoryError::Panicked)), "{outcome:?}");
        }
        assert_eq!(count(&store).await.unwrap(), 1);
    }

    #[tokio::test]
    async fn a_file_of_a_newer_version_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("jarvis.db");
        Connection::open(&path).unwrap().execute_batch("PRAGMA user_version = 999").unwrap();

        assert!(matches!(Store::open(&path), Err(MemoryError::Newer { .. })));
    }
}
