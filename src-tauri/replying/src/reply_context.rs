//! The inputs of one reply.

use jiff::Timestamp;
use languages::LanguageData;
use languages::messages::Messages;
use tokio_util::sync::CancellationToken;
use tools::ToolContext;
use vocabulary::{Language, Private, Query};

use crate::config::ReplyingConfig;
use crate::model_policy::ModelPolicy;
use crate::plain_requests::request_kind::{RequestKind, request_kind};
use crate::query_context::Entry;
use crate::roles::RoleModels;
use crate::tool_calls::toolbox::Toolbox;

/// The inputs of one reply. Nothing of it changes while the reply is made.
#[derive(Clone)]
pub(crate) struct ReplyContext {
    pub query: Query,
    /// The settings as they were when the query came.
    pub config: ReplyingConfig,
    /// The differences for the model of this reply.
    pub policy: ModelPolicy,
    /// The models, with a record of what this reply asks them.
    pub models: RoleModels,
    pub toolbox: Toolbox,
    /// Of the caller, for the model.
    pub instructions: Option<Private<String>>,
    pub entry: Entry,
    /// The needs of the request.
    pub request: RequestKind,
    /// The context of the tools, with the only reading of the clock and the token that stops the reply.
    pub tools: ToolContext,
}

impl ReplyContext {
    /// The moment of the query.
    pub fn now(&self) -> Timestamp {
        self.tools.now
    }

    /// Stops the reply.
    pub fn stop(&self) -> &CancellationToken {
        &self.tools.stop
    }

    /// The fixed sentences in the language of the reply.
    pub fn sentences(&self) -> &'static Messages {
        Messages::for_language(self.entry.language.as_ref())
    }

    /// The same reply to a query that is in another language than it was taken for.
    pub fn in_language(&self, language: Language) -> Self {
        let tools = ToolContext { language: Some(language.clone()), ..self.tools.clone() };
        Self { entry: Entry { language: Some(language), ..self.entry.clone() }, tools, ..self.clone() }
    }

    /// The same reply, of whose query only this is left to answer.
    pub fn with_rest(&self, rest: String) -> Self {
        let request = request_of(&rest, self.entry.language.as_ref(), &self.tools);
        Self { entry: Entry { redacted: rest, ..self.entry.clone() }, request, ..self.clone() }
    }

    /// The same reply, which does what this command says in place of its query.
    pub fn for_command(&self, command: &str) -> Self {
        let redacted = redaction::redact(command, redaction::MAX_CHARS);
        let tools = ToolContext { query: Private(redacted.clone()), ..self.tools.clone() };
        Self { tools, ..self.with_rest(redacted) }
    }

    /// The data of the language of the reply; of English where it is unknown.
    pub fn language_data(&self) -> &'static LanguageData {
        data_of(self.entry.language.as_ref())
    }
}

/// Returns the needs of a request in this language.
pub(crate) fn request_of(text: &str, language: Option<&Language>, tools: &ToolContext) -> RequestKind {
    request_kind(text, data_of(language), tools.now.to_zoned(tools.zone.clone()).date())
}

fn data_of(language: Option<&Language>) -> &'static LanguageData {
    language.and_then(languages::of).unwrap_or(&languages::all()[0])
}
