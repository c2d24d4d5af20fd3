//! The key that talks from anywhere.

use std::str::FromStr;
use std::sync::{Mutex, PoisonError};

use tauri::{AppHandle, Manager, Runtime};
use tauri_plugin_global_shortcut::{GlobalShortcutExt, Shortcut, ShortcutState};

use crate::commands::Door;
use crate::error::CommandError;
use crate::views::{EventView, TroubleView};

/// Names the trouble, so that it can be told when it is over.
const STAGE: &str = "talk_key";

/// The key that works now.
#[derive(Default)]
pub struct TalkKey(Mutex<Option<Working>>);

struct Working {
    keys: String,
    shortcut: Shortcut,
}

impl TalkKey {
    /// As the settings name it; empty when none works.
    pub fn working(&self) -> String {
        self.lock().as_ref().map(|working| working.keys.clone()).unwrap_or_default()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Option<Working>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Takes these keys in place of the ones before. What goes wrong is told to the pages.
pub fn take<R: Runtime>(app: &AppHandle<R>, keys: &str) {
    let door = app.state::<Door>();
    let shortcuts = app.global_shortcut();
    if let Some(before) = door.talk_key.lock().take()
        && let Err(error) = shortcuts.unregister(before.shortcut)
    {
        tracing::warn!(%error, "the talk key before was not given back");
    }
    if keys.is_empty() {
        return;
    }
    let taken = parse(keys).and_then(|shortcut| {
        let pressed =
            |app: &AppHandle<R>, _: &Shortcut, event: tauri_plugin_global_shortcut::ShortcutEvent| {
                if event.state == ShortcutState::Pressed {
                    let app = app.clone();
                    tauri::async_runtime::spawn(async move {
                        if let Err(refused) = app.state::<Door>().talk().await {
                            tracing::info!(code = refused.code, "the talk key was pressed in vain");
                        }
                    });
                }
            };
        shortcuts
            .on_shortcut(shortcut, pressed)
            .map(|()| shortcut)
            .map_err(|error| taken_by_another(keys, &error))
    });
    let news = match taken {
        Ok(shortcut) => {
            *door.talk_key.lock() = Some(Working { keys: keys.to_owned(), shortcut });
            EventView::Recovered { stage: STAGE.to_owned() }
        }
        Err(refused) => {
            tracing::warn!(keys, code = refused.code, "the talk key does not work");
            let remedy = "Choose another one under Keys in the settings, or bind `jarvis talk` to a key of the desktop.";
            EventView::Trouble {
                trouble: TroubleView {
                    stage: STAGE.to_owned(),
                    what: refused.message,
                    remedy: remedy.to_owned(),
                },
            }
        }
    };
    // Without a page open nobody needs to know.
    let _ = door.news.send(news);
}

/// Could these keys talk?
///
/// # Errors
///
/// `bad_value` for what is no key, `taken` when another program has it.
pub fn check<R: Runtime>(app: &AppHandle<R>, talk_key: &TalkKey, keys: &str) -> Result<(), CommandError> {
    let shortcut = parse(keys)?;
    if talk_key.lock().as_ref().is_some_and(|working| working.shortcut == shortcut) {
        return Ok(());
    }
    let shortcuts = app.global_shortcut();
    shortcuts.register(shortcut).map_err(|error| taken_by_another(keys, &error))?;
    shortcuts.unregister(shortcut).map_err(|error| taken_by_another(keys, &error))
}

fn parse(keys: &str) -> Result<Shortcut, CommandError> {
    let shortcut = Shortcut::from_str(keys).map_err(|_| {
        CommandError::new("bad_value", format!("{keys} is no key. Press a key with Ctrl, Alt or Shift."))
    })?;
    if shortcut.mods.is_empty() {
        let message = format!("{keys} alone would be taken from every program. Add Ctrl, Alt or Shift.");
        return Err(CommandError::new("bad_value", message));
    }
    Ok(shortcut)
}

fn taken_by_another(keys: &str, error: &tauri_plugin_global_shortcut::Error) -> CommandError {
    tracing::info!(%error, "a key was refused");
    CommandError::new("taken", format!("{keys} could not be taken: another program may have it."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_alone_is_refused() {
        assert_eq!(parse("Space").unwrap_err().code, "bad_value");
        assert_eq!(parse("Ctrl+Nonsense").unwrap_err().code, "bad_value");
        assert!(parse("Ctrl+Shift+Space").is_ok());
    }
}
