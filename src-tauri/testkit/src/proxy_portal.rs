//! A fake of the desktop portal for proxies.

use std::sync::Arc;

use parking_lot::Mutex;
use zbus::blocking::fdo::DBusProxy;
use zbus::blocking::{Connection, connection};
use zbus::message::Header;

use crate::desktop_portal::{NAME, PORTAL};

/// The answer of the portal to a program that asks for the proxies of an address.
#[derive(Debug, Clone, PartialEq)]
pub enum ProxyAnswer {
    /// These proxies, in this order.
    Proxies(Vec<String>),
    /// It fails, and its description has these words.
    Failed(String),
    /// It never answers.
    Silent,
}

impl ProxyAnswer {
    /// The answer with these proxies.
    pub fn proxies(entries: &[&str]) -> Self {
        Self::Proxies(entries.iter().map(|entry| (*entry).to_owned()).collect())
    }
}

#[derive(Default)]
struct Lookups {
    uris: Vec<String>,
    callers: Vec<String>,
}

/// The fake portal.
pub struct ProxyPortal {
    answer: Arc<Mutex<ProxyAnswer>>,
    lookups: Arc<Mutex<Lookups>>,
    bus: Connection,
}

impl ProxyPortal {
    /// Starts the portal on the bus at `address`.
    ///
    /// # Errors
    ///
    /// An error of the bus.
    pub fn start(address: &str, answer: ProxyAnswer) -> zbus::Result<Self> {
        let (answer, lookups) = (Arc::new(Mutex::new(answer)), Arc::<Mutex<Lookups>>::default());
        let service = ProxyResolver { answer: Arc::clone(&answer), lookups: Arc::clone(&lookups) };
        let bus = connection::Builder::address(address)?.serve_at(PORTAL, service)?.name(NAME)?.build()?;
        Ok(Self { answer, lookups, bus })
    }

    /// Answers otherwise from now on.
    pub fn answer_with(&self, answer: ProxyAnswer) {
        *self.answer.lock() = answer;
    }

    /// The addresses that programs asked about, in order.
    pub fn asked(&self) -> Vec<String> {
        self.lookups.lock().uris.clone()
    }

    /// Returns `true` if a program that asked is still connected to the bus.
    ///
    /// # Errors
    ///
    /// An error of the bus.
    pub fn has_connected_callers(&self) -> zbus::Result<bool> {
        let names = DBusProxy::new(&self.bus)?.list_names()?;
        let callers = &self.lookups.lock().callers;
        Ok(names.iter().any(|name| callers.iter().any(|caller| caller == name.as_str())))
    }
}

struct ProxyResolver {
    answer: Arc<Mutex<ProxyAnswer>>,
    lookups: Arc<Mutex<Lookups>>,
}

#[zbus::interface(name = "org.freedesktop.portal.ProxyResolver")]
impl ProxyResolver {
    async fn lookup(
        &self,
        uri: String,
        #[zbus(header)] header: Header<'_>,
    ) -> zbus::fdo::Result<Vec<String>> {
        {
            let mut lookups = self.lookups.lock();
            lookups.uris.push(uri);
            lookups.callers.extend(header.sender().map(ToString::to_string));
        }
        let answer = self.answer.lock().clone();
        match answer {
            ProxyAnswer::Proxies(entries) => Ok(entries),
            ProxyAnswer::Failed(words) => Err(zbus::fdo::Error::Failed(words)),
            ProxyAnswer::Silent => std::future::pending().await,
        }
    }

    #[zbus(property, name = "version")]
    fn version(&self) -> u32 {
        1
    }
}
