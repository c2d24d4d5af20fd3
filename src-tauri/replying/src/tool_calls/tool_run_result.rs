//! The result of a call, as a reply sees it.

use std::time::Duration;

use memory::ItemId;
use serde_json::{Map, Value};
use tools::{CallOutcome, CallStatus, Choice, Transition};
use vocabulary::{Attachment, ToolOutcome};

use crate::turn_loop::{CallResult, UserRefusal};

/// The longest result of a tool, in bytes, that is said as it is if a small model could not word it.
pub(crate) const MAX_QUOTE: usize = 300;

/// The result of a call.
#[derive(Debug)]
pub(crate) struct ToolRunResult {
    /// The part that the loop reads.
    pub result: CallResult,
    /// The arguments that the tool got.
    pub arguments: Map<String, Value>,
    /// The argument that the tool needs and nobody gave.
    pub lacks: Option<String>,
    /// The things that fit, if the user is asked which one, in the order in which they were told.
    pub choices: Vec<Choice>,
    /// The records that it made, changed or named.
    pub touched: Vec<ItemId>,
    /// For the user.
    pub attachments: Vec<Attachment>,
    /// The answer is to be spoken.
    pub voice_requested: bool,
    /// Words to speak in place of the text.
    pub voice_text: Option<String>,
    /// The profile that answers from now on.
    pub switches_to: Option<String>,
    /// The way the call ended.
    pub outcome: ToolOutcome,
    /// It failed for a reason that may pass: the tool could not do it, or took too long.
    pub may_succeed_later: bool,
    /// The time that it took.
    pub took: Duration,
}

impl Default for ToolRunResult {
    fn default() -> Self {
        Self::failed(CallResult {
            error: Some("the tool returned nothing".to_owned()),
            ..CallResult::default()
        })
    }
}

impl ToolRunResult {
    /// A call that did not run because the user did not say `what` it takes.
    pub fn incomplete(what: &str) -> Self {
        Self::failed(CallResult {
            error: Some(format!("the user did not say the {what}. Ask for it in one short question.")),
            undone: Some(UserRefusal::Incomplete),
            ..CallResult::default()
        })
    }

    fn failed(result: CallResult) -> Self {
        Self {
            result,
            arguments: Map::new(),
            lacks: None,
            choices: Vec::new(),
            touched: Vec::new(),
            attachments: Vec::new(),
            voice_requested: false,
            voice_text: None,
            switches_to: None,
            outcome: ToolOutcome::Failed,
            may_succeed_later: false,
            took: Duration::ZERO,
        }
    }
}

impl From<CallOutcome> for ToolRunResult {
    fn from(outcome: CallOutcome) -> Self {
        let CallOutcome { status, result, elapsed, arguments, .. } = outcome;
        let has_run = matches!(status, CallStatus::Done | CallStatus::Failed);
        let may_succeed_later = matches!(status, CallStatus::Failed | CallStatus::TimedOut);
        let text = result.text.map(|text| text.0);
        let (text, error) = if has_run { (text, None) } else { (None, text) };
        let stops = result.transition == Some(Transition::Stop);
        let (offered, switches_to) = match result.transition {
            Some(Transition::OfferTools(names)) => (names, None),
            Some(Transition::SwitchProfile(name)) => (Vec::new(), Some(name)),
            Some(Transition::Stop) | None => (Vec::new(), None),
        };
        let is_quotable = |text: &String| result.success && !result.is_untrusted && text.len() <= MAX_QUOTE;
        let outcome = status.tool_outcome();
        Self {
            outcome,
            may_succeed_later,
            arguments: arguments.0,
            touched: result.touched,
            result: CallResult {
                quote: text.clone().filter(is_quotable),
                text,
                error,
                success: result.success,
                stops,
                offered,
                answer: result.answer.map(|answer| answer.0),
                is_untrusted: result.is_untrusted,
                undone: match (outcome, &result.lacks) {
                    (ToolOutcome::Denied, _) => Some(UserRefusal::Denied),
                    (_, Some(_)) => Some(UserRefusal::Incomplete),
                    (_, None) => None,
                },
            },
            lacks: result.lacks,
            choices: result.choices,
            attachments: result.attachments,
            voice_requested: result.voice_requested,
            voice_text: result.voice_text.map(|words| words.0),
            switches_to,
            took: elapsed,
        }
    }
}
