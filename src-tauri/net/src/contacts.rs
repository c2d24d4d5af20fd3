//! Who was contacted, so that the user can be shown what left the machine.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::SystemTime;

/// A host and how often it was contacted since the program started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostContact {
    /// Its name or address, with the port where that is not the scheme's own: `127.0.0.1:11434`.
    pub host: String,
    /// How many requests and followed redirects went to it.
    pub times: u64,
    /// When the last one began.
    pub last: SystemTime,
}

/// The list of hosts contacted.
#[derive(Default)]
pub(crate) struct Contacts(Mutex<BTreeMap<String, (u64, SystemTime)>>);

impl Contacts {
    /// Notes a request that is about to go out. It is noted first, so that a request given up half-way shows too.
    pub(crate) fn note(&self, host: &str) {
        let mut hosts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let entry = hosts.entry(host.to_owned()).or_insert((0, SystemTime::UNIX_EPOCH));
        *entry = (entry.0 + 1, SystemTime::now());
    }

    /// Takes one note back: the guard refused the address, so nothing went out.
    pub(crate) fn withdraw(&self, host: &str) {
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
