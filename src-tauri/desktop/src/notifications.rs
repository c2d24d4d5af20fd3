//! Notifications of the desktop for people who look elsewhere: what rings, answers that nobody saw, and questions.

mod service; // the desktop

use std::collections::{HashMap, VecDeque};

use tauri::{AppHandle, Manager, Runtime};
use tokio::sync::broadcast;
use vocabulary::{AssistantEvent, Origin, OutgoingResponse, ReplyEvent, Ring, RingKind};

use self::service::{Note, NotificationService};
use crate::door::Door;
use crate::windows::{self, WindowKind};

/// The most characters of an answer. Source: docs/behaviour/routing.md#channels.
const MAX_CHARS: usize = 200;

/// Shows a notification for whatever rings, and for what a reply says while the conversation is not in front and nobody
/// hears it; until the assistant ends. A desktop without notifications shows none: windows and sound say the same.
pub async fn follow<R: Runtime>(app: AppHandle<R>) {
    let assistant = app.state::<Door>().assistant.clone();
    let mut events = assistant.subscribe();
    // Missed appointments ring before this task begins.
    let mut waiting: VecDeque<Ring> = assistant.rings().into();
    let mut shown = Shown::default();
    loop {
        let event = match waiting.pop_front() {
            Some(ring) => Ok(AssistantEvent::AppointmentRang(ring)),
            None => tokio::select! {
                event = events.recv() => event,
                clicked = shown.service.clicked() => {
                    if shown.reply == Some(clicked) {
                        open_conversation(&app);
                    }
                    continue;
                }
            },
        };
        let done = match event {
            Ok(event) => {
                let is_wanted = || {
                    assistant.settings().current().appearance.notifications
                        && !windows::is_in_front(&app, WindowKind::Conversation)
                };
                shown.follow(&event, is_wanted).await
            }
            Err(broadcast::error::RecvError::Lagged(_)) => Ok(()),
            Err(broadcast::error::RecvError::Closed) => return,
        };
        if let Err(error) = done {
            tracing::info!(error, "the desktop showed no notification");
        }
    }
}

fn open_conversation<R: Runtime>(app: &AppHandle<R>) {
    if let Err(error) = windows::open(app, WindowKind::Conversation) {
        tracing::error!(%error, "the conversation could not be opened");
    }
}

/// The notifications that the user may still see.
#[derive(Default)]
struct Shown {
    service: NotificationService,
    /// By appointment.
    rings: HashMap<i64, u32>,
    /// The newest answer or question.
    reply: Option<u32>,
}

impl Shown {
    /// Shows or takes back what `event` is about. Replies are shown if `is_wanted`.
    async fn follow(
        &mut self,
        event: &AssistantEvent,
        is_wanted: impl FnOnce() -> bool,
    ) -> Result<(), String> {
        match event {
            AssistantEvent::AppointmentRang(ring) => {
                let replaced = self.rings.get(&ring.appointment).copied();
                let id = self.service.show(&note_of_ring(ring), replaced).await?;
                self.rings.insert(ring.appointment, id);
            }
            AssistantEvent::AppointmentSettled { appointment, .. } => {
                if let Some(id) = self.rings.remove(appointment) {
                    self.service.close(id).await?;
                }
            }
            AssistantEvent::Reply { event, .. } => {
                if let Some(note) = note_of_reply(event).filter(|_| is_wanted()) {
                    self.reply = Some(self.service.show(&note, self.reply).await?);
                }
            }
            // The user is here again.
            AssistantEvent::Asked { origin, .. } if *origin == Origin::Satellite => {}
            AssistantEvent::Asked { .. } | AssistantEvent::Answered { .. } => {
                if let Some(id) = self.reply.take() {
                    self.service.close(id).await?;
                }
            }
            _ => {}
        }
        Ok(())
    }
}

fn note_of_ring(ring: &Ring) -> Note {
    let title = match ring.kind {
        RingKind::Timer => "Timer",
        RingKind::Alarm => "Alarm",
        RingKind::Reminder => "Reminder",
    };
    Note { title, text: ring.text.to_string(), is_urgent: true, opens: false }
}

/// The note of a question, or of an answer that is not spoken.
fn note_of_reply(event: &ReplyEvent) -> Option<Note> {
    let (title, text) = match event {
        ReplyEvent::Question(question) => ("Jarvis asks", question.text.as_str()),
        ReplyEvent::Done(OutgoingResponse { text: Some(text), voice_requested: false, .. }) => {
            ("Jarvis", text.as_str())
        }
        _ => return None,
    };
    let text = shortened(text.trim());
    (!text.is_empty()).then_some(Note { title, text, is_urgent: false, opens: true })
}

/// The beginning of a text, with a sign that there is more.
fn shortened(text: &str) -> String {
    match text.char_indices().nth(MAX_CHARS) {
        Some((end, _)) => format!("{} …", text[..end].trim_end()),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests;
