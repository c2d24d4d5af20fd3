//! Whose turn it is among background replies.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use vocabulary::ReplyId;

/// The time for which a background reply lets the foreground reply go first.
const FOREGROUND_FIRST: Duration = Duration::from_secs(30);

/// The turn of a background reply: few of them ask the model at the same time. Those that wait for their caller do not.
pub(super) struct Turn {
    running: Arc<Semaphore>,
    foreground: watch::Receiver<Option<ReplyId>>,
    permit: Option<OwnedSemaphorePermit>,
}

impl Turn {
    /// A turn that has not come yet.
    pub fn new(running: Arc<Semaphore>, foreground: watch::Receiver<Option<ReplyId>>) -> Self {
        Self { running, foreground, permit: None }
    }

    /// Waits until the reply may ask the model.
    pub async fn take(&mut self) {
        self.permit = Arc::clone(&self.running).acquire_owned().await.ok();
        let ended = self.foreground.wait_for(Option::is_none);
        // A foreground reply that takes this long, or waits for an answer, does not hold up the others.
        let _ = tokio::time::timeout(FOREGROUND_FIRST, ended).await;
    }

    /// Lets others go first until it is taken again.
    pub fn give_up(&mut self) {
        self.permit = None;
    }
}
