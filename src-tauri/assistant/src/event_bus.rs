//! Events in one order: front ends miss none of them, observers may.

use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::{broadcast, mpsc, watch};
use vocabulary::AssistantEvent;

/// Number of events that a door may fall behind by before replies wait for it: several seconds of streaming.
const DOOR_EVENTS: usize = 256;

/// Number of events that an observer may fall behind by before it misses some: a second of the busiest streaming.
const OBSERVER_EVENTS: usize = 1024;

/// Time that a reply waits for a door that reads nothing. The stream of the door then ends, and it has to catch up.
const PATIENCE: Duration = Duration::from_secs(5);

/// Passes events on to each door in a stream of its own, and to the observers. Clones share it.
///
/// All streams have the same order. For a door that has fallen behind, the text of replies waits, levels and partial words
/// are dropped, and everything else, which is seldom, goes through.
#[derive(Clone)]
pub(crate) struct EventBus {
    observers: broadcast::Sender<AssistantEvent>,
    doors: Arc<Mutex<Vec<Door>>>,
}

/// The sending end of a door's stream.
#[derive(Clone)]
struct Door {
    events: mpsc::UnboundedSender<AssistantEvent>,
    /// Number of events that the door has not read yet.
    backlog: watch::Sender<usize>,
}

/// All events from one moment on.
pub struct EventStream {
    events: mpsc::UnboundedReceiver<AssistantEvent>,
    backlog: watch::Sender<usize>,
}

impl EventStream {
    /// The next event. `None` if nothing was read for some seconds, or if the assistant has ended.
    ///
    /// Cancel-safe.
    pub async fn recv(&mut self) -> Option<AssistantEvent> {
        let event = self.events.recv().await?;
        self.backlog.send_modify(|backlog| *backlog -= 1);
        Some(event)
    }
}

impl EventBus {
    /// A bus with neither doors nor observers.
    pub fn new() -> Self {
        let (observers, _) = broadcast::channel(OBSERVER_EVENTS);
        Self { observers, doors: Arc::default() }
    }

    /// A stream for a door. It ends if the door reads nothing for some seconds while a reply goes on.
    pub fn follow(&self) -> EventStream {
        let (door, events) = mpsc::unbounded_channel();
        let backlog = watch::Sender::new(0);
        let mut doors = self.doors.lock();
        doors.retain(|door| !door.events.is_closed());
        doors.push(Door { events: door, backlog: backlog.clone() });
        EventStream { events, backlog }
    }

    /// A stream for an observer, which misses events if it falls behind.
    pub fn observe(&self) -> broadcast::Receiver<AssistantEvent> {
        self.observers.subscribe()
    }

    /// Passes an event on at once.
    pub fn tell(&self, event: AssistantEvent) {
        // Under the lock, so that each door gets the events of several tasks in one order.
        let mut doors = self.doors.lock();
        doors.retain(|door| door.take(&event));
        // Without an observer there is no receiver.
        let _ = self.observers.send(event);
    }

    /// Passes an event of a reply on, once every door has room for it. A door that makes none for some seconds is given up.
    ///
    /// Cancel-safe: nobody has got the event yet while this waits.
    pub async fn send(&self, event: AssistantEvent) {
        let doors = self.doors.lock().clone();
        futures::future::join_all(doors.iter().map(|door| self.wait_for(door))).await;
        self.tell(event);
    }

    async fn wait_for(&self, door: &Door) {
        let mut backlog = door.backlog.subscribe();
        let has_room = backlog.wait_for(|backlog| *backlog < DOOR_EVENTS);
        let waited = tokio::select! {
            waited = tokio::time::timeout(PATIENCE, has_room) => waited.is_ok(),
            () = door.events.closed() => false,
        };
        if !waited {
            self.doors.lock().retain(|other| !other.events.same_channel(&door.events));
        }
    }
}

impl Door {
    /// Queues an event. Returns `false` if nobody reads the stream any more.
    fn take(&self, event: &AssistantEvent) -> bool {
        let is_momentary = matches!(event, AssistantEvent::Level { .. } | AssistantEvent::Partial { .. });
        if is_momentary && *self.backlog.borrow() >= DOOR_EVENTS {
            return !self.events.is_closed();
        }
        self.backlog.send_modify(|backlog| *backlog += 1);
        self.events.send(event.clone()).is_ok()
    }
}

#[cfg(test)]
mod tests {
    use vocabulary::AssistantState;

    use super::*;

    fn level() -> AssistantEvent {
        AssistantEvent::Level { dbfs: -30.0 }
    }

    #[tokio::test]
    async fn events_of_several_senders_keep_their_order() {
        let bus = EventBus::new();
        let mut door = bus.follow();

        bus.tell(AssistantEvent::State(AssistantState::Thinking));
        bus.send(AssistantEvent::Ready).await;
        bus.tell(AssistantEvent::HotWindowClosed);

        let order = [door.recv().await, door.recv().await, door.recv().await];
        assert!(
            matches!(
                order,
                [
                    Some(AssistantEvent::State(AssistantState::Thinking)),
                    Some(AssistantEvent::Ready),
                    Some(AssistantEvent::HotWindowClosed)
                ]
            ),
            "{order:?}"
        );
    }

    #[tokio::test]
    async fn levels_are_dropped_for_a_door_that_has_fallen_behind() {
        let bus = EventBus::new();
        let mut door = bus.follow();

        (0..2 * DOOR_EVENTS).for_each(|_| bus.tell(level()));
        bus.tell(AssistantEvent::Ready);

        let mut levels = 0;
        while let Some(AssistantEvent::Level { .. }) = door.recv().await {
            levels += 1;
        }
        assert_eq!(levels, DOOR_EVENTS);
    }

    #[tokio::test]
    async fn closed_doors_are_forgotten() {
        let bus = EventBus::new();

        for _ in 0..3 {
            drop(bus.follow());
        }
        let _door = bus.follow();

        assert_eq!(bus.doors.lock().len(), 1);
    }
}
