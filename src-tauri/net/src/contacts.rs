//! The list of contacted hosts, so that the user can see where data was sent, and what for.

use std::collections::BTreeMap;
use std::time::SystemTime;

use parking_lot::Mutex;
use url::Url;

use crate::guard::is_this_machine;

/// The reason why a host is contacted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
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

/// A host, and how often it was contacted since the program started.
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
pub(crate) struct Contacts(Mutex<BTreeMap<(String, Purpose), Contact>>);

struct Contact {
    times: u64,
    last: SystemTime,
    is_proxied: bool,
}

impl Contacts {
    /// Records a request before it is sent, so that cancelled requests are listed too.
    pub(crate) fn record(&self, host: &str, purpose: Purpose, is_proxied: bool) {
        let mut hosts = self.0.lock();
        let times = hosts.get(&(host.to_owned(), purpose)).map_or(0, |contact| contact.times);
        let contact = Contact { times: times + 1, last: SystemTime::now(), is_proxied };
        hosts.insert((host.to_owned(), purpose), contact);
    }

    /// Removes one record: the guard rejected the address, so nothing was sent.
    pub(crate) fn remove(&self, host: &str, purpose: Purpose) {
        let mut hosts = self.0.lock();
        let key = (host.to_owned(), purpose);
        if let Some(contact) = hosts.get_mut(&key) {
            contact.times -= 1;
            if contact.times == 0 {
                hosts.remove(&key);
            }
        }
    }

    /// All hosts in alphabetical order.
    pub(crate) fn list(&self) -> Vec<HostContact> {
        let hosts = self.0.lock();
        let contact = |((host, purpose), contact): (&(String, Purpose), &Contact)| HostContact {
            host: host.clone(),
            purpose: *purpose,
            times: contact.times,
            last: contact.last,
            is_proxied: contact.is_proxied,
        };
        hosts.iter().map(contact).collect()
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
}
