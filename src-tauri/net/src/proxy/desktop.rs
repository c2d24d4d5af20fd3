//! The proxy that the user set in the desktop (GNOME, KDE), told by the proxy portal.
//!
//! Each origin is asked about for itself, because exceptions and scripts (PAC) of a desktop decide by the address. The portal
//! learns the origin only, never a path, and only of public addresses. Without a session bus, a portal or an answer there is
//! no proxy: a desktop that sets none is the usual case, and looks the same.

mod answers;
mod entry;
mod portal;

use std::time::Duration;

use parking_lot::Mutex;
use reqwest::{Client, Proxy};
use tokio::time::Instant;
use url::Url;

use crate::NetError;
use crate::base_client::builder;
use crate::guard::{Reach, reach_by_proxy, reach_of_spelling};
use answers::Answers;
use entry::{ProxyAddress, first_usable};
use portal::{LookupError, Portal};

/// The time that the portal may take, connecting included. It answers within milliseconds, unless it has to fetch a script.
const LIMIT: Duration = Duration::from_secs(1);

/// The number of clients that are kept, each with connections and certificates of its own. A user has one proxy or two; a
/// script may name a few.
const MAX_CLIENTS: usize = 4;

/// The proxies of the desktop. No connection to the bus stays open, and nothing runs between requests.
pub(super) struct DesktopProxy {
    /// The address of the bus; `None` is that of the session.
    bus: Option<String>,
    limit: Duration,
    answers: Mutex<Answers>,
    /// One for each proxy: a client keeps its connections by the server that they lead to, so that one client for several
    /// proxies would go on with a connection through a proxy that is no longer set. The newest is last.
    clients: Mutex<Vec<(ProxyAddress, Client)>>,
}

impl DesktopProxy {
    /// The proxies that the portal on this bus tells; `None` is the bus of the session.
    pub fn on(bus: Option<String>) -> Self {
        Self { bus, limit: LIMIT, answers: Mutex::default(), clients: Mutex::default() }
    }

    /// The same with another limit.
    #[cfg(test)]
    pub fn with_limit(self, limit: Duration) -> Self {
        Self { limit, ..self }
    }

    /// The client for requests to `url` through its proxy; `None` if it has none.
    ///
    /// # Errors
    ///
    /// [`NetError::TlsUnavailable`] if the certificates of the system cannot be used.
    pub async fn client_for(&self, url: &Url) -> Result<Option<Client>, NetError> {
        if reach_of_spelling(url) == Reach::Private {
            return Ok(None);
        }
        self.proxy_for(url).await.map(|address| self.client_through(address)).transpose()
    }

    async fn proxy_for(&self, url: &Url) -> Option<ProxyAddress> {
        let origin = url.origin();
        if let Some(known) = self.answers.lock().find(&origin, Instant::now()) {
            return known;
        }
        let asked = self.ask(url).await;
        let mut answers = self.answers.lock();
        match asked {
            Ok(proxy) => {
                if let Some(address) = &proxy {
                    tracing::debug!(
                        scheme = address.scheme(),
                        host = address.host_str(),
                        "the desktop tells a proxy"
                    );
                }
                answers.keep(origin, proxy.clone(), Instant::now());
                proxy
            }
            Err(error) => {
                tracing::debug!(%error, "the desktop tells no proxy");
                answers.pause(&origin, Instant::now())
            }
        }
    }

    async fn ask(&self, url: &Url) -> Result<Option<ProxyAddress>, LookupError> {
        let started = Instant::now();
        let portal = within(self.limit, Portal::connect(self.bus.as_deref())).await?;
        let connecting = started.elapsed();
        // Names are resolved after the connection, so that it costs nothing on a machine without a desktop, and outside the
        // limit, because in many networks with a proxy it takes long to learn that only the proxy resolves them.
        if reach_by_proxy(url).await == Reach::Private {
            return Ok(None);
        }
        let entries = within(self.limit.saturating_sub(connecting), portal.lookup(&url.origin())).await?;
        Ok(first_usable(&entries))
    }

    fn client_through(&self, address: ProxyAddress) -> Result<Client, NetError> {
        let known = |clients: &[(ProxyAddress, Client)]| {
            clients.iter().find(|(known, _)| *known == address).map(|(_, client)| client.clone())
        };
        if let Some(client) = known(&self.clients.lock()) {
            return Ok(client);
        }
        let built = Proxy::all(address.as_str()).and_then(|proxy| builder().proxy(proxy).build());
        let client = built.map_err(|error| NetError::TlsUnavailable(error.into()))?;
        let mut clients = self.clients.lock();
        // Another request may have been faster.
        if let Some(client) = known(&clients) {
            return Ok(client);
        }
        if clients.len() == MAX_CLIENTS {
            clients.remove(0);
        }
        clients.push((address, client.clone()));
        Ok(client)
    }
}

async fn within<T>(limit: Duration, asking: impl Future<Output = zbus::Result<T>>) -> Result<T, LookupError> {
    match tokio::time::timeout(limit, asking).await {
        Ok(answered) => answered.map_err(LookupError::from),
        Err(_) => Err(LookupError::TooSlow),
    }
}

#[cfg(test)]
mod tests;
