//! The hosts that were contacted, in a file of the data folder, so that the list survives a restart.
//!
//! Source: docs/behaviour/network.md#contacted-hosts.

use std::collections::BTreeMap;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use jiff::Timestamp;
use memory::private;
use net::{HostContact, Http, Purpose};
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use vocabulary::{Stage, Trouble};

use crate::data_access::file_lock::lock;

/// The name of the file in the data folder.
const FILE: &str = "hosts-contacted.json";

/// The wait until further requests to known hosts are counted in the file. A server may be asked every few seconds, and a
/// crash then loses counts of this time, but no host.
const COUNT_INTERVAL: Duration = Duration::from_secs(600);

/// A host, and one of the reasons to contact it.
type Key = (String, Purpose);

/// The list of contacted hosts of one run, added to the list of the runs before.
///
/// Pages are not written, because their hosts tell what a conversation was about, and a conversation may be one that is
/// not kept. All other hosts are in the settings, or the same for all who speak a language.
///
/// Reading and writing block: call them on no thread of the async runtime.
pub(crate) struct ContactLog {
    file: PathBuf,
    http: Http,
    /// `false` if nothing of this run is kept.
    keeps: bool,
    /// The number of requests of this run that the file counts. Held while the file is read and written.
    written: Mutex<BTreeMap<Key, u64>>,
}

/// The task that writes the list of a command.
pub(crate) struct ContactWriting {
    ended: CancellationToken,
    task: JoinHandle<()>,
}

impl ContactWriting {
    /// Starts to write what `http` contacts into the list in the folder `data`.
    pub fn start(data: &Path, http: Http) -> Self {
        let ended = CancellationToken::new();
        let log = Arc::new(ContactLog::new(data, http, true));
        Self { task: tokio::spawn(log.keep(ended.clone())), ended }
    }

    /// Writes what is left, and waits for it.
    pub async fn end(self) {
        self.ended.cancel();
        if let Err(panic) = self.task.await {
            tracing::error!(%panic, "the list of contacted hosts was not written to its end");
        }
    }
}

/// A host in the file.
#[derive(Serialize, Deserialize)]
struct StoredContact {
    host: String,
    purpose: Purpose,
    times: u64,
    last: Timestamp,
    is_proxied: bool,
}

impl ContactLog {
    /// The log of what `http` contacts. Reads and writes nothing yet.
    pub fn new(data: &Path, http: Http, keeps: bool) -> Self {
        Self { file: data.join(FILE), http, keeps, written: Mutex::default() }
    }

    /// The hosts of this run and of those before, in alphabetical order, once for each purpose.
    pub fn list(&self) -> Vec<HostContact> {
        let written = self.written.lock();
        let mut all = self.read();
        add(&mut all, &self.http.hosts_contacted(), &written);
        all.into_values().collect()
    }

    /// Writes what is new, if anything is. A failure is logged, and the next attempt writes the same.
    pub fn write(&self) {
        if !self.keeps {
            return;
        }
        let mut written = self.written.lock();
        let mut contacted = self.http.hosts_contacted();
        contacted.retain(|contact| contact.purpose != Purpose::WebPage);
        let is_new = |contact: &HostContact| written.get(&key_of(contact)) != Some(&contact.times);
        if !contacted.iter().any(is_new) {
            return;
        }
        let replaced = lock(&self.file).and_then(|_lock| {
            let mut all = self.read();
            add(&mut all, &contacted, &written);
            self.replace(&all)
        });
        if let Err(error) = replaced {
            tracing::warn!(%error, "the list of contacted hosts could not be written");
            return;
        }
        *written = contacted.iter().map(|contact| (key_of(contact), contact.times)).collect();
    }

    /// Empties the list, also the one of the runs before.
    ///
    /// # Errors
    ///
    /// A [`Trouble`] when the file cannot be deleted; then the list stays as it was.
    pub fn clear(&self) -> Result<(), Trouble> {
        let mut written = self.written.lock();
        let removed = lock(&self.file).and_then(|_lock| match std::fs::remove_file(&self.file) {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        });
        removed.map_err(|error| {
            let remedy = format!("Delete the file {} yourself.", self.file.display());
            Trouble::from_error(Stage::Settings, &error, remedy)
        })?;
        self.http.forget_hosts_contacted();
        written.clear();
        Ok(())
    }

    /// The same on a thread that may block.
    pub async fn write_aside(self: Arc<Self>) {
        if let Err(panic) = tokio::task::spawn_blocking(move || self.write()).await {
            tracing::error!(%panic, "the list of contacted hosts could not be written");
        }
    }

    /// Writes a host that is new at once, the counts of known ones from time to time, and what is left when `stop` comes.
    pub async fn keep(self: Arc<Self>, stop: CancellationToken) {
        let mut first_contacts = self.http.first_contacts();
        let mut has_ended = false;
        while !has_ended {
            // Before the first wait too: a host may have been contacted before this task began.
            Arc::clone(&self).write_aside().await;
            has_ended = tokio::select! {
                _ = first_contacts.changed() => false,
                () = tokio::time::sleep(COUNT_INTERVAL) => false,
                () = stop.cancelled() => true,
            };
        }
        self.write_aside().await;
    }

    /// The hosts in the file. Falls open: without a readable file the list begins anew.
    fn read(&self) -> BTreeMap<Key, HostContact> {
        let text = match std::fs::read_to_string(&self.file) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound => return BTreeMap::new(),
            Err(error) => {
                tracing::warn!(%error, "the list of contacted hosts could not be read");
                return BTreeMap::new();
            }
        };
        let stored: Vec<Value> = serde_json::from_str(&text).unwrap_or_else(|error| {
            tracing::warn!(%error, "the list of contacted hosts is damaged, and begins anew");
            Vec::new()
        });
        // One by one, so that an entry of a later version costs no other.
        let stored =
            stored.into_iter().filter_map(|value| serde_json::from_value::<StoredContact>(value).ok());
        stored.map(HostContact::from).map(|contact| (key_of(&contact), contact)).collect()
    }

    fn replace(&self, all: &BTreeMap<Key, HostContact>) -> std::io::Result<()> {
        let all: Vec<StoredContact> = all.values().map(StoredContact::from).collect();
        let text = serde_json::to_string_pretty(&all).expect("contacts are plain data");
        // A half-written file must not take the place of a whole one.
        let fresh = self.file.with_extension("json.new");
        private::create(&fresh)?.write_all((text + "\n").as_bytes())?;
        std::fs::rename(&fresh, &self.file)
    }
}

fn key_of(contact: &HostContact) -> Key {
    (contact.host.clone(), contact.purpose)
}

/// Adds the requests of this run that `all` does not count yet.
fn add(all: &mut BTreeMap<Key, HostContact>, contacted: &[HostContact], written: &BTreeMap<Key, u64>) {
    for contact in contacted {
        let key = key_of(contact);
        // A request that was written and then refused counts no less.
        let new = contact.times.saturating_sub(written.get(&key).copied().unwrap_or(0));
        if new > 0 {
            let before = all.get(&key).map_or(0, |before| before.times);
            all.insert(key, HostContact { times: before + new, ..contact.clone() });
        }
    }
}

impl From<&HostContact> for StoredContact {
    fn from(contact: &HostContact) -> Self {
        Self {
            host: contact.host.clone(),
            purpose: contact.purpose,
            times: contact.times,
            last: Timestamp::try_from(contact.last).unwrap_or(Timestamp::UNIX_EPOCH),
            is_proxied: contact.is_proxied,
        }
    }
}

impl From<StoredContact> for HostContact {
    fn from(stored: StoredContact) -> Self {
        let StoredContact { host, purpose, times, last, is_proxied } = stored;
        Self { host, purpose, times, last: SystemTime::from(last), is_proxied }
    }
}

#[cfg(test)]
mod tests;
