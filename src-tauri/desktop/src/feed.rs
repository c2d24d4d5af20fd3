//! Sends events to the pages in batches, so that a fast model costs a page one redraw a frame instead of one a token.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use assistant::{Assistant, EventStream, ModelView, PullView};
use parking_lot::Mutex;
use serde_json::Value;
use settings::Settings;
use tauri::async_runtime::JoinHandle;
use tauri::ipc::Channel;
use tokio::sync::{broadcast, watch};
use vocabulary::{AssistantEvent, ReplyEvent};

use crate::attachments::KeptAttachments;
use crate::views::{EventView, value_in};

/// The time that after its first event a batch is sent: at most 30 batches a second.
const BATCH: Duration = Duration::from_millis(33);

/// The feed of each window, by its label. A page that is loaded again replaces its feed.
#[derive(Default)]
pub struct Feeds {
    tasks: Mutex<HashMap<String, JoinHandle<()>>>,
    attachments: Arc<KeptAttachments>,
}

impl Feeds {
    /// Sends events to this window from now on.
    pub fn begin(
        &self,
        window: &str,
        assistant: &Assistant,
        more: broadcast::Receiver<EventView>,
        page: Channel<Vec<EventView>>,
    ) {
        let mut settings = assistant.settings().subscribe();
        // Taken now and not when the task runs, so that a change in between is sent.
        let known = settings.borrow_and_update().clone();
        let events = assistant.follow();
        let models = assistant.model_library().subscribe();
        let pulls = assistant.model_library().subscribe_pulls();
        let attachments = Arc::clone(&self.attachments);
        let sources =
            Sources { assistant: assistant.clone(), events, models, pulls, settings, more, attachments };
        let feed = tauri::async_runtime::spawn(sources.feed(page, known));
        if let Some(before) = self.lock().insert(window.to_owned(), feed) {
            before.abort();
        }
    }

    /// The files of the replies that pages were told of.
    pub fn attachments(&self) -> &KeptAttachments {
        &self.attachments
    }

    /// Ends the feed of a window that was closed.
    pub fn end(&self, window: &str) {
        if let Some(feed) = self.lock().remove(window) {
            feed.abort();
        }
    }

    fn lock(&self) -> parking_lot::MutexGuard<'_, HashMap<String, JoinHandle<()>>> {
        self.tasks.lock()
    }
}

struct Sources {
    assistant: Assistant,
    events: EventStream,
    /// Progress of downloads.
    models: broadcast::Receiver<ModelView>,
    /// Progress of servers that fetch models.
    pulls: broadcast::Receiver<PullView>,
    settings: watch::Receiver<Settings>,
    /// Events of this door itself.
    more: broadcast::Receiver<EventView>,
    attachments: Arc<KeptAttachments>,
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

    /// The next events; `None` when the assistant ended.
    async fn next(&mut self, known: &mut Settings) -> Option<Vec<EventView>> {
        use broadcast::error::RecvError::{Closed, Lagged};
        tokio::select! {
            event = self.events.recv() => match event {
                Some(event) => {
                    // Before the page hears of them: it asks for pictures at once.
                    if let AssistantEvent::Reply { reply, event: ReplyEvent::Done(response) } = &event {
                        self.attachments.keep(*reply, &response.attachments);
                    }
                    Some(EventView::from_event(&event).into_iter().collect())
                }
                // This task was held up for so long that it was taken for gone.
                None => {
                    self.events = self.assistant.follow();
                    Some(self.catching_up())
                }
            },
            model = self.models.recv() => match model {
                Ok(model) => Some(vec![EventView::Model { model }]),
                // The next report of a download contains everything.
                Err(Lagged(_)) => Some(Vec::new()),
                Err(Closed) => None,
            },
            pull = self.pulls.recv() => match pull {
                Ok(pull) => Some(vec![EventView::Pull { pull }]),
                Err(Lagged(_)) => Some(Vec::new()),
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
        let (troubles, rings) = (assistant.troubles(), assistant.rings());
        EventView::catching_up(assistant.state(), assistant.is_muted(), &troubles, &rings)
    }
}

/// Events that are sent together. Text of one reply is joined; of consecutive levels only the newest is kept.
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
    fn batch_joins_text_and_keeps_the_newest_level() {
        let mut batch = Batch::default();

        batch.add(vec![delta(1, "It "), delta(1, "is "), EventView::Level { dbfs: -50.0 }]);
        batch.add(vec![EventView::Level { dbfs: -20.0 }, delta(1, "noon."), delta(2, "Yes.")]);

        let expected =
            [delta(1, "It is "), EventView::Level { dbfs: -20.0 }, delta(1, "noon."), delta(2, "Yes.")];
        assert_eq!(batch.0, expected);
    }

    #[test]
    fn changed_setting_is_sent_with_its_path() {
        let mut now = Settings::default();
        now.location.place = "Leeds".into();

        let changes = changes_between(&Settings::default(), &now);

        assert_eq!(changes, [EventView::Setting { path: "location.place".into(), value: "Leeds".into() }]);
    }
}
