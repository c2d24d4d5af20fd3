//! The proxy that the user has set for the whole system.
//!
//! The environment decides if it names one: `HTTP_PROXY`, `HTTPS_PROXY`, `ALL_PROXY` and `NO_PROXY`, in capitals or not. If
//! none of them is set, Windows and macOS tell what their settings hold, and on Linux the desktop is asked: the module `desktop`.
//!
//! Source: docs/behaviour/network.md#proxies.

#[cfg(target_os = "linux")]
mod desktop;

use hyper_util::client::proxy::matcher::Matcher;
use reqwest::Client;
use url::Url;

use crate::NetError;
use crate::base_client::{build, builder};
#[cfg(target_os = "linux")]
use desktop::DesktopProxy;

/// The proxy of the system.
pub(crate) struct SystemProxy {
    /// The environment, and the settings of Windows and macOS. Read once.
    matcher: Matcher,
    /// Reads the same as `matcher`, with the same code. HTTP proxies resolve the names; for `socks4` and `socks5` this machine
    /// does, as for other programs that read these variables.
    client: Client,
    /// `None` if the environment decides.
    #[cfg(target_os = "linux")]
    desktop: Option<DesktopProxy>,
}

impl SystemProxy {
    /// Reads the environment and the settings of the system. The desktop is asked later, for each origin.
    ///
    /// # Errors
    ///
    /// [`NetError::TlsUnavailable`] if the certificates of the system cannot be used.
    pub fn read() -> Result<Self, NetError> {
        Ok(Self {
            matcher: Matcher::from_system(),
            client: build(builder())?,
            #[cfg(target_os = "linux")]
            desktop: (!environment_decides()).then(|| DesktopProxy::on(None)),
        })
    }

    /// The proxy of the desktop alone, which the portal on the bus at this address tells.
    #[cfg(all(test, target_os = "linux"))]
    fn from_desktop(bus: &str, limit: std::time::Duration) -> Self {
        let matcher = Matcher::builder().build();
        let client = build(builder().no_proxy()).expect("the certificates of the system can be used");
        Self { matcher, client, desktop: Some(DesktopProxy::on(Some(bus.to_owned())).with_limit(limit)) }
    }

    /// The client for requests to `url` through its proxy; `None` if it has none.
    ///
    /// # Errors
    ///
    /// [`NetError::TlsUnavailable`] if the certificates of the system cannot be used.
    pub async fn client_for(&self, url: &Url) -> Result<Option<Client>, NetError> {
        if self.matcher_applies_to(url) {
            return Ok(Some(self.client.clone()));
        }
        #[cfg(target_os = "linux")]
        if let Some(desktop) = &self.desktop {
            return desktop.client_for(url).await;
        }
        Ok(None)
    }

    fn matcher_applies_to(&self, url: &Url) -> bool {
        url.as_str().parse().is_ok_and(|uri| self.matcher.intercept(&uri).is_some())
    }
}

/// Returns `true` if a variable of proxies is set. An exception counts too: `NO_PROXY=*` is a wish for none.
#[cfg(target_os = "linux")]
fn environment_decides() -> bool {
    const VARIABLES: [&str; 4] = ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"];
    let is_set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    VARIABLES.iter().any(|name| is_set(name) || is_set(&name.to_lowercase()))
}
