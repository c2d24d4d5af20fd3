//! The program itself: its files, windows and keys.

use super::key::{Key, ValueKind, key};
use crate::choices::{Contrast, Theme, TrayIcon};

pub(super) const KEYS: &[Key] = &[
    key(
        "models.folder",
        "Models folder",
        "Full path of the model files; empty means the default folder. Files are not moved.",
        ValueKind::Folder,
    ),
    key(
        "models.idle_unload_mins",
        "Unload after",
        "How long models that Jarvis itself runs stay loaded while unused. Servers such as Ollama decide for themselves.",
        ValueKind::Number { min: 0.1, max: 1440.0, unit: "min" },
    ),
    key(
        "appearance.theme",
        "Theme",
        "Light or dark windows; system follows the desktop.",
        ValueKind::Choice(Theme::CHOICES),
    ),
    key(
        "appearance.contrast",
        "Contrast",
        "More contrast for tired or weak eyes; system follows the desktop.",
        ValueKind::Choice(Contrast::CHOICES),
    ),
    key(
        "appearance.zoom",
        "Zoom",
        "How large everything in the windows is drawn; Ctrl and + or - change it too, Ctrl and 0 resets it.",
        ValueKind::Whole { min: 50, max: 200, unit: "%" },
    ),
    key(
        "appearance.overlay",
        "Listening overlay",
        "Shows what Jarvis hears and says above other windows, unless the conversation is in front.",
        ValueKind::Toggle,
    ),
    key(
        "appearance.notifications",
        "Notifications",
        "Shows answers that are not spoken, and questions, as notifications of a Linux desktop, unless the conversation is in front.",
        ValueKind::Toggle,
    ),
    key(
        "appearance.tray_icon",
        "Tray icon",
        "Drawn for a dark or a light panel; system follows the desktop.",
        ValueKind::Choice(TrayIcon::CHOICES),
    ),
    key(
        "appearance.software_rendering",
        "Draw without the graphics card",
        "For windows that stay blank or flicker; takes effect at the next start.",
        ValueKind::Toggle,
    ),
    key(
        "keys.talk",
        "Talk key",
        "Tap it anywhere to talk without the wake word, or hold it while you speak; empty means none.",
        ValueKind::Hotkey,
    ),
    key(
        "startup.at_login",
        "Start at login",
        "Starts Jarvis in the tray when you log in.",
        ValueKind::Toggle,
    ),
];
