//! Events of this door for its pages, and its present troubles.

use std::sync::Arc;

use parking_lot::Mutex;
use tokio::sync::broadcast;

use crate::views::{EventView, TroubleView};

/// Events that a page may fall behind by before it misses some.
const BACKLOG: usize = 64;

/// Sends events of this door to its pages. Clones send to the same pages.
#[derive(Clone)]
pub struct PageEvents {
    events: broadcast::Sender<EventView>,
    /// The present troubles, at most one for each stage.
    troubles: Arc<Mutex<Vec<TroubleView>>>,
}

impl PageEvents {
    pub fn new() -> Self {
        let (events, _) = broadcast::channel(BACKLOG);
        Self { events, troubles: Arc::default() }
    }

    /// All events from now on.
    pub fn subscribe(&self) -> broadcast::Receiver<EventView> {
        self.events.subscribe()
    }

    /// Sends an event to the open pages.
    pub fn send(&self, event: EventView) {
        // Without an open page there is no receiver.
        let _ = self.events.send(event);
    }

    /// Reports a trouble of this door, which stays until [`PageEvents::recovered`] names its stage.
    pub fn trouble(&self, trouble: TroubleView) {
        let mut troubles = self.lock();
        troubles.retain(|known| known.stage != trouble.stage);
        troubles.push(trouble.clone());
        drop(troubles);
        self.send(EventView::Trouble { trouble });
    }

    /// Ends the trouble of this stage, if there is one.
    pub fn recovered(&self, stage: &str) {
        self.lock().retain(|known| known.stage != stage);
        self.send(EventView::Recovered { stage: stage.to_owned() });
    }

    /// The present troubles.
    pub fn troubles(&self) -> Vec<TroubleView> {
        self.lock().clone()
    }

    fn lock(&self) -> parking_lot::MutexGuard<'_, Vec<TroubleView>> {
        self.troubles.lock()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn page_that_opens_later_gets_the_present_troubles() {
        let trouble = |stage: &str, what: &str| TroubleView {
            stage: stage.into(),
            what: what.into(),
            remedy: "Mend it.".into(),
        };
        let events = PageEvents::new();
        events.trouble(trouble("talk_key", "It is taken."));
        events.trouble(trouble("talk_key", "It is still taken."));
        events.trouble(trouble("at_login", "It is forbidden."));
        events.recovered("at_login");

        assert_eq!(events.troubles(), [trouble("talk_key", "It is still taken.")]);
    }
}
