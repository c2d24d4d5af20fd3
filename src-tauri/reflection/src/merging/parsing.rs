//! What a model answered when it was to merge facts, by the letter of the rules.
//!
//! Source: behaviour reference, section 3.5, step 4.

use std::collections::HashSet;

use serde_json::{Map, Value};
use vocabulary::Private;

use crate::folding::{split_data_lines, without_ending};
use crate::reading::{json_values, place};

/// A list may grow by so many lines more than there are facts: facts are split at times.
const SPARE_LINES: usize = 2;

/// A merged list, as the model wrote it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MergeAnswer {
    /// The lines of the new list.
    pub lines: Private<Vec<String>>,
    /// Which of the new facts are among them, by their place: the same but for what
    /// [`normalise_fact`](crate::normalise_fact) folds and for punctuation at the end.
    pub incorporated: Vec<usize>,
    /// Which new fact took the place of which existing one, as far as the model says so.
    pub replacements: Vec<Replacement>,
}

/// A new fact that took the place of an existing one; both by their place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Replacement {
    /// The new one.
    pub new: usize,
    /// The existing one.
    pub existing: usize,
}

/// The first JSON object in `response` that has a list named `facts`, as it is; words around it are passed over.
pub fn extract_facts_object(response: &str) -> Option<Map<String, Value>> {
    json_values(response, '{').find_map(|value| match value {
        Value::Object(object) if object.get("facts").is_some_and(Value::is_array) => Some(object),
        _ => None,
    })
}

/// Reads the merged list in a model's answer. `None` when there is none, when it is empty, or when it is longer than
/// everything that went in and two lines more. Items that are no text, and blank ones, are passed over.
pub fn read_merge<S: AsRef<str>>(existing: &[S], new: &[S], reply: &str) -> Option<MergeAnswer> {
    let object = extract_facts_object(reply)?;
    let facts = object.get("facts")?.as_array()?;
    let lines = facts.iter().filter_map(Value::as_str).flat_map(split_data_lines);
    let lines: Vec<String> = lines.map(str::to_owned).collect();
    if lines.is_empty() || lines.len() > existing.len() + new.len() + SPARE_LINES {
        return None;
    }
    let there: HashSet<String> = lines.iter().map(|line| without_ending(line)).collect();
    let is_there = |place: &usize| there.contains(&without_ending(new[*place].as_ref()));
    Some(MergeAnswer {
        incorporated: (0..new.len()).filter(is_there).collect(),
        replacements: replacements(&object, existing.len(), new.len()),
        lines: Private(lines),
    })
}

fn replacements(object: &Map<String, Value>, existing: usize, new: usize) -> Vec<Replacement> {
    let named = object.get("replaces").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let named = named.iter().filter_map(|item| {
        Some(Replacement {
            new: place(item.get("new")?, new)?,
            existing: place(item.get("existing")?, existing)?,
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
    fn finds_the_object_with_the_facts(#[case] response: &str, #[case] expected: Option<&str>) {
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
    fn reads_a_merged_list_by_the_rules(#[case] reply: &str, #[case] expected: Option<(usize, &[usize])>) {
        let answer = read_merge(&["b"], &["The user likes tea."], reply);

        assert_eq!(answer.as_ref().map(|answer| (answer.lines.len(), &answer.incorporated[..])), expected);
    }

    #[test]
    fn replacements_that_point_nowhere_are_passed_over() {
        let reply = r#"{"facts": ["a"], "replaces": [{"new": 1, "existing": "2"}, {"new": 2, "existing": 1}, {"new": 1}, 7]}"#;

        let answer = read_merge(&["b", "c"], &["a"], reply).unwrap();

        assert_eq!(answer.replacements, [Replacement { new: 0, existing: 1 }]);
    }
}
