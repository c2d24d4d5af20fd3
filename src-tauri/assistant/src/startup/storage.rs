//! The database, and what works on it in the background.

use std::sync::Arc;
use std::time::Duration;

use memory::{Dialogue, Memory, MemoryService};
use settings::{Folders, SecretStore};
use tokio::sync::watch;
use tokio::task::JoinHandle;
use vocabulary::{AssistantState, Stage, Trouble};

use super::context::Startup;
use super::language_models::LanguageModels;
use crate::builder::AssistantBuilder;
use crate::command::Command;
use crate::diary_scheduler::DiaryScheduler;
use crate::memory_files;
use crate::settings_observer::SettingsObserver;
use crate::upkeep::Upkeep;

/// How long the start waits for the database before the assistant is ready without what was said in earlier runs.
pub(super) const OPEN_LIMIT: Duration = Duration::from_millis(250);

/// The database at work.
pub(super) struct Storage {
    pub dialogue: Dialogue,
    /// The memory, once it is open.
    pub memory: watch::Receiver<Option<Memory>>,
    /// Opens the database and writes to it, until the last clone of the dialogue is dropped.
    pub writing: JoinHandle<()>,
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
        Storage { dialogue, memory: service.watch(), writing }
    }

    /// Starts maintenance, and the diary unless nothing is kept. Returns the diary's scheduler for the shutdown.
    pub fn work_on_memory(
        &self,
        builder: &AssistantBuilder,
        storage: &Storage,
        models: &LanguageModels,
        state: &watch::Receiver<AssistantState>,
    ) -> Option<DiaryScheduler> {
        let upkeep = Upkeep {
            memory: storage.memory.clone(),
            embedder: Arc::clone(&models.embedder),
            clock: Arc::clone(&builder.clock),
            settings: self.changes.clone(),
            state: state.clone(),
        };
        self.tasks.spawn(upkeep.run(self.stop.child_token()));
        let diary = DiaryScheduler {
            memory: storage.memory.clone(),
            model: Arc::clone(&models.model),
            replier: models.replier.clone(),
            clock: Arc::clone(&builder.clock),
            settings: self.changes.clone(),
            state: state.clone(),
            reflection: Arc::default(),
        };
        if !builder.keeps_words {
            return None;
        }
        self.tasks.spawn(diary.clone().run(self.stop.child_token()));
        Some(diary)
    }
}
