//! The client: who may be contacted, and with which connections.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use reqwest::redirect::Policy;
use url::{Host, Origin, Url};

use crate::contacts::Contacts;
use crate::guard::{PublicOnly, is_public};
use crate::{HostContact, NetError};

/// A host that does not even accept a connection in this time is taken for unreachable. Source: the default of
/// common download programs; far above any healthy round trip.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// The one HTTP client of the product. Clones share connections, permissions and the list of contacts.
#[derive(Clone)]
pub struct Http {
    inner: Arc<Inner>,
}

struct Inner {
    /// For everything else: resolves names to public addresses only.
    guarded: reqwest::Client,
    /// For configured origins, which may be of this machine or network.
    configured: reqwest::Client,
    allowed: Mutex<HashSet<Origin>>,
    contacts: Contacts,
}

impl Http {
    /// A client that may contact public addresses only. Installs the TLS provider of the process if none is there.
    ///
    /// # Errors
    ///
    /// [`NetError::NoTls`] when the system's certificates cannot be used.
    pub fn new() -> Result<Self, NetError> {
        // An error says that another part of the process installed one first, which serves as well.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = || {
            reqwest::Client::builder()
                .user_agent(concat!("jarvis/", env!("CARGO_PKG_VERSION")))
                .connect_timeout(CONNECT_TIMEOUT)
                // Redirects are followed by `Request`, which checks every hop.
                .redirect(Policy::none())
                .no_proxy()
        };
        let build = |builder: reqwest::ClientBuilder| builder.build().map_err(|e| NetError::NoTls(e.into()));
        Ok(Self {
            inner: Arc::new(Inner {
                guarded: build(client().dns_resolver(Arc::new(PublicOnly)))?,
                configured: build(client())?,
                allowed: Mutex::default(),
                contacts: Contacts::default(),
            }),
        })
    }

    /// Lets requests go to the origin of `url` (scheme, host and port, exactly), wherever it is: the user
    /// configured it.
    pub fn allow_origin(&self, url: &Url) {
        self.inner.allowed.lock().unwrap_or_else(PoisonError::into_inner).insert(url.origin());
    }

    /// Every host contacted since the program started, in alphabetical order.
    pub fn hosts_contacted(&self) -> Vec<HostContact> {
        self.inner.contacts.list()
    }

    /// The client that may make a connection for `url`, or the refusal. Names are checked while they are resolved.
    pub(crate) fn client_for(&self, url: &Url) -> Result<&reqwest::Client, NetError> {
        if !matches!(url.scheme(), "http" | "https") {
            return Err(NetError::NotHttp { scheme: url.scheme().to_owned() });
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
            Err(NetError::Refused { host: host_of(url) })
        }
    }

    pub(crate) fn contacts(&self) -> &Contacts {
        &self.inner.contacts
    }
}

/// The host of `url`, with its port where that is not the scheme's own.
pub(crate) fn host_of(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default();
    url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
}
