//! The one who is asked.

use async_trait::async_trait;
use tools::{ApprovalAnswer, ApprovalRequest};

/// The one at the terminal.
#[async_trait]
pub trait BridgeUser: Send + Sync {
    /// Asks whether Ollama may be started.
    async fn allows_server_start(&self) -> bool;

    /// Asks whether a call of a tool may run.
    async fn allows_call(&self, request: ApprovalRequest) -> ApprovalAnswer;
}
