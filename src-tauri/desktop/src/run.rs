//! From a start to the last window.

use std::panic::AssertUnwindSafe;
use std::time::{Duration, Instant};

use assistant::{
    Assistant, AssistantBuilder, Connection, Instance, InstanceError, IpcError, Request, Response,
};
use net::Http;
use settings::{Folders, SettingsFile};
use tauri::{AppHandle, Manager, RunEvent, Runtime, WindowEvent};
use tauri_plugin_window_state::{AppHandleExt, StateFlags};
use tokio::sync::{Notify, broadcast, mpsc};
use vocabulary::{AssistantEvent, Trouble};

use crate::commands;
use crate::door::Door;
use crate::feed::Feeds;
use crate::library::Library;
use crate::news::News;
use crate::talk_key;
use crate::talk_key::state::{Press, TalkKey};
use crate::tasks::Tasks;
use crate::tray::{self, Tray};
use crate::views::EventView;
use crate::windows::{self, Which};
use crate::{at_login, libraries, overlay, rendering, tray_host};

/// What is remembered of a window.
const REMEMBERED: StateFlags = StateFlags::SIZE.union(StateFlags::POSITION).union(StateFlags::MAXIMIZED);

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
    /// Another Jarvis runs and has no window to raise.
    #[error("{0}")]
    NoWindow(Trouble),
    /// Another Jarvis runs and does not answer.
    #[error("Jarvis is already running and does not answer: end it and start again")]
    NoAnswer(#[source] IpcError),
}

/// Opens the conversation, unless it `is_hidden`, and runs until the user quits; raises the window of a Jarvis that
/// runs already.
///
/// # Errors
///
/// [`DesktopError`].
pub fn run(context: tauri::Context, is_hidden: bool) -> Result<(), DesktopError> {
    let folders = Folders::of_this_user()?;
    if let Ok(loaded) = SettingsFile::peek(&folders.config.join("settings.json")) {
        rendering::restart_if_needed(&loaded);
    }
    let window_state = folders.config.join("windows.json");
    let instance = match Instance::claim(&folders.data) {
        Err(InstanceError::AlreadyRunning) => {
            match tauri::async_runtime::block_on(raise_the_other(&folders))? {
                None => return Ok(()),
                Some(instance) => instance,
            }
        }
        claimed => claimed?,
    };
    let assistant = tauri::async_runtime::block_on(Assistant::start(
        AssistantBuilder::of_this_machine(folders).with_window(),
        instance,
    ))?;
    let (news, tasks) = (News::new(), Tasks::default());
    let (talk_key, pressed) = TalkKey::new();
    let door = Door {
        library: Library::new(
            assistant.clone(),
            assistant.models().clone(),
            Http::new()?,
            news.clone(),
            tasks.clone(),
        ),
        assistant: assistant.clone(),
        feeds: Feeds::default(),
        news,
        talk_key,
        refused: Notify::new(),
        tasks: tasks.clone(),
    };
    let app = tauri::Builder::default()
        .plugin(tauri_plugin_global_shortcut::Builder::new().build())
        .plugin(tauri_plugin_autostart::Builder::new().app_name("Jarvis").arg("--hidden").build())
        .plugin(
            tauri_plugin_window_state::Builder::new()
                .with_filename(window_state.to_string_lossy())
                .with_state_flags(REMEMBERED)
                .with_denylist(&[overlay::LABEL])
                .build(),
        )
        .manage(door)
        .invoke_handler(commands::handler())
        .setup(move |app| {
            set_up(app.handle(), pressed, is_hidden)?;
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
    assistant.has_no_window_any_more();
    tauri::async_runtime::block_on(async {
        tasks.end().await;
        assistant.shut_down().await;
    });
    outcome
}

/// Raises the window of the Jarvis that runs. One that is about to end leaves its data to us instead.
async fn raise_the_other(folders: &Folders) -> Result<Option<Instance>, DesktopError> {
    /// One that can raise its window does so at once.
    const ANSWERS: Duration = Duration::from_secs(2);
    /// One that ends still writes its last words and its diary, for so long at most.
    const LAST_WORDS: Duration = Duration::from_secs(20);
    let began = Instant::now();
    loop {
        let raised = async {
            let mut connection = Connection::open(&folders.data, &Request::Show).await?;
            connection.next().await
        };
        let silence = match tokio::time::timeout(ANSWERS, raised).await {
            Ok(Ok(Response::Failed(trouble))) => return Err(DesktopError::NoWindow(trouble)),
            Ok(Ok(_)) => return Ok(None),
            Ok(Err(error @ IpcError::OtherVersion { .. })) => return Err(DesktopError::NoAnswer(error)),
            Ok(Err(error)) => error,
            Err(_) => IpcError::NoAnswer,
        };
        match Instance::claim(&folders.data) {
            Err(InstanceError::AlreadyRunning) if began.elapsed() < LAST_WORDS => {
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
            Err(InstanceError::AlreadyRunning) => return Err(DesktopError::NoAnswer(silence)),
            claimed => return Ok(Some(claimed?)),
        }
    }
}

fn set_up<R: Runtime>(
    app: &AppHandle<R>,
    pressed: mpsc::Receiver<Press>,
    is_hidden: bool,
) -> tauri::Result<()> {
    let door = app.state::<Door>();
    windows::follow_screens(app);
    if !is_hidden {
        windows::open(app, Which::Conversation)?;
    }
    let panel = tray::panel(&door.assistant.settings().current().appearance.tray_icon);
    // The library behind the tray panics where it is not installed.
    let tray = std::panic::catch_unwind(AssertUnwindSafe(|| Tray::install(app, panel)));
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
    if is_hidden {
        door.tasks.spawn(be_within_reach(app.clone()));
        door.tasks.spawn(libraries::give_back_when_settled(app.clone()));
    }
    door.tasks.spawn(open_when_requested(app.clone()));
    door.tasks.spawn(follow(app.clone(), door.assistant.subscribe(), tray));
    door.tasks.spawn(overlay::follow(app.clone(), door.assistant.subscribe()));
    door.tasks.spawn(talk_key::obey(app.clone(), pressed));
    door.tasks.spawn(follow_settings(app.clone()));
    #[cfg(unix)]
    door.tasks.spawn(quit_when_told(app.clone()));
    door.assistant.open_microphone();
    Ok(())
}

/// Without a tray the last window that closes ends the program.
struct HasTray(bool);

/// A start without a window needs a tray icon that is seen.
async fn be_within_reach<R: Runtime>(app: AppHandle<R>) {
    /// Panels are up so long after the login that started us, on slow machines too.
    const PANEL_IS_UP: Duration = Duration::from_secs(20);
    let began = Instant::now();
    while app.state::<HasTray>().0 && began.elapsed() < PANEL_IS_UP {
        if tray_host::is_there().await {
            return;
        }
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
    tracing::warn!("nobody shows tray icons, so the window opens");
    if let Err(error) = windows::open(&app, Which::Conversation) {
        tracing::error!(%error, "the conversation could not be opened");
    }
}

/// The last window is closed: goes on in the tray, where somebody shows it.
async fn stay_or_go<R: Runtime>(app: AppHandle<R>) {
    let is_seen = app.state::<HasTray>().0 && tray_host::is_there().await;
    // Meanwhile a window may have been opened again.
    if !is_seen && windows::all_closed(&app) {
        tracing::info!("nobody shows tray icons: with the last window Jarvis ends");
        app.exit(0);
    }
}

/// Opens the window, or raises it, when another start asks for it.
async fn open_when_requested<R: Runtime>(app: AppHandle<R>) {
    let assistant = app.state::<Door>().assistant.clone();
    loop {
        assistant.activation_requested().await;
        if let Err(error) = windows::open(&app, Which::Conversation) {
            tracing::error!(%error, "the conversation could not be opened");
        }
    }
}

/// Keeps the tray true.
async fn follow<R: Runtime>(
    app: AppHandle<R>,
    mut events: broadcast::Receiver<AssistantEvent>,
    tray: Option<Tray<R>>,
) {
    let door = app.state::<Door>();
    let assistant = door.assistant.clone();
    let (mut settings, mut news) = (assistant.settings().subscribe(), door.news.subscribe());
    loop {
        if let Some(tray) = &tray {
            let panel = tray::panel(&settings.borrow_and_update().appearance.tray_icon);
            tray.show(assistant.state(), assistant.is_muted(), panel);
        }
        // Until something happens that the tray shows.
        loop {
            let event = tokio::select! {
                event = events.recv() => event,
                Ok(()) = settings.changed() => break,
                news = news.recv() => match news {
                    Ok(EventView::Muted { .. }) | Err(_) => break,
                    Ok(_) => continue,
                },
            };
            match event {
                Ok(AssistantEvent::State(_)) => break,
                Ok(AssistantEvent::TalkKey { is_listening }) => take_escape(&app, is_listening),
                Ok(_) => {}
                Err(broadcast::error::RecvError::Lagged(_)) => {
                    // Whether the key still listens was among what was missed: rather too little is taken than too much.
                    take_escape(&app, false);
                    break;
                }
                Err(broadcast::error::RecvError::Closed) => return,
            }
        }
    }
}

fn take_escape<R: Runtime>(app: &AppHandle<R>, is_listening: bool) {
    let handle = app.clone();
    // The window system takes keys on its own thread only.
    if let Err(error) = app.run_on_main_thread(move || talk_key::take_escape(&handle, is_listening)) {
        tracing::warn!(%error, "Escape could not be taken");
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

/// Does what the settings say of this door, now and whenever it changes: the talk key, the start at login, the zoom,
/// where downloads go.
async fn follow_settings<R: Runtime>(app: AppHandle<R>) {
    let mut settings = app.state::<Door>().assistant.settings().subscribe();
    let mut models_folder = settings.borrow().models.folder.clone();
    let mut taken: Option<String> = None;
    let mut at_login = None;
    let mut zoom = settings.borrow().appearance.zoom;
    loop {
        let now = settings.borrow_and_update().clone();
        if std::mem::replace(&mut zoom, now.appearance.zoom) != now.appearance.zoom {
            windows::zoom_to(&app, now.appearance.zoom);
        }
        if models_folder != now.models.folder {
            app.state::<Door>().library.pause_all();
            models_folder = now.models.folder;
        }
        let keys = now.keys.talk;
        if at_login.replace(now.startup.at_login) != Some(now.startup.at_login) {
            at_login::set(&app, now.startup.at_login);
        }
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
        // No window is left, the overlay neither: what then is settled where windows go.
        RunEvent::ExitRequested { api, code: None, .. } => api.prevent_exit(),
        #[cfg(target_os = "macos")]
        RunEvent::Reopen { .. } => {
            if let Err(error) = windows::open(app, Which::Conversation) {
                tracing::error!(%error, "the conversation could not be opened");
            }
        }
        RunEvent::WindowEvent { label, event: WindowEvent::Resized(size), .. } if label != overlay::LABEL => {
            if let Some(window) = app.get_webview_window(&label) {
                windows::keep_on_the_screen(&window, Ok(size));
            }
        }
        RunEvent::WindowEvent { label, event: WindowEvent::Destroyed, .. } => {
            let door = app.state::<Door>();
            door.feeds.end(&label);
            // Not only at the end: a sudden death should not forget where the windows were.
            if let Err(error) = app.save_window_state(REMEMBERED) {
                tracing::warn!(%error, "where the windows were could not be written down");
            }
            if label != overlay::LABEL && windows::all_closed(app) {
                door.tasks.spawn(stay_or_go(app.clone()));
            }
            door.tasks.spawn(libraries::give_back_when_settled(app.clone()));
        }
        _ => {}
    }
}
