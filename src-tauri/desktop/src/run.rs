//! Runs the window door: from the start of the program until its last window is closed.

use std::panic::AssertUnwindSafe;
use std::path::Path;
use std::time::{Duration, Instant};

use assistant::{
    Assistant, AssistantBuilder, Connection, Instance, InstanceError, IpcError, Request, Response,
};
use futures::future::BoxFuture;
use settings::{AppearanceSettings, Folders, KeysSettings, Settings, SettingsFile, StartupSettings};
use tauri::{AppHandle, Manager, RunEvent, Runtime, WindowEvent};
use tauri_plugin_window_state::{AppHandleExt, StateFlags};
use tokio::sync::{Notify, broadcast, mpsc};
use vocabulary::{AssistantEvent, Trouble};

use crate::commands;
use crate::door::Door;
use crate::feed::Feeds;
use crate::page_events::PageEvents;
use crate::talk_key;
use crate::talk_key::state::{Press, TalkKey};
use crate::tasks::Tasks;
use crate::tray::{self, Tray};
use crate::views::EventView;
use crate::windows::{self, WindowKind};
use crate::{at_login, libraries, overlay, rendering, tray_host};

/// The part of a window's state that is stored between runs.
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

/// Serves other programs as long as the assistant runs, whenever its settings say so.
pub type Serve = fn(Assistant) -> BoxFuture<'static, ()>;

/// Opens the conversation, unless it `is_hidden`, and runs until the user quits; raises the window of a Jarvis that
/// runs already.
///
/// # Errors
///
/// [`DesktopError`].
pub fn run(context: tauri::Context, is_hidden: bool, serve: Serve) -> Result<(), DesktopError> {
    let folders = Folders::from_environment()?;
    if let Ok(loaded) = SettingsFile::peek(&folders.config.join("settings.json")) {
        rendering::restart_if_needed(&loaded);
    }
    let window_state = folders.config.join("windows.json");
    let Some(instance) = claim_or_raise(&folders)? else { return Ok(()) };
    let assistant = tauri::async_runtime::block_on(Assistant::start(
        AssistantBuilder::new(folders).with_window(),
        instance,
    ))?;
    let (page_events, tasks) = (PageEvents::new(), Tasks::default());
    let serving = tauri::async_runtime::spawn(serve(assistant.clone()));
    let (talk_key, pressed) = TalkKey::new();
    let door = Door {
        assistant: assistant.clone(),
        feeds: Feeds::default(),
        page_events,
        talk_key,
        refused: Notify::new(),
        tasks: tasks.clone(),
    };
    let app = with_plugins(tauri::Builder::default(), &window_state)
        .manage(door)
        .invoke_handler(commands::handler())
        .setup(move |app| {
            set_up(app.handle(), pressed, is_hidden)?;
            Ok(())
        })
        .build(context);
    let outcome = match app {
        Ok(app) => {
            // `run` would exit the process here, before the last messages are on disk.
            let code = app.run_return(handle_run_event);
            tracing::info!(code, "the windows are closed");
            Ok(())
        }
        Err(error) => Err(error.into()),
    };
    assistant.has_no_window_any_more();
    tauri::async_runtime::block_on(async {
        tasks.end().await;
        assistant.shut_down().await;
        let _ = serving.await;
    });
    outcome
}

/// Adds the plugins. Sizes and positions of windows are stored in the file `window_state`.
fn with_plugins<R: Runtime>(builder: tauri::Builder<R>, window_state: &Path) -> tauri::Builder<R> {
    builder
        .plugin(tauri_plugin_global_shortcut::Builder::new().build())
        .plugin(tauri_plugin_autostart::Builder::new().app_name("Jarvis").arg("--hidden").build())
        .plugin(
            tauri_plugin_window_state::Builder::new()
                .with_filename(window_state.to_string_lossy())
                .with_state_flags(REMEMBERED)
                .with_denylist(&[overlay::LABEL])
                .build(),
        )
}

/// Claims the data folder. Raises the window of a Jarvis that runs already, and returns `None`.
fn claim_or_raise(folders: &Folders) -> Result<Option<Instance>, DesktopError> {
    match Instance::claim(&folders.data) {
        Err(InstanceError::AlreadyRunning) => tauri::async_runtime::block_on(raise_the_other(folders)),
        claimed => Ok(Some(claimed?)),
    }
}

/// Raises the window of the running Jarvis. When that one is shutting down, waits and returns the claimed data instead.
async fn raise_the_other(folders: &Folders) -> Result<Option<Instance>, DesktopError> {
    /// The time that the running Jarvis may take to raise its window.
    const RAISE_TIMEOUT: Duration = Duration::from_secs(2);
    /// The time that a Jarvis that is shutting down may take to write messages and diary.
    const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(20);
    let began = Instant::now();
    loop {
        let raised = async {
            let mut connection = Connection::open(&folders.data, &Request::Show).await?;
            connection.next().await
        };
        let silence = match tokio::time::timeout(RAISE_TIMEOUT, raised).await {
            Ok(Ok(Response::Failed(trouble))) => return Err(DesktopError::NoWindow(trouble)),
            Ok(Ok(_)) => return Ok(None),
            Ok(Err(error @ IpcError::OtherVersion { .. })) => return Err(DesktopError::NoAnswer(error)),
            Ok(Err(error)) => error,
            Err(_) => IpcError::NoAnswer,
        };
        match Instance::claim(&folders.data) {
            Err(InstanceError::AlreadyRunning) if began.elapsed() < SHUTDOWN_TIMEOUT => {
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
    windows::keep_on_screens(app);
    if !is_hidden {
        windows::open(app, WindowKind::Conversation)?;
    }
    let panel = tray::panel(door.assistant.settings().current().appearance.tray_icon);
    // The tray library panics when its shared library is missing.
    let tray = std::panic::catch_unwind(AssertUnwindSafe(|| Tray::install(app, panel)));
    let tray = match tray {
        Ok(Ok(tray)) => Some(tray),
        Ok(Err(error)) => {
            tracing::warn!(%error, "no tray icon: the desktop refused it");
            None
        }
        Err(_) => {
            tracing::warn!("no tray icon: the tray library is not installed");
            None
        }
    };
    app.manage(HasTray(tray.is_some()));
    if is_hidden {
        door.tasks.spawn(open_window_without_tray(app.clone()));
        door.tasks.spawn(libraries::free_when_settled(app.clone()));
    }
    door.tasks.spawn(open_when_requested(app.clone()));
    door.tasks.spawn(update_tray(app.clone(), door.assistant.subscribe(), tray));
    door.tasks.spawn(overlay::follow(app.clone(), door.assistant.subscribe()));
    #[cfg(target_os = "linux")]
    door.tasks.spawn(crate::notifications::follow(app.clone()));
    door.tasks.spawn(talk_key::pass_on(app.clone(), pressed));
    door.tasks.spawn(follow_settings(app.clone()));
    #[cfg(unix)]
    door.tasks.spawn(quit_on_signals(app.clone()));
    door.assistant.open_microphone();
    Ok(())
}

/// `true` if the tray icon was made. Without it, closing the last window ends the program.
struct HasTray(bool);

/// After a hidden start: opens the window unless a panel shows the tray icon.
async fn open_window_without_tray<R: Runtime>(app: AppHandle<R>) {
    /// The time that after a login a slow machine may take to start its panel.
    const PANEL_START_LIMIT: Duration = Duration::from_secs(20);
    let began = Instant::now();
    while app.state::<HasTray>().0 && began.elapsed() < PANEL_START_LIMIT {
        if tray_host::is_there().await {
            return;
        }
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
    tracing::warn!("no panel shows tray icons, so the window opens");
    if let Err(error) = windows::open(&app, WindowKind::Conversation) {
        tracing::error!(%error, "the conversation could not be opened");
    }
}

/// After the last window closed: ends the program unless a panel shows the tray icon.
async fn quit_without_tray<R: Runtime>(app: AppHandle<R>) {
    let is_in_tray = app.state::<HasTray>().0 && tray_host::is_there().await;
    // A window may have been opened again meanwhile.
    if !is_in_tray && windows::all_closed(&app) {
        tracing::info!("no panel shows tray icons: Jarvis ends with its last window");
        windows::quit(&app);
    }
}

/// Opens or raises the window when Jarvis is started a second time.
async fn open_when_requested<R: Runtime>(app: AppHandle<R>) {
    let assistant = app.state::<Door>().assistant.clone();
    loop {
        assistant.activation_requested().await;
        if let Err(error) = windows::open(&app, WindowKind::Conversation) {
            tracing::error!(%error, "the conversation could not be opened");
        }
    }
}

/// Shows state and mute in the tray, and takes Escape while the talk key listens.
async fn update_tray<R: Runtime>(
    app: AppHandle<R>,
    mut events: broadcast::Receiver<AssistantEvent>,
    tray: Option<Tray<R>>,
) {
    let door = app.state::<Door>();
    let assistant = door.assistant.clone();
    let (mut settings, mut page_events) = (assistant.settings().subscribe(), door.page_events.subscribe());
    loop {
        if let Some(tray) = &tray {
            let panel = tray::panel(settings.borrow_and_update().appearance.tray_icon);
            tray.show(assistant.state(), assistant.is_muted(), panel);
        }
        // Wait for a change that the tray shows.
        loop {
            let event = tokio::select! {
                event = events.recv() => event,
                Ok(()) = settings.changed() => break,
                page_events = page_events.recv() => match page_events {
                    Ok(EventView::Muted { .. }) | Err(_) => break,
                    Ok(_) => continue,
                },
            };
            match event {
                Ok(AssistantEvent::State(_)) => break,
                Ok(AssistantEvent::TalkKey { is_listening }) => take_escape(&app, is_listening),
                Ok(_) => {}
                Err(broadcast::error::RecvError::Lagged(_)) => {
                    // The missed events may include the end of listening. Escape is better left to other programs than kept from them.
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
    // The window system registers keys on its own thread only.
    if let Err(error) = app.run_on_main_thread(move || talk_key::take_escape(&handle, is_listening)) {
        tracing::warn!(%error, "Escape could not be registered");
    }
}

/// Quits cleanly on SIGTERM and SIGINT, as at the end of a desktop session.
#[cfg(unix)]
async fn quit_on_signals<R: Runtime>(app: AppHandle<R>) {
    use tokio::signal::unix::{SignalKind, signal};
    let (Ok(mut terminate), Ok(mut interrupt)) =
        (signal(SignalKind::terminate()), signal(SignalKind::interrupt()))
    else {
        tracing::warn!("SIGTERM and SIGINT cannot be handled");
        return;
    };
    tokio::select! {
        _ = terminate.recv() => {}
        _ = interrupt.recv() => {}
    }
    windows::quit(&app);
}

/// Applies the settings of this door, now and after each change: the talk key, the start at login, the zoom.
async fn follow_settings<R: Runtime>(app: AppHandle<R>) {
    let mut settings = app.state::<Door>().assistant.settings().subscribe();
    let mut talk_key: Option<String> = None;
    let mut at_login = None;
    let mut last_zoom = settings.borrow().appearance.zoom;
    loop {
        let Settings { appearance, keys, startup, .. } = settings.borrow_and_update().clone();
        // Taken apart to the last field: a new one does not compile until somebody reads it.
        let AppearanceSettings {
            zoom,
            theme: _,              // the pages
            contrast: _,           // the pages
            overlay: _,            // `overlay`, whenever it may be shown
            notifications: _,      // `notifications`, whenever one may be shown
            tray_icon: _,          // `update_tray`
            software_rendering: _, // `rendering`, before the first window
        } = appearance;
        let (KeysSettings { talk: keys }, StartupSettings { at_login: is_wanted }) = (keys, startup);
        if std::mem::replace(&mut last_zoom, zoom) != zoom {
            windows::zoom_to(&app, zoom);
        }
        if at_login.replace(is_wanted) != Some(is_wanted) {
            at_login::set(&app, is_wanted);
        }
        if talk_key.as_ref() != Some(&keys) {
            let handle = app.clone();
            let wanted = keys.clone();
            // The window system registers keys on its own thread only.
            if let Err(error) = app.run_on_main_thread(move || talk_key::register(&handle, &wanted)) {
                tracing::warn!(%error, "the talk key could not be registered");
            }
            talk_key = Some(keys);
        }
        if settings.changed().await.is_err() {
            return;
        }
    }
}

fn handle_run_event<R: Runtime>(app: &AppHandle<R>, event: RunEvent) {
    match event {
        // Sent when no window is left, not even the overlay. Closing the last window decides what happens.
        RunEvent::ExitRequested { api, code: None, .. } => api.prevent_exit(),
        #[cfg(target_os = "macos")]
        RunEvent::Reopen { .. } => {
            if let Err(error) = windows::open(app, WindowKind::Conversation) {
                tracing::error!(%error, "the conversation could not be opened");
            }
        }
        RunEvent::WindowEvent { label, event: WindowEvent::Resized(size), .. } if label != overlay::LABEL => {
            if let Some(window) = app.get_webview_window(&label) {
                windows::shrink_to_screen(&window, Ok(size));
            }
        }
        RunEvent::WindowEvent { label, event: WindowEvent::Focused(true), .. }
            if label == WindowKind::Conversation.label() =>
        {
            app.state::<Door>().assistant.expect_query();
        }
        RunEvent::WindowEvent { label, event: WindowEvent::Destroyed, .. } => {
            let door = app.state::<Door>();
            door.feeds.end(&label);
            // Saved now and not only at the end, so that a crash does not lose the positions.
            if let Err(error) = app.save_window_state(REMEMBERED) {
                tracing::warn!(%error, "the window positions could not be saved");
            }
            if label != overlay::LABEL && windows::all_closed(app) {
                door.tasks.spawn(quit_without_tray(app.clone()));
            }
            door.tasks.spawn(libraries::free_when_settled(app.clone()));
        }
        _ => {}
    }
}
