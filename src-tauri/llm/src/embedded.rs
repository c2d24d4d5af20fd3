//! The embedded engine: a model file on this machine, run by our own worker program.
//!
//! The worker is a child process: a crash of the engine ends one answer, not the assistant. It is started by the first
//! request, ended when nobody asks for a while, and started anew after it died.

mod config;
mod supervisor;
mod process;
pub mod protocol;

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use async_trait::async_trait;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;

pub use config::{EmbeddedConfig, usual_worker};

use self::protocol::{RequestId, WorkerEvent, WorkerRequest};
use self::supervisor::{QUEUED_COMMANDS, QUEUED_EVENTS, SupervisorCommand, WorkerSupervisor};
use crate::answer::{Shaper, cancelled};
use crate::{
    ChatModel, ChatRequest, ChatStream, FinishReason, LlmError, Message, ModelIdentity, ProviderKind, Usage,
};

/// A model file, run by the worker program. Dropping it kills the worker.
pub struct Embedded {
    config: EmbeddedConfig,
    next_id: AtomicU64,
    /// The task that owns the worker; started by the first request, since only then there is a runtime for sure.
    supervisor: Mutex<Option<SupervisorTask>>,
}

struct SupervisorTask {
    commands: mpsc::Sender<SupervisorCommand>,
    _task: AbortOnDropHandle<()>,
}

impl Embedded {
    /// Nothing is started or read before the first request.
    pub fn new(config: EmbeddedConfig) -> Self {
        Self { config, next_id: AtomicU64::new(1), supervisor: Mutex::new(None) }
    }

    /// What it runs on.
    pub fn config(&self) -> &EmbeddedConfig {
        &self.config
    }

    /// Where orders go. Must be called within a tokio runtime.
    fn commands(&self) -> mpsc::Sender<SupervisorCommand> {
        let mut supervisor = self.supervisor.lock().unwrap_or_else(PoisonError::into_inner);
        let task = supervisor.take().filter(|task| !task.commands.is_closed()).unwrap_or_else(|| {
            let (commands, received) = mpsc::channel(QUEUED_COMMANDS);
            let task = tokio::spawn(WorkerSupervisor::new(self.config.clone(), received).run());
            SupervisorTask { commands, _task: AbortOnDropHandle::new(task) }
        });
        let commands = task.commands.clone();
        *supervisor = Some(task);
        commands
    }

    /// Sends an order; the reports come through what it returns.
    async fn submit(&self, order: impl FnOnce(RequestId) -> WorkerRequest) -> PendingRequest {
        let id = self.next_id.fetch_add(1, Ordering::Relaxed);
        let (events, reports) = mpsc::channel(QUEUED_EVENTS);
        let commands = self.commands();
        // Failing would mean that the keeper has gone, which `reports` then tells by being closed.
        let _ = commands.send(SupervisorCommand::Submit { order: order(id), id, events }).await;
        PendingRequest { id, reports, commands, is_over: false }
    }
}

#[async_trait]
impl ChatModel for Embedded {
    async fn chat(&self, request: ChatRequest, stop: CancellationToken) -> Result<ChatStream, LlmError> {
        let shaper = Shaper::of(&request);
        let max_tokens = request.max_tokens.unwrap_or(self.config.max_reply_tokens);
        let temperature = request.temperature.unwrap_or(self.config.temperature);
        let pending = self.submit(|id| WorkerRequest::Chat {
            id,
            messages: request.messages,
            tools: request.tools,
            max_tokens,
            temperature,
            format: request.format,
            thinking: request.thinking,
        });
        let first = async {
            let mut pending = pending.await;
            let first = pending.next().await?;
            Ok::<_, LlmError>((pending, first))
        };
        let (pending, first) = tokio::select! {
            biased;
            () = stop.cancelled() => return Ok(cancelled()),
            first = first => first?,
        };
        let answer = Answer { pending: Some(pending), shaper, stop, ready: Default::default() };
        Ok(answer.stream(first))
    }

    fn identity(&self) -> ModelIdentity {
        ModelIdentity { provider: ProviderKind::Embedded, model: self.config.model_name() }
    }

    async fn warm_up(&self, messages: &[Message]) -> Result<(), LlmError> {
        let messages = messages.to_vec();
        let mut pending = self.submit(|id| WorkerRequest::Warm { id, messages, tools: Vec::new() }).await;
        loop {
            if let WorkerEvent::Finished { .. } = pending.next().await? {
                return Ok(());
            }
        }
    }
}

/// The reports of one request. Dropping it early cancels the request.
struct PendingRequest {
    id: RequestId,
    reports: mpsc::Receiver<Result<WorkerEvent, LlmError>>,
    commands: mpsc::Sender<SupervisorCommand>,
    is_over: bool,
}

impl PendingRequest {
    async fn next(&mut self) -> Result<WorkerEvent, LlmError> {
        let report = self.reports.recv().await;
        let report = report.unwrap_or_else(|| Err(LlmError::WorkerDied { how: "it was stopped".into() }));
        self.is_over = matches!(report, Err(_) | Ok(WorkerEvent::Finished { .. }));
        report
    }
}

impl Drop for PendingRequest {
    fn drop(&mut self) {
        if !self.is_over {
            // Full means that the keeper is busy; it will notice that nobody listens any more.
            let _ = self.commands.try_send(SupervisorCommand::Cancel { id: self.id });
        }
    }
}

/// An answer on its way from the worker.
struct Answer {
    /// `None` once the answer has ended.
    pending: Option<PendingRequest>,
    shaper: Shaper,
    stop: CancellationToken,
    ready: std::collections::VecDeque<crate::ChatEvent>,
}

impl Answer {
    fn stream(mut self, first: WorkerEvent) -> ChatStream {
        self.take(first);
        Box::pin(futures::stream::unfold(self, |mut answer| async move {
            let item = answer.next().await?;
            Some((item, answer))
        }))
    }

    async fn next(&mut self) -> Option<Result<crate::ChatEvent, LlmError>> {
        loop {
            if let Some(event) = self.ready.pop_front() {
                return Some(Ok(event));
            }
            let pending = self.pending.as_mut()?;
            let report = tokio::select! {
                biased; // A talkative model must not keep us from stopping.
                () = self.stop.cancelled() => {
                    self.pending = None;
                    self.ready.extend(self.shaper.finish(Usage::unknown(FinishReason::Cancelled)));
                    continue;
                }
                report = pending.next() => report,
            };
            match report {
                Ok(report) => self.take(report),
                Err(error) => {
                    self.pending = None;
                    return Some(Err(error));
                }
            }
        }
    }

    fn take(&mut self, report: WorkerEvent) {
        match report {
            WorkerEvent::Text { text, .. } => self.ready.extend(self.shaper.text(&text)),
            WorkerEvent::Finished { usage, .. } => {
                self.pending = None;
                self.ready.extend(self.shaper.finish(usage));
            }
            // It lives, and that is all it says; failures came as errors.
            WorkerEvent::Reading { .. } | WorkerEvent::Loaded { .. } | WorkerEvent::Failed { .. } => {}
        }
    }
}
