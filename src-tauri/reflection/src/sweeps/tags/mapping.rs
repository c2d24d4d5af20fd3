//! What becomes of each topic.

use std::collections::{HashMap, HashSet};

use serde_json::{Map, Value};
use vocabulary::Private;

use crate::folding::normalise_fact;
use crate::grounding::grounded_share;
use crate::reading::json_values;

/// So much of a new spelling must come from the topic it is for, or from another topic: topics are renamed, not made up.
const GROUNDED: f64 = 0.5;

/// The longest topic worth having, in characters.
const LONGEST_TAG: usize = 60;

/// In a list longer than this no topic may swallow half of the others.
const SHORT_LIST: usize = 8;

/// What becomes of topics: each maps to the topics that take its place. Those not in it stay.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TagMapping(Private<HashMap<String, Vec<String>>>);

impl TagMapping {
    /// The mapping as it stands in a JSON object: a topic to a topic, to several, to blank text (it goes), or to null
    /// (it stays).
    pub fn from_json(object: &Map<String, Value>) -> Self {
        let entries =
            object.iter().filter_map(|(tag, target)| Some((tag.trim().to_owned(), targets(target)?)));
        Self(Private(entries.collect()))
    }

    /// Reads what a model answered when it was asked about `tags`, and keeps of it what is safe to apply. `None` when
    /// there is no object in the answer, or when it would mix everything up.
    pub(super) fn read(reply: &str, tags: &[String]) -> Option<Self> {
        let object = json_values(reply, '{').find_map(|value| match value {
            Value::Object(object) => Some(object),
            _ => None,
        })?;
        let mut mapping = Self::from_json(&object);
        let known: HashSet<String> = tags.iter().map(|tag| normalise_fact(tag)).collect();
        let is_sound = |tag: &str, target: &str| {
            let is_known = known.contains(&normalise_fact(target));
            let is_short = target.chars().count() <= LONGEST_TAG;
            is_short && (is_known || grounded_share(target, &[tag]) >= GROUNDED)
        };
        mapping.0.0.retain(|tag, targets| {
            tags.contains(tag) && !targets.is_empty() && targets.iter().all(|target| is_sound(tag, target))
        });
        mapping.let_targets_stay();
        (!mapping.swallows_half_of(tags.len())).then_some(mapping)
    }

    /// A topic that others become stays as it is: applied twice, the mapping changes no more than applied once.
    fn let_targets_stay(&mut self) {
        let targets: HashSet<String> = self.0.values().flatten().cloned().collect();
        self.0.0.retain(|tag, _| !targets.contains(tag));
    }

    fn swallows_half_of(&self, tags: usize) -> bool {
        let mut swallowed: HashMap<&str, usize> = HashMap::new();
        for target in self.0.values().flatten() {
            *swallowed.entry(target).or_default() += 1;
        }
        tags > SHORT_LIST && swallowed.values().any(|&count| count * 2 > tags)
    }
}

/// `None` is null, or what no mapping holds: the topic stays.
fn targets(target: &Value) -> Option<Vec<String>> {
    let texts: Vec<&str> = match target {
        Value::String(text) => vec![text],
        Value::Array(items) => items.iter().filter_map(Value::as_str).collect(),
        _ => return None,
    };
    Some(texts.into_iter().flat_map(tags_of).map(str::to_owned).collect())
}

/// The topics in a row, trimmed, blank ones left out.
pub(super) fn tags_of(topics: &str) -> impl Iterator<Item = &str> {
    topics.split(',').map(str::trim).filter(|tag| !tag.is_empty())
}

/// The topics of a row under this mapping: in their order, each once, a comma and a blank between them.
pub fn apply_topic_mapping(topics: &str, mapping: &TagMapping) -> String {
    let mut after: Vec<&str> = Vec::new();
    for tag in tags_of(topics) {
        match mapping.0.get(tag) {
            Some(targets) => after.extend(targets.iter().map(String::as_str)),
            None => after.push(tag),
        }
    }
    let mut seen = HashSet::new();
    after.retain(|tag| seen.insert(*tag));
    after.join(", ")
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use serde_json::json;

    use super::*;

    #[rstest]
    #[case::renamed("teas, cake", json!({"teas": "tea"}), "tea, cake")]
    #[case::several("tea and cake", json!({"tea and cake": ["tea", "cake"]}), "tea, cake")]
    #[case::first_of_duplicates_stays("tea, cake, teas", json!({"teas": "tea"}), "tea, cake")]
    #[case::null_stays("tea", json!({"tea": null}), "tea")]
    #[case::blank_goes("tea, misc", json!({"misc": " "}), "tea")]
    #[case::unknown_stays("tea", json!({"chess": "games"}), "tea")]
    #[case::untidy(" tea ,, cake ,tea", json!({}), "tea, cake")]
    #[case::nothing("", json!({"tea": "teas"}), "")]
    fn applies_a_mapping(#[case] topics: &str, #[case] mapping: Value, #[case] expected: &str) {
        let mapping = TagMapping::from_json(mapping.as_object().unwrap());

        assert_eq!(apply_topic_mapping(topics, &mapping), expected);
    }

    #[rstest]
    #[case::a_chain(json!({"teas": "tea", "tea": "cha"}), "tea, tea and cake")]
    #[case::a_circle(json!({"teas": "tea", "tea": "teas"}), "teas, tea, tea and cake")]
    #[case::not_asked_about(json!({"chess": "tea", "teas": "tea"}), "tea, tea and cake")]
    fn a_mapping_that_was_applied_changes_nothing_more(#[case] reply: Value, #[case] expected: &str) {
        let tags = ["teas", "tea", "tea and cake"].map(str::to_owned);
        let mapping = TagMapping::read(&reply.to_string(), &tags).unwrap();

        let once = apply_topic_mapping(&tags.join(", "), &mapping);

        assert_eq!(once, expected);
        assert_eq!(apply_topic_mapping(&once, &mapping), once);
    }

    #[test]
    fn a_mapping_that_makes_everything_one_is_refused() {
        let tags: Vec<String> = (0..10).map(|i| format!("topic {i}")).collect();
        let everything: Map<String, Value> = tags.iter().map(|tag| (tag.clone(), json!("topic 0"))).collect();

        assert_eq!(TagMapping::read(&Value::Object(everything).to_string(), &tags), None);
    }
}
