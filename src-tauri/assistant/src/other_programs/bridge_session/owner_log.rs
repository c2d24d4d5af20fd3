//! The log of the calls of a session, which the owner of the data keeps.

use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tools::{AuditLog, AuditedCall};

use crate::data_access::data_owner::{DataOwner, DataOwnerError, DataOwnerParts};
use crate::data_access::requests::{MemoryRequest, Request, Response};
use crate::tool_access::call_log::logged;

/// Finds the owner of the data. It is found anew for each call: a session must not keep Jarvis from starting.
pub(super) type FindOwner = Box<dyn Fn() -> DataOwnerParts + Send + Sync>;

/// Hands calls to the owner of the data.
pub(super) struct OwnerLog {
    calls: mpsc::UnboundedSender<AuditedCall>,
}

impl OwnerLog {
    /// A log, and the task that hands on its calls. The task ends after the log is dropped.
    pub fn start(owner: FindOwner) -> (Self, JoinHandle<()>) {
        let (sender, mut calls) = mpsc::unbounded_channel();
        let writing = tokio::spawn(async move {
            while let Some(call) = calls.recv().await {
                if let Err(error) = hand_on(call, owner()).await {
                    tracing::error!(%error, "a tool call is missing in the log");
                }
            }
        });
        (Self { calls: sender }, writing)
    }
}

impl AuditLog for OwnerLog {
    fn note(&self, call: AuditedCall) {
        // The task lives as long as the log.
        let _ = self.calls.send(call);
    }
}

async fn hand_on(call: AuditedCall, parts: DataOwnerParts) -> Result<(), DataOwnerError> {
    let owner = DataOwner::find(parts).await?;
    let mut responses = owner.send(Request::Memory(MemoryRequest::LogCall { call: logged(call) })).await?;
    loop {
        match responses.next().await? {
            Response::Failed(trouble) => {
                tracing::error!(%trouble, "a tool call is missing in the log");
                break;
            }
            response if response.is_last() => break,
            _ => {}
        }
    }
    owner.close().await;
    Ok(())
}
