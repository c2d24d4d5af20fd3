//! Opens, raises, zooms and places the windows.

use serde::Deserialize;
use tauri::{
    AppHandle, Manager, Monitor, PhysicalPosition, PhysicalSize, Runtime, Url, WebviewUrl, WebviewWindow,
    WebviewWindowBuilder,
};

use crate::door::Door;
use crate::page_guard;

/// A window.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum WindowKind {
    Conversation,
    Settings,
}

impl WindowKind {
    const ALL: [Self; 2] = [Self::Conversation, Self::Settings];

    /// Its label in the window system and in the capability files.
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
/// An error of the window system.
pub fn open<R: Runtime>(app: &AppHandle<R>, which: WindowKind) -> tauri::Result<()> {
    if let Some(window) = app.get_webview_window(which.label()) {
        window.unminimize()?;
        window.show()?;
        return window.set_focus();
    }
    let window = WebviewWindowBuilder::new(app, which.label(), WebviewUrl::App(which.page().into()))
        .title(which.title())
        .inner_size(which.size().0, which.size().1)
        .min_inner_size(SMALLEST.0, SMALLEST.1)
        .on_navigation(is_own_page)
        // No event reports a size that changed while the window was made.
        .on_page_load(|window, _| shrink_to_screen(&window, window.inner_size()))
        .build()?;
    page_guard::watch(&window);
    let zoom = app.state::<Door>().assistant.settings().current().appearance.zoom;
    window.set_zoom(zoom as f64 / 100.0)
}

/// Sets the zoom of all windows, in per cent.
pub fn zoom_to<R: Runtime>(app: &AppHandle<R>, percent: u64) {
    for window in WindowKind::ALL.iter().filter_map(|which| app.get_webview_window(which.label())) {
        if let Err(error) = window.set_zoom(percent as f64 / 100.0) {
            tracing::warn!(%error, "a window could not be zoomed");
        }
    }
}

/// A change of the zoom.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Zoom {
    In,
    Out,
    Reset,
}

impl Zoom {
    /// The zoom after `percent`, in the steps of browsers.
    pub fn after(self, percent: u64) -> u64 {
        const STEPS: [u64; 10] = [50, 67, 80, 90, 100, 110, 125, 150, 175, 200];
        let next = match self {
            Self::In => STEPS.into_iter().find(|step| *step > percent),
            Self::Out => STEPS.into_iter().rev().find(|step| *step < percent),
            Self::Reset => Some(100),
        };
        next.unwrap_or(percent)
    }
}

/// Shrinks a window of this size to its screen.
pub fn shrink_to_screen<R: Runtime>(window: &WebviewWindow<R>, size: tauri::Result<PhysicalSize<u32>>) {
    if let Err(error) = size.and_then(|size| shrink_if_larger(window, size)) {
        tracing::warn!(%error, "a window may not fit its screen");
    }
}

/// Moves windows back onto a screen after a display was unplugged or became smaller: not every window manager does that.
/// Call it on the window system's thread.
#[cfg(target_os = "linux")]
pub fn keep_on_screens<R: Runtime>(app: &AppHandle<R>) {
    let Some(screen) = gtk::gdk::Screen::default() else { return };
    let app = app.clone();
    screen.connect_monitors_changed(move |_| {
        for window in WindowKind::ALL.iter().filter_map(|which| app.get_webview_window(which.label())) {
            shrink_to_screen(&window, window.inner_size());
            if let Err(error) = move_onto_screen(&window) {
                tracing::warn!(%error, "a window may be outside every screen");
            }
        }
    });
}

/// Other systems do this themselves.
#[cfg(not(target_os = "linux"))]
pub fn keep_on_screens<R: Runtime>(_: &AppHandle<R>) {}

/// Returns `true` if the user works in this window.
pub fn is_in_front<R: Runtime>(app: &AppHandle<R>, which: WindowKind) -> bool {
    app.get_webview_window(which.label()).is_some_and(|window| window.is_focused().unwrap_or(false))
}

/// Returns `true` if every window except the overlay is closed.
pub fn all_closed<R: Runtime>(app: &AppHandle<R>) -> bool {
    WindowKind::ALL.iter().all(|which| app.get_webview_window(which.label()).is_none())
}

/// Ends the program. Another start of Jarvis waits from now on, also while a busy machine takes its time to close the windows.
pub fn quit<R: Runtime>(app: &AppHandle<R>) {
    app.state::<Door>().assistant.has_no_window_any_more();
    app.exit(0);
}

/// Returns `true` if a URL is one of our pages. Windows show nothing else; links open in the browser.
pub fn is_own_page(url: &Url) -> bool {
    match cfg!(any(windows, target_os = "android")) {
        true => url.host_str() == Some("tauri.localhost") && url.port().is_none(),
        false => url.scheme() == "tauri",
    }
}

/// Shrinks a window of `size` that is larger than its screen: its size was stored with a larger screen, or the display
/// was unplugged.
fn shrink_if_larger<R: Runtime>(window: &WebviewWindow<R>, size: PhysicalSize<u32>) -> tauri::Result<()> {
    // After its display was unplugged, a window is on no screen.
    let Some(screen) = window.current_monitor()?.or(window.primary_monitor()?) else { return Ok(()) };
    let screens: Vec<Area> =
        window.available_monitors()?.iter().map(|screen| (*screen.position(), *screen.size())).collect();
    // The user may have stretched it over two screens.
    if fitting(size, total_size(&screens)).is_none() {
        return Ok(());
    }
    if let Some(fitting) = fitting(size, *screen.size()) {
        window.set_size(fitting)?;
        // The window system would centre the old size.
        window.set_position(centred(&screen, fitting))?;
    }
    Ok(())
}

/// Moves a window that no screen shows to the middle of one.
fn move_onto_screen<R: Runtime>(window: &WebviewWindow<R>) -> tauri::Result<()> {
    let (corner, size) = (window.outer_position()?, window.outer_size()?);
    let screens = window.available_monitors()?;
    if screens.iter().any(|screen| is_within_reach((corner, size), (*screen.position(), *screen.size()))) {
        return Ok(());
    }
    let Some(screen) = window.primary_monitor()?.or(screens.into_iter().next()) else { return Ok(()) };
    window.set_position(centred(&screen, size))
}

/// The position of a window of this size in the middle of a screen.
fn centred(screen: &Monitor, size: PhysicalSize<u32>) -> PhysicalPosition<i32> {
    let (corner, room) = (screen.position(), screen.size());
    let margin = |room: u32, size: u32| (room.saturating_sub(size) / 2) as i32;
    PhysicalPosition {
        x: corner.x + margin(room.width, size.width),
        y: corner.y + margin(room.height, size.height),
    }
}

/// Upper left corner and size, in pixels.
type Area = (PhysicalPosition<i32>, PhysicalSize<u32>);

/// Returns `true` if enough of the window's upper edge is on this screen to drag it.
fn is_within_reach((corner, size): Area, (screen, room): Area) -> bool {
    /// Width of the edge that is enough to drag it, in pixels.
    const ENOUGH: i32 = 64;
    let (right, bottom) = (screen.x + room.width as i32, screen.y + room.height as i32);
    let seen = (corner.x + size.width as i32).min(right) - corner.x.max(screen.x);
    seen >= ENOUGH && (screen.y..bottom - ENOUGH / 2).contains(&corner.y)
}

/// The size of all screens together.
fn total_size(screens: &[Area]) -> PhysicalSize<u32> {
    let left = screens.iter().map(|(corner, _)| corner.x).min().unwrap_or(0);
    let top = screens.iter().map(|(corner, _)| corner.y).min().unwrap_or(0);
    let right = screens.iter().map(|(corner, size)| corner.x + size.width as i32).max().unwrap_or(0);
    let bottom = screens.iter().map(|(corner, size)| corner.y + size.height as i32).max().unwrap_or(0);
    PhysicalSize::new((right - left) as u32, (bottom - top) as u32)
}

/// The size to use when `size` is larger than the room.
fn fitting(size: PhysicalSize<u32>, room: PhysicalSize<u32>) -> Option<PhysicalSize<u32>> {
    let is_known = room.width > 0 && room.height > 0;
    let fits = size.width <= room.width && size.height <= room.height;
    (is_known && !fits).then(|| PhysicalSize::new(size.width.min(room.width), size.height.min(room.height)))
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[test]
    fn window_larger_than_its_screen_is_shrunk() {
        let size = PhysicalSize::new;

        assert_eq!(fitting(size(1600, 740), size(1280, 720)), Some(size(1280, 720)));
        assert_eq!(fitting(size(1000, 700), size(1280, 720)), None);
        assert_eq!(fitting(size(1000, 700), size(0, 0)), None);
        let (left, right) = (PhysicalPosition { x: -1280, y: 0 }, PhysicalPosition { x: 0, y: 100 });
        let room = total_size(&[(left, size(1280, 720)), (right, size(1920, 1080))]);
        assert_eq!(room, size(3200, 1180));
        assert_eq!(fitting(size(2500, 740), room), None);
    }

    #[rstest]
    #[case(Zoom::In, 100, 110)]
    #[case(Zoom::In, 120, 125)]
    #[case(Zoom::In, 200, 200)]
    #[case(Zoom::Out, 100, 90)]
    #[case(Zoom::Out, 50, 50)]
    #[case(Zoom::Reset, 175, 100)]
    fn zoom_goes_in_steps(#[case] zoom: Zoom, #[case] before: u64, #[case] expected: u64) {
        assert_eq!(zoom.after(before), expected);
    }

    #[rstest]
    #[case::on_it((100, 100), true)]
    #[case::half_on_it((900, 500), true)]
    #[case::on_a_screen_to_the_right((1280, 100), false)]
    #[case::on_a_screen_below((100, 720), false)]
    #[case::to_the_left_of_it((-980, 100), false)]
    #[case::with_its_edge_above((100, -40), false)]
    fn window_that_can_be_dragged_is_within_reach(#[case] (x, y): (i32, i32), #[case] expected: bool) {
        let window = (PhysicalPosition { x, y }, PhysicalSize::new(1000, 740));
        let screen = (PhysicalPosition { x: 0, y: 0 }, PhysicalSize::new(1280, 720));

        assert_eq!(is_within_reach(window, screen), expected);
    }

    #[test]
    fn urls_other_than_our_pages_are_refused() {
        let url = |url: &str| Url::parse(url).unwrap();

        let ours = if cfg!(windows) { "http://tauri.localhost/" } else { "tauri://localhost/settings.html" };
        assert!(is_own_page(&url(ours)));
        assert!(!is_own_page(&url("http://tauri.localhost:8080/")));
        assert!(!is_own_page(&url("https://example.com/")));
        assert!(!is_own_page(&url("file:///etc/passwd")));
    }
}
