//! Background work on memory: maintenance, the diary, appointments that ring.

use std::sync::Arc;

use tokio::sync::watch;
use vocabulary::AssistantState;

use super::context::Startup;
use super::language_models::LanguageModels;
use super::storage::Storage;
use crate::appointments::appointment_ringer::{AppointmentRinger, RingerHandle};
use crate::builder::AssistantBuilder;
use crate::memory_upkeep::diary_scheduler::DiaryScheduler;
use crate::memory_upkeep::upkeep::Upkeep;

impl Startup {
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
            helper: Arc::clone(&models.helper),
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

    /// Lets timers, alarms and reminders ring, if the front end `stays` for more than one question.
    pub fn open_ringer(&self, ringer: AppointmentRinger, stays: bool) -> RingerHandle {
        let (ringing, handle) = ringer.start();
        self.rings.set(handle.clone());
        if stays {
            self.tasks.spawn(ringing.run(self.stop.child_token()));
        }
        handle
    }
}
