//! The servers of tools in other programs' files, as our settings have them.

use std::collections::BTreeMap;

use secrecy::SecretString;
use serde_json::{Map, Value};

use crate::sections::ServerSettings;

/// Parts of the name of a variable or header whose value belongs into the keychain.
const SECRET_NAMES: [&str; 7] = ["key", "token", "secret", "pass", "auth", "cookie", "credential"];

/// The servers of a file.
#[derive(Default)]
pub(super) struct ReadServers {
    pub servers: BTreeMap<String, ServerSettings>,
    /// Names in the keychain and what belongs there.
    pub secrets: Vec<(String, SecretString)>,
    /// Sentences about what was not taken.
    pub left_out: Vec<String>,
}

/// Reads a map of servers by their names.
pub(super) fn read(servers: &Map<String, Value>) -> ReadServers {
    let mut read = ReadServers::default();
    for (name, written) in servers {
        match written {
            Value::Object(written) if !name.trim().is_empty() => read.take(name.trim(), written),
            _ => read.left_out.push(format!("The server \"{name}\" is not described by an object.")),
        }
    }
    read
}

impl ReadServers {
    fn take(&mut self, name: &str, written: &Map<String, Value>) {
        let text = |key: &str| written.get(key).and_then(Value::as_str).unwrap_or_default().trim().to_owned();
        let (command, url) = (text("command"), text("url"));
        if command.is_empty() == url.is_empty() {
            self.left_out.push(format!("The server \"{name}\" needs either a command or a url."));
            return;
        }
        let is_off = written.get("disabled").and_then(Value::as_bool).unwrap_or_default();
        let is_on = written.get("enabled").and_then(Value::as_bool).unwrap_or(true);
        let args = written.get("args").and_then(Value::as_array).cloned().unwrap_or_default();
        let server = ServerSettings {
            enabled: is_on && !is_off,
            command,
            args: args.iter().filter_map(plain_text).collect(),
            env: self.without_secrets(name, written.get("env")),
            cwd: text("cwd"),
            url,
            headers: self.without_secrets(name, written.get("headers")),
            ..ServerSettings::default()
        };
        self.servers.insert(name.to_owned(), server);
        let known =
            ["command", "args", "env", "cwd", "url", "headers", "disabled", "enabled", "type", "transport"];
        let unknown = written.keys().filter(|key| !known.contains(&key.as_str()));
        self.left_out.extend(unknown.map(|key| format!("\"{key}\" of the server \"{name}\" is not used.")));
    }

    /// The named values, with secrets replaced by their names in the keychain.
    fn without_secrets(&mut self, server: &str, written: Option<&Value>) -> BTreeMap<String, String> {
        let written = written.and_then(Value::as_object).into_iter().flatten();
        let values = written.filter_map(|(name, value)| Some((name.clone(), plain_text(value)?)));
        values
            .map(|(name, value)| {
                if !is_secret(&name) || value.trim().is_empty() || value.contains("${") {
                    return (name, value);
                }
                let secret = format!("{server}.{name}");
                self.secrets.push((format!("mcp.{secret}"), SecretString::from(value)));
                (name, format!("${{secret:{secret}}}"))
            })
            .collect()
    }
}

fn is_secret(name: &str) -> bool {
    let name = name.to_lowercase();
    SECRET_NAMES.iter().any(|part| name.contains(part))
}

fn plain_text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(flag) => Some(flag.to_string()),
        _ => None,
    }
}
