//! Reads requests on a separate thread, so that cancellations take effect while the engine computes.

use std::collections::HashSet;
use std::io::BufRead;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
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
    /// Number of chats in the queue.
    waiting_chats: AtomicUsize,
}

impl Cancellations {
    /// Returns `true` if the request is cancelled or the standard input is closed.
    pub(crate) fn is_cancelled(&self, id: RequestId) -> bool {
        self.closing.load(Ordering::Relaxed) || self.cancelled.lock().contains(&id)
    }

    /// Returns `true` if a chat waits for the request that is processed.
    pub(crate) fn is_chat_waiting(&self) -> bool {
        self.waiting_chats.load(Ordering::Relaxed) > 0
    }

    /// Removes a finished request and all older ones; ids increase.
    pub(crate) fn forget(&self, id: RequestId) {
        self.cancelled.lock().retain(|other| *other > id);
    }

    fn cancel(&self, id: RequestId) {
        self.cancelled.lock().insert(id);
    }
}

/// The queue of requests.
pub(crate) struct Requests {
    queue: Receiver<WorkerRequest>,
    cancellations: Arc<Cancellations>,
}

impl Requests {
    /// Waits for the next request; `None` when the standard input is closed.
    pub(crate) fn next(&self) -> Option<WorkerRequest> {
        let request = self.queue.recv().ok()?;
        if is_chat(&request) {
            self.cancellations.waiting_chats.fetch_sub(1, Ordering::Relaxed);
        }
        Some(request)
    }
}

fn is_chat(request: &WorkerRequest) -> bool {
    matches!(request, WorkerRequest::Chat { .. })
}

/// Starts to read requests from the standard input until it is closed.
pub(crate) fn read() -> (Requests, Arc<Cancellations>) {
    let (sender, queue) = sync_channel(QUEUED_REQUESTS);
    let cancellations = Arc::new(Cancellations::default());
    let requests = Requests { queue, cancellations: Arc::clone(&cancellations) };
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
                if is_chat(&request) {
                    cancellations.waiting_chats.fetch_add(1, Ordering::Relaxed);
                }
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
        let (sender, queue) = sync_channel(QUEUED_REQUESTS);
        let cancellations = Cancellations::default();
        let warm_up = |id| WorkerRequest::Warm { id, messages: vec![], file: None };
        let line = |request: &WorkerRequest| serde_json::to_string(request).unwrap() + "\n";
        let input =
            line(&warm_up(1)) + "nonsense\n" + &line(&WorkerRequest::Cancel { id: 3 }) + &line(&warm_up(2));

        read_lines(input.as_bytes(), &sender, &cancellations);
        drop(sender);

        assert_eq!(queue.iter().collect::<Vec<_>>(), [warm_up(1), warm_up(2)]);
        assert!(cancellations.is_cancelled(3) && !cancellations.is_cancelled(2));
        cancellations.forget(3);
        assert!(!cancellations.is_cancelled(3));
    }

    #[test]
    fn chat_is_waiting_until_it_is_taken() {
        let (sender, queue) = sync_channel(QUEUED_REQUESTS);
        let cancellations = Arc::new(Cancellations::default());
        let requests = Requests { queue, cancellations: Arc::clone(&cancellations) };
        let warm_up = WorkerRequest::Warm { id: 1, messages: vec![], file: None };
        let chat = WorkerRequest::Chat {
            id: 2,
            messages: vec![],
            tools: vec![],
            max_tokens: 1,
            temperature: 0.0,
            format: None,
            thinking: false,
        };
        let input = [warm_up, chat].map(|request| serde_json::to_string(&request).unwrap() + "\n").concat();

        read_lines(input.as_bytes(), &sender, &cancellations);

        requests.next();
        assert!(cancellations.is_chat_waiting());
        requests.next();
        assert!(!cancellations.is_chat_waiting());
    }
}
