//! Common parts of the portals of a desktop: the way to them on the session bus, and their errors.

use ashpd::desktop::ResponseError;
use ashpd::{Error, PortalError};

/// A portal did not do its work.
pub(super) enum PortalFailure {
    /// The user said no.
    Refused,
    /// It ended without a result, and does not say why. A stored no of the user is told so, too.
    NoResult,
    /// There is no session bus, or nobody on it offers the portal.
    Absent,
    /// It failed for this reason.
    Failed(String),
}

/// The bus of the user's session, at this address or where this process finds it.
pub(super) async fn session_bus(address: Option<&str>) -> Result<zbus::Connection, PortalFailure> {
    let connecting = async {
        match address {
            Some(address) => zbus::connection::Builder::address(address)?.build().await,
            None => zbus::Connection::session().await,
        }
    };
    connecting.await.map_err(|error| Error::Zbus(error).into())
}

/// Tells the portals who asks, so that the desktop can name and remember us.
pub(super) async fn introduce(bus: &zbus::Connection) {
    if let Ok(id) = "app.jarvis.desktop".parse() {
        // Older portals do not identify programs, and work without it.
        let _ = ashpd::register_host_app_with_connection(bus.clone(), id).await;
    }
}

impl From<Error> for PortalFailure {
    fn from(error: Error) -> Self {
        match error {
            Error::Response(ResponseError::Cancelled)
            | Error::Portal(PortalError::NotAllowed(_) | PortalError::Cancelled(_)) => Self::Refused,
            Error::Response(ResponseError::Other) => Self::NoResult,
            Error::PortalNotFound(_) => Self::Absent,
            Error::Zbus(error) if is_absent(&error) => Self::Absent,
            Error::Portal(PortalError::ZBus(error)) if is_absent(&error) => Self::Absent,
            other => Self::Failed(other.to_string()),
        }
    }
}

/// Returns `true` if there is no session bus, or nobody on it offers the portal.
fn is_absent(error: &zbus::Error) -> bool {
    const ABSENT: [&str; 4] = [
        "org.freedesktop.DBus.Error.ServiceUnknown",
        "org.freedesktop.DBus.Error.UnknownMethod",
        "org.freedesktop.DBus.Error.UnknownInterface",
        "org.freedesktop.DBus.Error.NoReply",
    ];
    match error {
        zbus::Error::Address(_) | zbus::Error::InputOutput(_) | zbus::Error::InterfaceNotFound => true,
        zbus::Error::MethodError(name, ..) => ABSENT.contains(&name.as_str()),
        zbus::Error::FDO(error) => matches!(
            **error,
            zbus::fdo::Error::ServiceUnknown(_)
                | zbus::fdo::Error::UnknownMethod(_)
                | zbus::fdo::Error::UnknownInterface(_)
                | zbus::fdo::Error::NoReply(_)
        ),
        _ => false,
    }
}
