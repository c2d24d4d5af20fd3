//! Our side of a session: the facts that a server is told, and its questions and notices.

#![expect(deprecated, reason = "servers of today still ask for a language model, and need an answer")]

use std::sync::Arc;

use llm::ChatModel;
use rmcp::model::{
    ClientCapabilities, ClientConfig, CreateMessageRequestParams, CreateMessageResult, ElicitRequestParams,
    ElicitResult, ElicitationAction, ElicitationCapability, ErrorData, FormElicitationCapability,
    Implementation, ProgressNotificationParam, ProtocolVersion, SamplingCapability,
};
use rmcp::service::{NotificationContext, RequestContext};
use rmcp::{ClientHandler, RoleClient};
use tokio::sync::Notify;

use super::ongoing::OngoingCall;
use super::sampling::{self, REJECTED};
use super::secrets::Secrets;

/// Our side of a session. It offers a server no roots; questions go to the user of the call.
pub(super) struct Handler {
    /// The call during which the user may be asked and told.
    pub ongoing: OngoingCall,
    /// Kept out of what the user is told.
    pub secrets: Secrets,
    /// The language model that the server may ask, if the settings lend it.
    pub lent_model: Option<Arc<dyn ChatModel>>,
    /// Told when the tools or the prompts of the server changed.
    pub tools_changed: Arc<Notify>,
}

impl ClientHandler for Handler {
    fn get_info(&self) -> ClientConfig {
        let mut capabilities = ClientCapabilities::default();
        let form = FormElicitationCapability::new();
        capabilities.elicitation = Some(ElicitationCapability::new().with_form(form));
        capabilities.sampling = self.lent_model.as_ref().map(|_| SamplingCapability::default());
        let implementation = Implementation::new("Jarvis", env!("CARGO_PKG_VERSION"));
        let mut config = ClientConfig::new(capabilities, implementation);
        // The version after it begins with other messages, which few servers know.
        config.protocol_version = ProtocolVersion::V_2025_11_25;
        config
    }

    async fn on_tool_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.tools_changed.notify_one();
    }

    async fn on_prompt_list_changed(&self, _: NotificationContext<RoleClient>) {
        // The prompts are listed after the tools.
        self.tools_changed.notify_one();
    }

    async fn on_progress(&self, progress: ProgressNotificationParam, _: NotificationContext<RoleClient>) {
        self.ongoing.report(&progress, &self.secrets);
    }

    async fn create_elicitation(
        &self,
        asked: ElicitRequestParams,
        context: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        // A question needs a reply, and a reply needs a call.
        let Some((asker, over)) = self.ongoing.asker() else {
            return Ok(ElicitResult::new(ElicitationAction::Decline));
        };
        // The server may take its question back; the drop takes it from the user.
        let answering = over.run_until_cancelled(asker.answer(asked));
        let answer = context.ct.run_until_cancelled(answering).await.flatten();
        Ok(answer.unwrap_or_else(|| ElicitResult::new(ElicitationAction::Cancel)))
    }

    async fn create_message(
        &self,
        asked: CreateMessageRequestParams,
        context: RequestContext<RoleClient>,
    ) -> Result<CreateMessageResult, ErrorData> {
        let refused =
            || ErrorData::new(REJECTED, "The user lends the language model to no such server", None);
        let (Some(model), Some((asker, over))) = (&self.lent_model, self.ongoing.asker()) else {
            return Err(refused());
        };
        // The server may take its request back, and the user may stop the reply; the drop ends the model.
        let stop = over.child_token();
        let answering = over.run_until_cancelled(sampling::answered(asked, &asker, model, stop));
        context.ct.run_until_cancelled(answering).await.flatten().unwrap_or_else(|| Err(refused()))
    }
}
