//! The task that owns the worker program: starts it on the first request and ends it when it is idle.

use std::collections::HashMap;

use tokio::sync::mpsc;
use tokio::time::Instant;

use super::config::EmbeddedConfig;
use super::process::Process;
use super::protocol::{RequestId, WorkerEvent, WorkerFailure, WorkerRequest};
use crate::{LlmError, ProviderKind};

/// Requests and cancellations on their way to the keeper. Senders of requests wait when it is full; a cancellation
/// that finds it full is noticed anyway when the next report finds no hearer.
pub(super) const QUEUED_COMMANDS: usize = 64;

/// Requests that the worker has at a time. Fewer than it can queue, so that sending one never blocks.
const MAX_RUNNING: usize = 32;

/// Events of one request that wait for their receiver: more than the longest answer has tokens. When it is full, nobody
/// reads, and the request is cancelled.
pub(super) const QUEUED_EVENTS: usize = 8 * 1024;

/// What the keeper is asked.
pub(super) enum SupervisorCommand {
    /// Send a request to the worker and its events to `events`.
    Submit { order: WorkerRequest, id: RequestId, events: EventSender },
    /// The caller dropped the answer.
    Cancel { id: RequestId },
}

/// Where the events of one request go.
pub(super) type EventSender = mpsc::Sender<Result<WorkerEvent, LlmError>>;

/// Owns the worker. Ends when all senders of commands are dropped.
pub(super) struct WorkerSupervisor {
    config: EmbeddedConfig,
    commands: mpsc::Receiver<SupervisorCommand>,
    worker: Option<Process>,
    pending: HashMap<RequestId, EventSender>,
    /// When the worker last sent an event, or got a request while it was idle.
    last_activity: Instant,
}

/// Ids of orders that only the keeper gives; all others count up from 1.
const LOAD_ID: RequestId = 0;

/// What can wake the keeper.
enum Event {
    Commanded(SupervisorCommand),
    Reported(WorkerEvent),
    Died,
    TooQuiet,
    Idle,
    Abandoned,
}

impl WorkerSupervisor {
    pub(super) fn new(config: EmbeddedConfig, commands: mpsc::Receiver<SupervisorCommand>) -> Self {
        Self { config, commands, worker: None, pending: HashMap::new(), last_activity: Instant::now() }
    }

    /// Runs until all senders of commands are dropped. Dropping the future kills the worker.
    pub(super) async fn run(mut self) {
        loop {
            match self.next_event().await {
                Event::Commanded(SupervisorCommand::Submit { order, id, events }) => {
                    self.submit(order, id, events).await
                }
                Event::Commanded(SupervisorCommand::Cancel { id }) => self.cancel(id).await,
                Event::Reported(report) => self.pass_on(report).await,
                Event::Died => self.worker_died().await,
                Event::TooQuiet => self.give_up_waiting(),
                Event::Idle => {
                    tracing::debug!("the embedded model is idle; unloading it");
                    self.worker = None;
                }
                Event::Abandoned => return,
            }
        }
    }

    async fn next_event(&mut self) -> Event {
        let has_work = !self.pending.is_empty();
        let patience = if has_work { self.config.silence_timeout } else { self.config.idle_unload };
        let deadline = self.worker.as_ref().and_then(|_| self.last_activity.checked_add(patience));
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
            biased; // Cancelling comes before the tokens that it makes superfluous.
            ask = self.commands.recv() => ask.map_or(Event::Abandoned, Event::Commanded),
            event = reports => event,
            () = patience_ends => if has_work { Event::TooQuiet } else { Event::Idle },
        }
    }

    async fn submit(&mut self, order: WorkerRequest, id: RequestId, events: EventSender) {
        if self.pending.len() >= MAX_RUNNING {
            return send_last(&events, Err(LlmError::Busy));
        }
        if self.worker.is_none() {
            match Process::start(&self.config.worker) {
                Ok(mut worker) => {
                    worker.tell(&self.load_request()).await;
                    self.worker = Some(worker);
                }
                Err(error) => return send_last(&events, Err(error)),
            }
        }
        if self.pending.is_empty() {
            self.last_activity = Instant::now();
        }
        self.pending.insert(id, events);
        if let Some(worker) = &mut self.worker {
            worker.tell(&order).await;
        }
    }

    fn load_request(&self) -> WorkerRequest {
        WorkerRequest::Load {
            id: LOAD_ID,
            path: self.config.model.clone(),
            context_tokens: self.config.context_tokens,
            threads: self.config.threads,
        }
    }

    async fn cancel(&mut self, id: RequestId) {
        if self.pending.remove(&id).is_some()
            && let Some(worker) = &mut self.worker
        {
            worker.tell(&WorkerRequest::Cancel { id }).await;
        }
    }

    async fn pass_on(&mut self, report: WorkerEvent) {
        self.last_activity = Instant::now();
        let id = report.id();
        let is_last = matches!(report, WorkerEvent::Finished { .. } | WorkerEvent::Failed { .. });
        let item = match report {
            WorkerEvent::Loaded { context_tokens, threads, .. } => {
                return tracing::info!(
                    model = self.config.model_name(),
                    context_tokens,
                    threads,
                    "model loaded"
                );
            }
            WorkerEvent::Failed { failure, .. } if id == LOAD_ID => return self.model_is_unusable(&failure),
            WorkerEvent::Failed { failure, .. } => Err(self.error_of(&failure)),
            report => Ok(report),
        };
        // An unknown request was cancelled.
        let Some(events) = self.pending.get(&id) else { return };
        if is_last {
            send_last(events, item);
            self.pending.remove(&id);
        } else if events.try_send(item).is_err() {
            // The receiver is dropped, or has not read for a long time.
            self.cancel(id).await;
        }
    }

    /// The model cannot be loaded. The worker ends, so that the next request tries again: the file may be repaired by then.
    fn model_is_unusable(&mut self, failure: &WorkerFailure) {
        self.worker = None;
        for (_, events) in std::mem::take(&mut self.pending) {
            send_last(&events, Err(self.error_of(failure)));
        }
    }

    async fn worker_died(&mut self) {
        let Some(worker) = self.worker.take() else { return };
        let how = worker.ended().await;
        tracing::warn!(how, "the language model worker ended unexpectedly; the next request starts it anew");
        for (_, events) in std::mem::take(&mut self.pending) {
            send_last(&events, Err(LlmError::WorkerDied { how: how.clone() }));
        }
    }

    fn give_up_waiting(&mut self) {
        // A worker that hangs can only be killed.
        self.worker = None;
        for (_, events) in std::mem::take(&mut self.pending) {
            send_last(&events, Err(LlmError::Silent { after: self.config.silence_timeout }));
        }
    }

    fn error_of(&self, failure: &WorkerFailure) -> LlmError {
        let path = self.config.model.clone();
        match failure {
            WorkerFailure::ModelUnreadable { .. } if !path.exists() => {
                LlmError::ModelMissing { provider: ProviderKind::Embedded, model: self.config.model_name() }
            }
            WorkerFailure::ModelUnreadable { reason } => {
                LlmError::ModelUnreadable { path, reason: reason.clone() }
            }
            WorkerFailure::NotLoaded => {
                LlmError::ModelUnreadable { path, reason: "it was not loaded".into() }
            }
            WorkerFailure::TooLong { tokens, context } => {
                LlmError::TooLong { tokens: *tokens, context: *context }
            }
            WorkerFailure::Unsupported { reason } => LlmError::Unsupported { reason: reason.clone() },
            WorkerFailure::Engine { reason } => LlmError::Failed { detail: reason.clone() },
        }
    }
}

/// Sends the last event of a request. A dropped receiver is not an error.
fn send_last(events: &EventSender, last: Result<WorkerEvent, LlmError>) {
    if events.try_send(last).is_err() {
        tracing::debug!("the caller of the embedded model is gone");
    }
}
