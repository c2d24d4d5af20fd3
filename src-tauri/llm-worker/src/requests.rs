//! Reads requests on a separate thread, so that cancellations take effect while the engine computes.

use std::collections::HashSet;
use std::io::BufRead;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

use llm::embedded::protocol::{RequestId, WorkerRequest};
use parking_lot::Mutex;

/// Capacity of the queue of requests. The assistant sends few at a time; when the queue is full, it waits.
const QUEUED_REQUESTS: usize = 64;

/// The cancelled requests. Checked after every token and every chunk of a prompt.
#[derive(Default)]
pub(crate) struct Cancellations {
    cancelled: Mutex<HashSet<RequestId>>,
    closing: AtomicBool,
}

impl Cancellations {
    /// Returns `true` if the request is cancelled or the standard input is closed.
    pub(crate) fn is_cancelled(&self, id: RequestId) -> bool {
        self.closing.load(Ordering::Relaxed) || self.cancelled.lock().contains(&id)
    }

    /// Removes a finished request and all older ones; ids increase.
    pub(crate) fn forget(&self, id: RequestId) {
        self.cancelled.lock().retain(|other| *other > id);
    }

    fn cancel(&self, id: RequestId) {
        self.cancelled.lock().insert(id);
    }
}

/// Starts to read requests from the standard input until it is closed.
pub(crate) fn read() -> (Receiver<WorkerRequest>, Arc<Cancellations>) {
    let (sender, requests) = sync_channel(QUEUED_REQUESTS);
    let cancellations = Arc::new(Cancellations::default());
    let reader_cancellations = Arc::clone(&cancellations);
    // The thread ends when the standard input is closed, and then the program ends.
    std::thread::spawn(move || {
        read_lines(std::io::stdin().lock(), &sender, &reader_cancellations);
        reader_cancellations.closing.store(true, Ordering::Relaxed);
    });
    (requests, cancellations)
}

fn read_lines(input: impl BufRead, sender: &SyncSender<WorkerRequest>, cancellations: &Cancellations) {
    for line in input.lines() {
        let line = match line {
            Ok(line) => line,
            Err(error) => return tracing::warn!(%error, "cannot read further requests"),
        };
        match serde_json::from_str(&line) {
            Ok(WorkerRequest::Cancel { id }) => cancellations.cancel(id),
            Ok(request) => {
                if sender.send(request).is_err() {
                    return;
                }
            }
            // The text is not logged, because it contains words of the user.
            Err(error) => tracing::error!(
                line = error.line(),
                column = error.column(),
                "skipping a request that cannot be parsed"
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cancellation_takes_effect_at_once_and_invalid_lines_are_skipped() {
        let (sender, requests) = sync_channel(QUEUED_REQUESTS);
        let cancellations = Cancellations::default();
        let warm_up = |id| WorkerRequest::Warm { id, messages: vec![], tools: vec![] };
        let line = |request: &WorkerRequest| serde_json::to_string(request).unwrap() + "\n";
        let input =
            line(&warm_up(1)) + "nonsense\n" + &line(&WorkerRequest::Cancel { id: 3 }) + &line(&warm_up(2));

        read_lines(input.as_bytes(), &sender, &cancellations);
        drop(sender);

        assert_eq!(requests.iter().collect::<Vec<_>>(), [warm_up(1), warm_up(2)]);
        assert!(cancellations.is_cancelled(3) && !cancellations.is_cancelled(2));
        cancellations.forget(3);
        assert!(!cancellations.is_cancelled(3));
    }
}
