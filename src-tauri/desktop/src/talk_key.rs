//! The global talk key: registering it, its presses, and Escape while it listens.

pub mod state; // which key works, and how it was pressed

use std::str::FromStr;

use tauri::{AppHandle, Manager, Runtime};
use tauri_plugin_global_shortcut::{Code, GlobalShortcutExt, Shortcut, ShortcutEvent, ShortcutState};
use tokio::sync::mpsc;
#[cfg(target_os = "linux")]
use tokio_util::sync::CancellationToken;

use self::state::{By, Press, TalkKey, WorkingKey};
use crate::door::Door;
use crate::error::CommandError;
use crate::views::{EventView, TroubleView};

#[cfg(target_os = "linux")]
use crate::portal;

/// The stage of its troubles, so that recovery can be reported.
const STAGE: &str = "talk_key";

/// Passes the presses to the assistant, one after the other.
pub async fn pass_on<R: Runtime>(app: AppHandle<R>, mut pressed: mpsc::Receiver<Press>) {
    while let Some(press) = pressed.recv().await {
        let door = app.state::<Door>();
        match press {
            Press::Down => {
                if let Err(unavailable) = door.assistant.talk_key_down().await {
                    tracing::info!(
                        ?unavailable,
                        "the talk key was pressed, but the microphone is not available"
                    );
                    door.refused.notify_one();
                }
            }
            Press::Up => door.assistant.talk_key_up().await,
        }
    }
}

/// Registers these keys in place of the ones before. Errors are reported to the pages.
pub fn register<R: Runtime>(app: &AppHandle<R>, keys: &str) {
    let door = app.state::<Door>();
    match door.talk_key.lock().take().map(|before| before.by) {
        Some(By::WindowSystem(shortcut)) => {
            if let Err(error) = app.global_shortcut().unregister(shortcut) {
                tracing::warn!(%error, "the previous talk key was not released");
            }
        }
        #[cfg(target_os = "linux")]
        Some(By::Portal(stop)) => stop.cancel(),
        None => {}
    }
    // A key that is released from us while it is held never reports that it came up.
    let _ = door.talk_key.presses.try_send(Press::Up);
    if keys.is_empty() {
        door.page_events.recovered(STAGE);
        door.page_events.send(EventView::TalkKey { name: String::new() });
        return;
    }
    #[cfg(target_os = "linux")]
    if portal::is_needed() {
        return ask_the_portal(app, keys);
    }
    let presses = door.talk_key.presses.clone();
    let pressed = move |_: &AppHandle<R>, _: &Shortcut, event: ShortcutEvent| {
        let press = match event.state {
            ShortcutState::Pressed => Press::Down,
            ShortcutState::Released => Press::Up,
        };
        // When presses come faster than they are handled, they repeat what waits already.
        let _ = presses.try_send(press);
    };
    let taken = parse(keys).and_then(|shortcut| {
        let taking = app.global_shortcut().on_shortcut(shortcut, pressed);
        taking.map(|()| shortcut).map_err(|error| registered_elsewhere(keys, &error))
    });
    match taken {
        Ok(shortcut) => works(&door, keys.to_owned(), By::WindowSystem(shortcut)),
        Err(refused) => report_failure(
            &door,
            refused.message,
            "Choose another one under Keys in the settings, or bind `jarvis talk` to a key of the desktop.",
        ),
    }
}

#[cfg(target_os = "linux")]
fn ask_the_portal<R: Runtime>(app: &AppHandle<R>, keys: &str) {
    let stop = CancellationToken::new();
    // It has no name until the desktop has assigned one.
    *app.state::<Door>().talk_key.lock() =
        Some(WorkingKey { name: String::new(), by: By::Portal(stop.clone()) });
    let (tasks, app, keys) = (app.state::<Door>().tasks.clone(), app.clone(), keys.to_owned());
    tasks.spawn(async move {
        let door = app.state::<Door>();
        let presses = door.talk_key.presses.clone();
        let bound = |name: String| {
            tracing::info!(name, "the desktop assigned the talk key");
            if let Some(working) = door.talk_key.lock().as_mut() {
                working.name.clone_from(&name);
            }
            door.page_events.recovered(STAGE);
            door.page_events.send(EventView::TalkKey { name });
        };
        let outcome = portal::follow(&keys, bound, presses, &stop).await;
        // The caller that released it knows that it works no longer.
        if !stop.is_cancelled() {
            tracing::warn!(?outcome, "the desktop assigns no talk key");
            report_failure(
                &door,
                "This desktop lets no program take a key.".to_owned(),
                "Bind the command `jarvis talk` to a key in the desktop's own settings.",
            );
        }
    });
}

fn works(door: &Door, name: String, by: By) {
    *door.talk_key.lock() = Some(WorkingKey { name: name.clone(), by });
    door.page_events.recovered(STAGE);
    door.page_events.send(EventView::TalkKey { name });
}

fn report_failure(door: &Door, what: String, remedy: &str) {
    tracing::warn!(what, "the talk key does not work");
    *door.talk_key.lock() = None;
    door.page_events.send(EventView::TalkKey { name: String::new() });
    door.page_events.trouble(TroubleView { stage: STAGE.to_owned(), what, remedy: remedy.to_owned() });
}

/// While the talk key listens, Escape discards what is being said, whichever program is in front.
pub fn take_escape<R: Runtime>(app: &AppHandle<R>, is_listening: bool) {
    #[cfg(target_os = "linux")]
    if portal::is_needed() {
        // The portal assigns keys for the whole session only. A second tap does the same as Escape.
        return;
    }
    let held = match app.state::<Door>().talk_key.lock().as_ref().map(|working| &working.by) {
        Some(By::WindowSystem(shortcut)) => Some(shortcut.mods),
        _ => None,
    };
    // While the talk key is held, its modifiers are held too.
    for escape in std::iter::once(None).chain(held.map(Some)).map(|mods| Shortcut::new(mods, Code::Escape)) {
        let shortcuts = app.global_shortcut();
        let outcome = match (is_listening, shortcuts.is_registered(escape)) {
            (true, false) => shortcuts.on_shortcut(escape, |app, _, event| {
                if event.state == ShortcutState::Pressed {
                    let door = app.state::<Door>();
                    let assistant = door.assistant.clone();
                    door.tasks.spawn(async move { assistant.stop().await });
                }
            }),
            (false, true) => shortcuts.unregister(escape),
            _ => Ok(()),
        };
        if let Err(error) = outcome {
            tracing::info!(%error, "Escape is registered by another program");
        }
    }
}

/// Checks whether these keys can be the talk key.
///
/// # Errors
///
/// `bad_value` for keys that do not exist, `taken` when another program has registered them.
pub fn check<R: Runtime>(app: &AppHandle<R>, talk_key: &TalkKey, keys: &str) -> Result<(), CommandError> {
    let shortcut = parse(keys)?;
    #[cfg(target_os = "linux")]
    if portal::is_needed() {
        // The desktop asks the user.
        return Ok(());
    }
    let is_ours = talk_key
        .lock()
        .as_ref()
        .is_some_and(|working| matches!(&working.by, By::WindowSystem(ours) if *ours == shortcut));
    if is_ours {
        return Ok(());
    }
    let shortcuts = app.global_shortcut();
    shortcuts.register(shortcut).map_err(|error| registered_elsewhere(keys, &error))?;
    shortcuts.unregister(shortcut).map_err(|error| registered_elsewhere(keys, &error))
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

fn registered_elsewhere(keys: &str, error: &tauri_plugin_global_shortcut::Error) -> CommandError {
    tracing::info!(%error, "a key was refused");
    CommandError::new("taken", format!("{keys} could not be taken: another program may have it."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn key_without_modifier_is_refused() {
        assert_eq!(parse("Space").unwrap_err().code, "bad_value");
        assert_eq!(parse("Ctrl+Nonsense").unwrap_err().code, "bad_value");
        assert!(parse("Ctrl+Shift+Space").is_ok());
    }
}
