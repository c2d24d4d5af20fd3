//! The tray: what Jarvis is doing, at a glance, and what it can be asked to do without a window.

use tauri::image::Image;
use tauri::menu::{CheckMenuItem, Menu, MenuEvent, MenuItem, PredefinedMenuItem};
use tauri::tray::{TrayIcon, TrayIconBuilder};
use tauri::{AppHandle, Manager, Runtime};
use vocabulary::AssistantState;

use crate::commands::Door;
use crate::windows::{self, Which};

/// The icons of a state. Told apart by outline, so that one that is drawn for dark panels is known on any.
fn icon(state: AssistantState) -> tauri::Result<Image<'static>> {
    let png: &[u8] = match state {
        AssistantState::Idle => include_bytes!("../../../icons/tray/idle-on-dark.png"),
        AssistantState::Listening => include_bytes!("../../../icons/tray/listening-on-dark.png"),
        AssistantState::Thinking => include_bytes!("../../../icons/tray/thinking-on-dark.png"),
        AssistantState::Speaking => include_bytes!("../../../icons/tray/speaking-on-dark.png"),
        AssistantState::Muted => include_bytes!("../../../icons/tray/muted-on-dark.png"),
        AssistantState::Error => include_bytes!("../../../icons/tray/error-on-dark.png"),
    };
    Image::from_bytes(png)
}

fn in_words(state: AssistantState) -> &'static str {
    match state {
        AssistantState::Idle => "Ready",
        AssistantState::Listening => "Listening",
        AssistantState::Thinking => "Thinking",
        AssistantState::Speaking => "Speaking",
        AssistantState::Muted => "Muted",
        AssistantState::Error => "Needs attention",
    }
}

/// The tray of a running program.
pub struct Tray<R: Runtime> {
    icon: TrayIcon<R>,
    state: MenuItem<R>,
    mute: CheckMenuItem<R>,
}

impl<R: Runtime> Tray<R> {
    /// Puts the icon where the system has its icons.
    ///
    /// # Errors
    ///
    /// What the window system says; some desktops have no place for icons.
    pub fn install(app: &AppHandle<R>) -> tauri::Result<Self> {
        let state = MenuItem::with_id(app, "state", in_words(AssistantState::Idle), false, None::<&str>)?;
        let mute = CheckMenuItem::with_id(app, "mute", "Mute microphone", true, false, None::<&str>)?;
        let item = |id: &str, text: &str| MenuItem::with_id(app, id, text, true, None::<&str>);
        let menu = Menu::with_items(
            app,
            &[
                &state,
                &PredefinedMenuItem::separator(app)?,
                &item("talk", "Talk now")?,
                &item("stop", "Stop")?,
                &mute,
                &PredefinedMenuItem::separator(app)?,
                &item("conversation", "Conversation")?,
                &item("settings", "Settings")?,
                &PredefinedMenuItem::separator(app)?,
                &item("quit", "Quit Jarvis")?,
            ],
        )?;
        let icon = TrayIconBuilder::with_id("jarvis")
            .icon(icon(AssistantState::Idle)?)
            .tooltip("Jarvis")
            .menu(&menu)
            .on_menu_event(obey)
            .build(app)?;
        Ok(Self { icon, state, mute })
    }

    /// Shows what Jarvis is doing.
    pub fn show(&self, state: AssistantState, is_muted: bool) {
        let shown = icon(state)
            .and_then(|icon| self.icon.set_icon(Some(icon)))
            .and_then(|()| self.state.set_text(in_words(state)))
            .and_then(|()| self.mute.set_checked(is_muted));
        if let Err(error) = shown {
            tracing::warn!(%error, "the tray could not be changed");
        }
    }
}

fn obey<R: Runtime>(app: &AppHandle<R>, event: MenuEvent) {
    let open = |which| {
        if let Err(error) = windows::open(app, which) {
            tracing::error!(%error, "a window could not be opened");
        }
    };
    match event.id.as_ref() {
        "conversation" => open(Which::Conversation),
        "settings" => open(Which::Settings),
        "quit" => app.exit(0),
        order @ ("talk" | "stop" | "mute") => {
            let (app, order) = (app.clone(), order.to_owned());
            tauri::async_runtime::spawn(async move {
                let door = app.state::<Door>();
                match order.as_str() {
                    "talk" => drop(door.talk().await),
                    "stop" => door.assistant.stop().await,
                    _ => door.mute(!door.assistant.is_muted()).await,
                }
            });
        }
        _ => {}
    }
}
