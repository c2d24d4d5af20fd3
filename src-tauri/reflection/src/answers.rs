//! Parts of a model's answer: code fences, JSON values, numbers.

use serde_json::Value;

/// Words with which a model answers that there is nothing, in lower case.
///
/// Source: docs/behaviour/replying.md#digests.
const NOTHING: [&str; 5] = ["none", "(none)", "[none]", "n/a", "nil"];

/// Removes the code fence around an answer with its language tag, and trims the rest.
pub fn strip_code_fence(text: &str) -> &str {
    let text = text.trim();
    let Some(inside) = text.strip_prefix("```") else { return text };
    let inside = inside.strip_suffix("```").unwrap_or(inside);
    let is_tag = |line: &str| line.chars().all(|c| c.is_alphanumeric() || "+-_".contains(c));
    match inside.split_once('\n') {
        Some((first, rest)) if is_tag(first.trim()) => rest.trim(),
        // On one line a tag looks like text, but JSON never begins with a letter.
        None => inside.trim_start().strip_prefix("json").unwrap_or(inside).trim(),
        Some(_) => inside.trim(),
    }
}

/// Returns `true` if the model answers that there is nothing. An empty answer counts.
pub(crate) fn is_nothing(answer: &str) -> bool {
    let answer = answer.trim().trim_matches(['"', '\'', '`']).trim_end_matches('.').to_lowercase();
    answer.is_empty() || NOTHING.contains(&answer.as_str())
}

/// Every JSON value in the text that begins with `opening`, outer values first. Invalid JSON is skipped.
pub(crate) fn json_values(text: &str, opening: char) -> impl Iterator<Item = Value> {
    /// Limits the work on a text with very many opening brackets.
    const MAX_OPENINGS: usize = 256;
    text.match_indices(opening).take(MAX_OPENINGS).filter_map(move |(at, _)| {
        let mut values = serde_json::Deserializer::from_str(&text[at..]).into_iter::<Value>();
        values.next()?.ok()
    })
}

/// A finite number, given as a JSON number or as text.
pub(crate) fn number(value: &Value) -> Option<f64> {
    let number = match value {
        Value::Number(number) => number.as_f64()?,
        Value::String(text) => text.trim().parse().ok()?,
        _ => return None,
    };
    number.is_finite().then_some(number)
}

/// The 0-based index in a list of `length`, from the 1-based number in an answer.
pub(crate) fn list_index(value: &Value, length: usize) -> Option<usize> {
    let number = number(value)?;
    let is_in_the_list = number.fract() == 0.0 && number >= 1.0 && number <= length as f64;
    is_in_the_list.then(|| number as usize - 1)
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use serde_json::json;

    use super::*;

    #[rstest]
    #[case::tagged("```json\n{\"a\": 1}\n```", "{\"a\": 1}")]
    #[case::untagged("```\ntea\n```", "tea")]
    #[case::one_line("```The user likes tea.```", "The user likes tea.")]
    #[case::one_line_of_json("```json {\"a\": 1}```", "{\"a\": 1}")]
    #[case::text_beside_the_fence("```The user\nlikes tea.```", "The user\nlikes tea.")]
    #[case::never_closed("```json\n{}", "{}")]
    #[case::no_fence("  tea ``` time ", "tea ``` time")]
    #[case::nothing_inside("``````", "")]
    #[case::only_an_opening("```", "")]
    fn code_fence_is_removed(#[case] text: &str, #[case] expected: &str) {
        assert_eq!(strip_code_fence(text), expected);
    }

    #[rstest]
    #[case::word("None.", true)]
    #[case::brackets("(NONE)", true)]
    #[case::empty(" ", true)]
    #[case::quoted("\"n/a\"", true)]
    #[case::a_sentence("None of it is true.", false)]
    fn answer_that_means_nothing_is_recognised(#[case] answer: &str, #[case] expected: bool) {
        assert_eq!(is_nothing(answer), expected);
    }

    #[test]
    fn json_values_are_found_between_words() {
        let found: Vec<_> = json_values("see {x}: {\"a\": {\"b\": 1}} and {\"c", '{').collect();

        assert_eq!(found, [json!({"a": {"b": 1}}), json!({"b": 1})]);
    }

    #[rstest]
    #[case::number(json!(2), Some(1))]
    #[case::text(json!("1"), Some(0))]
    #[case::beyond(json!(4), None)]
    #[case::zero(json!(0), None)]
    #[case::fraction(json!(1.5), None)]
    #[case::neither(json!([1]), None)]
    fn list_index_is_read_from_number_or_text(#[case] value: Value, #[case] expected: Option<usize>) {
        assert_eq!(list_index(&value, 3), expected);
    }
}
