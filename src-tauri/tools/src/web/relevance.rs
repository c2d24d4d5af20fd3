//! Scores how well an extract of a page fits a query.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::Regex;

/// Runs of at least three word characters.
static TOKEN: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"\w{3,}").expect("the pattern is a constant"));

/// The words of a text that carry meaning: runs of at least three word characters, in lower case.
pub fn content_tokens(text: &str) -> BTreeSet<String> {
    TOKEN.find_iter(&text.to_lowercase()).map(|token| token.as_str().to_owned()).collect()
}

/// Number of tokens of the query that an extract has too.
pub fn score(extract: &str, query_tokens: &BTreeSet<String>) -> usize {
    content_tokens(extract).intersection(query_tokens).count()
}

/// Returns `true` if an extract has a word of the query. A query without words accepts every extract.
pub(super) fn is_relevant(extract: &str, query_tokens: &BTreeSet<String>) -> bool {
    query_tokens.is_empty() || score(extract, query_tokens) > 0
}

/// The relevant extract of the best rank. Lower ranks are better.
pub fn best_extract<'e>(
    candidates: impl IntoIterator<Item = (i64, Option<&'e str>)>,
    query: &str,
) -> Option<&'e str> {
    let tokens = content_tokens(query);
    let relevant = candidates
        .into_iter()
        .filter_map(|(rank, extract)| Some((rank, extract?)))
        .filter(|(_, extract)| !extract.trim().is_empty() && is_relevant(extract, &tokens));
    relevant.min_by_key(|(rank, _)| *rank).map(|(_, extract)| extract)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn irrelevant_extract_of_a_better_rank_is_passed_over() {
        let candidates =
            [(1, Some("Cookie settings")), (2, None), (3, Some("The Eiffel Tower is 330 m high."))];

        assert_eq!(best_extract(candidates, "height of the Eiffel tower"), candidates[2].1);
        assert_eq!(best_extract(candidates, "??"), candidates[0].1);
        assert_eq!(best_extract(candidates, "submarines"), None);
    }
}
