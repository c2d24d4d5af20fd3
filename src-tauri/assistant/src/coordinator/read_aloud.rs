//! A text that is read aloud.

use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

/// A text that is being read aloud.
pub(super) struct ReadAloudTask {
    /// Ends it.
    pub stop: CancellationToken,
    pub task: JoinHandle<()>,
}

/// Waits for the text that is read aloud to end; forever if there is none. Cancel-safe.
pub(super) async fn has_ended(reading: &mut Option<ReadAloudTask>) {
    match reading {
        Some(reading) => {
            if let Err(panic) = (&mut reading.task).await {
                tracing::error!(%panic, "reading aloud did not end cleanly");
            }
        }
        None => std::future::pending().await,
    }
}
