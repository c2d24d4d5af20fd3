//! The engine that decides, as a port.

use async_trait::async_trait;
use serde_json::{Value, json};

use super::client_tool::ClientTool;
use crate::bodies::WireAttachment;
use crate::ids::NodeConversationId;
use crate::model_call::ModelCall;

/// Our own engine. It runs its own tools in place; tools of the node it only asks for.
#[async_trait]
pub trait NodeEngine: Send + Sync {
    /// The names of its own tools that replies to this client may use. No tool of a node may take one of them.
    fn own_tools(&self, client: &str) -> Vec<String>;

    /// Decides what comes next in a conversation.
    ///
    /// # Errors
    ///
    /// The model failed.
    async fn decide(&self, turn: EngineTurn<'_>) -> Result<Decision, EngineError>;

    /// The model that decides now.
    fn model(&self) -> EngineModel;

    /// A few words for a node that was woken, in the language of the user.
    fn words_when_woken(&self) -> String;

    /// Gives up whatever waits in a conversation: its client ended it, or begins it anew.
    fn give_up(&self, client: &str, conversation: &NodeConversationId);
}

/// The model behind an engine, as far as the protocol treats models differently.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EngineModel {
    /// Tools are offered to it and called natively; else they stand in its prompt.
    pub calls_natively: bool,
    /// It is a small one.
    pub is_small: bool,
}

/// A conversation as the engine sees it.
#[derive(Debug, Clone, Copy)]
pub struct EngineTurn<'a> {
    /// The node.
    pub client: &'a str,
    /// The id that the node chose.
    pub conversation: &'a NodeConversationId,
    /// The IANA zone of the node; `None` if it did not say, or said one that is unknown.
    pub timezone: Option<&'a str>,
    /// The tools of the node.
    pub tools: &'a [ClientTool],
    /// The dialogue and the calls so far, the newest last; the oldest exchanges leave with time. Every call but those of the last entry has its result.
    pub history: &'a [HistoryEntry],
}

/// An entry of a conversation.
#[derive(Debug, Clone, PartialEq)]
pub enum HistoryEntry {
    /// Said by the user.
    User(String),
    /// Said by the engine.
    Assistant(String),
    /// Calls that the engine asked for, questions to the user among them.
    Calls(Vec<ModelCall>),
    /// The result of a call.
    Result {
        /// The call.
        tool_call_id: String,
        /// As the node sent it, or an error of our own.
        output: Value,
    },
    /// A note to the engine about its last decision.
    Reminder(String),
}

impl HistoryEntry {
    /// The size of its words, in bytes.
    pub(super) fn bytes(&self) -> usize {
        match self {
            Self::User(text) | Self::Assistant(text) | Self::Reminder(text) => text.len(),
            Self::Calls(calls) => {
                calls.iter().map(|call| call.name.len() + json!(call.arguments).to_string().len()).sum()
            }
            Self::Result { output, .. } => output.to_string().len(),
        }
    }
}

/// A decision of the engine.
#[derive(Debug, Clone, PartialEq)]
pub enum Decision {
    /// The answer.
    Text {
        /// Its words.
        text: String,
        /// Its files and pictures.
        attachments: Vec<WireAttachment>,
    },
    /// A question to the user.
    Ask {
        /// In words for the user.
        question: String,
        /// The parameter that the answer is for.
        parameter_name: String,
        /// The answers to choose from.
        options: Option<Vec<String>>,
    },
    /// Calls of tools of the node.
    Calls {
        /// A sentence beside them.
        message: Option<String>,
        /// In order.
        calls: Vec<ModelCall>,
    },
}

impl Decision {
    /// An answer in words.
    pub fn text(words: impl Into<String>) -> Self {
        Self::Text { text: words.into(), attachments: Vec::new() }
    }
}

/// The engine could not decide, for this reason in words for the user.
#[derive(Debug, Clone, thiserror::Error)]
#[error("the engine failed: {0}")]
pub struct EngineError(pub String);
