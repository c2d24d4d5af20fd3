//! The descriptions of the tools of a session, which later sessions compare with theirs.

use std::collections::BTreeMap;
use std::path::Path;

use bridge::ConfiguredServer;
use serde_json::json;
use sha2::{Digest, Sha256};
use tools::servers::{Pin, PinStore};
use tools::split_tool_name;

use crate::tool_access::tool_pins::ToolPins;

/// Remembers descriptions in the data folder, by the name of the tool and by the configuration of its server: each project may
/// have a file of its own, with another server of the same name.
pub(super) struct SessionPins {
    kept: ToolPins,
    /// A hash of the configuration of each server.
    servers: BTreeMap<String, String>,
}

impl SessionPins {
    /// Reads what earlier sessions remembered in the folder `data`.
    pub fn read(data: &Path, configured: &[ConfiguredServer]) -> Self {
        let servers = configured.iter().map(|server| (server.name.clone(), hash_of(server))).collect();
        Self { kept: ToolPins::for_bridge(data), servers }
    }

    fn key(&self, tool: &str) -> String {
        let server = split_tool_name(tool).and_then(|(server, _)| self.servers.get(server));
        format!("{tool} {}", server.map(String::as_str).unwrap_or_default())
    }
}

impl PinStore for SessionPins {
    fn pinned(&self, tool: &str) -> Option<Pin> {
        self.kept.pinned(&self.key(tool))
    }

    fn pin(&self, tools: Vec<(String, Pin)>) {
        self.kept.pin(tools.into_iter().map(|(tool, pin)| (self.key(&tool), pin)).collect());
    }
}

/// A hash, because arguments may contain a key.
fn hash_of(server: &ConfiguredServer) -> String {
    let ConfiguredServer { command, args, url, .. } = server;
    hex::encode(Sha256::digest(json!([command, args, url]).to_string()))
}
