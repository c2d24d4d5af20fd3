//! The inputs of one reply.

use jiff::Timestamp;
use languages::messages::Messages;
use tokio_util::sync::CancellationToken;
use tools::ToolContext;
use vocabulary::Query;

use crate::config::ReplyingConfig;
use crate::entry::Entry;
use crate::model_policy::ModelPolicy;
use crate::roles::RoleModels;
use crate::toolbox::Toolbox;

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
    pub entry: Entry,
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
        Messages::of(self.entry.language.as_ref())
    }

    /// The same reply, of whose query only this is left to answer.
    pub fn with_rest(&self, rest: String) -> Self {
        Self { entry: Entry { redacted: rest, ..self.entry.clone() }, ..self.clone() }
    }
}
