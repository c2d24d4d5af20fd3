//! The windows: opened when they are wanted, raised when they are there.

use serde::Deserialize;
use tauri::{AppHandle, Manager, Runtime, WebviewUrl, WebviewWindowBuilder};

/// A window.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Which {
    Conversation,
    Settings,
}

impl Which {
    /// Names it to the window system and to the capabilities.
    pub fn label(self) -> &'static str {
        match self {
            Self::Conversation => "conversation",
            Self::Settings => "settings",
        }
    }

    fn page(self) -> &'static str {
        match self {
            Self::Conversation => "index.html",
            Self::Settings => "settings.html",
        }
    }

    fn title(self) -> &'static str {
        match self {
            Self::Conversation => "Jarvis",
            Self::Settings => "Jarvis settings",
        }
    }

    /// Width and height it opens with, in logical pixels.
    fn size(self) -> (f64, f64) {
        match self {
            Self::Conversation => (1000.0, 740.0),
            Self::Settings => (920.0, 700.0),
        }
    }
}

/// The smallest size that every page works at, in logical pixels.
const SMALLEST: (f64, f64) = (360.0, 480.0);

/// Opens a window, or raises it.
///
/// # Errors
///
/// What the window system says.
pub fn open<R: Runtime>(app: &AppHandle<R>, which: Which) -> tauri::Result<()> {
    if let Some(window) = app.get_webview_window(which.label()) {
        window.unminimize()?;
        window.show()?;
        return window.set_focus();
    }
    WebviewWindowBuilder::new(app, which.label(), WebviewUrl::App(which.page().into()))
        .title(which.title())
        .inner_size(which.size().0, which.size().1)
        .min_inner_size(SMALLEST.0, SMALLEST.1)
        // Nothing but our own pages is ever shown; links open in the browser.
        .on_navigation(|url| url.scheme() == "tauri" || url.host_str() == Some("tauri.localhost"))
        .build()?;
    Ok(())
}
