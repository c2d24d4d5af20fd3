//! The screenshot portal, which GNOME, KDE and other desktops offer on the session bus.

use std::path::{Path, PathBuf};

use ashpd::desktop::screenshot::{ScreenshotOptions, ScreenshotProxy};
use url::Url;

use crate::desktop::portal::{self, PortalFailure};

/// Saves a picture of the screen in this file. The desktop may ask the user first. `bus_address` is that of the session bus,
/// `None` the one of this process.
pub(super) async fn take(bus_address: Option<&str>, picture: &Path) -> Result<(), PortalFailure> {
    let bus = portal::session_bus(bus_address).await?;
    portal::introduce(&bus).await;
    let proxy = ScreenshotProxy::with_connection(bus).await?;
    let options = ScreenshotOptions::default().set_interactive(false).set_modal(false);
    let taken = proxy.screenshot(None, options).await?.response()?;
    let saved = file_of(taken.uri().as_str())
        .ok_or_else(|| PortalFailure::Failed("the picture is in no file".to_owned()))?;
    move_file(&saved, picture).await.map_err(|error| PortalFailure::Failed(error.to_string()))
}

fn file_of(uri: &str) -> Option<PathBuf> {
    Url::parse(uri).ok()?.to_file_path().ok()
}

/// Moves the picture: one that stayed in the folder of the desktop would show what the user has long closed.
async fn move_file(from: &Path, to: &Path) -> std::io::Result<()> {
    tokio::fs::copy(from, to).await?;
    tokio::fs::remove_file(from).await
}
