//! A large model that is loaded on first use and unloaded when idle.

use std::ops::Deref;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use futures::future::{BoxFuture, Shared};
use parking_lot::{Mutex, MutexGuard};
use tokio::sync::Notify;
use tokio::time::Instant;
use tokio_util::task::AbortOnDropHandle;

use crate::heap::trim_heap;

/// A large value that is loaded on first use, shared by all users, and unloaded after an idle timeout.
///
/// Loading and unloading happen off the async threads. A failed load is retried by the next [`LazyModel::acquire`].
pub struct LazyModel<T: Send + Sync + 'static> {
    inner: Arc<Inner<T>>,
    /// Unloads the model when idle. Started by the first `acquire`, because `new` may run outside a runtime.
    idle_task: Mutex<Option<AbortOnDropHandle<()>>>,
}

/// Access to a loaded model. The idle timeout starts when the last guard is dropped.
pub struct ModelGuard<T: Send + Sync + 'static> {
    model: Arc<T>,
    inner: Arc<Inner<T>>,
}

/// The model could not be loaded.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{name} could not be loaded")]
pub struct LoadError {
    /// Name of the model, as passed to [`LazyModel::new`].
    pub name: String,
    /// The cause.
    pub source: Arc<dyn std::error::Error + Send + Sync>,
}

type PendingLoad<T> = Shared<BoxFuture<'static, Result<Arc<T>, LoadError>>>;
type LoadFn<T> = dyn Fn() -> Result<T, LoadError> + Send + Sync;

struct Inner<T> {
    load: Box<LoadFn<T>>,
    name: String,
    /// `None`: the model is never unloaded automatically.
    idle_timeout: Option<Duration>,
    state: Mutex<State<T>>,
    /// Notified when a guard is dropped or a load ends.
    changed: Notify,
}

struct State<T> {
    slot: Slot<T>,
    /// Number of loads started. A load stores its result only while its own number is the current one.
    generation: u64,
    /// Number of live guards.
    guards: usize,
    /// When the last guard was dropped. Meaningless while `guards` is not 0.
    idle_since: Instant,
}

enum Slot<T> {
    Empty,
    Loading(PendingLoad<T>),
    Loaded(Arc<T>),
}

impl<T: Send + Sync + 'static> LazyModel<T> {
    /// Creates a model that is made by `load` on first use and unloaded after `idle_timeout` without use (`None`:
    /// never). `name` appears in errors and logs.
    pub fn new<E>(
        name: impl Into<String>,
        idle_timeout: Option<Duration>,
        load: impl Fn() -> Result<T, E> + Send + Sync + 'static,
    ) -> Self
    where
        E: std::error::Error + Send + Sync + 'static,
    {
        let name = name.into();
        let name_in_error = name.clone();
        let load = move || load().map_err(|e| LoadError { name: name_in_error.clone(), source: Arc::new(e) });
        let state = State { slot: Slot::Empty, generation: 0, guards: 0, idle_since: Instant::now() };
        let inner = Inner {
            load: Box::new(load),
            name,
            idle_timeout,
            state: Mutex::new(state),
            changed: Notify::new(),
        };
        Self { inner: Arc::new(inner), idle_task: Mutex::default() }
    }

    /// Returns a guard, after loading the model if necessary. Concurrent callers wait for the same load.
    ///
    /// Cancel-safe: a load continues when all callers are cancelled, and the next caller uses its result.
    ///
    /// # Errors
    ///
    /// [`LoadError`], for every caller that waited for this load.
    pub async fn acquire(&self) -> Result<ModelGuard<T>, LoadError> {
        self.start_idle_task();
        let (load, generation) = match self.inner.guard_or_load() {
            GuardOrLoad::Guard(guard) => return Ok(guard),
            GuardOrLoad::Load(load, generation) => (load, generation),
        };
        let loaded = load.await;
        // The loading thread does this too, unless it panicked.
        self.inner.store_result(&loaded, generation);
        loaded.map(|model| self.inner.guard(model))
    }

    /// Loads the model, so that the next [`LazyModel::acquire`] does not wait.
    ///
    /// # Errors
    ///
    /// As [`LazyModel::acquire`].
    pub async fn preload(&self) -> Result<(), LoadError> {
        self.acquire().await.map(drop)
    }

    /// Unloads the model now. Existing guards stay valid; the memory is freed when the last one is dropped.
    pub fn unload(&self) {
        let mut state = self.inner.state();
        state.generation += 1;
        let slot = std::mem::replace(&mut state.slot, Slot::Empty);
        drop(state);
        drop_in_background(slot);
    }

    /// Returns `true` if the model is in memory.
    pub fn is_loaded(&self) -> bool {
        matches!(self.inner.state().slot, Slot::Loaded(_))
    }

    fn start_idle_task(&self) {
        let mut task = self.idle_task.lock();
        if task.is_none() {
            *task = Some(AbortOnDropHandle::new(tokio::spawn(unload_when_idle(Arc::clone(&self.inner)))));
        }
    }
}

enum GuardOrLoad<T: Send + Sync + 'static> {
    Guard(ModelGuard<T>),
    Load(PendingLoad<T>, u64),
}

impl<T: Send + Sync + 'static> Inner<T> {
    fn state(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock()
    }

    fn guard_or_load(self: &Arc<Self>) -> GuardOrLoad<T> {
        let mut state = self.state();
        match &state.slot {
            Slot::Loaded(model) => {
                let model = Arc::clone(model);
                state.guards += 1;
                GuardOrLoad::Guard(ModelGuard { model, inner: Arc::clone(self) })
            }
            Slot::Loading(load) => GuardOrLoad::Load(load.clone(), state.generation),
            Slot::Empty => {
                state.generation += 1;
                let load = self.start_loading(state.generation);
                state.slot = Slot::Loading(load.clone());
                GuardOrLoad::Load(load, state.generation)
            }
        }
    }

    fn start_loading(self: &Arc<Self>, generation: u64) -> PendingLoad<T> {
        let inner = Arc::clone(self);
        let task = tokio::task::spawn_blocking(move || {
            tracing::info!(model = inner.name, "loading a model");
            let started = std::time::Instant::now();
            let loaded = (inner.load)().map(Arc::new);
            let ms = started.elapsed().as_millis();
            tracing::info!(model = inner.name, ms, ok = loaded.is_ok(), "model loaded");
            // Stored by this thread, because every caller may have been cancelled.
            inner.store_result(&loaded, generation);
            // A separate task, so that callers do not wait for it.
            tokio::task::spawn_blocking(trim_heap);
            loaded
        });
        let name = self.name.clone();
        let finished = async move {
            task.await.unwrap_or_else(|panic| Err(LoadError { name, source: Arc::new(panic) }))
        };
        finished.boxed().shared()
    }

    /// Stores the result of a load, unless it is stored already or the load is outdated.
    fn store_result(&self, loaded: &Result<Arc<T>, LoadError>, generation: u64) {
        let mut state = self.state();
        if state.generation == generation && matches!(state.slot, Slot::Loading(_)) {
            state.slot = loaded.as_ref().map_or(Slot::Empty, |model| Slot::Loaded(Arc::clone(model)));
            state.idle_since = Instant::now();
            drop(state);
            self.changed.notify_one();
        }
    }

    fn guard(self: &Arc<Self>, model: Arc<T>) -> ModelGuard<T> {
        self.state().guards += 1;
        ModelGuard { model, inner: Arc::clone(self) }
    }

    /// Empties the slot if the idle timeout has passed.
    fn take_if_idle(&self) -> IdleCheck<T> {
        let mut state = self.state();
        let (Some(idle_timeout), 0, Slot::Loaded(_)) = (self.idle_timeout, state.guards, &state.slot) else {
            return IdleCheck::NotIdle;
        };
        let deadline = state.idle_since + idle_timeout;
        if Instant::now() < deadline {
            return IdleCheck::IdleUntil(deadline);
        }
        IdleCheck::TimedOut(std::mem::replace(&mut state.slot, Slot::Empty))
    }
}

enum IdleCheck<T> {
    NotIdle,
    IdleUntil(Instant),
    TimedOut(Slot<T>),
}

/// Unloads the model whenever its idle timeout has passed. Runs until it is aborted.
async fn unload_when_idle<T: Send + Sync + 'static>(inner: Arc<Inner<T>>) {
    loop {
        match inner.take_if_idle() {
            IdleCheck::NotIdle => inner.changed.notified().await,
            IdleCheck::IdleUntil(deadline) => {
                // Both outcomes lead to the next check: the deadline passed, or a change moved it.
                let _ = tokio::time::timeout_at(deadline, inner.changed.notified()).await;
            }
            IdleCheck::TimedOut(slot) => {
                tracing::info!(model = inner.name, "idle model unloaded");
                drop_in_background(slot);
            }
        }
    }
}

/// Drops a model off the async threads, because freeing gigabytes takes time.
fn drop_in_background<T: Send + Sync + 'static>(slot: Slot<T>) {
    match tokio::runtime::Handle::try_current() {
        // The handle is not needed: the task only frees memory, and the runtime waits for its blocking threads.
        Ok(runtime) => drop(runtime.spawn_blocking(move || {
            drop(slot);
            trim_heap();
        })),
        Err(_) => drop(slot),
    }
}

impl<T: Send + Sync + 'static> Deref for ModelGuard<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.model
    }
}

impl<T: Send + Sync + 'static> Drop for ModelGuard<T> {
    fn drop(&mut self) {
        let mut state = self.inner.state();
        state.guards -= 1;
        state.idle_since = Instant::now();
        drop(state);
        self.inner.changed.notify_one();
    }
}

#[cfg(test)]
mod tests;
