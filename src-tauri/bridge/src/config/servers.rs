//! The servers of tools in the file.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::{Map, Value};

use super::fields::Fields;
use super::report::ConfigReport;

/// The server that every bridge has. Source: docs/behaviour/bridge.md#configuration.
const PRIMARY: &str = "filesystem";

/// The folder of the primary server below the folder of the user, if nothing else is configured. Same source.
const WORKSPACE: &str = "bridgeworkspace";

/// A server of tools as the file has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfiguredServer {
    /// The name in the file.
    pub name: String,
    /// The program; empty for a server with an address.
    pub command: String,
    /// The arguments of the program.
    pub args: Vec<String>,
    /// More variables of the environment. `${VAR}` in them stands for one of ours.
    pub env: BTreeMap<String, String>,
    /// The working folder of the program.
    pub folder: Option<String>,
    /// The address of a server elsewhere; empty for a program.
    pub url: String,
    /// Headers of each request to that address.
    pub headers: BTreeMap<String, String>,
    /// It is used.
    pub is_started: bool,
    /// Tools of it that run without a question.
    pub always_allowed: Vec<String>,
    /// The file does not name it, so nobody has made its folder.
    pub is_default: bool,
}

/// The servers of the file over the default one, which comes first.
pub(super) fn read(
    file: Map<String, Value>,
    home: &Path,
    report: &mut ConfigReport,
) -> Vec<ConfiguredServer> {
    let mut servers = vec![default_server(home)];
    for (name, server) in file {
        let Value::Object(members) = server else {
            report.problems.push(format!("mcpServers.{name} must be an object."));
            continue;
        };
        let Some(server) = read_server(&name, members, report) else { continue };
        match servers.iter_mut().find(|other| other.name == name) {
            Some(other) => *other = server,
            None => servers.push(server),
        }
    }
    servers
}

/// One server; `None` if there is nothing to start. One with a wrong member is not started: it would do something else.
fn read_server(
    name: &str,
    members: Map<String, Value>,
    report: &mut ConfigReport,
) -> Option<ConfiguredServer> {
    let mut fields = Fields::new(members, format!("mcpServers.{name}."), report);
    let problems = fields.problems();
    let (command, url) = (fields.text("command"), fields.text("url"));
    let server = ConfiguredServer {
        name: name.to_owned(),
        args: fields.texts("args").unwrap_or_default(),
        env: fields.texts_by_name("env").unwrap_or_default(),
        folder: fields.text("allowedDirectory"),
        headers: fields.texts_by_name("headers").unwrap_or_default(),
        is_started: !fields.flag("disabled").unwrap_or(false),
        always_allowed: fields.texts("alwaysAllow").unwrap_or_default(),
        is_default: false,
        command: command.unwrap_or_default(),
        url: url.unwrap_or_default(),
    };
    let is_right = fields.problems() == problems;
    let has_start = !server.command.is_empty() || !server.url.is_empty();
    if is_right && !has_start {
        fields.problem(format!("mcpServers.{name} needs a command or a url."));
    }
    fields.finish();
    has_start.then_some(ConfiguredServer { is_started: server.is_started && is_right, ..server })
}

fn default_server(home: &Path) -> ConfiguredServer {
    let folder = home.join(WORKSPACE).to_string_lossy().into_owned();
    ConfiguredServer {
        name: PRIMARY.to_owned(),
        command: "npx".to_owned(),
        args: ["-y", "@modelcontextprotocol/server-filesystem", &folder].map(str::to_owned).to_vec(),
        env: BTreeMap::new(),
        folder: Some(folder),
        url: String::new(),
        headers: BTreeMap::new(),
        is_started: true,
        always_allowed: Vec::new(),
        is_default: true,
    }
}
