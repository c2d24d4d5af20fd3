//! What comes in: a thread reads the orders, so that cancelling works while the engine computes.

use std::collections::HashSet;
use std::io::BufRead;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};

use llm::embedded::protocol::{Order, RequestId};

/// Orders that wait while the engine computes. The assistant has few at a time; a full queue makes it wait.
const WAITING_ORDERS: usize = 64;

/// Which requests are to be stopped. Asked after every token and every piece of a prompt.
#[derive(Default)]
pub(crate) struct Stops {
    cancelled: Mutex<HashSet<RequestId>>,
    closing: AtomicBool,
}

impl Stops {
    /// Is the request cancelled, or nobody there any more to hear its answer?
    pub(crate) fn is_stopped(&self, id: RequestId) -> bool {
        self.closing.load(Ordering::Relaxed)
            || self.cancelled.lock().unwrap_or_else(PoisonError::into_inner).contains(&id)
    }

    /// The request was answered. Ids count up, so older ones are of no interest either.
    pub(crate) fn forget(&self, id: RequestId) {
        self.cancelled.lock().unwrap_or_else(PoisonError::into_inner).retain(|other| *other > id);
    }

    fn cancel(&self, id: RequestId) {
        self.cancelled.lock().unwrap_or_else(PoisonError::into_inner).insert(id);
    }
}

/// Starts to read orders from the standard input, until it closes.
pub(crate) fn read() -> (Receiver<Order>, Arc<Stops>) {
    let (sender, orders) = sync_channel(WAITING_ORDERS);
    let stops = Arc::new(Stops::default());
    let reader_stops = Arc::clone(&stops);
    // The thread ends with the standard input, and with it the program.
    std::thread::spawn(move || {
        read_lines(std::io::stdin().lock(), &sender, &reader_stops);
        reader_stops.closing.store(true, Ordering::Relaxed);
    });
    (orders, stops)
}

fn read_lines(input: impl BufRead, sender: &SyncSender<Order>, stops: &Stops) {
    for line in input.lines() {
        let line = match line {
            Ok(line) => line,
            Err(error) => return tracing::warn!(%error, "the orders cannot be read any more"),
        };
        match serde_json::from_str(&line) {
            Ok(Order::Cancel { id }) => stops.cancel(id),
            Ok(order) => {
                if sender.send(order).is_err() {
                    return;
                }
            }
            // The text is left out: it holds what was said.
            Err(error) => tracing::error!(
                line = error.line(),
                column = error.column(),
                "an order cannot be understood and is left out"
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cancellation_overtakes_and_nonsense_is_left_out() {
        let (sender, orders) = sync_channel(WAITING_ORDERS);
        let stops = Stops::default();
        let warm = |id| Order::Warm { id, messages: vec![], tools: vec![] };
        let line = |order: &Order| serde_json::to_string(order).unwrap() + "\n";
        let input = line(&warm(1)) + "nonsense\n" + &line(&Order::Cancel { id: 3 }) + &line(&warm(2));

        read_lines(input.as_bytes(), &sender, &stops);
        drop(sender);

        assert_eq!(orders.iter().collect::<Vec<_>>(), [warm(1), warm(2)]);
        assert!(stops.is_stopped(3) && !stops.is_stopped(2));
        stops.forget(3);
        assert!(!stops.is_stopped(3));
    }
}
