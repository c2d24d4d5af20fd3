//! Models that Ollama servers fetch for us: pulls under way, and those that failed.

use std::sync::Arc;
use std::time::{Duration, Instant};

use futures::StreamExt;
use llm::{OllamaPuller, PullError, PullEvent, PullProgress};
use parking_lot::{Mutex, MutexGuard};
use tokio::sync::{broadcast, watch};
use tokio_util::sync::CancellationToken;
use vocabulary::Trouble;

use crate::views::{PullStatus, PullView};

/// Progress reports that a subscriber may fall behind by before it misses some: a pull sends four a second.
const REPORTS: usize = 64;

/// Servers report every 60 ms, more often than anybody reads.
const REPORT_EVERY: Duration = Duration::from_millis(250);

/// The pulls under way and those that failed.
pub(super) struct Pulls {
    known: Mutex<Vec<Arc<KnownPull>>>,
    progress: broadcast::Sender<PullView>,
}

struct KnownPull {
    stop: CancellationToken,
    view: watch::Sender<PullView>,
}

/// A pull, as its callers follow it.
pub struct PullHandle {
    view: watch::Receiver<PullView>,
    /// `true` for the caller who started it, `false` for one who joined.
    pub is_started_here: bool,
}

impl PullHandle {
    /// The pull as it is now.
    pub fn view(&self) -> PullView {
        self.view.borrow().clone()
    }

    /// Waits until the pull got further. Returns `None` once it is over and its last state was returned. Cancel-safe.
    pub async fn next(&mut self) -> Option<PullView> {
        let is_over = !self.view.has_changed().unwrap_or(false) && self.view.borrow().status.is_over();
        if is_over {
            return None;
        }
        self.view.changed().await.ok()?;
        Some(self.view.borrow_and_update().clone())
    }
}

impl Pulls {
    pub fn new() -> Self {
        let (progress, _) = broadcast::channel(REPORTS);
        Self { known: Mutex::default(), progress }
    }

    pub fn subscribe(&self) -> broadcast::Receiver<PullView> {
        self.progress.subscribe()
    }

    pub fn views(&self) -> Vec<PullView> {
        self.lock().iter().map(|pull| pull.view.borrow().clone()).collect()
    }

    /// Ends a pull; what the server has of the model stays there. Forgets one that failed.
    pub fn cancel(&self, model: &str, address: &str) {
        let mut known = self.lock();
        if let Some(at) = known.iter().position(|pull| pull.is_of(model, address)) {
            let pull = known.remove(at);
            pull.stop.cancel();
            self.report(&pull, PullStatus::Cancelled);
        }
    }

    /// Sets the status of a pull, unless it was cancelled: its end was reported then.
    fn update(&self, pull: &Arc<KnownPull>, status: PullStatus) {
        let mut known = self.lock();
        let Some(at) = known.iter().position(|known| Arc::ptr_eq(known, pull)) else { return };
        if matches!(status, PullStatus::Done | PullStatus::Cancelled) {
            known.remove(at);
        }
        self.report(pull, status);
    }

    /// Called while the pulls are locked, so that reports come in the order of what happened.
    fn report(&self, pull: &KnownPull, status: PullStatus) {
        pull.view.send_modify(|view| view.status = status);
        // Without a subscriber there is no receiver.
        let _ = self.progress.send(pull.view.borrow().clone());
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Arc<KnownPull>>> {
        self.known.lock()
    }
}

impl KnownPull {
    /// The default tag in Ollama names is `:latest`.
    fn is_of(&self, model: &str, address: &str) -> bool {
        let without_tag = |name: &str| name.strip_suffix(":latest").unwrap_or(name).to_owned();
        let view = self.view.borrow();
        view.address == address && without_tag(&view.model) == without_tag(model)
    }

    fn has_failed(&self) -> bool {
        matches!(self.view.borrow().status, PullStatus::Failed { .. })
    }
}

/// One pull.
pub(super) struct Pull {
    pulls: Arc<Pulls>,
    this: Arc<KnownPull>,
    puller: OllamaPuller,
    model: String,
}

impl Pull {
    /// Registers a pull. While one of the same model on the same server is under way, there is no other: the caller
    /// follows that one.
    pub fn start(
        pulls: &Arc<Pulls>,
        puller: OllamaPuller,
        model: &str,
        stop: CancellationToken,
    ) -> (PullHandle, Option<Self>) {
        let address = puller.address();
        let mut known = pulls.lock();
        // The next try settles an earlier failure on this server.
        known.retain(|pull| !(pull.has_failed() && pull.view.borrow().address == address));
        if let Some(same) = known.iter().find(|pull| pull.is_of(model, &address)) {
            return (PullHandle { view: same.view.subscribe(), is_started_here: false }, None);
        }
        let view = PullView { model: model.to_owned(), address, status: PullStatus::LookingUp };
        let (view, receiver) = watch::channel(view);
        let this = Arc::new(KnownPull { stop, view });
        known.push(Arc::clone(&this));
        pulls.report(&this, PullStatus::LookingUp);
        drop(known);
        let handle = PullHandle { view: receiver, is_started_here: true };
        (handle, Some(Self { pulls: Arc::clone(pulls), this, puller, model: model.to_owned() }))
    }

    /// Follows the server until it has the model, it fails, or the pull is cancelled. Returns `true` if it has the model.
    pub async fn run(self) -> bool {
        let status = self.follow().await.unwrap_or_else(|error| {
            tracing::warn!(%error, "a model was not pulled");
            let Trouble { message, remedy, .. } = error.trouble();
            PullStatus::Failed { what: message, remedy }
        });
        let is_done = status == PullStatus::Done;
        self.pulls.update(&self.this, status);
        is_done
    }

    async fn follow(&self) -> Result<PullStatus, PullError> {
        let mut events = self.puller.pull(&self.model, self.this.stop.clone()).await?;
        let (began, mut first, mut reported) = (Instant::now(), None, None::<Instant>);
        while let Some(event) = events.next().await {
            match event? {
                PullEvent::Finished => return Ok(PullStatus::Done),
                PullEvent::Cancelled => return Ok(PullStatus::Cancelled),
                PullEvent::LookingUp => self.pulls.update(&self.this, PullStatus::LookingUp),
                PullEvent::Checking => self.pulls.update(&self.this, PullStatus::Checking),
                PullEvent::Downloading(progress) => {
                    let from = *first.get_or_insert(progress.bytes);
                    if reported.is_none_or(|at| at.elapsed() >= REPORT_EVERY) {
                        reported = Some(Instant::now());
                        let status = downloading(progress, from, began.elapsed());
                        self.pulls.update(&self.this, status);
                    }
                }
            }
        }
        Err(PullError::Incomplete { address: self.puller.address() })
    }
}

fn downloading(progress: PullProgress, from: u64, elapsed: Duration) -> PullStatus {
    let PullProgress { bytes, total, percent } = progress;
    let rate = bytes.saturating_sub(from) as f64 / elapsed.as_secs_f64().max(0.1);
    PullStatus::Downloading { bytes, total, percent, bytes_per_sec: rate as u64 }
}
