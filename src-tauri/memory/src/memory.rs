//! The handle to all that is remembered.

use std::cell::RefCell;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use rusqlite::{Connection, Transaction};
use tokio::sync::{broadcast, watch};

use crate::error::Outcome;
use crate::forgetting::request::ForgetRequest;
use crate::graph::structure::{GraphAction, GraphChange, NodeId};
use crate::graph::warm_profile::WarmProfile;
use crate::item::ItemId;
use crate::search::indexed_text::indexed;
use crate::search::vectors::{self, QuantisedVectors};
use crate::search::words;
use storage::{Backup, DatabaseLocation, Store, in_transaction};
use vocabulary::Trouble;

use crate::MemoryError;

/// Changes of the graph that a listener may fall behind by before it misses some, and has to read all anew.
const CHANGES: usize = 256;

/// An open memory, and what happened while opening it.
pub struct Opened {
    /// The memory, ready for use.
    pub memory: Memory,
    /// Set when the file was damaged or lost: where the old file is, and what replaced it.
    pub trouble: Option<Trouble>,
}

/// All that is remembered. Clones share it. Its methods stand with what they are about: recall, diary, graph, facts,
/// forgetting, upkeep, and so on.
#[derive(Clone)]
pub struct Memory {
    pub(crate) store: Store,
    pub(crate) shared: Arc<Shared>,
}

pub(crate) struct Shared {
    /// Codes of the vectors, read when they are first needed.
    pub codes: RwLock<Option<QuantisedVectors>>,
    /// The warm profile, until a branch that it shows changes.
    pub profile: Mutex<Option<WarmProfile>>,
    pub changes: broadcast::Sender<GraphChange>,
    /// What copies still have to forget that could not be reached.
    pub unfulfilled: Mutex<Vec<ForgetRequest>>,
    /// Counts what was changed.
    pub count: watch::Sender<u64>,
}

impl Memory {
    /// Opens the memory, creates it if it is missing, and migrates it to the newest version. A damaged file moves into
    /// quarantine, and the newest sound backup replaces it. Blocking.
    pub fn open(location: impl Into<DatabaseLocation>) -> Result<Opened, MemoryError> {
        let storage::Opened { store, trouble } = Store::open(location, words::index_older_messages)?;
        Ok(Opened { memory: Self::new(store), trouble })
    }

    /// Opens a memory that other processes may be using. A damaged file is an error and stays where it is. Blocking.
    pub fn open_existing(location: impl Into<DatabaseLocation>) -> Result<Self, MemoryError> {
        Ok(Self::new(Store::open_existing(location, words::index_older_messages)?))
    }

    fn new(store: Store) -> Self {
        Self { store, shared: Arc::new(Shared::new()) }
    }

    /// The database file.
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// Tells of every change of the graph from now on.
    pub fn graph_changes(&self) -> broadcast::Receiver<GraphChange> {
        self.shared.changes.subscribe()
    }

    /// A number that grows with every change of anything.
    pub fn changes(&self) -> watch::Receiver<u64> {
        self.shared.count.subscribe()
    }

    /// Drops what is held at hand, because another process changed the file.
    pub fn refresh(&self) {
        *self.shared.codes.write().unwrap_or_else(PoisonError::into_inner) = None;
        *self.shared.profile.lock().unwrap_or_else(PoisonError::into_inner) = None;
        self.shared.count.send_modify(|count| *count += 1);
    }

    /// Runs `work` on a connection that only reads.
    pub(crate) async fn read<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T, MemoryError> {
        Ok(self.store.read(work).await?)
    }

    /// One transaction, with what is held at hand kept in step.
    pub(crate) async fn change<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Changing<'_>) -> Outcome<T> + Send + 'static,
    ) -> Result<T, MemoryError> {
        let shared = Arc::clone(&self.shared);
        let outcome = self
            .store
            .with_writer(move |connection| {
                let (done, changes, codes) = in_transaction(connection, |transaction| {
                    let mut changing = Changing::new(transaction);
                    work(&mut changing).map(|done| (done, changing.changes, changing.codes.into_inner()))
                })?;
                // Only what is on disk is noted and told, and all of it is, whoever still waits for it.
                shared.apply(codes);
                shared.tell(changes);
                Ok(done)
            })
            .await?;
        outcome.map_err(|failure| MemoryError::from_failure(self.store.path(), failure))
    }

    /// Empties the log of the database, which still holds deleted rows.
    pub(crate) async fn scrub_log(&self) -> Result<(), MemoryError> {
        let truncate = |connection: &mut Connection| {
            // Active readers keep the log for now: the next checkpoint empties it.
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

impl Shared {
    pub fn new() -> Self {
        let (changes, _) = broadcast::channel(CHANGES);
        Self {
            codes: RwLock::default(),
            profile: Mutex::default(),
            changes,
            unfulfilled: Mutex::default(),
            count: watch::Sender::new(0),
        }
    }

    fn apply(&self, changes: Vec<CodeChange>) {
        if changes.is_empty() {
            return;
        }
        let mut held = self.codes.write().unwrap_or_else(PoisonError::into_inner);
        for change in changes {
            match (change, &mut *held) {
                (CodeChange::Drop, held) => *held = None,
                // Read when they are next needed, with this change. They may be read with it already: it was on the disk
                // before it is noted here.
                (_, None) => {}
                (CodeChange::Put { item, at, code }, Some(codes)) => codes.push(item, at, &code),
                (CodeChange::Remove { item }, Some(codes)) => codes.remove(item),
            }
        }
    }

    fn tell(&self, changes: Vec<GraphChange>) {
        self.count.send_modify(|count| *count += 1);
        if changes.iter().any(|change| change.touches_profile()) {
            *self.profile.lock().unwrap_or_else(PoisonError::into_inner) = None;
        }
        for change in changes {
            // Without a listener there is nobody to tell.
            let _ = self.changes.send(change);
        }
    }
}

/// What became of the code of an item.
enum CodeChange {
    Put {
        item: i64,
        at: i64,
        code: Vec<u8>,
    },
    Remove {
        item: i64,
    },
    /// All of them are gone.
    Drop,
}

/// A transaction under way.
pub(crate) struct Changing<'a> {
    transaction: &'a Transaction<'a>,
    changes: Vec<GraphChange>,
    codes: RefCell<Vec<CodeChange>>,
}

impl<'a> Changing<'a> {
    pub fn new(transaction: &'a Transaction<'a>) -> Self {
        Self { transaction, changes: Vec::new(), codes: RefCell::default() }
    }
}

impl std::ops::Deref for Changing<'_> {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        self.transaction
    }
}

impl Changing<'_> {
    /// The listeners are told of it when the transaction is through.
    pub fn note(&mut self, change: GraphChange) {
        self.changes.push(change);
    }

    /// The listeners are told that anything may have changed.
    pub fn note_everything(&mut self) {
        let change = GraphChange { action: GraphAction::Updated, node: NodeId::ROOT, branch: None };
        self.note(change);
    }

    /// Makes a new or changed item findable; `before` is what was noted of it, if anything was.
    pub fn index(&self, item: ItemId, before: Option<&str>) -> rusqlite::Result<()> {
        self.unindex(item, before)?;
        match indexed(self, item)? {
            Some(now) => words::insert(self, item, &now.text),
            None => Ok(()),
        }
    }

    /// Makes an item unfindable; `before` is what was noted of it.
    pub fn unindex(&self, item: ItemId, before: Option<&str>) -> rusqlite::Result<()> {
        if let Some(before) = before {
            words::delete(self, item, before)?;
        }
        self.drop_vector(item)
    }

    /// Keeps what an item means, in place of what was kept before.
    pub fn put_vector(&self, item: ItemId, at: i64, vector: &[f32], is_final: bool) -> rusqlite::Result<()> {
        self.drop_vector(item)?;
        vectors::put(self, item, at, vector, is_final)?;
        let code = vectors::code(vector);
        self.codes.borrow_mut().push(CodeChange::Put { item: item.number(), at, code });
        Ok(())
    }

    /// Drops what an item means, so that it is found out anew.
    pub fn drop_vector(&self, item: ItemId) -> rusqlite::Result<()> {
        if vectors::delete(self, item)? {
            self.codes.borrow_mut().push(CodeChange::Remove { item: item.number() });
        }
        Ok(())
    }

    /// Drops every vector.
    pub fn drop_all_vectors(&self) -> rusqlite::Result<()> {
        self.execute_batch(
            "DELETE FROM vectors; DELETE FROM codes; UPDATE messages SET is_embedded = 0 WHERE is_embedded <> 0;",
        )?;
        self.codes.borrow_mut().push(CodeChange::Drop);
        Ok(())
    }
}
