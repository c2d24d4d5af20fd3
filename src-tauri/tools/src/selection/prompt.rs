//! The strategy `llm` without its prompt: the catalogue as the model reads it, and what its reply means.

use super::keyword::keyword_names;
use super::strategy::STOP;

/// Characters of a description in the catalogue. Source: docs/behaviour/tools.md#selection.
const DESCRIPTION_CHARS: usize = 120;

/// Tools that a reply can choose. Source: as above.
const MAX_CHOSEN: usize = 5;

/// One line per tool, `name: description`, without `stop`.
pub fn catalogue_lines<'a>(catalogue: impl IntoIterator<Item = (&'a str, &'a str)>) -> String {
    let lines = catalogue.into_iter().filter(|(name, _)| *name != STOP).map(|(name, description)| {
        let short: String = first_line(description).chars().take(DESCRIPTION_CHARS).collect();
        format!("{name}: {}", short.trim_end())
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// The first line of a description.
pub fn first_line(description: &str) -> &str {
    description.trim().lines().next().unwrap_or_default().trim_end()
}

/// The names that the model chose, with `stop`. "none" chooses `stop` alone. Without a usable reply the words of the query
/// decide.
pub fn names_in_reply<'a>(catalogue: &[(&'a str, &str)], query: &str, reply: Option<&str>) -> Vec<&'a str> {
    let mut names: Vec<&str> = Vec::new();
    let mut says_none = false;
    for word in reply.unwrap_or_default().split(|c: char| c == ',' || c.is_whitespace()) {
        let word = word.trim_matches(|c: char| !c.is_alphanumeric() && c != '_');
        says_none |= word.eq_ignore_ascii_case("none");
        let known = catalogue.iter().map(|(name, _)| *name).find(|name| *name == word);
        names.extend(known.filter(|name| !names.contains(name) && *name != STOP));
    }
    names.truncate(MAX_CHOSEN);
    let chose_stop = reply.is_some_and(|reply| reply.trim() == STOP);
    if names.is_empty() && !says_none && !chose_stop {
        return keyword_names(catalogue, query);
    }
    names.push(STOP);
    names
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    const CATALOGUE: [(&str, &str); 4] = [
        ("getWeather", "Current weather\nand the forecast"),
        ("webSearch", "Search the web"),
        ("files__read", "Read a file"),
        ("stop", "End the conversation"),
    ];

    #[rstest]
    #[case::list(Some("webSearch, getWeather"), &["webSearch", "getWeather", "stop"])]
    #[case::decorated(Some("- `files__read`\n- \"webSearch\"."), &["files__read", "webSearch", "stop"])]
    #[case::repeated(Some("webSearch webSearch"), &["webSearch", "stop"])]
    #[case::none(Some(" None. "), &["stop"])]
    #[case::stop_alone(Some("stop"), &["stop"])]
    #[case::tool_and_none(Some("webSearch or none"), &["webSearch", "stop"])]
    #[case::nothing_known(Some("let me think"), &["getWeather", "stop"])]
    #[case::empty(Some(""), &["getWeather", "stop"])]
    #[case::failed(None, &["getWeather", "stop"])]
    fn reply_of_the_model_names_tools(#[case] reply: Option<&str>, #[case] expected: &[&str]) {
        assert_eq!(names_in_reply(&CATALOGUE, "weather?", reply), expected);
    }

    #[test]
    fn catalogue_has_one_short_line_per_tool() {
        let long = "word ".repeat(50);
        let catalogue = [CATALOGUE[0], ("long", &*long), CATALOGUE[3]];

        let lines = catalogue_lines(catalogue);

        let expected = format!("getWeather: Current weather\nlong: {}", "word ".repeat(24).trim_end());
        assert_eq!(lines, expected);
    }
}
