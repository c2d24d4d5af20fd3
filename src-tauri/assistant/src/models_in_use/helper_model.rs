//! The language model for short tasks in the background.

use std::sync::Arc;

use async_trait::async_trait;
use llm::{ChatModel, ChatRequest, ChatStream, Failover, LlmError, Message, ModelIdentity, ProviderFinder};
use parking_lot::RwLock;
use tokio_util::sync::CancellationToken;

/// The model of the setting `llm.fast_model`; without one, the chat model.
pub(crate) struct HelperModel {
    chat: Arc<dyn ChatModel>,
    own: RwLock<Option<Arc<dyn ChatModel>>>,
}

impl HelperModel {
    /// Uses what `finder` finds; without one, `chat`.
    pub fn new(chat: Arc<dyn ChatModel>, finder: Option<ProviderFinder>) -> Self {
        Self { chat, own: RwLock::new(found_by(finder)) }
    }

    /// Uses another one from the next request on.
    pub fn replace(&self, finder: Option<ProviderFinder>) {
        *self.own.write() = found_by(finder);
    }

    fn current(&self) -> Arc<dyn ChatModel> {
        let own = self.own.read();
        Arc::clone(own.as_ref().unwrap_or(&self.chat))
    }
}

fn found_by(finder: Option<ProviderFinder>) -> Option<Arc<dyn ChatModel>> {
    finder.map(|finder| Arc::new(Failover::new(finder)) as Arc<dyn ChatModel>)
}

#[async_trait]
impl ChatModel for HelperModel {
    async fn chat(&self, request: ChatRequest, stop: CancellationToken) -> Result<ChatStream, LlmError> {
        self.current().chat(request, stop).await
    }

    fn identity(&self) -> ModelIdentity {
        self.current().identity()
    }

    async fn warm_up(&self, messages: &[Message]) -> Result<(), LlmError> {
        self.current().warm_up(messages).await
    }

    async fn warm_up_with(&self, beginning: ChatRequest) -> Result<(), LlmError> {
        self.current().warm_up_with(beginning).await
    }

    async fn found_identity(&self) -> Result<ModelIdentity, LlmError> {
        self.current().found_identity().await
    }

    async fn keep_beginning(&self, beginning: &Message) -> Result<(), LlmError> {
        self.current().keep_beginning(beginning).await
    }

    fn has_kept(&self, beginning: &Message) -> bool {
        self.current().has_kept(beginning)
    }
}

#[cfg(test)]
mod tests {
    use models::{Catalogue, ModelStore};
    use net::Http;
    use settings::{Provider, Settings};
    use testkit::{OpenAiServer, ScriptedAnswer, ScriptedModel, ServerScript, Turn};

    use super::*;
    use crate::models_in_use::language_model::LanguageModelChoice;

    async fn ask(model: &HelperModel) {
        let request = ChatRequest::new(vec![Message::user("Which folder?")]);
        model.chat(request, CancellationToken::new()).await.map(drop).unwrap();
    }

    #[tokio::test]
    async fn model_of_the_setting_does_short_tasks_and_the_chat_model_without_one() {
        let script = ServerScript::new([ScriptedAnswer::says("2")]).with_models(&["large", "small"]);
        let server = OpenAiServer::start(script);
        let folder = tempfile::tempdir().unwrap();
        let store = ModelStore::with_catalogue(folder.path(), Catalogue::bundled());
        let http = Http::new().unwrap();
        let mut settings = Settings::default();
        (settings.llm.provider, settings.llm.base_url) = (Provider::OpenAi, server.url());
        settings.llm.chat_model = "large".into();
        let finder = |settings: &Settings| {
            LanguageModelChoice::helper(settings, &store, None).map(|choice| choice.finder(&http))
        };
        let chat = Arc::new(ScriptedModel::new([Turn::says("1"), Turn::says("1")]));
        let helper = HelperModel::new(Arc::clone(&chat) as Arc<dyn ChatModel>, finder(&settings));

        ask(&helper).await;
        let without_setting = (chat.asked().len(), server.asked().len());
        settings.llm.fast_model = "small".into();
        helper.replace(finder(&settings));
        ask(&helper).await;
        let with_setting = (chat.asked().len(), server.asked());
        settings.llm.fast_model = "large".into();
        helper.replace(finder(&settings));
        ask(&helper).await;

        assert_eq!(without_setting, (1, 0));
        assert_eq!((with_setting.0, with_setting.1.len()), (1, 1));
        assert_eq!(with_setting.1[0]["model"], "small");
        assert_eq!((chat.asked().len(), server.asked().len()), (2, 1), "it is the chat model already");
    }
}
