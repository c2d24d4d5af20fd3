//! Start at login.

use tauri::{AppHandle, Manager, Runtime};
use tauri_plugin_autostart::ManagerExt;

use crate::door::Door;
use crate::views::TroubleView;

/// The stage of its troubles, so that recovery can be reported.
const STAGE: &str = "at_login";

/// Switches the start at login on or off. Errors are reported to the pages.
pub fn set<R: Runtime>(app: &AppHandle<R>, is_wanted: bool) {
    let logins = app.autolaunch();
    let outcome = match is_wanted {
        // Set even when it is on already: the program may have moved.
        true => logins.enable(),
        false => match logins.is_enabled() {
            Ok(false) => Ok(()),
            Ok(true) => logins.disable(),
            // The default is off, so nothing has to change.
            Err(error) => {
                tracing::info!(%error, "the start at login could not be read");
                return;
            }
        },
    };
    let page_events = &app.state::<Door>().page_events;
    match outcome {
        Ok(()) => {
            tracing::info!(is_wanted, "the start at login was set");
            page_events.recovered(STAGE);
        }
        Err(error) => {
            tracing::warn!(%error, "the start at login could not be set");
            page_events.trouble(TroubleView {
                stage: STAGE.to_owned(),
                what: format!("The system does not let Jarvis change what starts at login: {error}."),
                remedy: "Add it yourself: the command is `jarvis --hidden`.".to_owned(),
            });
        }
    }
}
