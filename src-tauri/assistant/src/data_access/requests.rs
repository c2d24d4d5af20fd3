//! Requests of doors to the process that owns the data, and its answers. Plain data: the same types cross the local
//! socket and serve a command that owns the data itself.

use serde::{Deserialize, Serialize};
use vocabulary::{Question, QuestionId, Trouble};

use crate::views::{FileView, Finding, ReplyView};

mod memory;
mod models;
mod settings;
mod voices;

pub use memory::{
    BackupView, ConversationView, CopyOutcomeView, CopyView, DayBound, DayOutcome, DayRange, EntryDetails,
    EntryView, EvidenceView, FactDetails, FactView, ForgetPreview, ForgetScope, ForgottenView, ImportedView,
    ItemView, MemoryAnswer, MemoryOverview, MemoryRequest, MessageDetails, MessageView, MigratedView,
    NodeDetails, NodeOutcome, NodeView, PassAnswer, PassKind, PastFact, SearchHitView, TreeNode,
};
pub use models::{ModelsAnswer, ModelsRequest};
pub use settings::{SettingsAnswer, SettingsRequest};
pub use voices::{VoicesAnswer, VoicesRequest};

/// A request to the owner of the data.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "verb", content = "of", rename_all = "snake_case")]
pub enum Request {
    /// Answer a question.
    Ask(AskRequest),
    /// Fall silent, and end the reply under way.
    Stop,
    /// Listen: the next words need no wake word.
    Talk,
    /// Raise the window, if there is one.
    Show,
    /// Read or change the memory.
    Memory(MemoryRequest),
    /// Read or change the settings.
    Settings(SettingsRequest),
    /// List, download, check or delete model files.
    Models(ModelsRequest),
    /// List, enrol or remove voices.
    Voices(VoicesRequest),
}

/// A question of a caller.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct AskRequest {
    /// The question.
    pub text: String,
    /// Nothing of it is kept.
    pub is_temporary: bool,
    /// The caller takes the files of the answer.
    pub takes_files: bool,
    /// A person at the caller answers questions of the reply. Otherwise what it asks for is not done.
    pub answers_questions: bool,
}

impl AskRequest {
    /// A question whose caller takes text only, and answers nothing.
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }
}

/// One step of an answer. Every answer ends in exactly one [`Response::Done`] or [`Response::Failed`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "response", content = "of", rename_all = "snake_case")]
pub enum Response {
    /// A step of a reply.
    Reply(ReplyView),
    /// The reply goes on when the caller has answered this, or its time is over.
    Question(Question),
    /// The question is settled.
    QuestionSettled(QuestionId),
    /// A file of the answer.
    File(Box<FileView>),
    /// Something to tell the user beside the answer, such as why a search found less than it could.
    Notice(String),
    /// From the memory.
    Memory(Box<MemoryAnswer>),
    /// From the settings.
    Settings(SettingsAnswer),
    /// About model files.
    Models(Box<ModelsAnswer>),
    /// About enrolled voices.
    Voices(VoicesAnswer),
    /// From an examination.
    Finding(Finding),
    /// The answer is complete.
    Done,
    /// The request failed; what was answered before holds.
    Failed(Trouble),
}

impl Response {
    /// Returns `true` if nothing follows.
    pub fn is_last(&self) -> bool {
        matches!(self, Self::Done | Self::Failed(_))
    }
}
