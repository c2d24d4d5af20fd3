//! Decides if memory is searched although the conversation may cover the question already. No model is asked.
//!
//! Source: docs/behaviour/replying.md#recall-gate.

use std::collections::HashSet;

use llm::Message;

use crate::tool_calls::tool_talk::is_tool_message;

/// The share of the question's content words that must stand in the recent messages for memory to be left alone.
/// Source: docs/behaviour/replying.md#recall-gate.
pub const MIN_COVERAGE: f64 = 0.5;

/// The shortest content word, in characters. Source: the same.
const SHORTEST: usize = 3;

/// Returns `true` if memory is searched. Falls open: in doubt it is searched.
///
/// It is left alone where a recent message is a tool result, so that facts were just fetched, and the recent messages
/// hold at least `min_coverage` of the question's content words.
pub fn should_recall(query: &str, recent: &[Message], min_coverage: f64) -> bool {
    if !recent.iter().any(is_tool_message) {
        return true;
    }
    let asked = content_words(query);
    let said: HashSet<String> = recent.iter().flat_map(|message| content_words(&message.content)).collect();
    if asked.is_empty() || said.is_empty() {
        return true;
    }
    let covered = asked.iter().filter(|word| said.contains(*word)).count();
    (covered as f64) < min_coverage * asked.len() as f64
}

/// The words that carry meaning, lower case: at least three characters, no English function word, not only digits.
pub(crate) fn content_words(text: &str) -> HashSet<String> {
    let english = languages::of_code("en");
    let is_function_word = |word: &str| english.is_some_and(|data| data.is_function_word(word));
    let lower = text.to_lowercase();
    lower
        .split(|char: char| !char.is_alphanumeric() && char != '_')
        .filter(|word| word.chars().count() >= SHORTEST)
        .filter(|word| !word.chars().all(char::is_numeric) && !is_function_word(word))
        .map(str::to_owned)
        .collect()
}

#[cfg(test)]
mod tests {
    use llm::{ToolCall, ToolCallId};
    use rstest::rstest;
    use serde_json::json;

    use super::*;

    fn recent(result: &str) -> Vec<Message> {
        let call = ToolCall { id: ToolCallId("1".into()), name: "getWeather".into(), arguments: json!({}) };
        vec![
            Message::user("What is the weather in Leeds?"),
            Message::assistant_calls("", vec![call.clone()]),
            Message::tool_result(&call, result),
        ]
    }

    #[rstest]
    #[case::covered("And the wind in Leeds?", "Leeds: wind 12 km/h", false)]
    #[case::another_topic("What did my sister say about Portugal?", "Leeds: wind 12 km/h", true)]
    #[case::no_content_words("And you?", "Leeds", true)]
    #[case::half_is_enough("Leeds tomorrow", "Leeds", false)]
    fn memory_is_left_alone_where_a_fresh_result_covers_the_question(
        #[case] query: &str,
        #[case] result: &str,
        #[case] expected: bool,
    ) {
        assert_eq!(should_recall(query, &recent(result), MIN_COVERAGE), expected);
    }

    #[test]
    fn without_a_tool_result_memory_is_searched() {
        let recent = [Message::user("The weather in Leeds")];

        assert!(should_recall("weather in Leeds", &recent, MIN_COVERAGE));
    }
}
