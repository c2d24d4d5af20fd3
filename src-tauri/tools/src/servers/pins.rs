//! Checks that a server still describes its tools as the user knows them.
//!
//! A server may change what its tools say, also to slip in orders for the model, or say that a tool only reads so that it runs
//! without a question. So the description of each tool is remembered when it is first seen, and a tool whose description changed
//! asks again, whatever was allowed before. The model is not told the new description until the user agrees to it.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::{Declaration, Effect};

/// A hash of what the model is told of a tool.
pub type Fingerprint = String;

/// A description as the user knows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pin {
    /// Tells the description from every other one.
    pub fingerprint: Fingerprint,
    /// The words for the model. Earlier versions kept none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The effect of the tool. Earlier versions kept none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effect: Option<Effect>,
}

/// The port that remembers descriptions.
pub trait PinStore: Send + Sync {
    /// The description with which a tool was first seen, or to which the user agreed last.
    fn pinned(&self, tool: &str) -> Option<Pin>;

    /// Remembers the descriptions of tools in place of those before. May write a file: not for the threads of the runtime.
    fn pin(&self, tools: Vec<(String, Pin)>);
}

/// A description beside the one that the user knows.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Comparison {
    /// It is the same.
    Known,
    /// It is to be remembered: the tool is new, the user agreed to it, or an earlier version kept less of it.
    ToPin(Pin),
    /// It is another one. The user knows this one.
    Changed(Pin),
}

impl From<&Declaration> for Pin {
    fn from(declaration: &Declaration) -> Self {
        Self {
            fingerprint: fingerprint(declaration),
            description: Some(declaration.description.clone()),
            effect: Some(declaration.effect),
        }
    }
}

impl From<Fingerprint> for Pin {
    fn from(fingerprint: Fingerprint) -> Self {
        Self { fingerprint, description: None, effect: None }
    }
}

impl Pin {
    /// Compares the description of a tool with the pinned one. `agreed` is the description that the user agreed to since.
    pub(super) fn compare(
        described: &Declaration,
        pinned: Option<Self>,
        agreed: Option<&Fingerprint>,
    ) -> Comparison {
        let now = Self::from(described);
        match pinned {
            Some(pinned) if pinned == now => Comparison::Known,
            Some(pinned) if pinned.fingerprint != now.fingerprint && agreed != Some(&now.fingerprint) => {
                Comparison::Changed(pinned)
            }
            Some(_) | None => Comparison::ToPin(now),
        }
    }
}

/// The hash of the name, the description, the arguments and the effect of a tool.
pub fn fingerprint(declaration: &Declaration) -> Fingerprint {
    let mut hash = Sha256::new();
    let (parameters, effect) = (declaration.parameters.to_string(), format!("{:?}", declaration.effect));
    for part in [&declaration.name, &declaration.description, &parameters, &effect] {
        hash.update(part.as_bytes());
        // Keeps the parts apart: only the description may contain this sign.
        hash.update([0]);
    }
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use rmcp::model::Tool as Described;
    use rstest::rstest;
    use serde_json::{Value, json};

    use super::super::remote_tool::declaration_of;
    use super::*;

    fn described(description: &str, hints: Value) -> Declaration {
        let tool = json!({
            "name": "do", "description": description, "inputSchema": { "type": "object" }, "annotations": hints
        });
        let tool: Described = serde_json::from_value(tool).unwrap();
        declaration_of("files", &tool).unwrap()
    }

    #[test]
    fn tool_that_newly_claims_to_only_read_counts_as_changed() {
        let pinned = |hints: Value| fingerprint(&described("Does it.", hints));

        let before = pinned(json!({}));

        assert_eq!(pinned(json!({ "readOnlyHint": false })), before);
        assert_ne!(pinned(json!({ "readOnlyHint": true })), before);
    }

    fn pin(description: &str) -> Pin {
        Pin::from(&described(description, json!({})))
    }

    #[rstest]
    #[case::first_contact(None, None, Comparison::ToPin(pin("new")))]
    #[case::as_before(Some(pin("new")), None, Comparison::Known)]
    #[case::pinned_without_words(Some(Pin::from(pin("new").fingerprint)), None, Comparison::ToPin(pin("new")))]
    #[case::other_words(Some(pin("old")), None, Comparison::Changed(pin("old")))]
    #[case::agreed_to(Some(pin("old")), Some(pin("new")), Comparison::ToPin(pin("new")))]
    #[case::agreed_to_others(Some(pin("old")), Some(pin("newer")), Comparison::Changed(pin("old")))]
    fn description_is_known_changed_or_to_be_pinned(
        #[case] pinned: Option<Pin>,
        #[case] agreed: Option<Pin>,
        #[case] expected: Comparison,
    ) {
        let agreed = agreed.map(|pin| pin.fingerprint);

        let compared = Pin::compare(&described("new", json!({})), pinned, agreed.as_ref());

        assert_eq!(compared, expected);
    }
}
