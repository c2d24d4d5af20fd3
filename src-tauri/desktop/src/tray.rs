//! The tray: what Jarvis is doing, at a glance, and what it can be asked to do without a window.

use tauri::image::Image;
use tauri::menu::{CheckMenuItem, Menu, MenuEvent, MenuItem, PredefinedMenuItem};
use tauri::tray::{TrayIcon, TrayIconBuilder};
use tauri::{AppHandle, Manager, Runtime};
use vocabulary::AssistantState;

use crate::door::Door;
use crate::windows::{self, Which};

/// What the icon stands on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Panel {
    Dark,
    Light,
}

/// The panel of this desktop, unless the setting `appearance.tray_icon` names one.
pub fn panel(setting: &str) -> Panel {
    match setting {
        "dark" => Panel::Dark,
        "light" => Panel::Light,
        _ => panel_of_this_desktop(),
    }
}

/// Panels of Linux desktops are dark, but for those that take the colours of the windows.
#[cfg(target_os = "linux")]
fn panel_of_this_desktop() -> Panel {
    let follows_windows = std::env::var("XDG_CURRENT_DESKTOP").is_ok_and(|desktop| desktop.contains("KDE"));
    // Dark themes are named so; the theme itself can only be asked on the window system's thread.
    let theme = std::env::var("GTK_THEME").unwrap_or_default().to_lowercase();
    if follows_windows && !theme.contains("dark") { Panel::Light } else { Panel::Dark }
}

/// macOS takes the shape alone and colours it; the taskbar of Windows is dark unless the user changed it.
#[cfg(not(target_os = "linux"))]
fn panel_of_this_desktop() -> Panel {
    if cfg!(target_os = "macos") { Panel::Light } else { Panel::Dark }
}

/// The icon of a state on a panel. Told apart by outline, so that it is known on the wrong panel too.
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

    /// Shows what Jarvis is doing.
    pub fn show(&self, state: AssistantState, is_muted: bool, panel: Panel) {
        let shown = icon(state, panel)
            .and_then(|icon| self.icon.set_icon_with_as_template(Some(icon), true))
            .and_then(|()| self.state.set_text(in_words(state)))
            .and_then(|()| self.mute.set_checked(is_muted));
        if let Err(error) = shown {
            tracing::warn!(%error, "the tray could not be changed");
        }
    }
}

fn obey<R: Runtime>(app: &AppHandle<R>, event: MenuEvent) {
    let tasks = &app.state::<Door>().tasks;
    let open = |which| {
        let app = app.clone();
        // Windows must not be made while the window system waits for us to have done with its event.
        tasks.spawn(async move {
            if let Err(error) = windows::open(&app, which) {
                tracing::error!(%error, "a window could not be opened");
            }
        });
    };
    match event.id.as_ref() {
        "conversation" => open(Which::Conversation),
        "settings" => open(Which::Settings),
        "quit" => app.exit(0),
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
        assert_eq!(panel("light"), Panel::Light);
        assert_eq!(panel("dark"), Panel::Dark);
    }
}
