//! Judges if a text may hold the answer to a question about the user.

use languages::messages::in_each_language;
use tools::recall::shares_content_word;

/// Returns `true` if the text says something about what the question asks for: it shares a content word.
pub(crate) fn may_answer(question: &str, text: &str) -> bool {
    is_statement(text) && shares_content_word(question, None, text)
}

/// Neither a question nor our own sentence that nothing is known.
pub(crate) fn is_statement(text: &str) -> bool {
    let text = text.trim();
    !text.ends_with(['?', '？', '؟']) && !in_each_language::REPLY_NOTHING_KNOWN.contains(&text)
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::told("My favourite colour is green.", true)]
    #[case::about_something_else("My sister lives in York.", false)]
    #[case::asked_before("What is my favourite colour?", false)]
    #[case::answered_before("I don't know that: I find nothing about it in my memory.", false)]
    fn only_statements_of_the_same_thing_count(#[case] text: &str, #[case] expected: bool) {
        assert_eq!(may_answer("what's my favourite colour", text), expected);
    }
}
