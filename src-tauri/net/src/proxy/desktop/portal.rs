//! The proxy portal on the session bus.

use url::Origin;
use zbus::connection::Builder;

const SERVICE: &str = "org.freedesktop.portal.Desktop";
const PATH: &str = "/org/freedesktop/portal/desktop";
const INTERFACE: &str = "org.freedesktop.portal.ProxyResolver";

/// Why the portal told nothing.
#[derive(Debug, thiserror::Error)]
pub(super) enum LookupError {
    #[error("the proxy portal took too long")]
    TooSlow,
    #[error("the session bus or its proxy portal failed: {reason}")]
    Failed { reason: String },
}

impl From<zbus::Error> for LookupError {
    fn from(error: zbus::Error) -> Self {
        let reason = match error {
            // Its description may repeat an address with a password.
            zbus::Error::MethodError(name, ..) => name.to_string(),
            other => other.to_string(),
        };
        Self::Failed { reason }
    }
}

/// The way to the portal. Dropping it closes the connection.
pub(super) struct Portal(zbus::Connection);

impl Portal {
    /// Connects to the bus at this address; `None` is that of the session.
    ///
    /// # Errors
    ///
    /// There is no bus.
    pub async fn connect(bus: Option<&str>) -> zbus::Result<Self> {
        let builder = match bus {
            Some(address) => Builder::address(address)?,
            None => Builder::session()?,
        };
        builder.build().await.map(Self)
    }

    /// The proxies of an origin, in the order in which they are to be tried.
    ///
    /// # Errors
    ///
    /// There is no portal, it fails, or its answer is not the expected one.
    pub async fn lookup(&self, origin: &Origin) -> zbus::Result<Vec<String>> {
        let uri = format!("{}/", origin.ascii_serialization());
        let answer = self.0.call_method(Some(SERVICE), PATH, Some(INTERFACE), "Lookup", &(uri,)).await?;
        answer.body().deserialize()
    }
}
