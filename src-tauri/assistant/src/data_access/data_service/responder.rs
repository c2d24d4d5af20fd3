//! The answers to one request on their way to the caller.

use tokio::sync::mpsc;

use super::failure::Failure;
use crate::data_access::requests::{MemoryAnswer, Response};
use crate::views::Finding;

/// Answers that may wait for a slow caller; then the request waits, and the server drops the caller after a while.
const WAITING_ANSWERS: usize = 64;

/// Sends the answers to one request.
pub(crate) struct Responder {
    answers: mpsc::Sender<Response>,
}

impl Responder {
    /// A responder, and where its answers arrive.
    pub fn new() -> (Self, mpsc::Receiver<Response>) {
        let (answers, receiver) = mpsc::channel(WAITING_ANSWERS);
        (Self { answers }, receiver)
    }

    /// Sends a response; fails if the caller no longer listens.
    pub async fn send(&self, response: Response) -> Result<(), Failure> {
        self.answers.send(response).await.map_err(|_| Failure::CallerGone)
    }

    /// Sends the last answer of a request that ended so.
    pub async fn end(&self, outcome: Result<(), Failure>) {
        let last = match outcome {
            Ok(()) => Response::Done,
            Err(Failure::Trouble(trouble)) => Response::Failed(trouble),
            Err(Failure::CallerGone) => return,
        };
        // A caller that hung up needs no answer.
        let _ = self.send(last).await;
    }

    pub async fn memory(&self, answer: MemoryAnswer) -> Result<(), Failure> {
        self.send(Response::Memory(Box::new(answer))).await
    }

    pub async fn notice(&self, text: String) -> Result<(), Failure> {
        self.send(Response::Notice(text)).await
    }

    pub async fn findings(&self, findings: Vec<Finding>) -> Result<(), Failure> {
        for finding in findings {
            self.send(Response::Finding(finding)).await?;
        }
        Ok(())
    }
}
