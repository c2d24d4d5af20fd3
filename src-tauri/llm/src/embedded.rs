//! The embedded engine: runs a local model file in a worker program.
//!
//! The worker is a child process, so a crash of the engine ends one response and not the assistant. The first request
//! starts it, it is ended when idle, and the next request restarts it after a crash.

mod config;
mod supervisor;
mod worker_process;
pub mod protocol;

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use async_trait::async_trait;
use parking_lot::Mutex;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;

pub use config::{EmbeddedConfig, default_worker_path};

use self::protocol::{RequestId, WorkerEvent, WorkerRequest};
use self::supervisor::{QUEUED_COMMANDS, QUEUED_EVENTS, SupervisorCommand, WorkerSupervisor};
use crate::response::{EventAssembler, cancelled_stream};
use crate::{
    ChatModel, ChatRequest, ChatStream, FinishReason, LlmError, Message, ModelIdentity, ProviderKind, Usage,
};

/// A chat model in a worker program. Dropping it kills the worker.
pub struct EmbeddedModel {
    config: EmbeddedConfig,
    next_id: AtomicU64,
    /// The task that owns the worker. Started by the first request, because `new` may run outside a runtime.
    supervisor: Mutex<Option<SupervisorTask>>,
    /// Changes when the worker starts or ends.
    worker_changes: Arc<AtomicU64>,
    kept: Mutex<Option<KeptBeginning>>,
}

/// The beginning of many prompts that a worker has read.
struct KeptBeginning {
    beginning: Message,
    /// [`EmbeddedModel::worker_changes`] at that time.
    worker: u64,
}

struct SupervisorTask {
    commands: mpsc::Sender<SupervisorCommand>,
    _task: AbortOnDropHandle<()>,
}

impl EmbeddedModel {
    /// Creates the model. The first request starts the worker and reads the model file.
    pub fn new(config: EmbeddedConfig) -> Self {
        Self {
            config,
            next_id: AtomicU64::new(1),
            supervisor: Mutex::new(None),
            worker_changes: Arc::default(),
            kept: Mutex::new(None),
        }
    }

    /// The configuration.
    pub fn config(&self) -> &EmbeddedConfig {
        &self.config
    }

    /// The commands of the supervisor, which is started if necessary. Must be called within a tokio runtime.
    fn commands(&self) -> mpsc::Sender<SupervisorCommand> {
        let mut supervisor = self.supervisor.lock();
        let task = supervisor.take().filter(|task| !task.commands.is_closed()).unwrap_or_else(|| {
            let (commands, received) = mpsc::channel(QUEUED_COMMANDS);
            let changes = Arc::clone(&self.worker_changes);
            let task = tokio::spawn(WorkerSupervisor::new(self.config.clone(), received, changes).run());
            SupervisorTask { commands, _task: AbortOnDropHandle::new(task) }
        });
        let commands = task.commands.clone();
        *supervisor = Some(task);
        commands
    }

    /// Has the worker read the start of a dialogue. A chat that waits cancels it.
    async fn read(&self, messages: Vec<Message>, file: Option<PathBuf>) -> Result<FinishReason, LlmError> {
        let mut pending = self.submit(|id| WorkerRequest::Warm { id, messages, file }).await;
        loop {
            if let WorkerEvent::Finished { usage, .. } = pending.next().await? {
                return Ok(usage.reason);
            }
        }
    }

    /// Submits a request. Its events are received from the result.
    async fn submit(&self, request: impl FnOnce(RequestId) -> WorkerRequest) -> PendingRequest {
        let id = self.next_id.fetch_add(1, Ordering::Relaxed);
        let (sender, events) = mpsc::channel(QUEUED_EVENTS);
        let commands = self.commands();
        // An error means that the supervisor has ended; then `events` is closed.
        let _ = commands.send(SupervisorCommand::Submit { request: request(id), id, events: sender }).await;
        PendingRequest { id, events, commands, is_finished: false }
    }
}

#[async_trait]
impl ChatModel for EmbeddedModel {
    async fn chat(&self, request: ChatRequest, stop: CancellationToken) -> Result<ChatStream, LlmError> {
        let assembler = EventAssembler::from_request(&request);
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
            () = stop.cancelled() => return Ok(cancelled_stream()),
            first = first => first?,
        };
        let response =
            EmbeddedResponse { pending: Some(pending), assembler, stop, ready: Default::default() };
        Ok(response.stream(first))
    }

    fn identity(&self) -> ModelIdentity {
        ModelIdentity::new(ProviderKind::Embedded, self.config.model_name())
    }

    async fn warm_up(&self, messages: &[Message]) -> Result<(), LlmError> {
        self.read(messages.to_vec(), None).await.map(drop)
    }

    async fn keep_beginning(&self, beginning: &Message) -> Result<(), LlmError> {
        let reason = self.read(vec![beginning.clone()], self.config.beginning_file()).await?;
        let worker = self.worker_changes.load(Ordering::Relaxed);
        let kept = KeptBeginning { beginning: beginning.clone(), worker };
        *self.kept.lock() = Some(kept).filter(|_| reason != FinishReason::Cancelled);
        Ok(())
    }

    fn has_kept(&self, beginning: &Message) -> bool {
        let worker = self.worker_changes.load(Ordering::Relaxed);
        self.kept.lock().as_ref().is_some_and(|kept| kept.worker == worker && kept.beginning == *beginning)
    }
}

/// The events of one request. Dropping it early cancels the request.
struct PendingRequest {
    id: RequestId,
    events: mpsc::Receiver<Result<WorkerEvent, LlmError>>,
    commands: mpsc::Sender<SupervisorCommand>,
    is_finished: bool,
}

impl PendingRequest {
    async fn next(&mut self) -> Result<WorkerEvent, LlmError> {
        let event = self.events.recv().await;
        let event = event.unwrap_or_else(|| Err(LlmError::WorkerDied { how: "it was stopped".into() }));
        self.is_finished = matches!(event, Err(_) | Ok(WorkerEvent::Finished { .. }));
        event
    }
}

impl Drop for PendingRequest {
    fn drop(&mut self) {
        if !self.is_finished {
            // If the channel is full, the supervisor notices the dropped receiver at the next event.
            let _ = self.commands.try_send(SupervisorCommand::Cancel { id: self.id });
        }
    }
}

/// A response of the worker in progress.
struct EmbeddedResponse {
    /// `None` after the end of the response.
    pending: Option<PendingRequest>,
    assembler: EventAssembler,
    stop: CancellationToken,
    ready: std::collections::VecDeque<crate::ChatEvent>,
}

impl EmbeddedResponse {
    fn stream(mut self, first: WorkerEvent) -> ChatStream {
        self.add_event(first);
        Box::pin(futures::stream::unfold(self, |mut response| async move {
            let item = response.next().await?;
            Some((item, response))
        }))
    }

    async fn next(&mut self) -> Option<Result<crate::ChatEvent, LlmError>> {
        loop {
            if let Some(event) = self.ready.pop_front() {
                return Some(Ok(event));
            }
            let pending = self.pending.as_mut()?;
            let event = tokio::select! {
                biased; // Cancellation must not wait for a fast model.
                () = self.stop.cancelled() => {
                    self.pending = None;
                    self.ready.extend(self.assembler.finish(Usage::unknown(FinishReason::Cancelled)));
                    continue;
                }
                event = pending.next() => event,
            };
            match event {
                Ok(event) => self.add_event(event),
                Err(error) => {
                    self.pending = None;
                    return Some(Err(error));
                }
            }
        }
    }

    fn add_event(&mut self, event: WorkerEvent) {
        match event {
            WorkerEvent::Text { text, .. } => self.ready.extend(self.assembler.text(&text)),
            WorkerEvent::Finished { usage, .. } => {
                self.pending = None;
                self.ready.extend(self.assembler.finish(usage));
            }
            // These events need no action; failures were received as errors.
            WorkerEvent::Reading { .. } | WorkerEvent::Loaded { .. } | WorkerEvent::Failed { .. } => {}
        }
    }
}
