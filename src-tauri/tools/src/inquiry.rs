//! Questions and news from a tool to the user, while its call is under way.

use tokio::sync::{mpsc, oneshot};
use vocabulary::Private;

/// Messages that wait for the one before. A tool waits for the answer to a question, so only calls at the same time make more;
/// progress that does not fit is left out.
const WAITING: usize = 8;

/// A question of a tool to the user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Inquiry {
    /// The question, as the user reads it.
    pub text: Private<String>,
    /// The answers to choose from; empty means free text.
    pub options: Vec<String>,
}

/// The way of a tool to the user. Leads nowhere by default. Clones share it.
#[derive(Debug, Clone, Default)]
pub struct Inquiries(Option<mpsc::Sender<ToolMessage>>);

/// A message of a tool to the user.
#[derive(Debug)]
pub(crate) enum ToolMessage {
    Question(WaitingInquiry),
    /// A line about how far the call is.
    Progress(Private<String>),
}

/// A question, and where its answer goes.
#[derive(Debug)]
pub(crate) struct WaitingInquiry {
    pub inquiry: Inquiry,
    pub answer: oneshot::Sender<Option<Private<String>>>,
}

impl Inquiries {
    /// A way that leads to the receiver.
    pub(crate) fn new() -> (Self, mpsc::Receiver<ToolMessage>) {
        let (sender, receiver) = mpsc::channel(WAITING);
        (Self(Some(sender)), receiver)
    }

    /// Returns `true` if there is somebody to ask.
    pub fn lead_somewhere(&self) -> bool {
        self.0.as_ref().is_some_and(|sender| !sender.is_closed())
    }

    /// Asks the user. `None` if there is no answer.
    pub async fn ask(&self, inquiry: Inquiry) -> Option<Private<String>> {
        let (answer, answered) = oneshot::channel();
        let question = ToolMessage::Question(WaitingInquiry { inquiry, answer });
        self.0.as_ref()?.send(question).await.ok()?;
        answered.await.ok().flatten()
    }

    /// Tells the user how far the call is. Never waits: while the user is asked, progress is left out.
    pub fn report(&self, progress: Private<String>) {
        if let Some(sender) = &self.0 {
            // Progress of a call that ended, or too much of it, is of no use.
            let _ = sender.try_send(ToolMessage::Progress(progress));
        }
    }
}
