//! The talk key on Wayland, where programs cannot register keys: the desktop's portal does it for them.

use ashpd::desktop::global_shortcuts::{BindShortcutsOptions, GlobalShortcuts, NewShortcut};
use futures::StreamExt;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::talk_key::state::Press;

/// The shortcut's id. The desktop stores the user's key for it.
const TALK: &str = "talk";

/// Returns `true` if only the portal can assign keys in this session.
pub fn is_needed() -> bool {
    std::env::var_os("WAYLAND_DISPLAY").is_some_and(|display| !display.is_empty())
}

/// Asks the desktop for `keys` and reports its presses until `stop` is cancelled or the desktop ends; then the key is
/// released. The user may have chosen another key: `bound` gets it in the desktop's words.
///
/// # Errors
///
/// An error of the desktop; many have no such portal.
pub async fn follow(
    keys: &str,
    bound: impl FnOnce(String),
    presses: mpsc::Sender<Press>,
    stop: &CancellationToken,
) -> Result<(), ashpd::Error> {
    if let Ok(id) = "app.jarvis.desktop".parse() {
        // Older portals do not identify programs, and work without it.
        let _ = ashpd::register_host_app(id).await;
    }
    let portal = GlobalShortcuts::new().await?;
    let session = portal.create_session(Default::default()).await?;
    let mut downs = portal.receive_activated().await?;
    let mut ups = portal.receive_deactivated().await?;
    let wanted = trigger_of(keys);
    let shortcuts = [NewShortcut::new(TALK, "Talk to Jarvis").preferred_trigger(wanted.as_str())];
    let binding = portal.bind_shortcuts(&session, &shortcuts, None, BindShortcutsOptions::default());
    // The desktop may ask the user, who may choose another key in the settings meanwhile.
    let Some(answer) = stop.run_until_cancelled(binding).await else {
        return session.close().await;
    };
    let answer = answer?.response()?;
    let key = answer.shortcuts().iter().find(|shortcut| shortcut.id() == TALK);
    let name = key.map(|key| key.trigger_description().to_owned()).unwrap_or_default();
    if !name.is_empty() && !stop.is_cancelled() {
        bound(name);
        let telling = async {
            loop {
                let (id, press) = tokio::select! {
                    Some(down) = downs.next() => (down.shortcut_id().to_owned(), Press::Down),
                    Some(up) = ups.next() => (up.shortcut_id().to_owned(), Press::Up),
                    else => return,
                };
                if id == TALK && presses.send(press).await.is_err() {
                    return;
                }
            }
        };
        // An error here means that the session is over, which is what we want.
        let _ = stop.run_until_cancelled(telling).await;
    }
    session.close().await
}

/// `Ctrl+Shift+Space` as the portal writes it: `CTRL+SHIFT+space`.
fn trigger_of(keys: &str) -> String {
    let part = |part: &str| match part.to_lowercase().as_str() {
        "ctrl" | "control" | "commandorcontrol" => "CTRL".to_owned(),
        "shift" => "SHIFT".to_owned(),
        "alt" | "option" => "ALT".to_owned(),
        "super" | "cmd" | "command" | "meta" => "LOGO".to_owned(),
        key => match key.strip_prefix("key").or_else(|| key.strip_prefix("digit")) {
            Some(letter) if letter.len() == 1 => letter.to_owned(),
            _ if key.starts_with('f') && key[1..].parse::<u8>().is_ok() => key.to_uppercase(),
            _ => key_symbol(key).to_owned(),
        },
    };
    keys.split('+').map(part).collect::<Vec<_>>().join("+")
}

/// The X11 name of a key, which the portal uses. Source: xkbcommon-keysyms.h.
fn key_symbol(key: &str) -> &str {
    match key {
        "up" | "arrowup" => "Up",
        "down" | "arrowdown" => "Down",
        "left" | "arrowleft" => "Left",
        "right" | "arrowright" => "Right",
        "enter" => "Return",
        "tab" => "Tab",
        "backspace" => "BackSpace",
        "delete" => "Delete",
        "insert" => "Insert",
        "home" => "Home",
        "end" => "End",
        "pageup" => "Page_Up",
        "pagedown" => "Page_Down",
        "backquote" | "`" => "grave",
        "minus" | "-" => "minus",
        "equal" | "=" => "equal",
        "comma" | "," => "comma",
        "period" | "." => "period",
        "slash" | "/" => "slash",
        "backslash" | "\\" => "backslash",
        "semicolon" | ";" => "semicolon",
        "quote" | "'" => "apostrophe",
        "bracketleft" | "[" => "bracketleft",
        "bracketright" | "]" => "bracketright",
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case("Ctrl+Shift+Space", "CTRL+SHIFT+space")]
    #[case("Super+KeyJ", "LOGO+j")]
    #[case("Alt+Digit1", "ALT+1")]
    #[case("Ctrl+F12", "CTRL+F12")]
    #[case("Ctrl+PageUp", "CTRL+Page_Up")]
    #[case("Alt+Enter", "ALT+Return")]
    fn keys_are_written_as_the_portal_does(#[case] keys: &str, #[case] expected: &str) {
        assert_eq!(trigger_of(keys), expected);
    }
}
