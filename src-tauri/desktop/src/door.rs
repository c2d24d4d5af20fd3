//! The state that all parts of this door share.

use assistant::Assistant;
use tokio::sync::Notify;

use crate::feed::Feeds;
use crate::page_events::PageEvents;
use crate::talk_key::state::TalkKey;
use crate::tasks::Tasks;

/// The state that all parts of this door share; Tauri keeps it.
pub struct Door {
    pub assistant: Assistant,
    pub feeds: Feeds,
    /// Events of this door itself, for its pages.
    pub page_events: PageEvents,
    pub talk_key: TalkKey,
    /// Notified when the talk key was pressed and the microphone is not available.
    pub refused: Notify,
    pub tasks: Tasks,
}
