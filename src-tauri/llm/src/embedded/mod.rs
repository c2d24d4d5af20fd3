//! The embedded engine: a model file on this machine, run by our own worker program.
//!
//! The worker is a child process: a crash of the engine ends one answer, not the assistant. It is started by the first
//! request, ended when nobody asks for a while, and started anew after it died.

mod config;
mod keeper;
mod process;
pub mod protocol;

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use async_trait::async_trait;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;

pub use config::{EmbeddedConfig, usual_worker};

use self::keeper::{Ask, WAITING_ASKS, WAITING_REPORTS, WorkerSupervisor};
use self::protocol::{Order, Report, RequestId};
use crate::answer::{Shaper, cancelled};
use crate::{
    ChatModel, ChatRequest, ChatStream, FinishReason, LlmError, Message, ModelIdentity, ProviderKind, Usage,
};

/// A model file, run by the worker program. Dropping it kills the worker.
pub struct Embedded {
    config: EmbeddedConfig,
    next_id: AtomicU64,
    /// The task that owns the worker; started by the first request, since only then there is a runtime for sure.
    keeper: Mutex<Option<KeeperTask>>,
}

struct KeeperTask {
    asks: mpsc::Sender<Ask>,
    _task: AbortOnDropHandle<()>,
}

impl Embedded {
    /// Nothing is started or read before the first request.
    pub fn new(config: EmbeddedConfig) -> Self {
        Self { config, next_id: AtomicU64::new(1), keeper: Mutex::new(None) }
    }

    /// What it runs on.
    pub fn config(&self) -> &EmbeddedConfig {
        &self.config
    }

    /// Where orders go. Must be called within a tokio runtime.
    fn asks(&self) -> mpsc::Sender<Ask> {
        let mut keeper = self.keeper.lock().unwrap_or_else(PoisonError::into_inner);
        let task = keeper.take().filter(|task| !task.asks.is_closed()).unwrap_or_else(|| {
            let (asks, received) = mpsc::channel(WAITING_ASKS);
            let task = tokio::spawn(WorkerSupervisor::new(self.config.clone(), received).run());
            KeeperTask { asks, _task: AbortOnDropHandle::new(task) }
        });
        let asks = task.asks.clone();
        *keeper = Some(task);
        asks
    }

    /// Sends an order; the reports come through what it returns.
    async fn carry(&self, order: impl FnOnce(RequestId) -> Order) -> Hearing {
        let id = self.next_id.fetch_add(1, Ordering::Relaxed);
        let (hearer, reports) = mpsc::channel(WAITING_REPORTS);
        let asks = self.asks();
        // Failing would mean that the keeper has gone, which `reports` then tells by being closed.
        let _ = asks.send(Ask::Carry { order: order(id), id, hearer }).await;
        Hearing { id, reports, asks, is_over: false }
    }
}

#[async_trait]
impl ChatModel for Embedded {
    async fn chat(&self, request: ChatRequest, stop: CancellationToken) -> Result<ChatStream, LlmError> {
        let shaper = Shaper::of(&request);
        let max_tokens = request.max_tokens.unwrap_or(self.config.max_reply_tokens);
        let temperature = request.temperature.unwrap_or(self.config.temperature);
        let hearing = self.carry(|id| Order::Chat {
            id,
            messages: request.messages,
            tools: request.tools,
            max_tokens,
            temperature,
            format: request.format,
            thinking: request.thinking,
        });
        let first = async {
            let mut hearing = hearing.await;
            let first = hearing.next().await?;
            Ok::<_, LlmError>((hearing, first))
        };
        let (hearing, first) = tokio::select! {
            biased;
            () = stop.cancelled() => return Ok(cancelled()),
            first = first => first?,
        };
        let answer = Answer { hearing: Some(hearing), shaper, stop, ready: Default::default() };
        Ok(answer.stream(first))
    }

    fn identity(&self) -> ModelIdentity {
        ModelIdentity { provider: ProviderKind::Embedded, model: self.config.model_name() }
    }

    async fn warm_up(&self, messages: &[Message]) -> Result<(), LlmError> {
        let messages = messages.to_vec();
        let mut hearing = self.carry(|id| Order::Warm { id, messages, tools: Vec::new() }).await;
        loop {
            if let Report::Finished { .. } = hearing.next().await? {
                return Ok(());
            }
        }
    }
}

/// The reports of one request. Dropping it early cancels the request.
struct Hearing {
    id: RequestId,
    reports: mpsc::Receiver<Result<Report, LlmError>>,
    asks: mpsc::Sender<Ask>,
    is_over: bool,
}

impl Hearing {
    async fn next(&mut self) -> Result<Report, LlmError> {
        let report = self.reports.recv().await;
        let report = report.unwrap_or_else(|| Err(LlmError::WorkerDied { how: "it was stopped".into() }));
        self.is_over = matches!(report, Err(_) | Ok(Report::Finished { .. }));
        report
    }
}

impl Drop for Hearing {
    fn drop(&mut self) {
        if !self.is_over {
            // Full means that the keeper is busy; it will notice that nobody listens any more.
            let _ = self.asks.try_send(Ask::Cancel { id: self.id });
        }
    }
}

/// An answer on its way from the worker.
struct Answer {
    /// `None` once the answer has ended.
    hearing: Option<Hearing>,
    shaper: Shaper,
    stop: CancellationToken,
    ready: std::collections::VecDeque<crate::ChatEvent>,
}

impl Answer {
    fn stream(mut self, first: Report) -> ChatStream {
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
            let hearing = self.hearing.as_mut()?;
            let report = tokio::select! {
                biased; // A talkative model must not keep us from stopping.
                () = self.stop.cancelled() => {
                    self.hearing = None;
                    self.ready.extend(self.shaper.finish(Usage::unknown(FinishReason::Cancelled)));
                    continue;
                }
                report = hearing.next() => report,
            };
            match report {
                Ok(report) => self.take(report),
                Err(error) => {
                    self.hearing = None;
                    return Some(Err(error));
                }
            }
        }
    }

    fn take(&mut self, report: Report) {
        match report {
            Report::Text { text, .. } => self.ready.extend(self.shaper.text(&text)),
            Report::Finished { usage, .. } => {
                self.hearing = None;
                self.ready.extend(self.shaper.finish(usage));
            }
            // It lives, and that is all it says; failures came as errors.
            Report::Reading { .. } | Report::Loaded { .. } | Report::Failed { .. } => {}
        }
    }
}
