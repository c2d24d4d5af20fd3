//! Starting when the user logs in.

use tauri::{AppHandle, Manager, Runtime};
use tauri_plugin_autostart::ManagerExt;

use crate::door::Door;
use crate::views::TroubleView;

/// Names the trouble, so that it can be told when it is over.
const STAGE: &str = "at_login";

/// Makes the system start Jarvis at login, or no longer. What goes wrong is told to the pages.
pub fn set<R: Runtime>(app: &AppHandle<R>, is_wanted: bool) {
    let logins = app.autolaunch();
    let outcome = match is_wanted {
        // Said again even if it is known: the program may have moved.
        true => logins.enable(),
        false => match logins.is_enabled() {
            Ok(false) => Ok(()),
            Ok(true) => logins.disable(),
            // Nobody asked for anything.
            Err(error) => {
                tracing::info!(%error, "whether Jarvis starts at login is not known");
                return;
            }
        },
    };
    let news = &app.state::<Door>().news;
    match outcome {
        Ok(()) => {
            tracing::info!(is_wanted, "starting at login was set");
            news.recovered(STAGE);
        }
        Err(error) => {
            tracing::warn!(%error, "starting at login could not be set");
            news.trouble(TroubleView {
                stage: STAGE.to_owned(),
                what: format!("The system does not let Jarvis change what starts at login: {error}."),
                remedy: "Add it yourself: the command is `jarvis --hidden`.".to_owned(),
            });
        }
    }
}
