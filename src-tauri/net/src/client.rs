//! The HTTP client: allowed addresses, the system's proxy and shared connections.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;
use tokio::net::TcpStream;
use tokio::sync::watch;
use url::{Origin, Url};

use crate::base_client::{CONNECT_TIMEOUT, build, builder};
use crate::contacts::{Contacts, Purpose};
use crate::guard::{PublicOnly, Reach, is_this_machine, reach_by_proxy, reach_of_literal};
use crate::proxy::SystemProxy;
use crate::{HostContact, NetError};

/// The HTTP client of the product. Clones share connections, allowed origins and the list of contacted hosts.
#[derive(Clone)]
pub struct Http {
    clients: Arc<Clients>,
    allowed: Arc<Mutex<HashSet<Origin>>>,
    contacts: Arc<Contacts>,
    /// The user wants nothing sent to other machines.
    is_offline: Arc<AtomicBool>,
    purpose: Purpose,
}

struct Clients {
    /// For all other origins: resolves names to public addresses only.
    guarded: reqwest::Client,
    /// For allowed origins, which may be on this machine or in the local network.
    configured: reqwest::Client,
    /// For what the system's proxy is asked for.
    proxy: SystemProxy,
}

/// The way one request is sent.
pub(crate) struct Route {
    pub client: reqwest::Client,
    pub is_proxied: bool,
}

impl Http {
    /// Creates a client for public addresses only. Installs the TLS provider of the process if there is none, and reads
    /// the proxy of the system.
    ///
    /// # Errors
    ///
    /// [`NetError::TlsUnavailable`] if the certificates of the system cannot be used.
    pub fn new() -> Result<Self, NetError> {
        Self::with_proxy(SystemProxy::read()?)
    }

    /// The same with this proxy.
    ///
    /// # Errors
    ///
    /// As [`Http::new`].
    pub(crate) fn with_proxy(proxy: SystemProxy) -> Result<Self, NetError> {
        let clients = Clients {
            guarded: build(builder().no_proxy().dns_resolver(Arc::new(PublicOnly)))?,
            configured: build(builder().no_proxy())?,
            proxy,
        };
        Ok(Self {
            clients: Arc::new(clients),
            allowed: Arc::default(),
            contacts: Arc::default(),
            is_offline: Arc::default(),
            purpose: Purpose::Other,
        })
    }

    /// The same client for requests with this purpose, which the list of contacted hosts names.
    #[must_use]
    pub fn for_purpose(&self, purpose: Purpose) -> Self {
        Self { purpose, ..self.clone() }
    }

    /// The same client with no allowed origins of its own yet: origins that it allows are not allowed to others. What
    /// it contacts is in the same list.
    #[must_use]
    pub fn without_allowed_origins(&self) -> Self {
        Self { allowed: Arc::default(), ..self.clone() }
    }

    /// Allows requests to the exact origin of `url` (scheme, host and port), also if its address is not public. For
    /// addresses that the user configured.
    pub fn allow_origin(&self, url: &Url) {
        self.allowed.lock().insert(url.origin());
    }

    /// Sends nothing to other machines from now on, or again. Holds for all clones. Servers on this machine are still
    /// asked; what runs at the moment is not stopped.
    pub fn set_offline(&self, is_offline: bool) {
        self.is_offline.store(is_offline, Ordering::Relaxed);
    }

    /// A client for a protocol that sends its own requests to `url`. It follows no redirects.
    ///
    /// # Errors
    ///
    /// The address may not be contacted.
    pub async fn raw_client(&self, url: &Url) -> Result<reqwest::Client, NetError> {
        let Route { client, is_proxied } = self.route(url).await?;
        self.contacts.record(&host_of(url), self.purpose, is_proxied);
        Ok(client)
    }

    /// Opens a connection to a server that the user named, for a protocol of its own. No proxy is asked for it, and its address
    /// may be private.
    ///
    /// # Errors
    ///
    /// [`NetError::Offline`] if nothing may be sent to other machines, [`NetError::Unreachable`] if nobody answers there.
    pub async fn connect(&self, host: &str, port: u16) -> Result<TcpStream, NetError> {
        let name = format!("{host}:{port}");
        let is_here = Url::parse(&format!("http://{name}/")).is_ok_and(|url| is_this_machine(&url));
        if self.is_offline.load(Ordering::Relaxed) && !is_here {
            return Err(NetError::Offline { host: name });
        }
        self.contacts.record(&name, self.purpose, false);
        let connected = tokio::time::timeout(CONNECT_TIMEOUT, TcpStream::connect(&name)).await;
        let connected = connected.unwrap_or_else(|_| Err(std::io::ErrorKind::TimedOut.into()));
        connected.map_err(|error| NetError::Unreachable { host: name, source: error.into() })
    }

    /// All hosts contacted since the program started, in alphabetical order, once for each purpose.
    pub fn hosts_contacted(&self) -> Vec<HostContact> {
        self.contacts.list()
    }

    /// Empties the list of contacted hosts, for all clones.
    pub fn forget_hosts_contacted(&self) {
        self.contacts.clear();
    }

    /// Changes when a host is contacted for a purpose that the list does not have yet.
    pub fn first_contacts(&self) -> watch::Receiver<u64> {
        self.contacts.first_contacts()
    }

    /// The client to use for `url`, or an error if its address is not allowed. Without a proxy, host names are checked
    /// when they are resolved for the connection.
    pub(crate) async fn route(&self, url: &Url) -> Result<Route, NetError> {
        if !matches!(url.scheme(), "http" | "https") {
            return Err(NetError::UnsupportedScheme { scheme: url.scheme().to_owned() });
        }
        if self.is_offline.load(Ordering::Relaxed) && !is_this_machine(url) {
            return Err(NetError::Offline { host: host_of(url) });
        }
        let is_allowed = self.allowed.lock().contains(&url.origin());
        let Clients { guarded, configured, proxy } = &*self.clients;
        let proxied = proxy.client_for(url).await?;
        let reach = match proxied {
            Some(_) => reach_by_proxy(url).await,
            None => reach_of_literal(url),
        };
        match (reach, proxied, is_allowed) {
            (Reach::Public, Some(client), _) => Ok(Route { client, is_proxied: true }),
            // Servers on this machine and in the local network are never asked through a proxy.
            (_, _, true) => Ok(Route { client: configured.clone(), is_proxied: false }),
            (Reach::Public, None, false) => Ok(Route { client: guarded.clone(), is_proxied: false }),
            (Reach::Private, _, false) => Err(NetError::AddressNotAllowed { host: host_of(url) }),
        }
    }

    pub(crate) fn contacts(&self) -> &Contacts {
        &self.contacts
    }

    pub(crate) fn purpose(&self) -> Purpose {
        self.purpose
    }
}

/// The host of `url`, with the port unless it is the default port of the scheme.
pub(crate) fn host_of(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default();
    url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
}
