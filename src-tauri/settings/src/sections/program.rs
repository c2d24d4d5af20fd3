//! The program itself: its files, windows and keys.

use serde::{Deserialize, Serialize};

use crate::choices::{Contrast, Theme, TrayIcon};

/// `models` in the settings file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ModelsSettings {
    /// Folder of the model files; empty is the usual one.
    pub folder: String,
    /// The time that an unused model of our own engines stays loaded, in minutes. Ollama is asked to keep its model
    /// for half an hour, other servers are not asked.
    pub idle_unload_mins: f64,
}

impl Default for ModelsSettings {
    fn default() -> Self {
        Self { folder: String::new(), idle_unload_mins: 5.0 }
    }
}

/// `appearance` in the settings file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct AppearanceSettings {
    /// Colours of the windows.
    pub theme: Theme,
    /// Contrast of the windows.
    pub contrast: Contrast,
    /// The size of everything in the windows, in per cent.
    pub zoom: u64,
    /// Show what is heard in a small window above all others, while the conversation is not in front.
    pub overlay: bool,
    /// Show answers and questions as notifications of the desktop, while the conversation is not in front.
    pub notifications: bool,
    /// The panel that the tray icon is drawn for.
    pub tray_icon: TrayIcon,
    /// Draw the windows without the graphics card.
    pub software_rendering: bool,
}

impl Default for AppearanceSettings {
    fn default() -> Self {
        Self {
            theme: Theme::System,
            contrast: Contrast::System,
            zoom: 100,
            overlay: true,
            notifications: true,
            tray_icon: TrayIcon::System,
            software_rendering: false,
        }
    }
}

/// `keys` in the settings file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct KeysSettings {
    /// Talks from anywhere; empty is none.
    pub talk: String,
}

impl Default for KeysSettings {
    fn default() -> Self {
        Self { talk: "Ctrl+Shift+Space".into() }
    }
}

/// `startup` in the settings file.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct StartupSettings {
    /// Start in the tray when the user logs in.
    pub at_login: bool,
}
