//! Reads the merged list in an answer.
//!
//! Source: docs/behaviour/memory.md#learning-facts, step 4.

use std::collections::HashSet;

use serde_json::{Map, Value};
use vocabulary::Private;

use crate::answers::{json_values, list_index};
use crate::normalising::{normalise_without_punctuation, split_data_lines};

/// The number of lines that a list may have beyond its facts, since the model sometimes splits a fact.
const SPARE_LINES: usize = 2;

/// A merged list as the model wrote it, not yet validated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MergeAnswer {
    /// The lines of the new list.
    pub lines: Private<Vec<String>>,
    /// Indices of the new facts among the lines. Compared as by [`normalise_fact`](crate::normalise_fact), without
    /// punctuation at the end.
    pub incorporated: Vec<usize>,
    /// Which new fact replaced which existing one, according to the model.
    pub replacements: Vec<Replacement>,
}

/// A new fact that replaced an existing one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Replacement {
    /// Index of the new fact.
    pub new: usize,
    /// Index of the existing fact.
    pub existing: usize,
}

/// The first JSON object in `response` with a list named `facts`. Text around it is ignored.
pub fn extract_facts_object(response: &str) -> Option<Map<String, Value>> {
    json_values(response, '{').find_map(|value| match value {
        Value::Object(object) if object.get("facts").is_some_and(Value::is_array) => Some(object),
        _ => None,
    })
}

/// Reads the merged list in an answer. `None` when there is no list, when it is empty, or when it is more than two lines
/// longer than all facts together. Blank items and items that are not text are skipped.
pub fn read_merge<S: AsRef<str>>(existing: &[S], new: &[S], reply: &str) -> Option<MergeAnswer> {
    let object = extract_facts_object(reply)?;
    let facts = object.get("facts")?.as_array()?;
    let lines = facts.iter().filter_map(Value::as_str).flat_map(split_data_lines);
    let lines: Vec<String> = lines.map(str::to_owned).collect();
    if lines.is_empty() || lines.len() > existing.len() + new.len() + SPARE_LINES {
        return None;
    }
    let normalised: HashSet<String> = lines.iter().map(|line| normalise_without_punctuation(line)).collect();
    let is_in_list =
        |index: &usize| normalised.contains(&normalise_without_punctuation(new[*index].as_ref()));
    Some(MergeAnswer {
        incorporated: (0..new.len()).filter(is_in_list).collect(),
        replacements: replacements(&object, existing.len(), new.len()),
        lines: Private(lines),
    })
}

fn replacements(object: &Map<String, Value>, existing: usize, new: usize) -> Vec<Replacement> {
    let named = object.get("replaces").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let named = named.iter().filter_map(|item| {
        Some(Replacement {
            new: list_index(item.get("new")?, new)?,
            existing: list_index(item.get("existing")?, existing)?,
        })
    });
    named.collect()
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::plain(r#"{"facts": ["a", 1]}"#, Some(r#"["a",1]"#))]
    #[case::among_words("Sure: ```json\n{\"facts\": []}\n``` {", Some("[]"))]
    #[case::after_another_object(r#"{"a": 1} {"facts": ["b"]}"#, Some(r#"["b"]"#))]
    #[case::no_list(r#"{"facts": "a"}"#, None)]
    #[case::null(r#"{"facts": null}"#, None)]
    #[case::cut_off(r#"{"facts": ["a", "b"#, None)]
    #[case::bare_list(r#"["a"]"#, None)]
    #[case::empty("", None)]
    fn object_with_the_facts_is_found(#[case] response: &str, #[case] expected: Option<&str>) {
        let object = extract_facts_object(response);

        assert_eq!(object.map(|object| object["facts"].to_string()).as_deref(), expected);
    }

    #[rstest]
    #[case::punctuation_and_case(r#"{"facts": ["THE USER LIKES TEA!", "b"]}"#, Some((2, &[0][..])))]
    #[case::rewritten(r#"{"facts": ["The user likes tea and b"]}"#, Some((1, &[][..])))]
    #[case::passed_over(r#"{"facts": [" ", null, 3, {"a": 1}, "b"]}"#, Some((1, &[][..])))]
    #[case::two_lines_more(r#"{"facts": ["a", "b", "c", "d"]}"#, Some((4, &[][..])))]
    #[case::three_lines_more(r#"{"facts": ["a", "b", "c", "d", "e"]}"#, None)]
    #[case::empty(r#"{"facts": []}"#, None)]
    #[case::only_blanks(r#"{"facts": ["", null]}"#, None)]
    #[case::nonsense("banana", None)]
    fn merged_list_is_read_by_the_rules(#[case] reply: &str, #[case] expected: Option<(usize, &[usize])>) {
        let answer = read_merge(&["b"], &["The user likes tea."], reply);

        assert_eq!(answer.as_ref().map(|answer| (answer.lines.len(), &answer.incorporated[..])), expected);
    }

    #[test]
    fn replacements_with_unknown_numbers_are_ignored() {
        let reply = r#"{"facts": ["a"], "replaces": [{"new": 1, "existing": "2"}, {"new": 2, "existing": 1}, {"new": 1}, 7]}"#;

        let answer = read_merge(&["b", "c"], &["a"], reply).unwrap();

        assert_eq!(answer.replacements, [Replacement { new: 0, existing: 1 }]);
    }
}
