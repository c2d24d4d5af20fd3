//! Checks that a server still describes its tools as the user knows them.
//!
//! A server may change what its tools say, also to slip in orders for the model, or say that a tool only reads so that it runs
//! without a question. So the description of each tool is remembered when it is first seen, and a tool whose description changed
//! asks again, whatever was allowed before.

use sha2::{Digest, Sha256};

use crate::Declaration;

/// A hash of what the model is told of a tool.
pub type Fingerprint = String;

/// The port that remembers descriptions.
pub trait PinStore: Send + Sync {
    /// The fingerprint with which a tool was first seen, or last allowed.
    fn pinned(&self, tool: &str) -> Option<Fingerprint>;

    /// Remembers the fingerprints of tools in place of those before. May write a file: not for the threads of the runtime.
    fn pin(&self, tools: Vec<(String, Fingerprint)>);
}

/// The hash of the name, the description, the arguments and the effect of a tool.
pub fn fingerprint(declaration: &Declaration) -> Fingerprint {
    let mut hash = Sha256::new();
    let (parameters, effect) = (declaration.parameters.to_string(), format!("{:?}", declaration.effect));
    for part in [&declaration.name, &declaration.description, &parameters, &effect] {
        hash.update(part.as_bytes());
        // Keeps the parts apart: none of them contains this sign.
        hash.update([0]);
    }
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use rmcp::model::Tool as Described;
    use serde_json::{Value, json};

    use super::super::remote_tool::declaration_of;
    use super::*;

    #[test]
    fn tool_that_newly_claims_to_only_read_counts_as_changed() {
        let pinned = |hints: Value| {
            let tool = json!({ "name": "do", "inputSchema": { "type": "object" }, "annotations": hints });
            let tool: Described = serde_json::from_value(tool).unwrap();
            fingerprint(&declaration_of("files", &tool).unwrap())
        };

        let before = pinned(json!({}));

        assert_eq!(pinned(json!({ "readOnlyHint": false })), before);
        assert_ne!(pinned(json!({ "readOnlyHint": true })), before);
    }
}
