//! Pages whose process died: loaded again, so that a window is never left blank.

use tauri::{Runtime, WebviewWindow};

/// Loads the page of this window again whenever its process dies.
#[cfg(target_os = "linux")]
pub fn watch<R: Runtime>(window: &WebviewWindow<R>) {
    use std::cell::RefCell;
    use std::time::{Duration, Instant};

    use webkit2gtk::WebViewExt;

    /// A page that dies more often than so many times within [`OFTEN`] dies of itself.
    const TRIES: usize = 3;
    const OFTEN: Duration = Duration::from_secs(60);

    let of_window = window.clone();
    let watching = window.with_webview(move |page| {
        let deaths = RefCell::new(Vec::new());
        page.inner().connect_web_process_terminated(move |page, why| {
            let mut deaths = deaths.borrow_mut();
            deaths.retain(|at: &Instant| at.elapsed() < OFTEN);
            deaths.push(Instant::now());
            let label = of_window.label();
            if deaths.len() <= TRIES {
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
        tracing::warn!(%error, "nobody watches over the page");
    }
}

/// The window systems of macOS and Windows have no such event for us; WKWebView is loaded again by the framework.
#[cfg(not(target_os = "linux"))]
pub fn watch<R: Runtime>(_: &WebviewWindow<R>) {}
