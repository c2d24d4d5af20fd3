//! Returns `true` if a panel shows tray icons.

/// Returns `true` if a panel shows tray icons. Without one, a program in the tray cannot be reached.
#[cfg(target_os = "linux")]
pub async fn is_there() -> bool {
    shows_status_notifiers().await || shows_x11_icons().await
}

/// Windows and macOS always show them.
#[cfg(not(target_os = "linux"))]
pub async fn is_there() -> bool {
    true
}

/// The time that the session bus and the display may take to answer. A bus without a panel says so at once; on a busy
/// machine a panel that is there can take seconds, and Jarvis must not end because of that.
#[cfg(target_os = "linux")]
const TIMEOUT: std::time::Duration = std::time::Duration::from_secs(20);

#[cfg(target_os = "linux")]
async fn shows_status_notifiers() -> bool {
    const WATCHER: &str = "org.kde.StatusNotifierWatcher";
    let asked = async {
        let bus = zbus::Connection::session().await?;
        let watcher = zbus::Proxy::new(&bus, WATCHER, "/StatusNotifierWatcher", WATCHER).await?;
        watcher.get_property::<bool>("IsStatusNotifierHostRegistered").await
    };
    matches!(tokio::time::timeout(TIMEOUT, asked).await, Ok(Ok(true)))
}

/// The older X11 protocol, which the tray library uses as a fallback.
#[cfg(target_os = "linux")]
async fn shows_x11_icons() -> bool {
    use x11rb::protocol::xproto::ConnectionExt;

    let asked = tokio::task::spawn_blocking(|| -> Option<bool> {
        let (display, screen) = x11rb::connect(None).ok()?;
        let name = format!("_NET_SYSTEM_TRAY_S{screen}");
        let atom = display.intern_atom(false, name.as_bytes()).ok()?.reply().ok()?.atom;
        let owner = display.get_selection_owner(atom).ok()?.reply().ok()?.owner;
        Some(owner != x11rb::NONE)
    });
    matches!(tokio::time::timeout(TIMEOUT, asked).await, Ok(Ok(Some(true))))
}
