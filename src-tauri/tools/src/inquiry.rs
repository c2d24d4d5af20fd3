//! Questions of a tool to the user, while its call is under way.

use tokio::sync::{mpsc, oneshot};
use vocabulary::Private;

/// Questions that wait for the one before. A tool waits for its answer, so only calls at the same time make more.
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
pub struct Inquiries(Option<mpsc::Sender<WaitingInquiry>>);

/// A question, and where its answer goes.
#[derive(Debug)]
pub(crate) struct WaitingInquiry {
    pub inquiry: Inquiry,
    pub answer: oneshot::Sender<Option<Private<String>>>,
}

impl Inquiries {
    /// A way that leads to the receiver.
    pub(crate) fn new() -> (Self, mpsc::Receiver<WaitingInquiry>) {
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
        self.0.as_ref()?.send(WaitingInquiry { inquiry, answer }).await.ok()?;
        answered.await.ok().flatten()
    }
}
