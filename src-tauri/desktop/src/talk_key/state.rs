//! Which talk key works, and its presses.

use parking_lot::Mutex;

use tauri_plugin_global_shortcut::Shortcut;
use tokio::sync::mpsc;
#[cfg(target_os = "linux")]
use tokio_util::sync::CancellationToken;

/// A change of the key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Press {
    Down,
    Up,
}

/// Presses that may wait: more than a person makes while one is handled.
const PRESSES: usize = 16;

/// The talk key that is registered now.
pub struct TalkKey {
    working: Mutex<Option<WorkingKey>>,
    pub(super) presses: mpsc::Sender<Press>,
}

pub(crate) struct WorkingKey {
    /// The keys, as people read them.
    pub(super) name: String,
    pub(super) by: By,
}

pub(crate) enum By {
    WindowSystem(Shortcut),
    /// The desktop portal reports presses until this is cancelled.
    #[cfg(target_os = "linux")]
    Portal(CancellationToken),
}

impl TalkKey {
    /// Without a registered key. The receiver gets the presses of every key that is registered later.
    pub fn new() -> (Self, mpsc::Receiver<Press>) {
        let (presses, pressed) = mpsc::channel(PRESSES);
        (Self { working: Mutex::default(), presses }, pressed)
    }

    /// The registered keys, as people read them; empty without one.
    pub fn working(&self) -> String {
        self.lock().as_ref().map(|working| working.name.clone()).unwrap_or_default()
    }

    pub(super) fn lock(&self) -> parking_lot::MutexGuard<'_, Option<WorkingKey>> {
        self.working.lock()
    }
}
