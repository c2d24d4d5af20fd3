//! Reads `bridge_config.json`, and the common file of servers of other programs.
//!
//! A value that cannot be used never stops the reading: the default holds, and the report says so.
//!
//! Source: docs/behaviour/bridge.md#configuration.

mod report; // what was not used
mod fields; // one value of the file
mod servers; // `mcpServers`

use std::path::Path;

use serde_json::{Map, Value};

use crate::address::ServerAddress;
use crate::hint::DEFAULT_SYSTEM_PROMPT;
use crate::payload::DEFAULT_MAX_TOKENS;
use fields::Fields;
pub use report::ConfigReport;
pub use servers::ConfiguredServer;

/// The defaults of the model. Source: docs/behaviour/bridge.md#configuration.
const DEFAULT_MODEL: &str = "qwen2.5-coder:7b-instruct";
/// As above.
const DEFAULT_ADDRESS: &str = "http://127.0.0.1:11434";
/// As above.
const DEFAULT_TEMPERATURE: f64 = 0.7;

/// The configuration of a bridge.
#[derive(Debug, Clone, PartialEq)]
pub struct BridgeConfig {
    /// Name of the model.
    pub model: String,
    /// The address of the server.
    pub address: ServerAddress,
    /// Sampling temperature.
    pub temperature: f64,
    /// The longest reply in tokens, as configured; 0 stands for the default.
    pub max_tokens: i64,
    /// The base system prompt.
    pub system_prompt: String,
    /// The servers of tools, the primary one first.
    pub servers: Vec<ConfiguredServer>,
}

impl BridgeConfig {
    /// Reads the text of a file; `None` is a missing one. `home` is the folder of the user.
    pub fn read(file: Option<&str>, home: &Path) -> (Self, ConfigReport) {
        let mut report = ConfigReport::default();
        let root = match file.map(parsed) {
            None => Err("There is no configuration file.".to_owned()),
            Some(Ok(Value::Object(root))) => Ok(root),
            Some(Ok(_)) => Err("The configuration is not a JSON object.".to_owned()),
            Some(Err(error)) => Err(format!("The configuration is not JSON: {error}.")),
        };
        let root = root.unwrap_or_else(|problem| {
            report.problems.push(problem);
            Map::new()
        });
        let config = Self::from_root(root, home, &mut report);
        (config, report)
    }

    fn from_root(root: Map<String, Value>, home: &Path, report: &mut ConfigReport) -> Self {
        let mut root = Fields::new(root, "", report);
        let servers = root.object("mcpServers");
        let llm = root.object("llm");
        let prompt = root.text("systemPrompt");
        root.finish();
        let mut llm = Fields::new(llm, "llm.", report);
        let model = llm.text("model");
        let address =
            llm.text_as("baseUrl", "an address such as http://127.0.0.1:11434", ServerAddress::read);
        let temperature = llm.number("temperature", "a number from 0", |number| number >= 0.0);
        let max_tokens = llm.integer("maxTokens");
        let own_prompt = llm.text("systemPrompt");
        llm.finish();
        Self {
            model: model.unwrap_or_else(|| DEFAULT_MODEL.to_owned()),
            address: address.unwrap_or_else(|| {
                ServerAddress::read(DEFAULT_ADDRESS).expect("the default address is an address")
            }),
            temperature: temperature.unwrap_or(DEFAULT_TEMPERATURE),
            max_tokens: max_tokens.unwrap_or(DEFAULT_MAX_TOKENS),
            system_prompt: own_prompt.or(prompt).unwrap_or_else(|| DEFAULT_SYSTEM_PROMPT.to_owned()),
            servers: servers::read(servers, home, report),
        }
    }
}

/// Editors of Windows begin a file with a byte order mark.
fn parsed(text: &str) -> Result<Value, serde_json::Error> {
    serde_json::from_str(text.trim_start_matches('\u{feff}'))
}

#[cfg(test)]
mod tests;
