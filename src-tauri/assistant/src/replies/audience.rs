//! Everybody who follows replies: doors that show them, and observers.

use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::{broadcast, mpsc};
use vocabulary::AssistantEvent;

/// How far a door may fall behind before replies wait for it: several seconds of streaming.
const EVENTS: usize = 256;

/// How long a reply waits for a door that reads nothing. Its stream then ends, and it has to catch up.
const PATIENCE: Duration = Duration::from_secs(5);

/// Passes what happens to replies on: to each door in a stream of its own that misses nothing, and to the observers. Clones
/// share it.
#[derive(Clone)]
pub(crate) struct Audience {
    observers: broadcast::Sender<AssistantEvent>,
    doors: Arc<Mutex<Vec<mpsc::Sender<AssistantEvent>>>>,
}

impl Audience {
    /// Nobody but these observers.
    pub fn new(observers: broadcast::Sender<AssistantEvent>) -> Self {
        Self { observers, doors: Arc::default() }
    }

    /// A stream for a door that shows replies. It ends if the door reads nothing for some seconds.
    pub fn follow(&self) -> mpsc::Receiver<AssistantEvent> {
        let (door, events) = mpsc::channel(EVENTS);
        self.doors.lock().push(door);
        events
    }

    /// Passes an event on. It waits for a door that has fallen behind.
    pub async fn send(&self, event: AssistantEvent) {
        let doors = self.doors.lock().clone();
        for door in doors {
            let sent = tokio::time::timeout(PATIENCE, door.send(event.clone())).await;
            if !matches!(sent, Ok(Ok(()))) {
                let mut doors = self.doors.lock();
                doors.retain(|other| !other.same_channel(&door));
            }
        }
        // Without an observer there is no receiver.
        let _ = self.observers.send(event);
    }
}
