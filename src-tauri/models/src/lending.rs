//! A heavy model, lent to whoever needs it and given back when idle.

use std::ops::Deref;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures::FutureExt;
use futures::future::{BoxFuture, Shared};
use tokio::sync::Notify;
use tokio::time::Instant;
use tokio_util::task::AbortOnDropHandle;

use crate::heap::give_back_free_pages;

/// Something heavy that is loaded when it is first needed, shared by everybody who needs it at the same time, and
/// unloaded when nobody has needed it for a while.
///
/// Loading and unloading happen off the async threads. A load that failed is tried again with the next loan.
pub struct Lending<T: Send + Sync + 'static> {
    shelf: Arc<Shelf<T>>,
    /// Watches for idleness; started with the first loan, since only then there is a runtime for sure.
    keeper: Mutex<Option<AbortOnDropHandle<()>>>,
}

/// What is lent. It is given back by dropping it.
pub struct Loan<T: Send + Sync + 'static> {
    model: Arc<T>,
    shelf: Arc<Shelf<T>>,
}

/// The model could not be loaded.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{what} could not be loaded")]
pub struct LoadError {
    /// What was to be loaded.
    pub what: String,
    /// Why not.
    pub source: Arc<dyn std::error::Error + Send + Sync>,
}

type Loading<T> = Shared<BoxFuture<'static, Result<Arc<T>, LoadError>>>;
type Load<T> = dyn Fn() -> Result<T, LoadError> + Send + Sync;

struct Shelf<T> {
    load: Box<Load<T>>,
    what: String,
    state: Mutex<ShelfState<T>>,
    /// Rung when a loan comes back or the idle time changes.
    changed: Notify,
}

struct ShelfState<T> {
    slot: Slot<T>,
    /// Counts loads, so that a late one does not replace what came after it.
    generation: u64,
    loans: usize,
    /// Since when nobody has had it; meaningless while `loans` is not 0.
    idle_since: Instant,
    /// `None`: it is never unloaded by itself.
    idle: Option<Duration>,
}

enum Slot<T> {
    Empty,
    Loading(Loading<T>),
    Loaded(Arc<T>),
}

impl<T: Send + Sync + 'static> Lending<T> {
    /// Lends what `load` makes, and unloads it when it was idle for `idle` (`None`: never). `what` names it in errors
    /// and logs. Nothing is loaded yet.
    pub fn new<E>(
        what: impl Into<String>,
        idle: Option<Duration>,
        load: impl Fn() -> Result<T, E> + Send + Sync + 'static,
    ) -> Self
    where
        E: std::error::Error + Send + Sync + 'static,
    {
        let what = what.into();
        let named = what.clone();
        let load = move || load().map_err(|e| LoadError { what: named.clone(), source: Arc::new(e) });
        let state =
            ShelfState { slot: Slot::Empty, generation: 0, loans: 0, idle_since: Instant::now(), idle };
        let shelf = Shelf { load: Box::new(load), what, state: Mutex::new(state), changed: Notify::new() };
        Self { shelf: Arc::new(shelf), keeper: Mutex::default() }
    }

    /// Borrows it, loading it first if need be. Everybody who asks meanwhile waits for the same load.
    ///
    /// Cancel-safe: a load goes on when nobody waits for it any more, and serves whoever asks next.
    ///
    /// # Errors
    ///
    /// [`LoadError`], to everybody who waited for this load.
    pub async fn borrow(&self) -> Result<Loan<T>, LoadError> {
        self.start_keeper();
        let (loading, generation) = match self.shelf.take_or_load() {
            Taken::Loan(loan) => return Ok(loan),
            Taken::Loading(loading, generation) => (loading, generation),
        };
        let loaded = loading.await;
        // Only a load that panicked has not been settled yet.
        self.shelf.settle(&loaded, generation);
        loaded.map(|model| self.shelf.lend(model))
    }

    /// Loads it so that the next loan need not wait.
    ///
    /// # Errors
    ///
    /// As [`Lending::borrow`].
    pub async fn preload(&self) -> Result<(), LoadError> {
        self.borrow().await.map(drop)
    }

    /// Forgets it now. Loans that are out keep theirs until they are given back; the memory is free after the last.
    pub fn unload_now(&self) {
        let mut state = self.shelf.state();
        state.generation += 1;
        let slot = std::mem::replace(&mut state.slot, Slot::Empty);
        drop(state);
        drop_off_the_async_threads(slot);
    }

    /// Is it in memory, lent or not?
    pub fn is_loaded(&self) -> bool {
        matches!(self.shelf.state().slot, Slot::Loaded(_))
    }

    /// Changes the idle time, also for what is loaded already.
    pub fn set_idle(&self, idle: Option<Duration>) {
        self.shelf.state().idle = idle;
        self.shelf.changed.notify_one();
    }

    fn start_keeper(&self) {
        let mut keeper = self.keeper.lock().unwrap_or_else(PoisonError::into_inner);
        if keeper.is_none() {
            *keeper = Some(AbortOnDropHandle::new(tokio::spawn(keep(Arc::clone(&self.shelf)))));
        }
    }
}

enum Taken<T: Send + Sync + 'static> {
    Loan(Loan<T>),
    Loading(Loading<T>, u64),
}

impl<T: Send + Sync + 'static> Shelf<T> {
    fn state(&self) -> MutexGuard<'_, ShelfState<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn take_or_load(self: &Arc<Self>) -> Taken<T> {
        let mut state = self.state();
        match &state.slot {
            Slot::Loaded(model) => {
                let model = Arc::clone(model);
                state.loans += 1;
                Taken::Loan(Loan { model, shelf: Arc::clone(self) })
            }
            Slot::Loading(loading) => Taken::Loading(loading.clone(), state.generation),
            Slot::Empty => {
                state.generation += 1;
                let loading = self.start_loading(state.generation);
                state.slot = Slot::Loading(loading.clone());
                Taken::Loading(loading, state.generation)
            }
        }
    }

    fn start_loading(self: &Arc<Self>, generation: u64) -> Loading<T> {
        let shelf = Arc::clone(self);
        let task = tokio::task::spawn_blocking(move || {
            let started = std::time::Instant::now();
            let loaded = (shelf.load)().map(Arc::new);
            let ms = started.elapsed().as_millis();
            tracing::info!(what = shelf.what, ms, ok = loaded.is_ok(), "loaded");
            // Here and not where the load is waited for: perhaps nobody waits any more.
            shelf.settle(&loaded, generation);
            // After that, so that nobody waits for it.
            tokio::task::spawn_blocking(give_back_free_pages);
            loaded
        });
        let what = self.what.clone();
        let finished = async move {
            task.await.unwrap_or_else(|panic| Err(LoadError { what, source: Arc::new(panic) }))
        };
        finished.boxed().shared()
    }

    /// Puts the result of a load on the shelf, unless that was done already or the load was forgotten meanwhile.
    fn settle(&self, loaded: &Result<Arc<T>, LoadError>, generation: u64) {
        let mut state = self.state();
        if state.generation == generation && matches!(state.slot, Slot::Loading(_)) {
            state.slot = loaded.as_ref().map_or(Slot::Empty, |model| Slot::Loaded(Arc::clone(model)));
            state.idle_since = Instant::now();
            drop(state);
            self.changed.notify_one();
        }
    }

    fn lend(self: &Arc<Self>, model: Arc<T>) -> Loan<T> {
        self.state().loans += 1;
        Loan { model, shelf: Arc::clone(self) }
    }

    /// Takes the model off the shelf if it has been idle for long enough.
    fn take_if_idle(&self) -> Idleness<T> {
        let mut state = self.state();
        let (Some(idle), 0, Slot::Loaded(_)) = (state.idle, state.loans, &state.slot) else {
            return Idleness::InUse;
        };
        let until = state.idle_since + idle;
        if Instant::now() < until {
            return Idleness::Until(until);
        }
        Idleness::Over(std::mem::replace(&mut state.slot, Slot::Empty))
    }
}

enum Idleness<T> {
    InUse,
    Until(Instant),
    Over(Slot<T>),
}

/// Unloads what is idle for too long, for as long as the lending lives.
async fn keep<T: Send + Sync + 'static>(shelf: Arc<Shelf<T>>) {
    loop {
        match shelf.take_if_idle() {
            Idleness::InUse => shelf.changed.notified().await,
            Idleness::Until(instant) => {
                // Whichever comes first: the time, or a change that moves it.
                let _ = tokio::time::timeout_at(instant, shelf.changed.notified()).await;
            }
            Idleness::Over(slot) => {
                tracing::info!(what = shelf.what, "unloaded after idling");
                drop_off_the_async_threads(slot);
            }
        }
    }
}

/// Freeing gigabytes takes a while.
fn drop_off_the_async_threads<T: Send + Sync + 'static>(slot: Slot<T>) {
    match tokio::runtime::Handle::try_current() {
        // Nobody waits for it: it only frees memory, and a runtime that ends waits for its blocking threads.
        Ok(runtime) => drop(runtime.spawn_blocking(move || {
            drop(slot);
            give_back_free_pages();
        })),
        Err(_) => drop(slot),
    }
}

impl<T: Send + Sync + 'static> Deref for Loan<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.model
    }
}

impl<T: Send + Sync + 'static> Drop for Loan<T> {
    fn drop(&mut self) {
        let mut state = self.shelf.state();
        state.loans -= 1;
        state.idle_since = Instant::now();
        drop(state);
        self.shelf.changed.notify_one();
    }
}

#[cfg(test)]
mod tests;
