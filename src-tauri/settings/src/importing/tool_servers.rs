//! The servers of tools in other programs' files, as our settings have them.

use std::collections::BTreeMap;

use secrecy::SecretString;
use serde_json::{Map, Value};

use crate::sections::ServerSettings;

/// Parts of the name of a variable or header whose value belongs into the keychain.
const SECRET_NAMES: [&str; 7] = ["key", "token", "secret", "pass", "auth", "cookie", "credential"];

/// The members of a server that are read.
const KNOWN_KEYS: [&str; 14] = [
    "command",
    "args",
    "env",
    "cwd",
    "allowedDirectory",
    "url",
    "headers",
    "disabled",
    "enabled",
    "type",
    "transport",
    "alwaysAllow",
    "idle_timeout_sec",
    "idle_timeout_secs",
];

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
        let folders = [text("cwd"), text("allowedDirectory")];
        let args = written.get("args").and_then(Value::as_array).cloned().unwrap_or_default();
        let server = ServerSettings {
            enabled: is_on && !is_off,
            command,
            args: args.iter().filter_map(plain_text).collect(),
            env: self.without_secrets(name, written.get("env")),
            cwd: folders.into_iter().find(|folder| !folder.is_empty()).unwrap_or_default(),
            url,
            headers: self.without_secrets(name, written.get("headers")),
            idle_timeout_secs: self.idle_timeout_secs(name, written),
            ..ServerSettings::default()
        };
        self.servers.insert(name.to_owned(), server);
        self.tell_what_is_left_out(name, written);
    }

    fn tell_what_is_left_out(&mut self, name: &str, written: &Map<String, Value>) {
        let unknown = written.keys().filter(|key| !KNOWN_KEYS.contains(&key.as_str()));
        self.left_out.extend(unknown.map(|key| format!("\"{key}\" of the server \"{name}\" is not used.")));
        if ["type", "transport"].iter().any(|key| is_sse(written.get(*key))) {
            self.left_out.push(format!(
                "The transport \"sse\" of the server \"{name}\": Jarvis speaks its successor, streamable HTTP. If the server does not answer, change its url to the one for that."
            ));
        }
        let tools = written.get("alwaysAllow").and_then(Value::as_array).into_iter().flatten();
        let tools: Vec<String> = tools.filter_map(plain_text).map(|tool| format!("{name}__{tool}")).collect();
        // A tool that asks is one that changes something. The user allows it, not a file from elsewhere.
        if !tools.is_empty() {
            let tools = tools.join(", ");
            self.left_out.push(format!(
                "\"alwaysAllow\" of the server \"{name}\": its tools ask before they change something. To let them run without a question, add to tools.allowed: {tools}."
            ));
        }
    }

    /// The idle time after which the server is ended; ours where the file has none that can be used.
    fn idle_timeout_secs(&mut self, name: &str, written: &Map<String, Value>) -> f64 {
        let keys = ["idle_timeout_sec", "idle_timeout_secs"];
        let ours = ServerSettings::default().idle_timeout_secs;
        let found = keys.iter().find_map(|key| Some((key, written.get(*key)?)));
        let Some((key, value)) = found.filter(|(_, value)| !value.is_null()) else { return ours };
        let seconds = plain_text(value).and_then(|text| text.trim().parse::<f64>().ok());
        seconds.filter(|seconds| *seconds >= 0.0 && seconds.is_finite()).unwrap_or_else(|| {
            self.left_out.push(format!(
                "\"{key}\" of the server \"{name}\": a number of seconds is expected, such as 600."
            ));
            ours
        })
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

/// Returns `true` for the transport that came before streamable HTTP.
fn is_sse(transport: Option<&Value>) -> bool {
    transport.and_then(Value::as_str).is_some_and(|name| name.trim().eq_ignore_ascii_case("sse"))
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// The server of a file with this one, and what is left out of it.
    fn read_one(server: &Value) -> (ServerSettings, Vec<String>) {
        let file = json!({ "files": server });
        let mut read = read(file.as_object().unwrap());
        (read.servers.remove("files").unwrap(), read.left_out)
    }

    #[test]
    fn folder_of_a_bridge_is_the_working_folder() {
        for (server, folder) in [
            (json!({ "command": "npx", "allowedDirectory": " ~/notes " }), "~/notes"),
            (json!({ "command": "npx", "cwd": "/a", "allowedDirectory": "/b" }), "/a"),
        ] {
            let (read, left_out) = read_one(&server);

            assert_eq!((&*read.cwd, left_out), (folder, Vec::new()), "{server}");
        }
    }

    #[test]
    fn idle_time_is_taken_over_or_named() {
        for (written, seconds, complaints) in [
            (json!({ "idle_timeout_sec": 30 }), 30.0, 0),
            (json!({ "idle_timeout_secs": "45.5" }), 45.5, 0),
            (json!({ "idle_timeout_sec": 0 }), 0.0, 0),
            (json!({ "idle_timeout_sec": null }), 600.0, 0),
            (json!({ "idle_timeout_sec": -1 }), 600.0, 1),
            (json!({ "idle_timeout_sec": "soon" }), 600.0, 1),
        ] {
            let mut server = written.clone();
            server["command"] = json!("npx");

            let (read, left_out) = read_one(&server);

            assert_eq!((read.idle_timeout_secs, left_out.len()), (seconds, complaints), "{written}");
        }
    }

    #[test]
    fn what_a_server_loses_is_named() {
        for (server, expected) in [
            (
                json!({ "url": "https://a.example/sse", "type": "sse" }),
                "The transport \"sse\" of the server \"files\": Jarvis speaks its successor, streamable HTTP. If the server does not answer, change its url to the one for that.",
            ),
            (
                json!({ "command": "npx", "alwaysAllow": ["write_file", "move_file"] }),
                "\"alwaysAllow\" of the server \"files\": its tools ask before they change something. To let them run without a question, add to tools.allowed: files__write_file, files__move_file.",
            ),
            (json!({ "command": "npx", "timeout": 5 }), "\"timeout\" of the server \"files\" is not used."),
        ] {
            assert_eq!(read_one(&server).1, [expected], "{server}");
        }
        let present = json!({ "url": "https://a.example/mcp", "type": "http", "alwaysAllow": [] });
        assert!(read_one(&present).1.is_empty());
    }
}
