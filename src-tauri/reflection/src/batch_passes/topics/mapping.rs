//! The mapping from old to new topics.

use std::collections::{HashMap, HashSet};

use serde_json::{Map, Value};
use vocabulary::Private;

use crate::answers::json_values;
use crate::grounding::grounded_share;
use crate::normalising::normalise_fact;

/// Least grounded share of a new spelling in the old topic: a topic may be renamed but not invented.
const MIN_GROUNDED_SHARE: f64 = 0.5;

/// Length limit of a topic, in characters.
const MAX_TOPIC_CHARS: usize = 60;

/// In a longer list no topic may replace half of the others.
const SHORT_LIST_TOPICS: usize = 8;

/// Maps topics to the topics that replace them. A topic that is not in the mapping stays.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TopicMapping(Private<HashMap<String, Vec<String>>>);

impl TopicMapping {
    /// The mapping in a JSON object: a topic to another topic, to several, to blank text (removed), or to null (unchanged).
    pub fn from_json(object: &Map<String, Value>) -> Self {
        let entries =
            object.iter().filter_map(|(tag, target)| Some((tag.trim().to_owned(), targets(target)?)));
        Self(Private(entries.collect()))
    }

    /// Reads the answer to the question about `topics`, without unsafe entries. `None` when the answer contains no object, or
    /// when the mapping would merge most topics.
    pub(super) fn read(reply: &str, topics: &[String]) -> Option<Self> {
        let object = json_values(reply, '{').find_map(|value| match value {
            Value::Object(object) => Some(object),
            _ => None,
        })?;
        let mut mapping = Self::from_json(&object);
        let known: HashSet<String> = topics.iter().map(|tag| normalise_fact(tag)).collect();
        let is_valid_target = |tag: &str, target: &str| {
            let is_known = known.contains(&normalise_fact(target));
            let is_short = target.chars().count() <= MAX_TOPIC_CHARS;
            is_short && (is_known || grounded_share(target, &[tag]) >= MIN_GROUNDED_SHARE)
        };
        mapping.0.0.retain(|tag, targets| {
            topics.contains(tag)
                && !targets.is_empty()
                && targets.iter().all(|target| is_valid_target(tag, target))
        });
        mapping.keep_targets_unchanged();
        (!mapping.merges_half_into_one(topics.len())).then_some(mapping)
    }

    /// Removes entries for topics that are targets themselves, so that applying the mapping twice changes no more than once.
    fn keep_targets_unchanged(&mut self) {
        let targets: HashSet<String> = self.0.values().flatten().cloned().collect();
        self.0.0.retain(|tag, _| !targets.contains(tag));
    }

    fn merges_half_into_one(&self, topics: usize) -> bool {
        let mut merged: HashMap<&str, usize> = HashMap::new();
        for target in self.0.values().flatten() {
            *merged.entry(target).or_default() += 1;
        }
        topics > SHORT_LIST_TOPICS && merged.values().any(|&count| count * 2 > topics)
    }
}

/// `None` for null and for invalid values: the topic stays.
fn targets(target: &Value) -> Option<Vec<String>> {
    let texts: Vec<&str> = match target {
        Value::String(text) => vec![text],
        Value::Array(items) => items.iter().filter_map(Value::as_str).collect(),
        _ => return None,
    };
    Some(texts.into_iter().flat_map(topics_of).map(str::to_owned).collect())
}

/// The topics of a row, trimmed, without blank ones.
pub(super) fn topics_of(topics: &str) -> impl Iterator<Item = &str> {
    topics.split(',').map(str::trim).filter(|tag| !tag.is_empty())
}

/// Applies the mapping to the topics of a row: in their order, without duplicates, joined by a comma and a blank.
pub fn apply_topic_mapping(topics: &str, mapping: &TopicMapping) -> String {
    let mut after: Vec<&str> = Vec::new();
    for tag in topics_of(topics) {
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
    fn mapping_is_applied_to_the_topics_of_a_row(
        #[case] topics: &str,
        #[case] mapping: Value,
        #[case] expected: &str,
    ) {
        let mapping = TopicMapping::from_json(mapping.as_object().unwrap());

        assert_eq!(apply_topic_mapping(topics, &mapping), expected);
    }

    #[rstest]
    #[case::a_chain(json!({"teas": "tea", "tea": "cha"}), "tea, tea and cake")]
    #[case::a_circle(json!({"teas": "tea", "tea": "teas"}), "teas, tea, tea and cake")]
    #[case::not_asked_about(json!({"chess": "tea", "teas": "tea"}), "tea, tea and cake")]
    fn mapping_applied_twice_changes_nothing_more(#[case] reply: Value, #[case] expected: &str) {
        let topics = ["teas", "tea", "tea and cake"].map(str::to_owned);
        let mapping = TopicMapping::read(&reply.to_string(), &topics).unwrap();

        let once = apply_topic_mapping(&topics.join(", "), &mapping);

        assert_eq!(once, expected);
        assert_eq!(apply_topic_mapping(&once, &mapping), once);
    }

    #[test]
    fn mapping_of_all_topics_to_one_is_rejected() {
        let topics: Vec<String> = (0..10).map(|i| format!("topic {i}")).collect();
        let everything: Map<String, Value> =
            topics.iter().map(|tag| (tag.clone(), json!("topic 0"))).collect();

        assert_eq!(TopicMapping::read(&Value::Object(everything).to_string(), &topics), None);
    }
}
