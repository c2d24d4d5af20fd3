//! The list of contacted hosts, so that the user can see where data was sent.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::SystemTime;

/// A host, and how often it was contacted since the program started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostContact {
    /// Name or address, with the port unless it is the default port of the scheme: `127.0.0.1:11434`.
    pub host: String,
    /// Number of requests and followed redirects.
    pub times: u64,
    /// Start of the last request.
    pub last: SystemTime,
}

/// The contacted hosts.
#[derive(Default)]
pub(crate) struct Contacts(Mutex<BTreeMap<String, (u64, SystemTime)>>);

impl Contacts {
    /// Records a request before it is sent, so that cancelled requests are listed too.
    pub(crate) fn record(&self, host: &str) {
        let mut hosts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let entry = hosts.entry(host.to_owned()).or_insert((0, SystemTime::UNIX_EPOCH));
        *entry = (entry.0 + 1, SystemTime::now());
    }

    /// Removes one record: the guard rejected the address, so nothing was sent.
    pub(crate) fn remove(&self, host: &str) {
        let mut hosts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(entry) = hosts.get_mut(host) {
            entry.0 -= 1;
            if entry.0 == 0 {
                hosts.remove(host);
            }
        }
    }

    /// All hosts in alphabetical order.
    pub(crate) fn list(&self) -> Vec<HostContact> {
        let hosts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        hosts.iter().map(|(host, &(times, last))| HostContact { host: host.clone(), times, last }).collect()
    }
}
