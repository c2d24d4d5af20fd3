//! Checks that a server still describes its tools as the user knows them.
//!
//! A server may change what its tools say, also to slip in orders for the model, or say that a tool only reads so that it runs
//! without a question. So the description of each tool is remembered when it is first seen, and a tool whose description changed
//! asks again, whatever was allowed before. The model is not told the new description until the user agrees to it.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::claimed_effect::{Hints, claimed_effect};
use crate::name::split_tool_name;
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
    /// The claims of the server about the tool. Earlier versions kept none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hints: Option<Hints>,
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
            hints: None,
        }
    }
}

impl From<Fingerprint> for Pin {
    fn from(fingerprint: Fingerprint) -> Self {
        Self { fingerprint, description: None, effect: None, hints: None }
    }
}

impl Pin {
    /// Compares the description of a tool with the pinned one. `agreed` is the description that the user agreed to since.
    pub(super) fn compare(
        described: &Declaration,
        hints: Hints,
        pinned: Option<Self>,
        agreed: Option<&Fingerprint>,
    ) -> Comparison {
        let mut now = Self::from(described);
        let is_agreed = agreed == Some(&now.fingerprint);
        // The hash has no claims in it: the user agreed to none that only another version of us would follow.
        let known = pinned.as_ref().filter(|pinned| pinned.fingerprint == now.fingerprint || !is_agreed);
        let known = known.and_then(|pinned| pinned.hints.or(pinned.effect.map(Hints::from)));
        now.hints = Some(known.map_or(hints, |known| known.stricter(hints)));
        match pinned {
            Some(pinned) if pinned == now => Comparison::Known,
            Some(pinned)
                if pinned.fingerprint != now.fingerprint
                    && !is_agreed
                    && !pinned.is_the_same_by_our_rule(described) =>
            {
                Comparison::Changed(pinned)
            }
            Some(_) | None => Comparison::ToPin(now),
        }
    }

    /// Returns `true` if the server says the same as before, and another effect follows from it by now: our own rule is another
    /// one than that of the version that pinned it.
    fn is_the_same_by_our_rule(&self, described: &Declaration) -> bool {
        let Some(effect) = self.effect else { return false };
        let as_before = Declaration { effect, ..described.clone() };
        let name = split_tool_name(&described.name).map_or(described.name.as_str(), |(_, tool)| tool);
        let hints = self.hints.unwrap_or_else(|| Hints::from(effect));
        fingerprint(&as_before) == self.fingerprint && claimed_effect(name, hints) == described.effect
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
        let hints = Some(Hints::default());
        Pin { hints, ..Pin::from(&described(description, json!({}))) }
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

        let compared = Pin::compare(&described("new", json!({})), Hints::default(), pinned, agreed.as_ref());

        assert_eq!(compared, expected);
    }

    /// A tool of this name as a version with another rule pinned it.
    fn pinned_by_another_rule(name: &str, effect: Effect, hints: Option<Hints>) -> (Declaration, Pin) {
        let tool = json!({ "name": name, "description": "Does it.", "inputSchema": { "type": "object" } });
        let declared = declaration_of("files", &serde_json::from_value(tool).unwrap()).unwrap();
        let before = Declaration { effect, ..declared.clone() };
        (declared, Pin { hints, ..Pin::from(&before) })
    }

    const READS: Hints = Hints { reads: true, destroys: false };
    const DESTROYS: Hints = Hints { reads: false, destroys: true };
    const NOTHING: Hints = Hints { reads: false, destroys: false };

    #[rstest]
    #[case::name_counts_by_now("delete_file", Effect::Writes, None, NOTHING, false)]
    #[case::name_counts_against_the_hint_by_now("write_file", Effect::Network, None, READS, false)]
    #[case::name_counts_no_more("do", Effect::Executes, Some(NOTHING), NOTHING, false)]
    #[case::name_counts_no_more_for_deleting("do", Effect::Destructive, Some(NOTHING), NOTHING, false)]
    #[case::server_claims_newly_that_it_reads("do", Effect::Writes, None, READS, true)]
    #[case::server_claims_newly_so_by_its_hints("do", Effect::Writes, Some(NOTHING), READS, true)]
    #[case::server_does_not_say_any_more_that_it_deletes(
        "do",
        Effect::Destructive,
        Some(DESTROYS),
        NOTHING,
        true
    )]
    fn change_of_our_own_rule_accuses_no_server(
        #[case] name: &str,
        #[case] effect: Effect,
        #[case] hints_before: Option<Hints>,
        #[case] hints: Hints,
        #[case] is_changed: bool,
    ) {
        let (declared, pinned) = pinned_by_another_rule(name, effect, hints_before);
        let described = Declaration { effect: claimed_effect(name, hints), ..declared };

        let compared = Pin::compare(&described, hints, Some(pinned), None);

        assert_eq!(matches!(compared, Comparison::Changed(_)), is_changed, "{compared:?}");
    }

    #[test]
    fn claim_without_an_effect_is_only_taken_over_if_it_is_stricter() {
        let (declared, pinned) = pinned_by_another_rule("do", Effect::Writes, Some(NOTHING));
        let by_that_rule = Declaration { effect: Effect::Writes, ..declared.clone() };
        let first = Pin::compare(&by_that_rule, READS, Some(pinned.clone()), None);
        let stricter = Pin::compare(&by_that_rule, DESTROYS, Some(pinned.clone()), None);
        let kept = match &first {
            Comparison::ToPin(pin) => pin.clone(),
            Comparison::Known | Comparison::Changed(_) => pinned.clone(),
        };
        let by_our_rule = Declaration { effect: claimed_effect("do", READS), ..declared };

        let second = Pin::compare(&by_our_rule, READS, Some(kept), None);

        assert_eq!(first, Comparison::Known);
        assert_eq!(stricter, Comparison::ToPin(Pin { hints: Some(DESTROYS), ..pinned.clone() }));
        assert_eq!(second, Comparison::Changed(pinned));
    }

    #[test]
    fn other_words_count_as_changed_whatever_our_rule_says() {
        let (declared, pinned) = pinned_by_another_rule("delete_file", Effect::Writes, None);
        let described = Declaration { description: "Does it all.".to_owned(), ..declared };

        let compared = Pin::compare(&described, NOTHING, Some(pinned.clone()), None);

        assert_eq!(compared, Comparison::Changed(pinned));
    }
}
