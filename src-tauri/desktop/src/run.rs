//! From a start to the last window.

use std::panic::AssertUnwindSafe;

use assistant::{Assistant, Call, Instance, InstanceError, Line, Parts};
use models::Store;
use net::Http;
use settings::Folders;
use tauri::{AppHandle, Manager, RunEvent, Runtime, WindowEvent};
use tokio::sync::broadcast;
use vocabulary::AssistantEvent;

use crate::commands::{self, Door};
use crate::feed::Feeds;
use crate::library::Library;
use crate::talk_key::{self, TalkKey};
use crate::tray::Tray;
use crate::windows::{self, Which};

/// Events of our own that a page may fall behind by: a download tells a few a second.
const NEWS: usize = 64;

/// Why no window opened.
#[derive(Debug, thiserror::Error)]
pub enum DesktopError {
    /// This user has no home folder.
    #[error(transparent)]
    NoHome(#[from] settings::NoHome),
    /// The data folder cannot be used.
    #[error(transparent)]
    Instance(#[from] InstanceError),
    /// The assistant did not start.
    #[error(transparent)]
    Start(#[from] assistant::StartError),
    /// No network client could be made.
    #[error(transparent)]
    Network(#[from] net::NetError),
    /// The window system refused.
    #[error("the window could not be opened; `jarvis chat` works without one")]
    Window(#[from] tauri::Error),
    /// Another Jarvis runs and does not answer.
    #[error("Jarvis is already running and does not answer: end it and start again")]
    NoAnswer(#[source] std::io::Error),
}

/// Opens the conversation and runs until the user quits; raises the window of a Jarvis that runs already.
///
/// # Errors
///
/// [`DesktopError`].
pub fn run(context: tauri::Context) -> Result<(), DesktopError> {
    let folders = Folders::of_this_user()?;
    let instance = match Instance::claim(&folders.data) {
        Err(InstanceError::AlreadyRunning) => return raise_the_other(&folders),
        claimed => claimed?,
    };
    let store_of = |assistant: &Assistant| Store::of_this_user(&assistant.settings().current().models);
    let assistant =
        tauri::async_runtime::block_on(Assistant::start(Parts::of_this_machine(folders), instance))?;
    let (news, _) = broadcast::channel(NEWS);
    let door = Door {
        library: Library::new(store_of(&assistant)?, Http::new()?, news.clone()),
        assistant: assistant.clone(),
        feeds: Feeds::default(),
        news,
        talk_key: TalkKey::default(),
    };
    let app = tauri::Builder::default()
        .plugin(tauri_plugin_global_shortcut::Builder::new().build())
        .manage(door)
        .invoke_handler(commands::handler())
        .setup(|app| {
            set_up(app.handle())?;
            Ok(())
        })
        .build(context);
    let outcome = match app {
        Ok(app) => {
            // The plain `run` would end the process here, before the last words are on disk.
            let code = app.run_return(mind);
            tracing::info!(code, "the windows are closed");
            Ok(())
        }
        Err(error) => Err(error.into()),
    };
    tauri::async_runtime::block_on(assistant.shut_down());
    outcome
}

fn raise_the_other(folders: &Folders) -> Result<(), DesktopError> {
    let raised = async {
        let mut line = Line::call(&folders.data, &Call::Show).await?;
        line.next().await.map(|_| ())
    };
    tauri::async_runtime::block_on(raised).map_err(DesktopError::NoAnswer)
}

fn set_up<R: Runtime>(app: &AppHandle<R>) -> tauri::Result<()> {
    windows::open(app, Which::Conversation)?;
    let door = app.state::<Door>();
    // The library behind the tray panics where it is not installed.
    let tray = std::panic::catch_unwind(AssertUnwindSafe(|| Tray::install(app)));
    let tray = match tray {
        Ok(Ok(tray)) => Some(tray),
        Ok(Err(error)) => {
            tracing::warn!(%error, "this desktop has no tray");
            None
        }
        Err(_) => {
            tracing::warn!("this desktop has no tray: its library is not installed");
            None
        }
    };
    app.manage(HasTray(tray.is_some()));
    tauri::async_runtime::spawn(follow(app.clone(), door.assistant.subscribe(), tray));
    tauri::async_runtime::spawn(follow_settings(app.clone()));
    #[cfg(unix)]
    tauri::async_runtime::spawn(quit_when_told(app.clone()));
    door.assistant.open_ears();
    Ok(())
}

/// Without a tray the last window that closes ends the program.
struct HasTray(bool);

/// Keeps the tray true, and opens the window when another start asks for it.
async fn follow<R: Runtime>(
    app: AppHandle<R>,
    mut events: broadcast::Receiver<AssistantEvent>,
    tray: Option<Tray<R>>,
) {
    loop {
        match events.recv().await {
            Ok(AssistantEvent::State(state)) => {
                if let Some(tray) = &tray {
                    tray.show(state, app.state::<Door>().assistant.is_muted());
                }
            }
            Ok(AssistantEvent::Summoned) => {
                if let Err(error) = windows::open(&app, Which::Conversation) {
                    tracing::error!(%error, "the conversation could not be opened");
                }
            }
            Ok(_) | Err(broadcast::error::RecvError::Lagged(_)) => {}
            Err(broadcast::error::RecvError::Closed) => return,
        }
    }
}

/// Ends in good order when the session of the desktop ends.
#[cfg(unix)]
async fn quit_when_told<R: Runtime>(app: AppHandle<R>) {
    use tokio::signal::unix::{SignalKind, signal};
    let (Ok(mut terminate), Ok(mut interrupt)) =
        (signal(SignalKind::terminate()), signal(SignalKind::interrupt()))
    else {
        tracing::warn!("signals of the system are not heard");
        return;
    };
    tokio::select! {
        _ = terminate.recv() => {}
        _ = interrupt.recv() => {}
    }
    app.exit(0);
}

/// Takes the talk key that the settings name, now and whenever it changes.
async fn follow_settings<R: Runtime>(app: AppHandle<R>) {
    let mut settings = app.state::<Door>().assistant.settings().subscribe();
    let mut taken: Option<String> = None;
    loop {
        let keys = settings.borrow_and_update().keys.talk.clone();
        if taken.as_ref() != Some(&keys) {
            let handle = app.clone();
            let wanted = keys.clone();
            // The window system takes keys on its own thread only.
            if let Err(error) = app.run_on_main_thread(move || talk_key::take(&handle, &wanted)) {
                tracing::warn!(%error, "the talk key could not be taken");
            }
            taken = Some(keys);
        }
        if settings.changed().await.is_err() {
            return;
        }
    }
}

fn mind<R: Runtime>(app: &AppHandle<R>, event: RunEvent) {
    match event {
        // The last window closed: the tray stays, and with it we.
        RunEvent::ExitRequested { api, code: None, .. }
            if app.try_state::<HasTray>().is_some_and(|has_tray| has_tray.0) =>
        {
            api.prevent_exit();
        }
        RunEvent::WindowEvent { label, event: WindowEvent::Destroyed, .. } => {
            app.state::<Door>().feeds.end(&label);
        }
        _ => {}
    }
}
