//! Calls of tools, for the page with their log.

use assistant::LoggedCall;
use jiff::Timestamp;
use serde::Serialize;
use ts_rs::TS;
use vocabulary::ConversationId;

use super::Origin;

/// A call of a tool in the log.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct LoggedCallView {
    /// Its number. Newer calls have higher ones.
    pub id: i64,
    /// The time of the request that led to it, as RFC 3339 in UTC.
    pub at: String,
    pub tool: String,
    /// `read_only`, `network`, `writes`, `destructive` or `executes`; empty if there was no such tool.
    pub effect: String,
    /// The arguments in one short line, redacted.
    pub arguments: String,
    /// `allowed`, `denied`, `approved`, `approved_for_good`, `declined`, `unanswered` or `none`.
    pub decision: String,
    /// `effect`, `setting`, `untrusted`, `private_words`, `unsure` or `changed_description`; empty without a decision.
    pub grounds: String,
    /// The way it ended: `done`, `failed` …
    pub outcome: String,
    /// The origin of the request.
    pub origin: Option<Origin>,
    /// The conversation of the request.
    pub conversation: String,
    /// The name of the program that asked with a key; `null` if the user did, also with `jarvis ask`, or a program through `jarvis mcp`.
    pub program: Option<String>,
    pub took_ms: i64,
}

impl From<LoggedCall> for LoggedCallView {
    fn from(call: LoggedCall) -> Self {
        let at = Timestamp::from_microsecond(call.at_micros).unwrap_or(Timestamp::UNIX_EPOCH);
        Self {
            id: call.id,
            at: at.to_string(),
            tool: call.tool,
            effect: call.effect,
            arguments: call.arguments.0,
            decision: call.decision,
            grounds: call.grounds,
            outcome: call.outcome,
            origin: vocabulary::Origin::from_name(&call.origin).as_ref().map(Origin::from),
            program: ConversationId(call.conversation.clone()).program().map(str::to_owned),
            conversation: call.conversation,
            took_ms: call.took_ms,
        }
    }
}
