//! Other programs that may use Jarvis.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::choices::Scope;

/// `programs` in the settings file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ProgramsSettings {
    /// They may.
    pub enabled: bool,
    /// The port that they connect to.
    pub port: u64,
    /// Programs on other computers may, too.
    pub from_network: bool,
    /// The names and addresses by which those reach this computer.
    pub hosts: Vec<String>,
    /// Requests of one program in a minute; more are refused.
    pub requests_per_minute: u64,
    /// Nodes may send an utterance without having started a conversation.
    pub unstarted: bool,
    /// Nodes are told of no calls by an empty list instead of null.
    pub empty_lists: bool,
    /// Home Assistant and satellites may use speech recognition and the voice over the Wyoming protocol.
    pub wyoming: bool,
    /// The port that they connect to.
    pub wyoming_port: u64,
    /// Satellites in other rooms that Jarvis connects to, each as a name or an address with a port: `kitchen.local:10700`.
    pub satellites: Vec<String>,
    /// The programs by name.
    pub keys: BTreeMap<String, ProgramKey>,
}

impl Default for ProgramsSettings {
    fn default() -> Self {
        Self {
            enabled: false,
            // Source: the protocol of Command Centers.
            port: 7703,
            from_network: false,
            hosts: Vec::new(),
            requests_per_minute: 120,
            unstarted: false,
            empty_lists: false,
            wyoming: false,
            // Source: the usual port of speech recognition in this protocol.
            wyoming_port: 10300,
            satellites: Vec::new(),
            keys: BTreeMap::new(),
        }
    }
}

/// The key of a program, and what it may do with it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ProgramKey {
    /// SHA-256 of its secret, in hexadecimal digits. The secret itself is stored nowhere.
    pub sha256: String,
    /// The uses that it may make of Jarvis.
    pub may: Vec<Scope>,
}

impl ProgramKey {
    /// Returns `true` if the program may do this.
    pub fn allows(&self, scope: Scope) -> bool {
        self.may.contains(&scope)
    }
}
