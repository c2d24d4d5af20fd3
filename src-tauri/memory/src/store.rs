//! The database file: opening, mending, the one writer and the readers.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::time::Duration;

use rusqlite::{Connection, OpenFlags, Transaction, TransactionBehavior};
use tokio::sync::oneshot;
use vocabulary::{Stage, Trouble};

use crate::embeddings::{note, set_note};
use crate::error::{Failure, MemoryError, Outcome};
use crate::item::{ItemId, Kind};
use crate::key::{Header, Key, Place, unlock};
use crate::{backup, cipher, schema, words};

/// How long SQLite itself waits for another program to let go of the database.
const BUSY_TIMEOUT: Duration = Duration::from_secs(2);

/// Jobs waiting for the writer. Writers wait when it is full: nothing is dropped.
const WAITING_JOBS: usize = 64;

/// Connections kept open for reading.
const READERS: usize = 4;

/// Files up to this size are read through each time they are opened; larger ones after a crash.
///
/// Source: `cargo xtask bench memory`; 115 MB take 0.1 to 0.3 s, 1.15 GB took 2 to 5 s.
const CHECKED_BYTES: u64 = 128 << 20;

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
    /// The file was damaged: where it was put, and that memory begins anew.
    pub trouble: Option<Trouble>,
}

impl Store {
    /// Opens the database at `place`, makes it if there is none, and brings it to the newest form. A damaged file is
    /// set aside, never deleted, and a new one begun; an encrypted one without its key is left alone. Blocking.
    ///
    /// # Errors
    ///
    /// [`MemoryError`] when the file is in use, cannot be written, is newer than this program, or lacks its key.
    pub fn open(place: impl Into<Place>) -> Result<Opened, MemoryError> {
        let place = place.into();
        let path = &place.path;
        make_folder_of(path)?;
        cipher::drop_unfinished(path);
        let key = place.key()?;
        match open_writer(path, key.as_ref()) {
            Ok(connection) => {
                Ok(Opened { store: Self::of_connection(connection, place, key)?, trouble: None })
            }
            Err(Unusable::Damaged) => Self::begin_anew(place, key),
            Err(unusable) => Err(unusable.into_error(path)),
        }
    }

    /// Sets a damaged file aside, and goes on from the newest backup that is sound, or from nothing.
    fn begin_anew(place: Place, key: Option<Key>) -> Result<Opened, MemoryError> {
        let path = &place.path;
        let failed = |source| MemoryError::Folder { path: path.clone(), source };
        // Before anything is moved: a locked keychain would make every encrypted backup look worthless.
        let backup = backup::newest_sound(&place)?;
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
        let aside = set_aside(path, "damaged")?;
        if backup.is_some() {
            std::fs::rename(&growing, path).map_err(failed)?;
        }
        let connection = open_writer(path, key.as_ref()).map_err(|unusable| unusable.into_error(path))?;
        let kept = format!("The damaged file is kept at {}.", aside.display());
        let message = match backup {
            Some((backup, _)) => format!(
                "The memory file was damaged, so the backup of {} is in its place.",
                backup.made_at.strftime("%Y-%m-%d at %H:%M UTC")
            ),
            None => {
                let plain = if hides_which && key.is_none() { " The new one is not encrypted." } else { "" };
                format!("The memory file was damaged and there is no backup, so a new one was begun.{plain}")
            }
        };
        let trouble = Some(Trouble::new(Stage::Memory, message, kept));
        Ok(Opened { store: Self::of_connection(connection, place, key)?, trouble })
    }

    /// The same while others may be using the database: a damaged file is an error, and stays where it is. Blocking.
    ///
    /// # Errors
    ///
    /// [`MemoryError`] when the file is damaged, in use, cannot be written, is newer than this program, or lacks its key.
    pub fn open_beside_others(place: impl Into<Place>) -> Result<Self, MemoryError> {
        let place = place.into();
        make_folder_of(&place.path)?;
        let key = place.key()?;
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

    /// Runs `work` on the writer's connection, outside of any transaction. What it committed is on disk when this returns.
    ///
    /// Not cancel-safe in the sense that a drop does not take the write back.
    pub(crate) async fn with_writer<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Connection) -> Outcome<T> + Send + 'static,
    ) -> Result<T, MemoryError> {
        let (done, outcome) = oneshot::channel();
        let job: Job = Box::new(move |connection| {
            // A caller that went away still gets its write done.
            let _ = done.send(work(connection));
        });
        let jobs = lock(&self.shared.jobs).clone().ok_or(MemoryError::Closed)?;
        tokio::task::spawn_blocking(move || jobs.send(job))
            .await
            .ok()
            .and_then(Result::ok)
            .ok_or(MemoryError::Closed)?;
        let written = outcome.await.map_err(|_| MemoryError::Closed)?;
        written.map_err(|error| MemoryError::of(self.path(), error))
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
        read.await.map_err(|_| MemoryError::Closed)?
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

    /// A number that changes when another process has changed the file.
    pub(crate) async fn version(&self) -> Result<i64, MemoryError> {
        self.with_writer(|connection| Ok(connection.query_row("PRAGMA data_version", [], |row| row.get(0))?))
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

fn make_folder_of(path: &Path) -> Result<(), MemoryError> {
    let Some(folder) = path.parent() else { return Ok(()) };
    std::fs::create_dir_all(folder)
        .map_err(|source| MemoryError::Folder { path: folder.to_path_buf(), source })
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

enum Unusable {
    Damaged,
    Newer,
    Sqlite(rusqlite::Error),
}

impl Unusable {
    fn into_error(self, path: &Path) -> MemoryError {
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

fn open_writer(path: &Path, key: Option<&Key>) -> Result<Connection, Unusable> {
    let needs_check = needs_check(path);
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

fn open_reader(path: &Path, key: Option<&Key>) -> rusqlite::Result<Connection> {
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

    #[test]
    fn a_large_file_is_read_through_only_when_it_was_not_closed_in_good_order() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("jarvis.db");
        std::fs::File::create(&path).unwrap().set_len(CHECKED_BYTES + 1).unwrap();

        assert!(!needs_check(&path));
        std::fs::write(folder.path().join("jarvis.db-wal"), "").unwrap();
        assert!(needs_check(&path));
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
    async fn a_file_of_a_newer_version_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("jarvis.db");
        Connection::open(&path).unwrap().execute_batch("PRAGMA user_version = 999").unwrap();

        assert!(matches!(Store::open(&path), Err(MemoryError::Newer { .. })));
    }
}
