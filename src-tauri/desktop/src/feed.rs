//! Events on their way to the pages: in batches, so that a fast model costs the page a redraw a frame, not one a token.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use assistant::Assistant;
use serde_json::Value;
use settings::Settings;
use tauri::async_runtime::JoinHandle;
use tauri::ipc::Channel;
use tokio::sync::{broadcast, watch};
use vocabulary::AssistantEvent;

use crate::views::{EventView, value_in};

/// A batch is sent so long after its first event: 30 a second at most.
const BATCH: Duration = Duration::from_millis(33);

/// The feed of each window, by its label: a page that is loaded again takes the place of what it was before.
#[derive(Default)]
pub struct Feeds(Mutex<HashMap<String, JoinHandle<()>>>);

impl Feeds {
    /// Feeds this window from now on.
    pub fn begin(
        &self,
        window: &str,
        assistant: &Assistant,
        more: broadcast::Receiver<EventView>,
        page: Channel<Vec<EventView>>,
    ) {
        let mut settings = assistant.settings().subscribe();
        // Now, and not when the task comes to run: what is set in between is news.
        let known = settings.borrow_and_update().clone();
        let events = assistant.subscribe();
        let sources = Sources { assistant: assistant.clone(), events, settings, more };
        let feed = tauri::async_runtime::spawn(sources.feed(page, known));
        if let Some(before) = self.lock().insert(window.to_owned(), feed) {
            before.abort();
        }
    }

    /// The window is gone.
    pub fn end(&self, window: &str) {
        if let Some(feed) = self.lock().remove(window) {
            feed.abort();
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<String, JoinHandle<()>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

struct Sources {
    assistant: Assistant,
    events: broadcast::Receiver<AssistantEvent>,
    settings: watch::Receiver<Settings>,
    /// What this door has to tell itself.
    more: broadcast::Receiver<EventView>,
}

impl Sources {
    async fn feed(mut self, page: Channel<Vec<EventView>>, mut known: Settings) {
        while let Some(events) = self.next(&mut known).await {
            let mut batch = Batch::default();
            batch.add(events);
            let due = tokio::time::sleep(BATCH);
            tokio::pin!(due);
            loop {
                tokio::select! {
                    () = &mut due => break,
                    events = self.next(&mut known) => match events {
                        Some(events) => batch.add(events),
                        None => break,
                    },
                }
            }
            if page.send(batch.0).is_err() {
                return;
            }
        }
    }

    /// What happens next; `None` when the assistant is gone.
    async fn next(&mut self, known: &mut Settings) -> Option<Vec<EventView>> {
        use broadcast::error::RecvError::{Closed, Lagged};
        tokio::select! {
            event = self.events.recv() => match event {
                Ok(event) => Some(EventView::of(&event).into_iter().collect()),
                // The end of a reply holds all of its text, so nothing of it is lost for good.
                Err(Lagged(_)) => Some(self.catching_up()),
                Err(Closed) => None,
            },
            event = self.more.recv() => match event {
                Ok(event) => Some(vec![event]),
                Err(Lagged(_)) => Some(self.catching_up()),
                Err(Closed) => None,
            },
            changed = self.settings.changed() => {
                changed.ok()?;
                let now = self.settings.borrow_and_update().clone();
                let changes = changes_between(known, &now);
                *known = now;
                Some(changes)
            }
        }
    }
}

impl Sources {
    fn catching_up(&self) -> Vec<EventView> {
        let assistant = &self.assistant;
        EventView::catching_up(assistant.state(), assistant.is_muted(), &assistant.troubles())
    }
}

/// Events that are sent together. Text of one reply is joined; of what only shows a moment the newest stays.
#[derive(Default)]
struct Batch(Vec<EventView>);

impl Batch {
    fn add(&mut self, events: Vec<EventView>) {
        for event in events {
            match (&event, self.0.last_mut()) {
                (
                    EventView::Delta { reply, text },
                    Some(EventView::Delta { reply: before, text: so_far }),
                ) if reply == before => {
                    so_far.push_str(text);
                }
                (EventView::Level { .. }, Some(last @ EventView::Level { .. })) => *last = event,
                _ => self.0.push(event),
            }
        }
    }
}

fn changes_between(before: &Settings, now: &Settings) -> Vec<EventView> {
    settings::KEYS
        .iter()
        .map(|key| (key.path, value_in(before, key.path), value_in(now, key.path)))
        .filter(|(_, before, now): &(&str, Value, Value)| before != now)
        .map(|(path, _, value)| EventView::Setting { path: path.to_owned(), value })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn delta(reply: u64, text: &str) -> EventView {
        EventView::Delta { reply, text: text.into() }
    }

    #[test]
    fn a_batch_joins_the_text_of_a_reply_and_keeps_the_newest_level() {
        let mut batch = Batch::default();

        batch.add(vec![delta(1, "It "), delta(1, "is "), EventView::Level { dbfs: -50.0 }]);
        batch.add(vec![EventView::Level { dbfs: -20.0 }, delta(1, "noon."), delta(2, "Yes.")]);

        let expected =
            [delta(1, "It is "), EventView::Level { dbfs: -20.0 }, delta(1, "noon."), delta(2, "Yes.")];
        assert_eq!(batch.0, expected);
    }

    #[test]
    fn a_changed_setting_is_told_by_its_path() {
        let mut now = Settings::default();
        now.location.place = "Leeds".into();

        let changes = changes_between(&Settings::default(), &now);

        assert_eq!(changes, [EventView::Setting { path: "location.place".into(), value: "Leeds".into() }]);
    }
}
