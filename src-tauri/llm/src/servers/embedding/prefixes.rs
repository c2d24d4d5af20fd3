//! Prefixes that embedding models were trained with. Servers do not add them.

use crate::EmbedRole;

/// Fragment of a model name, prefix of queries, prefix of passages. The first match is used.
///
/// Source: the model cards.
const PREFIXES: [(&str, &str, &str); 8] = [
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

/// Sent instead of an empty text, which servers reject or answer with an empty vector.
const EMPTY_TEXT: &str = ".";

/// `text`, cut after `max_chars`, with the prefix that `model` expects.
pub(super) fn with_prefix(model: &str, role: EmbedRole, text: &str, max_chars: usize) -> String {
    let name = model.to_lowercase();
    let prefix = PREFIXES.iter().find(|(part, ..)| name.contains(part));
    let prefix = prefix.map_or("", |(_, query, passage)| match role {
        EmbedRole::Query => query,
        EmbedRole::Passage => passage,
    });
    let end = text.char_indices().nth(max_chars).map_or(text.len(), |(at, _)| at);
    let text = if text.trim().is_empty() { EMPTY_TEXT } else { &text[..end] };
    format!("{prefix}{text}")
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
    fn text_gets_the_prefix_of_its_model_and_role(
        #[case] model: &str,
        #[case] role: EmbedRole,
        #[case] text: &str,
        #[case] expected: &str,
    ) {
        assert_eq!(with_prefix(model, role, text, 100), expected);
    }

    #[test]
    fn long_text_is_cut_between_characters() {
        assert_eq!(with_prefix("e5-base", EmbedRole::Query, "äöüß", 3), "query: äöü");
    }
}
