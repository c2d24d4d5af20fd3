//! The last question and answer as a part of what is asked now.

use llm::{Message, Role};

use crate::prompting::text_cut::cut;
use crate::query_context::Entry;
use crate::tool_calls::tool_talk::is_tool_message;

/// The part of the last answer that is read, in characters.
const ANSWER: usize = 200;

/// The new words after the last question and answer, if they go on with them: the answer asked something, or the words begin
/// with a conjunction. `None` for words that stand alone: small talk after a timer must not bring the timer back.
pub(crate) fn with_last_exchange(entry: &Entry) -> Option<String> {
    let said = |role: Role| {
        let of_role = |message: &&Message| message.role == role && !is_tool_message(message);
        entry.dialogue.iter().rev().find(of_role).map(|message| message.content.trim())
    };
    let (question, answer) = (said(Role::User)?, said(Role::Assistant)?);
    let asks = answer.ends_with(['?', '？', '؟']);
    (asks || goes_on(entry)).then(|| format!("{question} {} {}", cut(answer, ANSWER), entry.redacted))
}

/// "And tomorrow?"
fn goes_on(entry: &Entry) -> bool {
    let Some(data) = entry.language.as_ref().and_then(languages::of) else { return false };
    let words = languages::normalised(&entry.redacted);
    data.conjunctions.iter().any(|word| words.strip_prefix(word).is_some_and(|rest| rest.starts_with(' ')))
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use rstest::rstest;
    use vocabulary::Language;

    use super::*;

    #[rstest]
    #[case::asked_back("Which town?", "I'm in London", Some("rain today? Which town? I'm in London"))]
    #[case::goes_on("It rains.", "and tomorrow?", Some("rain today? It rains. and tomorrow?"))]
    #[case::stands_alone("It rains.", "how are you?", None)]
    fn last_exchange_counts_if_the_words_go_on_with_it(
        #[case] answer: &str,
        #[case] words: &str,
        #[case] expected: Option<&str>,
    ) {
        let entry = Entry {
            redacted: words.to_owned(),
            asked_at: Timestamp::UNIX_EPOCH,
            language: Language::new("en"),
            since: Timestamp::UNIX_EPOCH,
            dialogue: vec![Message::user("rain today?"), Message::assistant(answer)],
            worded_by_models: Vec::new(),
            last_calls: Vec::new(),
            is_tainted: false,
        };

        assert_eq!(with_last_exchange(&entry).as_deref(), expected);
    }
}
