//! What this door has to tell its pages: kept where it matters to pages that open later.

use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::broadcast;

use crate::views::{EventView, TroubleView};

/// Events that a page may fall behind by: a download tells a few a second.
const BACKLOG: usize = 64;

/// The news of this door. Clones tell the same pages.
#[derive(Clone)]
pub struct News {
    events: broadcast::Sender<EventView>,
    /// What is wrong now, one a stage.
    troubles: Arc<Mutex<Vec<TroubleView>>>,
}

impl News {
    /// Nothing is told yet.
    pub fn new() -> Self {
        let (events, _) = broadcast::channel(BACKLOG);
        Self { events, troubles: Arc::default() }
    }

    /// All that is told from now on.
    pub fn subscribe(&self) -> broadcast::Receiver<EventView> {
        self.events.subscribe()
    }

    /// Tells the pages that are open.
    pub fn tell(&self, event: EventView) {
        // Without a page open nobody needs to know.
        let _ = self.events.send(event);
    }

    /// Something of this door is wrong, until [`News::recovered`] names its stage.
    pub fn trouble(&self, trouble: TroubleView) {
        let mut troubles = self.lock();
        troubles.retain(|known| known.stage != trouble.stage);
        troubles.push(trouble.clone());
        drop(troubles);
        self.tell(EventView::Trouble { trouble });
    }

    /// What was wrong with this stage, if anything, is right again.
    pub fn recovered(&self, stage: &str) {
        self.lock().retain(|known| known.stage != stage);
        self.tell(EventView::Recovered { stage: stage.to_owned() });
    }

    /// What is wrong now.
    pub fn troubles(&self) -> Vec<TroubleView> {
        self.lock().clone()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<TroubleView>> {
        self.troubles.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_that_opens_later_is_told_what_is_still_wrong() {
        let trouble = |stage: &str, what: &str| TroubleView {
            stage: stage.into(),
            what: what.into(),
            remedy: "Mend it.".into(),
        };
        let news = News::new();
        news.trouble(trouble("talk_key", "It is taken."));
        news.trouble(trouble("talk_key", "It is still taken."));
        news.trouble(trouble("at_login", "It is forbidden."));
        news.recovered("at_login");

        assert_eq!(news.troubles(), [trouble("talk_key", "It is still taken.")]);
    }
}
