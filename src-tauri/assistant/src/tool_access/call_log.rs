//! The log of tool calls: entries on their way to the memory.

use std::sync::Arc;

use memory::{LoggedCall, Memory};
use parking_lot::Mutex;
use settings::Settings;
use tokio::sync::{mpsc, watch};
use tokio::task::JoinHandle;
use tools::{AuditLog, AuditedCall};
use vocabulary::Private;

/// Calls that may wait for the disk. A reply makes a few; what overflows is missing in the log, and the program's log says so.
const WAITING_CALLS: usize = 256;

/// The log of a running assistant. Of a temporary conversation nothing is kept; without "Remember conversations" no
/// arguments are.
pub(crate) struct CallLog {
    /// `None` after the end.
    calls: Mutex<Option<mpsc::Sender<AuditedCall>>>,
    settings: watch::Receiver<Settings>,
    /// `false` if nothing of this run is kept.
    keeps_words: bool,
}

impl CallLog {
    /// A log, and the task that writes it. The task ends after [`CallLog::close`], once everything is written.
    pub fn start(
        memory: watch::Receiver<Option<Memory>>,
        settings: watch::Receiver<Settings>,
        keeps_words: bool,
    ) -> (Arc<Self>, JoinHandle<()>) {
        let (sender, calls) = mpsc::channel(WAITING_CALLS);
        let log = Arc::new(Self { calls: Mutex::new(Some(sender)), settings, keeps_words });
        (log, tokio::spawn(write(calls, memory)))
    }

    /// Takes no more calls.
    pub fn close(&self) {
        self.calls.lock().take();
    }
}

impl AuditLog for CallLog {
    fn note(&self, mut call: AuditedCall) {
        let is_temporary = call.conversation.is_temporary() && call.conversation.program().is_none();
        if !self.keeps_words || is_temporary {
            return;
        }
        if !self.settings.borrow().memory.remember {
            call.arguments = Private(String::new());
        }
        let Some(calls) = &*self.calls.lock() else { return };
        if calls.try_send(call).is_err() {
            tracing::error!("a tool call is missing in the log: too many wait for the disk");
        }
    }
}

/// Writes the calls in their order, once the memory is open.
async fn write(mut calls: mpsc::Receiver<AuditedCall>, mut memory: watch::Receiver<Option<Memory>>) {
    while let Some(call) = calls.recv().await {
        let opened = memory.wait_for(Option::is_some).await;
        let Some(memory) = opened.ok().and_then(|memory| memory.clone()) else { return };
        if let Err(error) = memory.log_call(logged(call)).await {
            tracing::error!(%error, "a tool call is missing in the log");
        }
    }
}

/// The call as memory keeps it.
pub(crate) fn logged(call: AuditedCall) -> LoggedCall {
    LoggedCall {
        id: 0,
        at_micros: call.at.as_microsecond(),
        tool: call.tool,
        effect: call.effect.map(|effect| effect.as_str()).unwrap_or_default().to_owned(),
        arguments: call.arguments,
        decision: call.decision.as_str().to_owned(),
        grounds: call.grounds.map(|grounds| grounds.as_str()).unwrap_or_default().to_owned(),
        outcome: call.status.as_str().to_owned(),
        origin: call.origin.name().to_owned(),
        conversation: call.conversation.0,
        took_ms: i64::try_from(call.elapsed.as_millis()).unwrap_or(i64::MAX),
    }
}
