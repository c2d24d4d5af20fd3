//! Failures of a Command Center, as the user reads them.

use command_center::{FailureReason, StockPhrase};
use vocabulary::{Stage, Trouble};

/// The trouble behind a sentence of the client; `None` if only a tool did not work.
pub(super) fn trouble_of(phrase: &StockPhrase) -> Option<Trouble> {
    let (message, remedy) = match phrase {
        StockPhrase::GoAhead | StockPhrase::Done | StockPhrase::DidNotWork(_) => return None,
        StockPhrase::Unreachable => (
            "The Command Center cannot be reached.",
            "Start it, or correct its address in the settings, or let Jarvis answer while it is away.",
        ),
        StockPhrase::ResultsNotSent => (
            "The Command Center did not take the results of its calls.",
            "Ask again; what the calls did is done.",
        ),
        StockPhrase::AnswerNotSent => ("The Command Center did not take your answer.", "Ask again."),
        StockPhrase::TooManyRounds => {
            ("The Command Center asked for more and more calls.", "Ask again in other words.")
        }
        StockPhrase::Failed(FailureReason::Unauthorised) => (
            "The Command Center rejected the credentials of this computer.",
            "Correct the node in the settings, and store its key with `jarvis settings secret command_center.node_key`.",
        ),
        StockPhrase::Failed(FailureReason::ConversationExpired) => {
            ("The Command Center does not know the conversation.", "Ask again.")
        }
        StockPhrase::Failed(FailureReason::ServerError) => (
            "The Command Center failed.",
            "Ask again; if it happens again, look at the log of the Command Center.",
        ),
        StockPhrase::Failed(
            FailureReason::BadBody | FailureReason::BadRequest | FailureReason::UnknownStopReason,
        ) => (
            "The Command Center does not speak the protocol that Jarvis knows.",
            "Correct its address in the settings, or bring both programs up to date.",
        ),
    };
    Some(Trouble::new(Stage::CommandCenter, message, remedy))
}

/// The trouble of a reply that took too long.
pub(super) fn too_slow() -> Trouble {
    Trouble::new(
        Stage::CommandCenter,
        "The Command Center took too long.",
        "Ask again, or set a longer reply time in the settings.",
    )
}
