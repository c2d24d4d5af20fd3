//! The parts of the handle for the pages of the windows: the conversation, models, servers of tools, permissions, programs.

use std::sync::Arc;

use languages::messages::id;
use memory::{CallFilter, DialogueMessage, LoggedCall, Participant};
use net::HostContact;
use serde_json::Value;
use settings::{Provider, Scope, SettingsError, SettingsFile};
use tools::servers::SignInError;
use url::Url;
use vocabulary::{ConversationId, Private, ReplyTrace, Stage, Trouble, behind_loudspeaker};

use super::Assistant;
use crate::data_access::data_owner::Responses;
use crate::data_access::requests::{Request, Response, SettingsRequest};
use crate::models_in_use::model_library::{ModelLibrary, ModelLibraryError};
use crate::other_programs::programs::{self, ProgramRefused};
use crate::secrets::secret_names::secret_name;
use crate::tool_access::tool_permissions::OtherDescription;
use crate::user::user_languages::{messages_of_user, user_languages};
use crate::views::{PermissionName, ServerPromptView, ToolPermissionView, ToolServerView};

impl Assistant {
    /// A page of the conversation: the newest `count` messages before `before_micros`, oldest first. Without the loudspeaker
    /// that a model wrote before an answer to be spoken.
    ///
    /// # Errors
    ///
    /// A [`Trouble`] when the database cannot be read.
    pub async fn history(&self, before_micros: i64, count: usize) -> Result<Vec<DialogueMessage>, Trouble> {
        let dialogue = self.at_shutdown().as_ref().map(|last| last.dialogue.clone());
        let Some(dialogue) = dialogue else { return Ok(Vec::new()) };
        let page = dialogue.history(&ConversationId::main(), before_micros, count).await;
        let mut page = page.map_err(|error| error.trouble())?;
        for message in page.iter_mut().filter(|message| message.content.participant == Participant::Assistant)
        {
            if let Some(text) = behind_loudspeaker(&message.content.text) {
                message.content.text = Private(text.to_owned());
            }
        }
        Ok(page)
    }

    /// The newest calls of tools that fit, the newest first.
    ///
    /// # Errors
    ///
    /// A [`Trouble`] when the database is not open, or cannot be read.
    pub async fn tool_calls(&self, filter: CallFilter, limit: usize) -> Result<Vec<LoggedCall>, Trouble> {
        let memory = self.shared.memory.borrow().clone();
        let Some(memory) = memory else {
            let remedy = "Wait a moment, or see what `jarvis doctor memory` says.";
            return Err(Trouble::new(Stage::Memory, "The memory is not open.", remedy));
        };
        memory.calls(filter, limit).await.map_err(|error| error.trouble())
    }

    /// The way the reply that was said at this time was made, if known.
    ///
    /// # Errors
    ///
    /// A [`Trouble`] when the database cannot be read.
    pub async fn reply_trace(&self, at_micros: i64) -> Result<Option<ReplyTrace>, Trouble> {
        let dialogue = self.at_shutdown().as_ref().map(|last| last.dialogue.clone());
        let Some(dialogue) = dialogue else { return Ok(None) };
        let trace = dialogue.trace(&ConversationId::main(), at_micros).await;
        trace.map_err(|error| error.trouble())
    }

    /// The model files, to download, try and delete.
    pub fn model_library(&self) -> &ModelLibrary {
        &self.shared.library
    }

    /// The hosts contacted in this run and the runs before, in alphabetical order, once for each purpose. Pages are
    /// listed only until the run ends.
    pub async fn hosts_contacted(&self) -> Vec<HostContact> {
        let contacts = Arc::clone(&self.shared.contacts);
        tokio::task::spawn_blocking(move || contacts.list()).await.unwrap_or_default()
    }

    /// Empties the list of contacted hosts.
    ///
    /// # Errors
    ///
    /// A [`Trouble`] when its file cannot be deleted.
    pub async fn forget_hosts_contacted(&self) -> Result<(), Trouble> {
        let contacts = Arc::clone(&self.shared.contacts);
        let cleared = tokio::task::spawn_blocking(move || contacts.clear()).await;
        cleared.unwrap_or_else(|panic| Err(Trouble::from_error(Stage::Settings, &panic, "Try again.")))
    }

    /// The servers of tools that are switched on, in the order of their names.
    pub fn tool_servers(&self) -> Vec<ToolServerView> {
        self.shared.tool_servers.views()
    }

    /// The prompts of the servers of tools, as they listed them last. Starts none of them.
    pub fn server_prompts(&self) -> Vec<ServerPromptView> {
        self.shared.tool_servers.prompts()
    }

    /// Reads the values anew that the settings of the servers of tools name, lists their tools, and waits for them.
    pub async fn refresh_tool_servers(&self) -> Vec<ToolServerView> {
        self.shared.tool_servers.refresh().await
    }

    /// Signs in at a server of tools: `open` shows its page to the user, who is waited for.
    ///
    /// # Errors
    ///
    /// The user is not signed in.
    pub async fn sign_in_tool_server(
        &self,
        name: &str,
        open: &(dyn Fn(&Url) -> Result<(), String> + Send + Sync),
    ) -> Result<(), SignInError> {
        self.shared.tool_servers.sign_in(name, open).await
    }

    /// Forgets the sign-in at a server of tools.
    ///
    /// # Errors
    ///
    /// The keychain does not forget it.
    pub async fn sign_out_tool_server(&self, name: &str) -> Result<(), SignInError> {
        self.shared.tool_servers.sign_out(name).await
    }

    /// Keeps a secret in the keychain that the settings of a server of tools name as `${secret:name}`. The server is started
    /// anew.
    ///
    /// # Errors
    ///
    /// The keychain does not take it.
    pub async fn set_tool_server_secret(&self, name: &str, secret: Private<String>) -> Result<(), Trouble> {
        let ending = || Trouble::new(Stage::Settings, "Jarvis starts or ends.", "Try again in a moment.");
        let service = self.shared.data.lock().clone().ok_or_else(ending)?;
        let request = SettingsRequest::SetSecret { name: secret_name(name), secret: Some(secret) };
        let mut responses = Responses::new(service, Request::Settings(request), &self.shared.tasks);
        loop {
            match responses.next().await {
                Ok(Response::Failed(trouble)) => return Err(trouble),
                Ok(response) if response.is_last() => return Ok(()),
                Ok(_) => {}
                Err(_) => return Err(ending()),
            }
        }
    }

    /// All tools and servers of tools with their permissions, and what else the settings name.
    pub fn tool_permissions(&self) -> Vec<ToolPermissionView> {
        self.shared.tool_permissions.views()
    }

    /// Sets the permission of a tool or a server in the settings; `None` removes it. The next call counts on it.
    ///
    /// # Errors
    ///
    /// The settings could not be saved.
    pub async fn set_tool_permission(
        &self,
        name: &str,
        choice: Option<PermissionName>,
    ) -> Result<(), SettingsError> {
        self.shared.tool_permissions.set(name, choice).await
    }

    /// Agrees to the new description of a tool. `shown` is [`ToolPermissionView::new_description`] of the view that the user
    /// read.
    ///
    /// # Errors
    ///
    /// The server describes it in other words by now.
    pub fn agree_to_tool_description(&self, name: &str, shown: &str) -> Result<(), OtherDescription> {
        self.shared.tool_permissions.agree(name, shown)
    }

    /// Chooses an installed model to hear, to speak or to answer, in the settings.
    ///
    /// # Errors
    ///
    /// [`ModelLibraryError`]; then nothing changes.
    pub fn use_model(&self, id: &str) -> Result<(), ModelLibraryError> {
        Ok(self.settings().set_all(self.model_library().settings_for(id)?)?)
    }

    /// Chooses the provider that answers, in the settings: a server at an address with one of its models, or the embedded
    /// engine with the path of a model file as its address.
    ///
    /// # Errors
    ///
    /// [`ModelLibraryError`]; then nothing changes.
    pub fn use_provider(&self, provider: &str, address: &str, model: &str) -> Result<(), ModelLibraryError> {
        let (address, model) = match provider == Provider::Embedded.value() {
            // The embedded engine has no address; the settings name its model as the catalogue does.
            true => (String::new(), self.model_library().id_of_file(address).unwrap_or_default()),
            // The settings refuse an unknown provider, and say which there are.
            false => (address.to_owned(), model.to_owned()),
        };
        let chosen: [(&str, Value); 3] = [
            ("llm.provider", provider.into()),
            ("llm.base_url", address.into()),
            ("llm.chat_model", model.into()),
        ];
        Ok(self.settings().set_all(chosen)?)
    }

    /// The settings, to read and to change.
    pub fn settings(&self) -> &SettingsFile {
        &self.shared.settings
    }

    /// The words with which a voice node answers its wake word, in the language of the user.
    pub fn words_when_woken(&self) -> &'static str {
        let user = user_languages(&self.settings().current());
        messages_of_user(&user, id::NODE_WOKEN).node_woken()
    }

    /// Gives a program a key. Returns the key, which nobody can find out later.
    ///
    /// # Errors
    ///
    /// [`ProgramRefused`]; then nothing changes.
    pub fn add_program(&self, name: &str, may: &[Scope]) -> Result<Private<String>, ProgramRefused> {
        programs::add(self.settings(), name, may)
    }

    /// Takes the key of a program away.
    ///
    /// # Errors
    ///
    /// [`ProgramRefused`]; then nothing changes.
    pub fn revoke_program(&self, name: &str) -> Result<(), ProgramRefused> {
        programs::revoke(self.settings(), name)
    }
}
