//! The tray icon: shows the state, and offers a menu without a window.

use tauri::image::Image;
use tauri::menu::{CheckMenuItem, Menu, MenuEvent, MenuItem, PredefinedMenuItem};
use tauri::tray::{TrayIcon, TrayIconBuilder};
use tauri::{AppHandle, Manager, Runtime};
use vocabulary::AssistantState;

use crate::door::Door;
use crate::windows::{self, WindowKind};

/// Brightness of the panel behind the icon.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Panel {
    Dark,
    Light,
}

/// The panel of this desktop, unless the setting `appearance.tray_icon` names one.
pub fn panel(setting: settings::TrayIcon) -> Panel {
    match setting {
        settings::TrayIcon::Dark => Panel::Dark,
        settings::TrayIcon::Light => Panel::Light,
        settings::TrayIcon::System => panel_of_this_desktop(),
    }
}

/// Panels of Linux desktops are dark, except those that follow the colours of windows.
#[cfg(target_os = "linux")]
fn panel_of_this_desktop() -> Panel {
    let follows_windows = std::env::var("XDG_CURRENT_DESKTOP").is_ok_and(|desktop| desktop.contains("KDE"));
    // Names of dark themes contain "dark". The theme itself can be asked on the window system's thread only.
    let theme = std::env::var("GTK_THEME").unwrap_or_default().to_lowercase();
    if follows_windows && !theme.contains("dark") { Panel::Light } else { Panel::Dark }
}

/// macOS colours the shape itself; the taskbar of Windows is dark by default.
#[cfg(not(target_os = "linux"))]
fn panel_of_this_desktop() -> Panel {
    if cfg!(target_os = "macos") { Panel::Light } else { Panel::Dark }
}

/// The icon of a state on a panel. Outlines differ, so that states can be told apart on the wrong panel too.
fn icon(state: AssistantState, panel: Panel) -> tauri::Result<Image<'static>> {
    macro_rules! on {
        ($state:literal) => {
            match panel {
                Panel::Dark => {
                    include_bytes!(concat!("../../../icons/tray/", $state, "-on-dark.png")).as_slice()
                }
                Panel::Light => include_bytes!(concat!("../../../icons/tray/", $state, "-on-light.png")),
            }
        };
    }
    Image::from_bytes(match state {
        AssistantState::Idle => on!("idle"),
        AssistantState::Listening => on!("listening"),
        AssistantState::Thinking => on!("thinking"),
        AssistantState::Speaking => on!("speaking"),
        AssistantState::Muted => on!("muted"),
        AssistantState::Error => on!("error"),
    })
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

/// The tray icon and the menu items that change.
pub struct Tray<R: Runtime> {
    icon: TrayIcon<R>,
    state: MenuItem<R>,
    mute: CheckMenuItem<R>,
}

impl<R: Runtime> Tray<R> {
    /// Adds the icon to the tray.
    ///
    /// # Errors
    ///
    /// An error of the window system; some desktops have no tray.
    pub fn install(app: &AppHandle<R>, panel: Panel) -> tauri::Result<Self> {
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
            .icon(icon(AssistantState::Idle, panel)?)
            .icon_as_template(true)
            .tooltip("Jarvis")
            .menu(&menu)
            .on_menu_event(obey)
            .build(app)?;
        Ok(Self { icon, state, mute })
    }

    /// Shows a state.
    pub fn show(&self, state: AssistantState, is_muted: bool, panel: Panel) {
        let shown = icon(state, panel)
            .and_then(|icon| self.icon.set_icon_with_as_template(Some(icon), true))
            .and_then(|()| self.state.set_text(in_words(state)))
            .and_then(|()| self.mute.set_checked(is_muted));
        if let Err(error) = shown {
            tracing::warn!(%error, "the tray could not be updated");
        }
    }
}

fn obey<R: Runtime>(app: &AppHandle<R>, event: MenuEvent) {
    let tasks = &app.state::<Door>().tasks;
    let open = |which| {
        let app = app.clone();
        // A window must not be made inside an event handler of the window system.
        tasks.spawn(async move {
            if let Err(error) = windows::open(&app, which) {
                tracing::error!(%error, "a window could not be opened");
            }
        });
    };
    match event.id.as_ref() {
        "conversation" => open(WindowKind::Conversation),
        "settings" => open(WindowKind::Settings),
        "quit" => windows::quit(app),
        order @ ("talk" | "stop" | "mute") => {
            let (app, order) = (app.clone(), order.to_owned());
            tasks.spawn(async move {
                let door = app.state::<Door>();
                match order.as_str() {
                    "talk" => {
                        if door.talk().await.is_err() {
                            door.refused.notify_one();
                        }
                    }
                    "stop" => door.assistant.stop().await,
                    _ => door.mute(!door.assistant.is_muted()).await,
                }
            });
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_state_has_an_icon_of_its_own_on_every_panel() {
        use AssistantState::{Error, Idle, Listening, Muted, Speaking, Thinking};
        let mut seen = std::collections::HashSet::new();
        for state in [Idle, Listening, Thinking, Speaking, Muted, Error] {
            for panel in [Panel::Dark, Panel::Light] {
                assert!(seen.insert(icon(state, panel).unwrap().rgba().to_vec()), "{state:?} on {panel:?}");
            }
        }
    }

    #[test]
    fn the_setting_names_the_panel() {
        assert_eq!(panel(settings::TrayIcon::Light), Panel::Light);
        assert_eq!(panel(settings::TrayIcon::Dark), Panel::Dark);
    }
}
