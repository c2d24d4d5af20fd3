//! The strategy `keyword`. Source: docs/behaviour/tools.md#selection.

use std::collections::HashSet;
use std::sync::LazyLock;

use super::strategy::STOP;

/// The names of all tools that share a word with the query, and `stop`. All names if no other tool than `stop` does, or the
/// query has no word. Words are runs of ASCII letters and digits; English function words do not count.
pub fn keyword_names<'a>(catalogue: &[(&'a str, &str)], query: &str) -> Vec<&'a str> {
    let wanted = content_words(query);
    let shares_word = |(name, description): &&(&str, &str)| {
        let of_name = tokenise(&split_camel_case(name));
        of_name.iter().any(|word| wanted.contains(word)) || !content_words(description).is_disjoint(&wanted)
    };
    let mut names: Vec<&str> = catalogue.iter().filter(shares_word).map(|(name, _)| *name).collect();
    if names.iter().all(|name| *name == STOP) {
        names = catalogue.iter().map(|(name, _)| *name).collect();
    }
    if !names.contains(&STOP) {
        names.push(STOP);
    }
    names
}

/// The runs of ASCII letters and digits in lower case, in order.
pub fn tokenise(text: &str) -> Vec<String> {
    let text = text.to_lowercase();
    text.split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|run| !run.is_empty())
        .map(str::to_owned)
        .collect()
}

fn content_words(text: &str) -> HashSet<String> {
    tokenise(text).into_iter().filter(|word| !ENGLISH.contains(&**word)).collect()
}

fn split_camel_case(name: &str) -> String {
    let mut split = String::with_capacity(name.len() + 4);
    let mut after_lower = false;
    for c in name.chars() {
        if c.is_uppercase() && after_lower {
            split.push(' ');
        }
        after_lower = c.is_lowercase() || c.is_ascii_digit();
        split.push(c);
    }
    split
}

static ENGLISH: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    let english = languages::of_code("en").expect("English has data");
    english.all_function_words().chain(english.polite_words.iter()).collect()
});

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    const CATALOGUE: [(&str, &str); 4] = [
        ("getWeather", "Current weather and the forecast of a place"),
        ("webSearch", "Search the web"),
        ("logMeal", "Write down what the user has eaten"),
        ("stop", "End the conversation"),
    ];

    #[rstest]
    #[case::word_of_the_name("how is the weather", &["getWeather", "stop"])]
    #[case::word_of_the_description("FORECAST for tomorrow", &["getWeather", "stop"])]
    #[case::several("search the forecast", &["getWeather", "webSearch", "stop"])]
    #[case::function_words_do_not_count("what has the user", &["logMeal", "stop"])]
    #[case::word_of_stop_alone("end of conversation", &["getWeather", "webSearch", "logMeal", "stop"])]
    #[case::word_of_stop_and_another("end the search", &["webSearch", "stop"])]
    #[case::no_match("play jazz", &["getWeather", "webSearch", "logMeal", "stop"])]
    #[case::no_words("天気は?", &["getWeather", "webSearch", "logMeal", "stop"])]
    fn tools_that_share_a_word_are_kept(#[case] query: &str, #[case] expected: &[&str]) {
        assert_eq!(keyword_names(&CATALOGUE, query), expected);
    }

    #[test]
    fn text_is_split_into_lower_case_runs() {
        assert_eq!(tokenise("Get-Weather: Zürich 2day"), ["get", "weather", "z", "rich", "2day"]);
    }
}
