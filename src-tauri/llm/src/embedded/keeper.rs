//! The task that owns the worker program: starts it when somebody asks, ends it when nobody does.

use std::collections::HashMap;

use tokio::sync::mpsc;
use tokio::time::Instant;

use super::config::EmbeddedConfig;
use super::process::Process;
use super::protocol::{Failure, Order, Report, RequestId};
use crate::{LlmError, ProviderKind};

/// Requests and cancellations on their way to the keeper. Senders of requests wait when it is full; a cancellation
/// that finds it full is noticed anyway when the next report finds no hearer.
pub(super) const WAITING_ASKS: usize = 64;

/// Requests the worker has at a time. Fewer than it can queue, so that handing one over never blocks.
const MAX_UNDER_WAY: usize = 32;

/// Reports that wait for their hearer: more than the longest answer has tokens. When it is full nobody listens, and
/// the answer is cancelled.
pub(super) const WAITING_REPORTS: usize = 8 * 1024;

/// What the keeper is asked.
pub(super) enum Ask {
    /// Carry out an order and tell its reports.
    Carry { order: Order, id: RequestId, hearer: Hearer },
    /// Nobody wants the answer any more.
    Cancel { id: RequestId },
}

/// Who hears the reports of one request.
pub(super) type Hearer = mpsc::Sender<Result<Report, LlmError>>;

/// Owns the worker. Ends when all that could ask are gone.
pub(super) struct WorkerSupervisor {
    config: EmbeddedConfig,
    asks: mpsc::Receiver<Ask>,
    worker: Option<Process>,
    hearers: HashMap<RequestId, Hearer>,
    /// When the worker said something last, or was told something when it had nothing to do.
    last_sign: Instant,
}

/// Ids of orders that only the keeper gives; all others count up from 1.
const LOAD_ID: RequestId = 0;

/// What can wake the keeper.
enum Event {
    Asked(Ask),
    Reported(Report),
    Died,
    TooQuiet,
    Idle,
    Abandoned,
}

impl WorkerSupervisor {
    pub(super) fn new(config: EmbeddedConfig, asks: mpsc::Receiver<Ask>) -> Self {
        Self { config, asks, worker: None, hearers: HashMap::new(), last_sign: Instant::now() }
    }

    /// Runs until nobody can ask any more. Dropping it kills the worker.
    pub(super) async fn run(mut self) {
        loop {
            match self.next_event().await {
                Event::Asked(Ask::Carry { order, id, hearer }) => self.carry(order, id, hearer).await,
                Event::Asked(Ask::Cancel { id }) => self.cancel(id).await,
                Event::Reported(report) => self.pass_on(report).await,
                Event::Died => self.worker_died().await,
                Event::TooQuiet => self.give_up_waiting(),
                Event::Idle => {
                    tracing::debug!("nobody asked for a while: the model's memory is given back");
                    self.worker = None;
                }
                Event::Abandoned => return,
            }
        }
    }

    async fn next_event(&mut self) -> Event {
        let has_work = !self.hearers.is_empty();
        let patience = if has_work { self.config.silence_timeout } else { self.config.idle_unload };
        let deadline = self.worker.as_ref().and_then(|_| self.last_sign.checked_add(patience));
        let reports = async {
            match &mut self.worker {
                Some(worker) => worker.next().await.map_or(Event::Died, Event::Reported),
                None => std::future::pending().await,
            }
        };
        let patience_ends = async {
            match deadline {
                Some(deadline) => tokio::time::sleep_until(deadline).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            biased; // Cancelling outranks the tokens it makes superfluous.
            ask = self.asks.recv() => ask.map_or(Event::Abandoned, Event::Asked),
            event = reports => event,
            () = patience_ends => if has_work { Event::TooQuiet } else { Event::Idle },
        }
    }

    async fn carry(&mut self, order: Order, id: RequestId, hearer: Hearer) {
        if self.hearers.len() >= MAX_UNDER_WAY {
            return answer(&hearer, Err(LlmError::Busy));
        }
        if self.worker.is_none() {
            match Process::start(&self.config.worker) {
                Ok(mut worker) => {
                    worker.tell(&self.load_order()).await;
                    self.worker = Some(worker);
                }
                Err(error) => return answer(&hearer, Err(error)),
            }
        }
        if self.hearers.is_empty() {
            self.last_sign = Instant::now();
        }
        self.hearers.insert(id, hearer);
        if let Some(worker) = &mut self.worker {
            worker.tell(&order).await;
        }
    }

    fn load_order(&self) -> Order {
        Order::Load {
            id: LOAD_ID,
            path: self.config.model.clone(),
            context_tokens: self.config.context_tokens,
            threads: self.config.threads,
        }
    }

    async fn cancel(&mut self, id: RequestId) {
        if self.hearers.remove(&id).is_some()
            && let Some(worker) = &mut self.worker
        {
            worker.tell(&Order::Cancel { id }).await;
        }
    }

    async fn pass_on(&mut self, report: Report) {
        self.last_sign = Instant::now();
        let id = report.id();
        let is_last = matches!(report, Report::Finished { .. } | Report::Failed { .. });
        let item = match report {
            Report::Loaded { context_tokens, threads, .. } => {
                return tracing::info!(
                    model = self.config.model_name(),
                    context_tokens,
                    threads,
                    "model loaded"
                );
            }
            Report::Failed { failure, .. } if id == LOAD_ID => return self.model_is_unusable(&failure),
            Report::Failed { failure, .. } => Err(self.error_of(&failure)),
            report => Ok(report),
        };
        // A request that is unknown by now was cancelled.
        let Some(hearer) = self.hearers.get(&id) else { return };
        if is_last {
            answer(hearer, item);
            self.hearers.remove(&id);
        } else if hearer.try_send(item).is_err() {
            // The hearer has gone, or stopped listening long ago.
            self.cancel(id).await;
        }
    }

    /// The model cannot be loaded. The worker ends, so that the next request tries again: the file may be mended.
    fn model_is_unusable(&mut self, failure: &Failure) {
        self.worker = None;
        for (_, hearer) in std::mem::take(&mut self.hearers) {
            answer(&hearer, Err(self.error_of(failure)));
        }
    }

    async fn worker_died(&mut self) {
        let Some(worker) = self.worker.take() else { return };
        let how = worker.ended().await;
        tracing::warn!(how, "the language model worker ended unexpectedly; the next request starts it anew");
        for (_, hearer) in std::mem::take(&mut self.hearers) {
            answer(&hearer, Err(LlmError::WorkerDied { how: how.clone() }));
        }
    }

    fn give_up_waiting(&mut self) {
        // Killing it is the only way to stop what it is stuck in.
        self.worker = None;
        for (_, hearer) in std::mem::take(&mut self.hearers) {
            answer(&hearer, Err(LlmError::Silent { after: self.config.silence_timeout }));
        }
    }

    fn error_of(&self, failure: &Failure) -> LlmError {
        let path = self.config.model.clone();
        match failure {
            Failure::ModelUnreadable { .. } if !path.exists() => {
                LlmError::ModelMissing { provider: ProviderKind::Embedded, model: self.config.model_name() }
            }
            Failure::ModelUnreadable { reason } => LlmError::ModelUnreadable { path, reason: reason.clone() },
            Failure::NotLoaded => LlmError::ModelUnreadable { path, reason: "it was not loaded".into() },
            Failure::TooLong { tokens, context } => LlmError::TooLong { tokens: *tokens, context: *context },
            Failure::Unsupported { reason } => LlmError::Unsupported { reason: reason.clone() },
            Failure::Engine { reason } => LlmError::Failed { detail: reason.clone() },
        }
    }
}

/// Tells a hearer the last it will hear. One that has gone, or never listened, misses nothing.
fn answer(hearer: &Hearer, last: Result<Report, LlmError>) {
    if hearer.try_send(last).is_err() {
        tracing::debug!("an answer of the embedded model found no hearer");
    }
}
