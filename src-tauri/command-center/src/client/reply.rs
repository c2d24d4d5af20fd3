//! The reply of the client, and the sentences that it says itself.

use languages::messages::Messages;

use super::round::ToolRound;
use crate::ids::NodeConversationId;
use crate::response::{Action, Failure, FailureReason};

/// The reply to one utterance.
#[derive(Debug, Clone, PartialEq)]
pub struct ClientReply {
    /// `false` if it failed, or if no tool of the last round worked.
    pub is_success: bool,
    /// For the user.
    pub text: ReplyText,
    /// Anything is said to the user: the text, or a question on the way to it.
    pub is_spoken: bool,
    /// The user is expected to say something next.
    pub waits_for_input: bool,
    /// The next utterance begins a new conversation.
    pub clears_history: bool,
    /// A follow-up goes on here.
    pub conversation_id: NodeConversationId,
    /// The way it ended.
    pub ending: Ending,
}

/// The end of a reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ending {
    /// The server finished, or a tool waits for the user.
    Answered,
    /// The utterance was not meant for the assistant.
    NotForMe,
    /// The server was not reached, and no tool ran: the utterance can be answered by another engine.
    Unreachable,
    /// It cannot be answered.
    Failed(Option<FailureReason>),
}

/// The words of a reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReplyText {
    /// From the server or from a tool. It is not to be trusted.
    Words(String),
    /// Our own.
    Stock(StockPhrase),
    /// Nothing is said.
    Nothing,
}

/// A sentence of our own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StockPhrase {
    /// A tool waits for the user.
    GoAhead,
    /// All is done, and the server had no words.
    Done,
    /// No tool worked; with the error of one of them, if it gave one.
    DidNotWork(Option<String>),
    /// The server did not answer.
    Unreachable,
    /// The server did not take the results of the tools.
    ResultsNotSent,
    /// The server did not take the answer of the user.
    AnswerNotSent,
    /// The server asked for more and more.
    TooManyRounds,
    /// The server answered, and that was no use.
    Failed(FailureReason),
}

impl StockPhrase {
    /// The sentence in a language.
    pub fn sentence(&self, messages: &'static Messages) -> String {
        let fixed = match self {
            Self::DidNotWork(Some(error)) => return messages.node_did_not_work_why(error),
            Self::GoAhead => messages.node_go_ahead(),
            Self::Done => messages.node_done(),
            Self::DidNotWork(None) => messages.node_did_not_work(),
            Self::Unreachable => messages.node_unreachable(),
            Self::ResultsNotSent => messages.node_results_not_sent(),
            Self::AnswerNotSent => messages.node_answer_not_sent(),
            Self::TooManyRounds => messages.node_too_many_rounds(),
            Self::Failed(FailureReason::Unauthorised) => messages.node_unauthorised(),
            Self::Failed(FailureReason::ConversationExpired) => messages.node_conversation_expired(),
            Self::Failed(FailureReason::ServerError) => messages.node_server_error(),
            Self::Failed(_) => messages.node_not_understood(),
        };
        fixed.to_owned()
    }
}

impl ClientReply {
    fn new(id: &NodeConversationId, text: ReplyText, ending: Ending) -> Self {
        Self {
            is_success: matches!(ending, Ending::Answered | Ending::NotForMe),
            is_spoken: text != ReplyText::Nothing,
            text,
            waits_for_input: false,
            clears_history: false,
            conversation_id: id.clone(),
            ending,
        }
    }

    /// The server was not reached.
    pub(super) fn unreachable(id: &NodeConversationId) -> Self {
        Self::new(id, ReplyText::Stock(StockPhrase::Unreachable), Ending::Unreachable)
    }

    /// The loop broke off.
    pub(super) fn failed(id: &NodeConversationId, phrase: StockPhrase) -> Self {
        Self::new(id, ReplyText::Stock(phrase), Ending::Failed(None))
    }

    /// The server asked for the same calls once more.
    pub(super) fn repeated(id: &NodeConversationId, last: Option<&ToolRound>) -> Self {
        let error = last.and_then(ToolRound::last_error).map(str::to_owned);
        Self::failed(id, StockPhrase::DidNotWork(error))
    }

    /// The reply for the last answer of the server and the last round of tools.
    pub(super) fn from_action(id: &NodeConversationId, action: &Action, last: Option<&ToolRound>) -> Self {
        match action {
            Action::Silent => return Self::new(id, ReplyText::Nothing, Ending::NotForMe),
            Action::Fail(Failure { reason, .. }) => {
                let text = ReplyText::Stock(StockPhrase::Failed(*reason));
                return Self::new(id, text, Ending::Failed(Some(*reason)));
            }
            _ => {}
        }
        let waits = last.is_some_and(ToolRound::waits_for_input);
        let has_failed = last.is_some_and(ToolRound::has_only_failures);
        let apology = last.filter(|_| has_failed).and_then(apology);
        let text = apology.unwrap_or_else(|| answer(action, last.filter(|_| waits)));
        Self {
            is_success: !has_failed,
            waits_for_input: waits,
            clears_history: last.is_some_and(ToolRound::clears_history),
            ..Self::new(id, text, Ending::Answered)
        }
    }
}

/// The words in place of a model's when nothing worked. `None` without an error: an unknown tool has none.
fn apology(round: &ToolRound) -> Option<ReplyText> {
    let (call, error) = round.first_error()?;
    let own = call.failure_message.clone().map(ReplyText::Words);
    Some(own.unwrap_or_else(|| ReplyText::Stock(StockPhrase::DidNotWork(Some(error.to_owned())))))
}

/// The words of the waiting tool, of the server, of one of the calls that it asks for, or our own.
fn answer(action: &Action, waiting: Option<&ToolRound>) -> ReplyText {
    let of_tool = waiting.and_then(ToolRound::waiting_message).filter(|message| !message.trim().is_empty());
    let of_server = match action {
        Action::Finish { message } | Action::RunTools { interim_message: message, .. } => message.as_deref(),
        Action::Ask(request) => Some(request.question.as_str()),
        Action::Silent | Action::Fail(_) => None,
    };
    let of_call = || match action {
        Action::RunTools { calls, .. } if waiting.is_some() => {
            let messages = calls.iter().filter_map(|call| call.arguments.get("message")?.as_str());
            messages.map(str::trim).find(|message| !message.is_empty())
        }
        _ => None,
    };
    let words = of_tool.or(of_server).or_else(of_call).map(|words| ReplyText::Words(words.to_owned()));
    let stock = if waiting.is_some() { StockPhrase::GoAhead } else { StockPhrase::Done };
    words.unwrap_or(ReplyText::Stock(stock))
}
