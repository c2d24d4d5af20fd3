//! The windows: opened when they are wanted, raised when they are there.

use serde::Deserialize;
use tauri::{
    AppHandle, Manager, PhysicalPosition, PhysicalSize, Runtime, Url, WebviewUrl, WebviewWindow,
    WebviewWindowBuilder,
};

use crate::page_guard;

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
    let window = WebviewWindowBuilder::new(app, which.label(), WebviewUrl::App(which.page().into()))
        .title(which.title())
        .inner_size(which.size().0, which.size().1)
        .min_inner_size(SMALLEST.0, SMALLEST.1)
        .on_navigation(is_our_own)
        // What happened to its size while it was made is told to nobody.
        .on_page_load(|window, _| keep_on_the_screen(&window, window.inner_size()))
        .build()?;
    page_guard::watch(&window);
    Ok(())
}

/// Makes a window of this size fit its screen.
pub fn keep_on_the_screen<R: Runtime>(window: &WebviewWindow<R>, size: tauri::Result<PhysicalSize<u32>>) {
    if let Err(error) = size.and_then(|size| fit_the_screen(window, size)) {
        tracing::warn!(%error, "a window may not fit its screen");
    }
}

/// Is no window left but the overlay, which nobody can close?
pub fn all_closed<R: Runtime>(app: &AppHandle<R>) -> bool {
    [Which::Conversation, Which::Settings].iter().all(|which| app.get_webview_window(which.label()).is_none())
}

/// Nothing but our own pages is ever shown; links open in the browser.
pub fn is_our_own(url: &Url) -> bool {
    match cfg!(any(windows, target_os = "android")) {
        true => url.host_str() == Some("tauri.localhost") && url.port().is_none(),
        false => url.scheme() == "tauri",
    }
}

/// A window that is of `size` now and larger than its screen is made to fit: it was remembered from a larger one, or that
/// was unplugged.
fn fit_the_screen<R: Runtime>(window: &WebviewWindow<R>, size: PhysicalSize<u32>) -> tauri::Result<()> {
    // A display that was unplugged leaves a window on none.
    let Some(screen) = window.current_monitor()?.or(window.primary_monitor()?) else { return Ok(()) };
    if let Some(fitting) = fitting(size, *screen.size()) {
        window.set_size(fitting)?;
        // The window system would centre the size it still has.
        let (corner, room) = (screen.position(), screen.size());
        let margin = |room: u32, size: u32| (room.saturating_sub(size) / 2) as i32;
        window.set_position(PhysicalPosition {
            x: corner.x + margin(room.width, fitting.width),
            y: corner.y + margin(room.height, fitting.height),
        })?;
    }
    Ok(())
}

/// The size to take in place of `size`, if that is larger than the room there is.
fn fitting(size: PhysicalSize<u32>, room: PhysicalSize<u32>) -> Option<PhysicalSize<u32>> {
    let is_known = room.width > 0 && room.height > 0;
    let fits = size.width <= room.width && size.height <= room.height;
    (is_known && !fits).then(|| PhysicalSize::new(size.width.min(room.width), size.height.min(room.height)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_larger_than_the_screen_is_made_to_fit() {
        let size = PhysicalSize::new;

        assert_eq!(fitting(size(1600, 740), size(1280, 720)), Some(size(1280, 720)));
        assert_eq!(fitting(size(1000, 700), size(1280, 720)), None);
        assert_eq!(fitting(size(1000, 700), size(0, 0)), None);
    }

    #[test]
    fn only_our_own_pages_are_shown() {
        let url = |url: &str| Url::parse(url).unwrap();

        let ours = if cfg!(windows) { "http://tauri.localhost/" } else { "tauri://localhost/settings.html" };
        assert!(is_our_own(&url(ours)));
        assert!(!is_our_own(&url("http://tauri.localhost:8080/")));
        assert!(!is_our_own(&url("https://example.com/")));
        assert!(!is_our_own(&url("file:///etc/passwd")));
    }
}
