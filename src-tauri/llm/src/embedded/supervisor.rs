//! The task that owns the worker program: starts it on the first request and ends it when idle.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use tokio::sync::mpsc;
use tokio::time::Instant;

use super::config::EmbeddedConfig;
use super::protocol::{RequestId, WorkerEvent, WorkerFailure, WorkerRequest};
use super::worker_process::WorkerProcess;
use crate::{LlmError, ProviderKind};

/// Capacity of the command channel. When it is full, requests wait. A cancellation is dropped, and the supervisor
/// notices the dropped receiver at the next event.
pub(super) const QUEUED_COMMANDS: usize = 64;

/// Maximum number of requests at the worker. Less than its queue, so that sending never blocks.
const MAX_RUNNING: usize = 32;

/// Capacity of the event channel of a request: more than the number of tokens in the longest response. When it is
/// full, the receiver does not read, and the request is cancelled.
pub(super) const QUEUED_EVENTS: usize = 8 * 1024;

/// A command to the supervisor.
pub(super) enum SupervisorCommand {
    /// Send a request to the worker and its events to `events`.
    Submit { request: WorkerRequest, id: RequestId, events: EventSender },
    /// The caller dropped the response.
    Cancel { id: RequestId },
}

/// The sender of the events of one request.
pub(super) type EventSender = mpsc::Sender<Result<WorkerEvent, LlmError>>;

/// Owns the worker. Ends when all senders of commands are dropped.
pub(super) struct WorkerSupervisor {
    config: EmbeddedConfig,
    commands: mpsc::Receiver<SupervisorCommand>,
    worker: Option<WorkerProcess>,
    /// Changes when the worker starts or ends.
    worker_changes: Arc<AtomicU64>,
    pending: HashMap<RequestId, EventSender>,
    /// Time of the last event of the worker, or of the last request to the idle worker.
    last_activity: Instant,
}

/// The id of load requests, which only the supervisor sends. All other ids start at 1.
const LOAD_ID: RequestId = 0;

/// An event that wakes the supervisor.
enum SupervisorEvent {
    Command(SupervisorCommand),
    Worker(WorkerEvent),
    Died,
    TimedOut,
    Idle,
    Abandoned,
}

impl WorkerSupervisor {
    pub(super) fn new(
        config: EmbeddedConfig,
        commands: mpsc::Receiver<SupervisorCommand>,
        worker_changes: Arc<AtomicU64>,
    ) -> Self {
        let (pending, last_activity) = (HashMap::new(), Instant::now());
        Self { config, commands, worker: None, worker_changes, pending, last_activity }
    }

    /// Runs until all senders of commands are dropped. Dropping the future kills the worker.
    pub(super) async fn run(mut self) {
        loop {
            match self.next_event().await {
                SupervisorEvent::Command(SupervisorCommand::Submit { request, id, events }) => {
                    self.submit(request, id, events).await
                }
                SupervisorEvent::Command(SupervisorCommand::Cancel { id }) => self.cancel(id).await,
                SupervisorEvent::Worker(event) => self.forward(event).await,
                SupervisorEvent::Died => self.worker_died().await,
                SupervisorEvent::TimedOut => self.time_out(),
                SupervisorEvent::Idle => {
                    tracing::debug!("the embedded model is idle; unloading it");
                    self.set_worker(None);
                }
                SupervisorEvent::Abandoned => return,
            }
        }
    }

    async fn next_event(&mut self) -> SupervisorEvent {
        let has_work = !self.pending.is_empty();
        let timeout = if has_work { self.config.silence_timeout } else { self.config.idle_unload };
        let deadline = self.worker.as_ref().and_then(|_| self.last_activity.checked_add(timeout));
        let events = async {
            match &mut self.worker {
                Some(worker) => worker.next().await.map_or(SupervisorEvent::Died, SupervisorEvent::Worker),
                None => std::future::pending().await,
            }
        };
        let timed_out = async {
            match deadline {
                Some(deadline) => tokio::time::sleep_until(deadline).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            biased; // Commands first: a cancellation makes further events unnecessary.
            command = self.commands.recv() => command.map_or(SupervisorEvent::Abandoned, SupervisorEvent::Command),
            event = events => event,
            () = timed_out => if has_work { SupervisorEvent::TimedOut } else { SupervisorEvent::Idle },
        }
    }

    async fn submit(&mut self, request: WorkerRequest, id: RequestId, events: EventSender) {
        if self.pending.len() >= MAX_RUNNING {
            return send_last(&events, Err(LlmError::Busy));
        }
        if self.worker.is_none() {
            match WorkerProcess::start(&self.config.worker) {
                Ok(mut worker) => {
                    tracing::info!(model = self.config.model_name(), "loading a model");
                    worker.send(&self.load_request()).await;
                    self.set_worker(Some(worker));
                }
                Err(error) => return send_last(&events, Err(error)),
            }
        }
        if self.pending.is_empty() {
            self.last_activity = Instant::now();
        }
        self.pending.insert(id, events);
        if let Some(worker) = &mut self.worker {
            worker.send(&request).await;
        }
    }

    fn set_worker(&mut self, worker: Option<WorkerProcess>) {
        self.worker = worker;
        self.worker_changes.fetch_add(1, Ordering::Relaxed);
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
            worker.send(&WorkerRequest::Cancel { id }).await;
        }
    }

    async fn forward(&mut self, event: WorkerEvent) {
        self.last_activity = Instant::now();
        let id = event.id();
        let is_last = matches!(event, WorkerEvent::Finished { .. } | WorkerEvent::Failed { .. });
        let item = match event {
            WorkerEvent::Loaded { context_tokens, threads, .. } => {
                return tracing::info!(
                    model = self.config.model_name(),
                    context_tokens,
                    threads,
                    "model loaded"
                );
            }
            WorkerEvent::Failed { failure, .. } if id == LOAD_ID => return self.fail_all_requests(&failure),
            WorkerEvent::Failed { failure, .. } => Err(self.error_of(&failure)),
            event => Ok(event),
        };
        // Unknown ids belong to cancelled requests.
        let Some(events) = self.pending.get(&id) else { return };
        if is_last {
            send_last(events, item);
            self.pending.remove(&id);
        } else if events.try_send(item).is_err() {
            // The receiver was dropped, or has not read for a long time.
            self.cancel(id).await;
        }
    }

    /// Handles a failed load. Ends the worker, so that the next request tries again: the file may be repaired by then.
    fn fail_all_requests(&mut self, failure: &WorkerFailure) {
        self.set_worker(None);
        for (_, events) in std::mem::take(&mut self.pending) {
            send_last(&events, Err(self.error_of(failure)));
        }
    }

    async fn worker_died(&mut self) {
        let Some(worker) = self.worker.take() else { return };
        self.set_worker(None);
        let how = worker.ended().await;
        tracing::warn!(how, "the language model worker ended unexpectedly; the next request restarts it");
        for (_, events) in std::mem::take(&mut self.pending) {
            send_last(&events, Err(LlmError::WorkerDied { how: how.clone() }));
        }
    }

    fn time_out(&mut self) {
        // A worker that does not respond can only be killed.
        self.set_worker(None);
        for (_, events) in std::mem::take(&mut self.pending) {
            send_last(&events, Err(LlmError::TimedOut { after: self.config.silence_timeout }));
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
        tracing::debug!("the receiver of the response was dropped");
    }
}
