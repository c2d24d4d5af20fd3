//! The end of the ringer that doors and the coordinator hold.

use jiff::SignedDuration;
use memory::MemoryError;
use tokio::sync::{mpsc, oneshot, watch};
use vocabulary::{ConversationId, Ring};

/// Orders that wait for the ringer. They come from a person, so there are never many.
const ORDERS: usize = 8;

/// Why a ring was not stopped or snoozed.
#[derive(Debug, thiserror::Error)]
pub enum RingError {
    /// It was settled before, or never rang.
    #[error("no such timer, alarm or reminder rings")]
    NotRinging,
    /// The memory could not be changed.
    #[error("the appointment could not be changed")]
    Memory(#[from] MemoryError),
}

/// The request that changes an appointment, so that undoing it gives the appointment back.
#[derive(Debug, Clone)]
pub(crate) struct AskedAt {
    pub conversation: ConversationId,
    /// Microseconds since the epoch.
    pub at_micros: i64,
}

/// An order to the ringer.
pub(super) enum Order {
    Stop {
        appointment: i64,
        done: oneshot::Sender<Result<(), RingError>>,
    },
    Snooze {
        appointment: i64,
        after: SignedDuration,
        asked: Option<AskedAt>,
        done: oneshot::Sender<Result<(), RingError>>,
    },
    /// Stop all that sounds.
    StopSounding {
        done: oneshot::Sender<()>,
    },
}

/// Controls the ringer. Clones control the same one.
#[derive(Clone)]
pub(crate) struct RingerHandle {
    orders: mpsc::Sender<Order>,
    ringing: watch::Receiver<Vec<Ring>>,
}

/// The ringer's own end.
pub(super) struct RingerEnd {
    pub orders: mpsc::Receiver<Order>,
    pub ringing: watch::Sender<Vec<Ring>>,
}

pub(super) fn handle() -> (RingerHandle, RingerEnd) {
    let (sender, orders) = mpsc::channel(ORDERS);
    let (ringing, rings) = watch::channel(Vec::new());
    (RingerHandle { orders: sender, ringing: rings }, RingerEnd { orders, ringing })
}

impl RingerHandle {
    /// Returns everything that rings or waits for the user, oldest first.
    pub fn rings(&self) -> Vec<Ring> {
        self.ringing.borrow().clone()
    }

    /// The user has heard it.
    pub async fn stop(&self, appointment: i64) -> Result<(), RingError> {
        let (done, is_done) = oneshot::channel();
        self.send(Order::Stop { appointment, done }, is_done).await.unwrap_or(Err(RingError::NotRinging))
    }

    /// It rings again after this time.
    pub async fn snooze(
        &self,
        appointment: i64,
        after: SignedDuration,
        asked: Option<AskedAt>,
    ) -> Result<(), RingError> {
        let (done, is_done) = oneshot::channel();
        self.send(Order::Snooze { appointment, after, asked, done }, is_done)
            .await
            .unwrap_or(Err(RingError::NotRinging))
    }

    /// Stops all that sounds now; cards whose sound has ended stay.
    pub async fn stop_sounding(&self) {
        if self.ringing.borrow().is_empty() {
            return;
        }
        let (done, is_done) = oneshot::channel();
        // A ringer that has ended makes no sound.
        let _ = self.send(Order::StopSounding { done }, is_done).await;
    }

    async fn send<T>(&self, order: Order, done: oneshot::Receiver<T>) -> Option<T> {
        self.orders.send(order).await.ok()?;
        done.await.ok()
    }
}
