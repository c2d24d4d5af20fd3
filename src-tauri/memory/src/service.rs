//! Opens the database, with retries, and keeps it open.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use storage::DatabaseLocation;
use tokio::sync::{mpsc, watch};
use vocabulary::Trouble;

use crate::MemoryError;
use crate::memory::{Memory, OpenedMemory};

/// The time to wait before a failed attempt to open is repeated.
const RETRY_EVERY: Duration = Duration::from_secs(2);

/// Number of these waits before a keychain that returned no key is asked again: it may ask its user for a password.
const WAITS_WITHOUT_KEY: u32 = 15;

type Report = dyn Fn(Option<Trouble>) + Send + Sync;

/// The memory of a running program: opened in the background, open until the last clone is dropped.
#[derive(Clone)]
pub struct MemoryService {
    memory: watch::Receiver<Option<Memory>>,
    report: Arc<Report>,
    /// Nothing is sent: it closes with the last clone.
    _alive: mpsc::Sender<Infallible>,
}

impl MemoryService {
    /// The returned future opens the database and keeps it open; it ends after the last clone is dropped. `report` is called
    /// with trouble, and with `None` when the trouble is over.
    pub fn start(
        location: impl Into<DatabaseLocation>,
        report: impl Fn(Option<Trouble>) + Send + Sync + 'static,
    ) -> (Self, impl Future<Output = ()> + Send + 'static) {
        let (opened, memory) = watch::channel(None);
        let (alive, ended) = mpsc::channel(1);
        let report: Arc<Report> = Arc::new(report);
        let opener = DatabaseOpener { location: location.into(), opened, report: Arc::clone(&report), ended };
        (Self { memory, report, _alive: alive }, opener.run())
    }

    /// The memory, once it is open.
    pub fn memory(&self) -> Option<Memory> {
        self.memory.borrow().clone()
    }

    /// Notifies when the memory opens. A receiver does not keep the memory open.
    pub fn watch(&self) -> watch::Receiver<Option<Memory>> {
        self.memory.clone()
    }

    /// Waits until the memory is open, at most this long. Returns whether it is.
    pub async fn opened(&self, timeout: Duration) -> bool {
        let mut memory = self.memory.clone();
        let opened = tokio::time::timeout(timeout, memory.wait_for(Option::is_some)).await;
        opened.is_ok_and(|opened| opened.is_ok())
    }

    /// Reports trouble, or with `None` that it is over.
    pub(crate) fn report(&self, trouble: Option<Trouble>) {
        (self.report)(trouble);
    }
}

struct DatabaseOpener {
    location: DatabaseLocation,
    opened: watch::Sender<Option<Memory>>,
    report: Arc<Report>,
    ended: mpsc::Receiver<Infallible>,
}

impl DatabaseOpener {
    async fn run(mut self) {
        let Some(memory) = self.open().await else { return };
        self.opened.send_replace(Some(memory.clone()));
        // Nothing is ever sent: this ends with the last service.
        let _ = self.ended.recv().await;
        let closing = tokio::task::spawn_blocking(move || memory.store().close()).await;
        if let Err(panic) = closing {
            tracing::error!(%panic, "the database was not closed cleanly");
        }
    }

    /// Opens the database, with retries. `None` when the last service was dropped before.
    async fn open(&mut self) -> Option<Memory> {
        let mut is_failing = false;
        loop {
            let mut waits = 1;
            match self.try_to_open().await {
                Ok(OpenedMemory { memory, trouble }) => {
                    if is_failing {
                        (self.report)(None);
                    }
                    if trouble.is_some() {
                        (self.report)(trouble);
                    }
                    return Some(memory);
                }
                Err(error) => {
                    if matches!(&error, MemoryError::Storage(error) if error.is_about_the_key()) {
                        waits = WAITS_WITHOUT_KEY;
                    }
                    if !std::mem::replace(&mut is_failing, true) {
                        (self.report)(Some(error.trouble()));
                    }
                }
            }
            for _ in 0..waits {
                tokio::time::sleep(RETRY_EVERY).await;
                if self.ended.is_closed() {
                    return None;
                }
            }
        }
    }

    async fn try_to_open(&self) -> Result<OpenedMemory, MemoryError> {
        let location = self.location.clone();
        let opened = tokio::task::spawn_blocking(move || Memory::open(location)).await;
        opened.map_err(|_| storage::StorageError::Closed)?
    }
}
