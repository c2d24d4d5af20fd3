//! The tools of Jarvis itself.

#![expect(
    clippy::result_large_err,
    reason = "a failure is the result of the call, and there is one in a call"
)]

pub(crate) mod declaration; // what every tool here has
mod wording; // answers in the user's language
mod stop;
mod get_time;
mod get_date;
mod arithmetic; // the exact evaluator
mod calculate;
mod convert_units;
mod pick_at_random;
mod appointments; // what timers, alarms and reminders share
mod set_timer;
mod list_timers;
mod cancel_timer;
mod change_timer; // pause, resume, more or less time
mod stop_ringing;
mod snooze;
mod set_alarm; // reminders too
mod reminders; // listing alarms and reminders
mod cancel_reminder; // alarms too
mod todos;
mod take_back; // what an earlier call set
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

use crate::desktop::{
    ApplicationFolders, ControlMedia, OpenApplication, OpenLink, Programs, ReadClipboard, Screenshot,
    SetComputerVolume, System, WriteClipboard,
};
use crate::files::{FileParts, FileStore, LocalFiles, UndoFileChange};
use crate::meals::MealReader;
use crate::ring_control::RingControl;
use crate::voice_settings::VoiceSettings;
use crate::web::weather::{GetWeather, PlaceReader, UserPlace, WeatherApis, WeatherParts};
use crate::web::{FetchWebPage, PolitePages, SearchApis, SearchKey, WebFetch, WebSearch};
use crate::{Tool, WebConfig};

/// The tools that read or change the memory of what the user told.
pub const MEMORY_TOOLS: &[&str] = &["searchMemory", "logMeal", "fetchMeals", "deleteMeal"];

/// The parts of the built-in tools.
pub struct Parts {
    /// The records, once they are open.
    pub memory: watch::Receiver<Option<Memory>>,
    /// With one, memory is searched by meaning as well as by words.
    pub embedder: Option<Arc<dyn Embedder>>,
    /// Without one, no meals are logged.
    pub meal_reader: Option<Arc<dyn MealReader>>,
    /// Without them, no tool changes the voice.
    pub voice: Option<Arc<dyn VoiceSettings>>,
    /// Without it, nothing that rings can be stopped or delayed.
    pub rings: Option<Arc<dyn RingControl>>,
    /// The place where files for the user are saved. Without it or `files`, nothing is exported.
    pub documents: Option<PathBuf>,
    /// The files of the user. Without them, there are no tools of files.
    pub files: Option<FileParts>,
    /// The desktop. Without it, nothing is opened and there is no clipboard.
    pub desktop: Option<DesktopParts>,
    /// The way to the web. Without it, there are no tools of the web.
    pub web: Option<WebParts>,
}

/// The parts of the tools of the desktop.
pub struct DesktopParts {
    /// Runs programs of the system.
    pub programs: Arc<dyn Programs>,
    /// The programs of the desktop.
    pub system: System,
    /// The applications menu, if it is a matter of folders.
    pub applications: ApplicationFolders,
    /// The user wants nobody contacted.
    pub is_offline: watch::Receiver<bool>,
}

/// The parts of the tools of the web.
pub struct WebParts {
    /// The way to pages and services.
    pub web: Arc<dyn WebFetch>,
    /// The services of a search.
    pub search_apis: SearchApis,
    /// The key of the second engine.
    pub search_key: Arc<dyn SearchKey>,
    /// The services of the weather.
    pub weather_apis: WeatherApis,
    /// The place where the user is, if that can be known.
    pub user_place: Option<Arc<dyn UserPlace>>,
    /// Reads places with a model, if there is one.
    pub place_reader: Option<Arc<dyn PlaceReader>>,
    /// The settings.
    pub config: watch::Receiver<WebConfig>,
}

impl Parts {
    /// A memory and nothing else.
    pub fn from_memory(memory: watch::Receiver<Option<Memory>>) -> Self {
        Self {
            memory,
            embedder: None,
            meal_reader: None,
            voice: None,
            rings: None,
            documents: None,
            files: None,
            desktop: None,
            web: None,
        }
    }
}

/// All built-in tools.
pub fn all(parts: Parts) -> Vec<Arc<dyn Tool>> {
    let Parts { memory, embedder, meal_reader, voice, rings, documents, files, desktop, web } = parts;
    let files = files.map(|parts| Arc::new(FileStore::new(parts)));
    let mut tools: Vec<Arc<dyn Tool>> = vec![
        Arc::new(stop::Stop::new()),
        Arc::new(get_time::GetTime::new()),
        Arc::new(get_date::GetDate::new()),
        Arc::new(calculate::Calculate::new()),
        Arc::new(convert_units::ConvertUnits::new()),
        Arc::new(pick_at_random::PickAtRandom::new()),
        Arc::new(set_timer::SetTimer::new(memory.clone())),
        Arc::new(list_timers::ListTimers::new(memory.clone())),
        Arc::new(cancel_timer::CancelTimer::new(memory.clone())),
        Arc::new(change_timer::ChangeTimer::new(memory.clone())),
        Arc::new(set_alarm::SetAlarm::alarm(memory.clone())),
        Arc::new(set_alarm::SetAlarm::reminder(memory.clone())),
        Arc::new(reminders::ListReminders::new(memory.clone())),
        Arc::new(cancel_reminder::CancelReminder::new(memory.clone(), rings.clone())),
        Arc::new(todos::Todos::adding(memory.clone())),
        Arc::new(todos::Todos::listing(memory.clone())),
        Arc::new(todos::Todos::finishing(memory.clone())),
        Arc::new(take_back::TakeBack::new(memory.clone(), files.clone())),
        Arc::new(search_memory::SearchMemory::new(memory.clone(), embedder)),
        Arc::new(log_meal::LogMeal::new(memory.clone(), meal_reader)),
        Arc::new(meals::FetchMeals::new(memory.clone())),
        Arc::new(meals::DeleteMeal::new(memory.clone())),
        Arc::new(voice::SpeakAnswer::new()),
        Arc::new(switch_profile::SwitchProfile::new()),
    ];
    if let Some(rings) = rings {
        tools.push(Arc::new(stop_ringing::StopRinging::new(Arc::clone(&rings))));
        tools.push(Arc::new(snooze::Snooze::new(rings)));
    }
    if let Some(voice) = voice {
        tools.push(Arc::new(voice::SetVolume::new(Arc::clone(&voice))));
        tools.push(Arc::new(voice::MuteVoice::new(voice)));
    }
    if let (Some(documents), Some(files)) = (documents, &files) {
        tools.push(Arc::new(export_todos::ExportTodos::new(memory, documents, Arc::clone(files))));
    }
    tools.extend(desktop.into_iter().flat_map(of_desktop));
    if let Some(files) = files {
        tools.push(Arc::new(LocalFiles::new(Arc::clone(&files))));
        tools.push(Arc::new(UndoFileChange::new(files)));
    }
    tools.extend(web.into_iter().flat_map(of_the_web));
    tools
}

fn of_the_web(parts: WebParts) -> [Arc<dyn Tool>; 3] {
    let WebParts { web, search_apis, search_key, weather_apis, user_place, place_reader, config } = parts;
    let weather =
        WeatherParts { web: Arc::clone(&web), apis: weather_apis, user: user_place, reader: place_reader };
    let web = Arc::new(PolitePages::new(web, config.clone())) as Arc<dyn WebFetch>;
    [
        Arc::new(WebSearch::new(Arc::clone(&web), search_key, search_apis, config.clone())),
        Arc::new(FetchWebPage::new(web)),
        Arc::new(GetWeather::new(weather, config)),
    ]
}

fn of_desktop(parts: DesktopParts) -> [Arc<dyn Tool>; 7] {
    let DesktopParts { programs, system, applications, is_offline } = parts;
    [
        Arc::new(OpenLink::new(Arc::clone(&programs), system, is_offline)),
        Arc::new(OpenApplication::new(Arc::clone(&programs), system, applications)),
        Arc::new(ReadClipboard::new(Arc::clone(&programs), system)),
        Arc::new(WriteClipboard::new(Arc::clone(&programs), system)),
        Arc::new(Screenshot::new(Arc::clone(&programs), system)),
        Arc::new(ControlMedia::new(Arc::clone(&programs), system)),
        Arc::new(SetComputerVolume::new(programs, system)),
    ]
}

#[cfg(test)]
mod tests;
