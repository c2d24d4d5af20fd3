//! The handle to all records.

use std::cell::RefCell;
use std::sync::Arc;

use parking_lot::{Mutex, RwLock};
use rusqlite::{Connection, Transaction};
use tokio::sync::{broadcast, watch};

use crate::error::{Failure, Outcome};
use crate::forgetting::request::ForgetRequest;
use crate::forgetting::undo_records::{RequestMark, Rows, keep_change};
use crate::graph::structure::{GraphAction, GraphChange, NodeId};
use crate::graph::warm_profile::WarmProfile;
use crate::item::ItemId;
use crate::search::indexed_text::indexed;
use crate::search::vectors::{self, QuantisedVectors};
use crate::search::words;
use storage::{Backup, DatabaseLocation, Store, in_transaction};
use vocabulary::Trouble;

use crate::MemoryError;

/// Graph changes that a listener may lag behind before it misses some and has to reload everything.
const MAX_LAG: usize = 256;

/// An open memory, and what happened while opening it.
pub struct OpenedMemory {
    /// The memory, ready for use.
    pub memory: Memory,
    /// Set when the file was damaged or lost: where the old file is, and what replaced it.
    pub trouble: Option<Trouble>,
}

/// All records. Clones share them. The methods are defined beside the records they are about.
#[derive(Clone)]
pub struct Memory {
    pub(crate) store: Store,
    pub(crate) shared: Arc<MemoryState>,
    /// The request that changes something, if one does.
    pub(crate) request: Option<Arc<RequestMark>>,
}

pub(crate) struct MemoryState {
    /// Quantised vectors, loaded when they are first needed.
    pub vectors: RwLock<Option<QuantisedVectors>>,
    /// The warm profile, until one of its branches changes.
    pub profile: Mutex<Option<WarmProfile>>,
    pub changes: broadcast::Sender<GraphChange>,
    /// Requests for copies that could not be reached.
    pub open_requests: Mutex<Vec<ForgetRequest>>,
}

impl Memory {
    /// Opens the memory, creates it if it is missing, and migrates it to the newest version. A damaged file moves into
    /// quarantine, and the newest sound backup replaces it. Blocking.
    pub fn open(location: impl Into<DatabaseLocation>) -> Result<OpenedMemory, MemoryError> {
        let storage::OpenedStore { store, trouble } = Store::open(location, words::index_older_messages)?;
        Ok(OpenedMemory { memory: Self::new(store), trouble })
    }

    fn new(store: Store) -> Self {
        Self { store, shared: Arc::new(MemoryState::new()), request: None }
    }

    /// The database file.
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// Receives every change of the graph from now on.
    pub fn graph_changes(&self) -> broadcast::Receiver<GraphChange> {
        self.shared.changes.subscribe()
    }

    /// The number of writes so far that changed a row.
    pub fn changes(&self) -> watch::Receiver<u64> {
        self.store.changes()
    }

    /// Runs `work` on a connection that only reads.
    pub(crate) async fn read<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T, MemoryError> {
        Ok(self.store.read(work).await?)
    }

    /// Runs `work` in a transaction and updates the caches.
    pub(crate) async fn change<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut WriteTransaction<'_>) -> Outcome<T> + Send + 'static,
    ) -> Result<T, MemoryError> {
        let (shared, request) = (Arc::clone(&self.shared), self.request.clone());
        let outcome = self
            .store
            .with_writer(move |connection| {
                let (done, changes, vector_changes) = in_transaction(connection, |transaction| {
                    let mut changing = WriteTransaction::new(transaction);
                    changing.journal = RefCell::new(request.as_ref().map(|_| Rows::default()));
                    let done = work(&mut changing)?;
                    if let (Some(request), Some(rows)) = (&request, changing.journal.take()) {
                        keep_change(transaction, request, &rows)?;
                    }
                    Ok::<_, Failure>((done, changing.changes, changing.vector_changes.into_inner()))
                })?;
                // Only committed changes reach the caches and listeners, and all of them do, even if the caller was dropped.
                shared.apply(vector_changes);
                shared.notify(changes);
                Ok(done)
            })
            .await?;
        outcome.map_err(|failure| MemoryError::from_failure(self.store.path(), failure))
    }

    /// Empties the log of the database, which still contains deleted rows.
    pub(crate) async fn scrub_log(&self) -> Result<(), MemoryError> {
        let truncate = |connection: &mut Connection| {
            // Active readers keep the log open; the next checkpoint empties it.
            connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
        };
        Ok(self.store.write(truncate).await?)
    }

    /// Makes a backup and removes surplus ones. Returns its path. When it fails, all older backups are still there.
    pub async fn back_up(&self, now_micros: i64) -> Result<std::path::PathBuf, MemoryError> {
        Ok(self.store.back_up(now_micros).await?)
    }

    /// The backups, newest first.
    pub fn backups(&self) -> Vec<Backup> {
        storage::backups(self.store.path())
    }
}

impl MemoryState {
    pub fn new() -> Self {
        let (changes, _) = broadcast::channel(MAX_LAG);
        Self {
            vectors: RwLock::default(),
            profile: Mutex::default(),
            changes,
            open_requests: Mutex::default(),
        }
    }

    fn apply(&self, changes: Vec<VectorChange>) {
        if changes.is_empty() {
            return;
        }
        let mut loaded = self.vectors.write();
        for change in changes {
            match (change, &mut *loaded) {
                (VectorChange::Drop, loaded) => *loaded = None,
                // Loaded when they are next needed, with this change: it is already committed.
                (_, None) => {}
                (VectorChange::Put { item, at, code }, Some(vectors)) => vectors.push(item, at, &code),
                (VectorChange::Remove { item }, Some(vectors)) => vectors.remove(item),
            }
        }
    }

    fn notify(&self, changes: Vec<GraphChange>) {
        if changes.iter().any(|change| change.touches_profile()) {
            *self.profile.lock() = None;
        }
        for change in changes {
            // Fails when there is no listener.
            let _ = self.changes.send(change);
        }
    }
}

/// A change of the quantised vector of an item.
enum VectorChange {
    Put {
        item: i64,
        at: i64,
        code: Vec<u8>,
    },
    Remove {
        item: i64,
    },
    /// All vectors were dropped.
    Drop,
}

/// A write transaction that also collects what changes in the caches.
pub(crate) struct WriteTransaction<'a> {
    transaction: &'a Transaction<'a>,
    changes: Vec<GraphChange>,
    vector_changes: RefCell<Vec<VectorChange>>,
    /// Rows as they were before; `None` if the change is not one of a request.
    journal: RefCell<Option<Rows>>,
}

impl<'a> WriteTransaction<'a> {
    pub fn new(transaction: &'a Transaction<'a>) -> Self {
        Self {
            transaction,
            changes: Vec::new(),
            vector_changes: RefCell::default(),
            journal: RefCell::default(),
        }
    }
}

impl std::ops::Deref for WriteTransaction<'_> {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        self.transaction
    }
}

impl WriteTransaction<'_> {
    /// Notifies the listeners after the commit.
    pub fn note(&mut self, change: GraphChange) {
        self.changes.push(change);
    }

    /// Notifies the listeners after the commit that any node may have changed.
    pub fn note_everything(&mut self) {
        let change = GraphChange { action: GraphAction::Updated, node: NodeId::ROOT, branch: None };
        self.note(change);
    }

    /// Saves a row before a request changes or deletes it.
    pub fn before_change(&self, table: &str, id: i64) -> rusqlite::Result<()> {
        match &mut *self.journal.borrow_mut() {
            Some(rows) => rows.save(self.transaction, table, "id", id),
            None => Ok(()),
        }
    }

    /// Notes a row that a request added. Returns its id.
    pub fn added(&self, table: &str, id: i64) -> i64 {
        if let Some(rows) = &mut *self.journal.borrow_mut() {
            rows.save_new(table, id);
        }
        id
    }

    /// Indexes a new or changed item; `before` is its indexed text so far.
    pub fn index(&self, item: ItemId, before: Option<&str>) -> rusqlite::Result<()> {
        self.unindex(item, before)?;
        match indexed(self, item)? {
            Some(now) => words::insert(self, item, &now.text),
            None => Ok(()),
        }
    }

    /// Removes an item from the index; `before` is its indexed text.
    pub fn unindex(&self, item: ItemId, before: Option<&str>) -> rusqlite::Result<()> {
        if let Some(before) = before {
            words::delete(self, item, before)?;
        }
        self.drop_vector(item)
    }

    /// Stores the vector of an item, replacing its old one.
    pub fn put_vector(&self, item: ItemId, at: i64, vector: &[f32], is_final: bool) -> rusqlite::Result<()> {
        self.drop_vector(item)?;
        vectors::put(self, item, at, vector, is_final)?;
        let code = vectors::quantise(vector);
        self.vector_changes.borrow_mut().push(VectorChange::Put { item: item.number(), at, code });
        Ok(())
    }

    /// Drops the vector of an item, so that it is embedded again.
    pub fn drop_vector(&self, item: ItemId) -> rusqlite::Result<()> {
        if vectors::delete(self, item)? {
            self.vector_changes.borrow_mut().push(VectorChange::Remove { item: item.number() });
        }
        Ok(())
    }

    /// Drops every vector.
    pub fn drop_all_vectors(&self) -> rusqlite::Result<()> {
        self.execute_batch(
            "DELETE FROM vectors; DELETE FROM codes; UPDATE messages SET is_embedded = 0 WHERE is_embedded <> 0;",
        )?;
        self.vector_changes.borrow_mut().push(VectorChange::Drop);
        Ok(())
    }
}
