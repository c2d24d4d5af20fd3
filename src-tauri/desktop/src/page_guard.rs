//! Reloads a page whose process died, so that no window stays blank.

use tauri::{Runtime, WebviewWindow};

/// Reloads the page of this window whenever its process dies.
#[cfg(target_os = "linux")]
pub fn watch<R: Runtime>(window: &WebviewWindow<R>) {
    use std::cell::RefCell;
    use std::time::{Duration, Instant};

    use webkit2gtk::WebViewExt;

    /// A page that dies more often than this within [`PERIOD`] is not reloaded again.
    const MAX_RELOADS: usize = 3;
    const PERIOD: Duration = Duration::from_secs(60);

    let of_window = window.clone();
    let watching = window.with_webview(move |page| {
        let deaths = RefCell::new(Vec::new());
        page.inner().connect_web_process_terminated(move |page, why| {
            let mut deaths = deaths.borrow_mut();
            deaths.retain(|at: &Instant| at.elapsed() < PERIOD);
            deaths.push(Instant::now());
            let label = of_window.label();
            if deaths.len() <= MAX_RELOADS {
                tracing::warn!(window = label, ?why, "the process of a page died; it is loaded again");
                page.reload();
            } else {
                tracing::error!(
                    window = label,
                    ?why,
                    "the process of a page keeps dying; its window is closed"
                );
                if let Err(error) = of_window.close() {
                    tracing::error!(%error, "the window could not be closed");
                }
            }
        });
    });
    if let Err(error) = watching {
        tracing::warn!(%error, "a crash of the page would not be noticed");
    }
}

/// macOS and Windows report no such event; the framework reloads WKWebView.
#[cfg(not(target_os = "linux"))]
pub fn watch<R: Runtime>(_: &WebviewWindow<R>) {}
