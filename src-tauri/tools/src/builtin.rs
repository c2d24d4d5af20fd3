//! The tools of Jarvis itself that need no network.

#![expect(
    clippy::result_large_err,
    reason = "a failure is the result of the call, and there is one in a call"
)]

mod declaring; // what every tool here has
mod wording; // answers in the user's language
mod stop;
mod get_time;
mod get_date;
mod arithmetic; // the exact evaluator
mod calculate;
mod convert_units;
mod appointments; // what timers, alarms and reminders share
mod set_timer;
mod list_timers;
mod cancel_timer;
mod stop_ringing;
mod snooze;
mod set_alarm; // reminders too
mod reminders; // listing and cancelling
mod todos;
mod calendar_file; // lists and reminders for other programs
mod export_todos;
mod days; // days that arguments name
mod search_memory;
mod log_meal;
mod meals; // listing and deleting
mod voice; // the assistant's own
mod switch_profile;

use std::path::PathBuf;
use std::sync::Arc;

use llm::Embedder;
use memory::Memory;
use tokio::sync::watch;

use crate::Tool;
use crate::meals::MealReader;
use crate::voice_settings::VoiceSettings;

/// What the built-in tools work with.
pub struct Parts {
    /// The records, once they are open.
    pub memory: watch::Receiver<Option<Memory>>,
    /// With one, memory is searched by meaning as well as by words.
    pub embedder: Option<Arc<dyn Embedder>>,
    /// Without one, no meals are logged.
    pub meal_reader: Option<Arc<dyn MealReader>>,
    /// Without them, no tool changes the voice.
    pub voice: Option<Arc<dyn VoiceSettings>>,
    /// Where files for the user are saved. Without it, nothing is exported.
    pub documents: Option<PathBuf>,
}

impl Parts {
    /// A memory and nothing else.
    pub fn of(memory: watch::Receiver<Option<Memory>>) -> Self {
        Self { memory, embedder: None, meal_reader: None, voice: None, documents: None }
    }
}

/// All built-in tools that need no network.
pub fn all(parts: Parts) -> Vec<Arc<dyn Tool>> {
    let Parts { memory, embedder, meal_reader, voice, documents } = parts;
    let mut tools: Vec<Arc<dyn Tool>> = vec![
        Arc::new(stop::Stop::new()),
        Arc::new(get_time::GetTime::new()),
        Arc::new(get_date::GetDate::new()),
        Arc::new(calculate::Calculate::new()),
        Arc::new(convert_units::ConvertUnits::new()),
        Arc::new(set_timer::SetTimer::new(memory.clone())),
        Arc::new(list_timers::ListTimers::new(memory.clone())),
        Arc::new(cancel_timer::CancelTimer::new(memory.clone())),
        Arc::new(stop_ringing::StopRinging::new(memory.clone())),
        Arc::new(snooze::Snooze::new(memory.clone())),
        Arc::new(set_alarm::SetAlarm::alarm(memory.clone())),
        Arc::new(set_alarm::SetAlarm::reminder(memory.clone())),
        Arc::new(reminders::Reminders::listing(memory.clone())),
        Arc::new(reminders::Reminders::cancelling(memory.clone())),
        Arc::new(todos::Todos::adding(memory.clone())),
        Arc::new(todos::Todos::listing(memory.clone())),
        Arc::new(todos::Todos::finishing(memory.clone())),
        Arc::new(search_memory::SearchMemory::new(memory.clone(), embedder)),
        Arc::new(log_meal::LogMeal::new(memory.clone(), meal_reader)),
        Arc::new(meals::FetchMeals::new(memory.clone())),
        Arc::new(meals::DeleteMeal::new(memory.clone())),
        Arc::new(voice::SpeakAnswer::new()),
        Arc::new(switch_profile::SwitchProfile::new()),
    ];
    if let Some(voice) = voice {
        tools.push(Arc::new(voice::SetVolume::new(Arc::clone(&voice))));
        tools.push(Arc::new(voice::MuteVoice::new(voice)));
    }
    if let Some(documents) = documents {
        tools.push(Arc::new(export_todos::ExportTodos::new(memory, documents)));
    }
    tools
}

#[cfg(test)]
mod tests;
