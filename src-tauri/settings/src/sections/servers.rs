//! Servers of tools.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

/// `mcp` in the settings file.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct McpSettings {
    /// Servers of tools by name.
    pub servers: BTreeMap<String, ServerSettings>,
}

/// A server of tools that speaks the Model Context Protocol: a program with a `command`, or a server with a `url`.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ServerSettings {
    /// It is used.
    pub enabled: bool,
    /// The program to start.
    pub command: String,
    /// The arguments of the program.
    pub args: Vec<String>,
    /// Variables of the environment of the program. `${NAME}` stands for a variable of ours, `${secret:name}` for a secret of
    /// the keychain.
    pub env: BTreeMap<String, String>,
    /// The working folder of the program; empty is ours.
    pub cwd: String,
    /// The address of a server elsewhere.
    pub url: String,
    /// Headers of each request to that address, with the same placeholders.
    pub headers: BTreeMap<String, String>,
    /// The id under which a server at an address knows Jarvis, or the https address of a document that describes it; empty lets
    /// the server register one.
    pub client_id: String,
    /// The secret that belongs to the id, with the same placeholders.
    pub client_secret: String,
    /// It may ask the language model during a call. The user is asked each time.
    pub sampling: bool,
    /// The time that it may be idle before it is ended, in seconds; 0 lets it run.
    pub idle_timeout_secs: f64,
}

/// Prints no values: arguments, variables, headers and addresses contain keys.
impl fmt::Debug for ServerSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ServerSettings")
            .field("enabled", &self.enabled)
            .field("command", &self.command)
            .field("args", &self.args.len())
            .field("env", &self.env.keys())
            .field("has_url", &!self.url.is_empty())
            .field("headers", &self.headers.keys())
            .field("has_client_id", &!self.client_id.is_empty())
            .field("sampling", &self.sampling)
            .field("idle_timeout_secs", &self.idle_timeout_secs)
            .finish()
    }
}

impl Default for ServerSettings {
    fn default() -> Self {
        Self {
            enabled: true,
            command: String::new(),
            args: Vec::new(),
            env: BTreeMap::new(),
            cwd: String::new(),
            url: String::new(),
            headers: BTreeMap::new(),
            client_id: String::new(),
            client_secret: String::new(),
            sampling: false,
            idle_timeout_secs: 600.0,
        }
    }
}
