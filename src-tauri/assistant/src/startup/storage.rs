//! The database.

use std::sync::Arc;
use std::time::Duration;

use hearing::EnrolledVoices;
use memory::{Dialogue, Memory, MemoryService};
use settings::{Folders, SecretStore};
use tokio::sync::watch;
use tokio::task::JoinHandle;
use vocabulary::{Stage, Trouble};

use super::context::Startup;
use crate::command::Command;
use crate::memory_upkeep::memory_files;
use crate::settings_observer::SettingsObserver;
use crate::tool_access::call_log::CallLog;

/// Longest wait for the database at the start before the assistant is ready without what was said in earlier runs.
const OPEN_LIMIT: Duration = Duration::from_millis(250);
/// The same if a single question is asked: its answer may need the memory, and nothing is asked after it.
const OPEN_LIMIT_OF_ONE_QUESTION: Duration = Duration::from_secs(5);

/// The longest wait for the database at the start; `stays` is `true` if more than one question may follow.
pub(super) fn open_limit(stays: bool) -> Duration {
    if stays { OPEN_LIMIT } else { OPEN_LIMIT_OF_ONE_QUESTION }
}

/// The database at work.
pub(super) struct Storage {
    pub dialogue: Dialogue,
    /// The memory, once it is open.
    pub memory: watch::Receiver<Option<Memory>>,
    /// The enrolled voices, once the memory is open.
    pub voices: Arc<EnrolledVoices>,
    /// Opens the database and writes to it, until the last clone of the dialogue is dropped.
    pub writing: JoinHandle<()>,
    /// The log of tool calls, and the task that writes it.
    pub calls: Arc<CallLog>,
    pub writing_calls: JoinHandle<()>,
}

impl Startup {
    /// Opens the database of this user in the background.
    pub fn open_storage(
        &mut self,
        folders: &Folders,
        secrets: &Arc<dyn SecretStore>,
        keeps_words: bool,
    ) -> Storage {
        let commands = self.commands.clone();
        let report = move |trouble: Option<Trouble>| {
            let command = trouble.map_or(Command::Recovered(Stage::Memory), Command::Trouble);
            // When the coordinator cannot keep up, the next report will do.
            let _ = commands.try_send(command);
        };
        let (service, opening) = MemoryService::start(memory_files::place(folders, secrets), report);
        let (dialogue, writing) = Dialogue::start(&service);
        let writing = tokio::spawn(async { _ = tokio::join!(opening, writing) });
        dialogue.set_recorded(keeps_words && self.settings.memory.remember);
        let followed = dialogue.clone();
        self.observers.push(SettingsObserver::new(
            &self.settings,
            |settings| settings.memory.remember,
            move |remember| followed.set_recorded(keeps_words && *remember),
        ));
        let (calls, writing_calls) = CallLog::start(service.watch(), self.changes.clone(), keeps_words);
        let voices = Arc::new(EnrolledVoices::default());
        self.tasks.spawn(read_voices(service.watch(), Arc::clone(&voices)));
        Storage { dialogue, memory: service.watch(), voices, writing, calls, writing_calls }
    }
}

/// Reads the enrolled voices once the memory is open. The receiver does not keep it open.
async fn read_voices(mut memory: watch::Receiver<Option<Memory>>, voices: Arc<EnrolledVoices>) {
    let Ok(opened) = memory.wait_for(Option::is_some).await.map(|opened| opened.clone()) else { return };
    let Some(memory) = opened else { return };
    match memory.voices().await {
        Ok(enrolled) => voices.replace(enrolled),
        Err(error) => tracing::warn!(%error, "the enrolled voices could not be read: everybody is answered"),
    }
}
