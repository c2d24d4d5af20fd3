//! Why something was not stored or found.

use storage::StorageError;
use vocabulary::Trouble;

use crate::graph::structure::MAX_DEPTH;
use crate::item::ItemId;

/// Why something was not stored or found.
#[derive(Debug, thiserror::Error)]
pub enum MemoryError {
    /// The database file could not be used.
    #[error(transparent)]
    Storage(#[from] StorageError),
    /// The request is impossible; nothing was changed.
    #[error(transparent)]
    Refused(#[from] Refusal),
}

/// Why a change was refused. Nothing was changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// The root and its three branches cannot be changed.
    #[error("this node is part of the fixed structure and stays as it is")]
    Fixed,
    /// A node without a name.
    #[error("a node needs a name")]
    NoName,
    /// A fact, diary entry or to-do without words.
    #[error("there are no words in it")]
    NoWords,
    /// Unknown id.
    #[error("{0} does not exist; `jarvis memory show` and `jarvis memory search` list what does")]
    NoSuchItem(ItemId),
    /// Unknown id of a timer, alarm or reminder.
    #[error("there is no timer, alarm or reminder {0}")]
    NoSuchAppointment(i64),
    /// Unknown id of a to-do.
    #[error("there is no to-do {0}")]
    NoSuchTodo(i64),
    /// A node cannot be moved below itself.
    #[error("a node cannot be moved below itself")]
    BelowItself,
    /// The tree would be too deep.
    #[error("the tree would be deeper than {MAX_DEPTH} levels")]
    TooDeep,
    /// Something that a model was given has been changed or forgotten since.
    #[error("the memory has changed in the meantime")]
    Outdated,
    /// Nothing was done in the last ten minutes.
    #[error("there is nothing left to undo: it can be undone for ten minutes")]
    NothingToUndo,
    /// A vector of another model, or without dimensions.
    #[error("the vector is not of the model that the memory is embedded with")]
    OtherModel,
    /// A file that cannot be imported, or a damaged undo record; says what is wrong.
    #[error("{0}")]
    Unreadable(String),
}

/// Why a transaction was rolled back.
#[derive(Debug)]
pub(crate) enum Failure {
    Sqlite(rusqlite::Error),
    Refused(Refusal),
}

/// The result of a transaction.
pub(crate) type Outcome<T> = Result<T, Failure>;

impl From<rusqlite::Error> for Failure {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sqlite(error)
    }
}

impl From<Refusal> for Failure {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

impl MemoryError {
    /// `path` is the database that the transaction was on.
    pub(crate) fn from_failure(path: &std::path::Path, failure: Failure) -> Self {
        match failure {
            Failure::Sqlite(error) => StorageError::from_sqlite(path, error).into(),
            Failure::Refused(refusal) => refusal.into(),
        }
    }

    /// Returns `true` if a later attempt can succeed, once the cause is removed.
    pub fn is_transient(&self) -> bool {
        matches!(self, Self::Storage(error) if error.is_transient())
    }

    /// Returns the remedy for the user.
    pub fn remedy(&self) -> &'static str {
        match self {
            Self::Storage(error) => error.remedy(),
            Self::Refused(_) => "Nothing was changed; ask for something else.",
        }
    }

    /// The error as the user reads it.
    pub fn trouble(&self) -> Trouble {
        Trouble::from_error(vocabulary::Stage::Memory, self, self.remedy())
    }
}
