//! The log of all calls: which tool, why it might run or not, who asked, and how it ended.

use std::time::Duration;

use jiff::Timestamp;
use vocabulary::{ConversationId, Origin, Private};

use crate::permissions::Grounds;
use crate::runner::CallStatus;
use crate::tool::Effect;

/// The port that keeps the log.
pub trait AuditLog: Send + Sync {
    /// Keeps a call that ended. It must not block: the answer waits for it.
    fn note(&self, call: AuditedCall);
}

/// A call as the log keeps it.
#[derive(Debug, Clone, PartialEq)]
pub struct AuditedCall {
    /// The time of the request that led to the call.
    pub at: Timestamp,
    /// The tool, as the model named it.
    pub tool: String,
    /// The effect of the call; `None` if there is no such tool.
    pub effect: Option<Effect>,
    /// The arguments in one short line, redacted.
    pub arguments: Private<String>,
    /// The decision about the call.
    pub decision: Decision,
    /// The reason of the decision; `None` if it came to none.
    pub grounds: Option<Grounds>,
    /// The origin of the request.
    pub origin: Origin,
    /// The conversation of the request.
    pub conversation: ConversationId,
    /// The end of the call.
    pub status: CallStatus,
    /// The duration of the call, without the time for which the user was asked.
    pub elapsed: Duration,
}

/// The decision about a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Decision {
    /// The call was wrong, so it came to no decision.
    None,
    /// It might run without a question.
    Allowed,
    /// It must not run.
    Denied,
    /// The user was asked and agreed to this call.
    Approved,
    /// The user was asked and agreed to all calls of the tool.
    ApprovedForGood,
    /// The user was asked and said no.
    Declined,
    /// The user was asked and did not answer.
    Unanswered,
}

impl Decision {
    /// The name that is stored.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Allowed => "allowed",
            Self::Denied => "denied",
            Self::Approved => "approved",
            Self::ApprovedForGood => "approved_for_good",
            Self::Declined => "declined",
            Self::Unanswered => "unanswered",
        }
    }
}
