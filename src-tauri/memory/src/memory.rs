//! The handle to all that is remembered.

use std::cell::RefCell;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use rusqlite::{Connection, Transaction};
use tokio::sync::{broadcast, watch};

use crate::error::Outcome;
use crate::item::ItemId;
use crate::node::{GraphAction, GraphChange, NodeId};
use crate::profile::WarmProfile;
use crate::remembered::indexed;
use crate::store::in_transaction;
use crate::vectors::{self, QuantisedVectors};
use crate::words;
use crate::{MemoryError, Store};

/// Changes of the graph that a listener may fall behind by before it misses some, and has to read all anew.
const CHANGES: usize = 256;

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
    pub unfulfilled: Mutex<Vec<crate::forget::copies::ForgetRequest>>,
    /// Counts what was changed.
    pub count: watch::Sender<u64>,
}

impl Memory {
    /// The memory kept in this store.
    pub fn new(store: Store) -> Self {
        Self { store, shared: Arc::new(Shared::new()) }
    }

    /// The file it is kept in.
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

    /// One transaction, with what is held at hand kept in step.
    pub(crate) async fn change<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Changing<'_>) -> Outcome<T> + Send + 'static,
    ) -> Result<T, MemoryError> {
        let shared = Arc::clone(&self.shared);
        self.store
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
            .await
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
