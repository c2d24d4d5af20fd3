//! What a model was trained to read in front of a text. Servers put nothing there by themselves.

use crate::EmbedRole;

/// Part of a model's name, and what stands in front of its queries and passages. The first that fits counts.
///
/// Source: the model cards.
const IN_FRONT: [(&str, &str, &str); 8] = [
    ("nomic-embed", "search_query: ", "search_document: "),
    ("embeddinggemma", "task: search result | query: ", "title: none | text: "),
    (
        "qwen3-embedding",
        "Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery:",
        "",
    ),
    ("multilingual-e5", "query: ", "passage: "),
    ("e5-small", "query: ", "passage: "),
    ("e5-base", "query: ", "passage: "),
    ("e5-large", "query: ", "passage: "),
    ("mxbai-embed", "Represent this sentence for searching relevant passages: ", ""),
];

/// Stands for a text without words: servers refuse an empty one, or send an empty vector for it.
const NO_WORDS: &str = ".";

/// `text` as `model` should get it, cut after `max_chars`.
pub(super) fn worded(model: &str, role: EmbedRole, text: &str, max_chars: usize) -> String {
    let name = model.to_lowercase();
    let in_front = IN_FRONT.iter().find(|(part, ..)| name.contains(part));
    let in_front = in_front.map_or("", |(_, query, passage)| match role {
        EmbedRole::Query => query,
        EmbedRole::Passage => passage,
    });
    let end = text.char_indices().nth(max_chars).map_or(text.len(), |(at, _)| at);
    let text = if text.trim().is_empty() { NO_WORDS } else { &text[..end] };
    format!("{in_front}{text}")
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::told_what_is_looked_for("nomic-embed-text:v1.5", EmbedRole::Query, "rain", "search_query: rain")]
    #[case::told_what_may_be_found("nomic-embed-text", EmbedRole::Passage, "rain", "search_document: rain")]
    #[case::upper_case("intfloat/Multilingual-E5-small", EmbedRole::Passage, "rain", "passage: rain")]
    #[case::the_same_for_both("all-minilm", EmbedRole::Query, "rain", "rain")]
    #[case::no_words("all-minilm", EmbedRole::Query, " \n", ".")]
    fn a_text_is_worded_as_its_model_was_trained(
        #[case] model: &str,
        #[case] role: EmbedRole,
        #[case] text: &str,
        #[case] expected: &str,
    ) {
        assert_eq!(worded(model, role, text, 100), expected);
    }

    #[test]
    fn a_text_is_cut_between_letters() {
        assert_eq!(worded("e5-base", EmbedRole::Query, "äöüß", 3), "query: äöü");
    }
}
