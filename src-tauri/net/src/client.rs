//! The HTTP client: allowed addresses and shared connections.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use reqwest::redirect::Policy;
use url::{Host, Origin, Url};

use crate::contacts::Contacts;
use crate::guard::{PublicOnly, is_public};
use crate::{HostContact, NetError};

/// A host that accepts no connection within this time counts as unreachable. Far above normal round-trip times.
/// Source: the default of common download programs.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// The HTTP client of the product. Clones share connections, allowed origins and the list of contacted hosts.
#[derive(Clone)]
pub struct Http {
    inner: Arc<Inner>,
}

struct Inner {
    /// For all other origins: resolves names to public addresses only.
    guarded: reqwest::Client,
    /// For allowed origins, which may be on this machine or in the local network.
    configured: reqwest::Client,
    allowed: Mutex<HashSet<Origin>>,
    contacts: Contacts,
}

impl Http {
    /// Creates a client for public addresses only. Installs the TLS provider of the process if there is none.
    ///
    /// # Errors
    ///
    /// [`NetError::TlsUnavailable`] if the certificates of the system cannot be used.
    pub fn new() -> Result<Self, NetError> {
        // An error means that another part of the process has installed one, which works as well.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = || {
            reqwest::Client::builder()
                .user_agent(concat!("jarvis/", env!("CARGO_PKG_VERSION")))
                .connect_timeout(CONNECT_TIMEOUT)
                // Redirects are followed by `Request`, which checks every hop.
                .redirect(Policy::none())
                .no_proxy()
        };
        let build =
            |builder: reqwest::ClientBuilder| builder.build().map_err(|e| NetError::TlsUnavailable(e.into()));
        Ok(Self {
            inner: Arc::new(Inner {
                guarded: build(client().dns_resolver(Arc::new(PublicOnly)))?,
                configured: build(client())?,
                allowed: Mutex::default(),
                contacts: Contacts::default(),
            }),
        })
    }

    /// Allows requests to the exact origin of `url` (scheme, host and port), also if its address is not public. For
    /// addresses that the user configured.
    pub fn allow_origin(&self, url: &Url) {
        self.inner.allowed.lock().unwrap_or_else(PoisonError::into_inner).insert(url.origin());
    }

    /// All hosts contacted since the program started, in alphabetical order.
    pub fn hosts_contacted(&self) -> Vec<HostContact> {
        self.inner.contacts.list()
    }

    /// The client to use for `url`, or an error if its address is not allowed. Host names are checked when they are
    /// resolved.
    pub(crate) fn client_for(&self, url: &Url) -> Result<&reqwest::Client, NetError> {
        if !matches!(url.scheme(), "http" | "https") {
            return Err(NetError::UnsupportedScheme { scheme: url.scheme().to_owned() });
        }
        let is_allowed =
            self.inner.allowed.lock().unwrap_or_else(PoisonError::into_inner).contains(&url.origin());
        if is_allowed {
            return Ok(&self.inner.configured);
        }
        let literal_is_public = match url.host() {
            Some(Host::Ipv4(address)) => is_public(address.into()),
            Some(Host::Ipv6(address)) => is_public(address.into()),
            Some(Host::Domain(_)) => true,
            None => false,
        };
        if literal_is_public {
            Ok(&self.inner.guarded)
        } else {
            Err(NetError::AddressNotAllowed { host: host_of(url) })
        }
    }

    pub(crate) fn contacts(&self) -> &Contacts {
        &self.inner.contacts
    }
}

/// The host of `url`, with the port unless it is the default port of the scheme.
pub(crate) fn host_of(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default();
    url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
}
