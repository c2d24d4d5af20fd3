//! Our side of a session: the facts that a server is told, and its questions and notices.

#![expect(deprecated, reason = "servers of today still ask for a language model, and need an answer")]

use std::sync::Arc;

use parking_lot::Mutex;
use rmcp::model::{
    ClientCapabilities, ClientConfig, CreateMessageRequestParams, CreateMessageResult, ElicitRequestParams,
    ElicitResult, ElicitationAction, ElicitationCapability, ErrorCode, ErrorData, FormElicitationCapability,
    Implementation, ProtocolVersion,
};
use rmcp::service::{NotificationContext, RequestContext};
use rmcp::{ClientHandler, RoleClient};
use tokio::sync::Notify;

use super::elicitation::Asker;

/// The code of a request that the user did not allow. Source: MCP specification 2025-11-25, "Sampling".
const REJECTED: ErrorCode = ErrorCode(-1);

/// Our side of a session. It offers a server no roots and no language model; questions go to the user of the call.
pub(super) struct Handler {
    /// The user who may be asked while a call is under way.
    pub asker: Arc<Mutex<Option<Asker>>>,
    /// Told when the tools of the server changed.
    pub tools_changed: Arc<Notify>,
}

impl ClientHandler for Handler {
    fn get_info(&self) -> ClientConfig {
        let mut capabilities = ClientCapabilities::default();
        let form = FormElicitationCapability::new();
        capabilities.elicitation = Some(ElicitationCapability::new().with_form(form));
        let implementation = Implementation::new("Jarvis", env!("CARGO_PKG_VERSION"));
        let mut config = ClientConfig::new(capabilities, implementation);
        // The version after it begins with other messages, which few servers know.
        config.protocol_version = ProtocolVersion::V_2025_11_25;
        config
    }

    async fn on_tool_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.tools_changed.notify_one();
    }

    async fn create_elicitation(
        &self,
        asked: ElicitRequestParams,
        _: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        let asker = self.asker.lock().clone();
        match asker {
            Some(asker) => Ok(asker.answer(asked).await),
            // A question needs a reply, and a reply needs a call.
            None => Ok(ElicitResult::new(ElicitationAction::Decline)),
        }
    }

    async fn create_message(
        &self,
        _: CreateMessageRequestParams,
        _: RequestContext<RoleClient>,
    ) -> Result<CreateMessageResult, ErrorData> {
        Err(ErrorData::new(REJECTED, "Jarvis lends its language model to no server", None))
    }
}
