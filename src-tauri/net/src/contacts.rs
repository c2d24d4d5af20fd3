//! The list of contacted hosts, so that the user can see where data was sent, and what for.

use std::collections::BTreeMap;
use std::time::SystemTime;

use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use tokio::sync::watch;
use url::Url;

use crate::guard::is_this_machine;

/// The reason why a host is contacted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Purpose {
    /// A model that the user asked for is downloaded.
    ModelDownload,
    /// A language model answers, or works on memory.
    LanguageModel,
    /// Texts get their vectors, so that they are found by meaning.
    Embedding,
    /// It is looked which servers of language models there are.
    ProviderSearch,
    /// The web is searched.
    WebSearch,
    /// A page is read.
    WebPage,
    /// The weather of a place is asked.
    Weather,
    /// A server of tools that the user added is used.
    ToolServer,
    /// The Command Center of the user answers.
    CommandCenter,
    /// A satellite in another room is connected to.
    Satellite,
    /// The request names none.
    Other,
}

/// A host, and how often it was contacted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostContact {
    /// Name or address, with the port unless it is the default port of the scheme: `127.0.0.1:11434`.
    pub host: String,
    /// The reason.
    pub purpose: Purpose,
    /// Number of requests and followed redirects.
    pub times: u64,
    /// Start of the last request.
    pub last: SystemTime,
    /// The last request went through the proxy of the system.
    pub is_proxied: bool,
}

impl HostContact {
    /// Returns `true` if the host is this computer, so that nothing left it.
    pub fn is_this_computer(&self) -> bool {
        // A host without a scheme is no URL.
        Url::parse(&format!("http://{}/", self.host)).is_ok_and(|url| is_this_machine(&url))
    }
}

/// The contacted hosts.
#[derive(Default)]
pub(crate) struct Contacts {
    hosts: Mutex<BTreeMap<(String, Purpose), Contact>>,
    /// The number of times that a host was contacted for a purpose that the list did not have.
    first_contacts: watch::Sender<u64>,
}

#[derive(Clone)]
struct Contact {
    times: u64,
    last: SystemTime,
    is_proxied: bool,
}

/// One record in the list, to take it back.
pub(crate) struct ContactRecord {
    host: String,
    purpose: Purpose,
    /// The state of the list before; `None` if the host was not in it.
    before: Option<Contact>,
}

impl Contacts {
    /// Records a request before it is sent, so that cancelled requests are listed too.
    pub(crate) fn record(&self, host: &str, purpose: Purpose, is_proxied: bool) -> ContactRecord {
        let mut hosts = self.hosts.lock();
        let key = (host.to_owned(), purpose);
        let before = hosts.get(&key).cloned();
        let times = before.as_ref().map_or(0, |contact| contact.times) + 1;
        hosts.insert(key, Contact { times, last: SystemTime::now(), is_proxied });
        if before.is_none() {
            self.first_contacts.send_modify(|count| *count += 1);
        }
        ContactRecord { host: host.to_owned(), purpose, before }
    }

    /// Takes one record back: the guard rejected the address, so nothing was sent.
    pub(crate) fn remove(&self, recorded: ContactRecord) {
        let ContactRecord { host, purpose, before } = recorded;
        let mut hosts = self.hosts.lock();
        let key = (host, purpose);
        // Requests that were sent meanwhile stay, and so does a list that was emptied meanwhile.
        let Some(contact) = hosts.get_mut(&key) else { return };
        contact.times -= 1;
        match before {
            _ if contact.times == 0 => drop(hosts.remove(&key)),
            Some(before) if before.times == contact.times => *contact = before,
            _ => {}
        }
    }

    /// All hosts in alphabetical order.
    pub(crate) fn list(&self) -> Vec<HostContact> {
        let hosts = self.hosts.lock();
        let contact = |((host, purpose), contact): (&(String, Purpose), &Contact)| HostContact {
            host: host.clone(),
            purpose: *purpose,
            times: contact.times,
            last: contact.last,
            is_proxied: contact.is_proxied,
        };
        hosts.iter().map(contact).collect()
    }

    /// Empties the list.
    pub(crate) fn clear(&self) {
        self.hosts.lock().clear();
    }

    pub(crate) fn first_contacts(&self) -> watch::Receiver<u64> {
        self.first_contacts.subscribe()
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::ollama("127.0.0.1:11434", true)]
    #[case::by_name("localhost", true)]
    #[case::sixth_version("[::1]:8080", true)]
    #[case::local_network("192.168.1.7:11434", false)]
    #[case::hub("huggingface.co", false)]
    fn only_loopback_hosts_are_this_computer(#[case] host: &str, #[case] expected: bool) {
        let contacts = Contacts::default();
        contacts.record(host, Purpose::LanguageModel, false);

        assert_eq!(contacts.list()[0].is_this_computer(), expected);
    }

    #[test]
    fn refused_request_leaves_the_list_as_it_was() {
        let contacts = Contacts::default();
        contacts.record("models.example", Purpose::LanguageModel, true);
        let before = contacts.list();

        let refused = contacts.record("models.example", Purpose::LanguageModel, false);
        let other = contacts.record("router.example", Purpose::WebPage, false);
        contacts.remove(refused);
        contacts.remove(other);

        assert_eq!(contacts.list(), before);
    }

    #[test]
    fn only_the_first_contact_for_a_purpose_is_announced() {
        let contacts = Contacts::default();
        let mut first = contacts.first_contacts();

        contacts.record("models.example", Purpose::LanguageModel, false);
        contacts.record("models.example", Purpose::Embedding, false);
        first.mark_unchanged();
        contacts.record("models.example", Purpose::Embedding, false);

        assert!(!first.has_changed().unwrap());
        contacts.clear();
        contacts.record("models.example", Purpose::Embedding, false);
        assert!(first.has_changed().unwrap());
    }
}
