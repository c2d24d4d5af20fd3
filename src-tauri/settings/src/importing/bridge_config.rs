//! The parts of a `bridge_config.json` besides its servers.

use serde_json::{Map, Value, json};

/// The key of the prompt of a bridge.
const SYSTEM_PROMPT: &str = "systemPrompt";

/// The settings of a bridge in our keys. Nothing is checked yet.
#[derive(Default)]
pub(super) struct ReadBridge {
    /// Our key, its value, and the name in the file.
    pub values: Vec<(&'static str, Value, String)>,
    /// Sentences about what is not taken.
    pub left_out: Vec<String>,
}

/// Returns `true` if the file has what only the configuration of a bridge has.
pub(super) fn is_bridge(file: &Map<String, Value>) -> bool {
    ["llm", SYSTEM_PROMPT].iter().any(|key| file.contains_key(*key))
}

/// Reads the language model, and says what else is left out. The servers are read elsewhere.
pub(super) fn read(file: &Map<String, Value>) -> ReadBridge {
    let mut read = ReadBridge::default();
    for (name, value) in file {
        match (name.as_str(), value) {
            ("mcpServers", _) => {}
            ("llm", Value::Object(llm)) => llm.iter().for_each(|(name, value)| read.take_llm(name, value)),
            ("llm", _) => {
                read.left_out
                    .push("llm: an object is expected, such as {\"model\": \"gemma3:4b\"}.".to_owned());
            }
            (SYSTEM_PROMPT, _) => read.leave_out_prompt(SYSTEM_PROMPT),
            (name, _) => read.left_out.push(format!("{name}: nothing is known of this key.")),
        }
    }
    read
}

impl ReadBridge {
    fn take_llm(&mut self, name: &str, value: &Value) {
        let full_name = format!("llm.{name}");
        match (name, value) {
            ("model", model) => self.values.push(("llm.chat_model", model.clone(), full_name)),
            ("temperature", degree) => self.values.push(("llm.temperature", degree.clone(), full_name)),
            ("maxTokens", tokens) => self.values.push(("llm.max_reply_tokens", tokens.clone(), full_name)),
            ("baseUrl", Value::String(address)) if !address.trim().is_empty() => {
                self.values.push(("llm.base_url", json!(ollama_address(address)), full_name.clone()));
                self.values.push(("llm.provider", json!("ollama"), full_name));
            }
            ("baseUrl", _) => self
                .left_out
                .push(format!("{full_name}: an address such as http://127.0.0.1:11434 is expected.")),
            ("apiKey", _) => self.left_out.push(format!("{full_name}: a server of Ollama takes no key.")),
            (SYSTEM_PROMPT, _) => self.leave_out_prompt(&full_name),
            _ => self.left_out.push(format!("{full_name}: nothing is known of this key.")),
        }
    }

    fn leave_out_prompt(&mut self, name: &str) {
        self.left_out.push(format!(
            "{name}: Jarvis has no such setting. `jarvis bridge --config FILE` answers with this prompt."
        ));
    }
}

/// The address as our settings have it: with its scheme, without the `/v1` of another interface.
fn ollama_address(written: &str) -> String {
    let address = written.trim().trim_end_matches('/');
    let address = address.strip_suffix("/v1").unwrap_or(address);
    if address.contains("://") { address.to_owned() } else { format!("http://{address}") }
}
