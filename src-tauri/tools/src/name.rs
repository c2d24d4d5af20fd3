//! Names of tools.

/// The server and its tool in the name of an MCP tool, `server__tool`; `None` for other names.
pub fn split_tool_name(name: &str) -> Option<(&str, &str)> {
    name.split_once("__").filter(|(server, tool)| !server.is_empty() && !tool.is_empty())
}

/// The name of a tool of a server in words, as people read and hear it: "Weather report" for `desk__weatherReport`. Other names
/// stay as they are.
pub fn tool_name_in_words(name: &str) -> String {
    let Some((_, tool)) = split_tool_name(name) else { return name.to_owned() };
    let mut words = String::new();
    let mut before = ' ';
    for char in tool.chars() {
        let begins_word = char.is_uppercase() && before.is_lowercase();
        match char {
            '_' | '-' | '.' | ' ' => words.push(' '),
            _ if begins_word => words.extend([' ', char]),
            _ => words.push(char),
        }
        before = char;
    }
    // An abbreviation such as "PDF" keeps its capitals.
    let is_word = |word: &&str| word.chars().skip(1).any(char::is_lowercase) || word.chars().count() == 1;
    let words = words.split_whitespace().map(|word| match is_word(&word) {
        true => word.to_lowercase(),
        false => word.to_owned(),
    });
    let words = words.collect::<Vec<_>>().join(" ");
    let mut chars = words.chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
}

/// The words of an identifier in lower case: "delete", "file" for `deleteFile` and for `delete_file`, "http", "delete" for
/// `HTTPDelete`.
pub(crate) fn words_of_identifier(name: &str) -> Vec<String> {
    let mut words = String::new();
    let mut before = ' ';
    let mut chars = name.chars().peekable();
    while let Some(char) = chars.next() {
        let ends_abbreviation = chars.peek().is_some_and(|next| next.is_lowercase());
        if char.is_uppercase() && (!before.is_uppercase() || ends_abbreviation) {
            words.push(' ');
        }
        words.push(if char.is_alphanumeric() { char } else { ' ' });
        before = char;
    }
    words.split_whitespace().map(str::to_lowercase).collect()
}

/// A name as models confuse it: without case, `_`, `-` and spaces.
pub(crate) fn squashed(name: &str) -> String {
    name.chars().filter(|c| !matches!(c, '_' | '-' | ' ')).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::of_a_server("files__read", Some(("files", "read")))]
    #[case::first_mark_counts("files__read__all", Some(("files", "read__all")))]
    #[case::built_in("getWeather", None)]
    #[case::no_server("__read", None)]
    #[case::no_tool("files__", None)]
    fn mcp_name_splits_at_its_first_mark(#[case] name: &str, #[case] expected: Option<(&str, &str)>) {
        assert_eq!(split_tool_name(name), expected);
    }

    #[rstest]
    #[case::camel("desk__weatherReport", "Weather report")]
    #[case::snake("mail__read_newest-mail", "Read newest mail")]
    #[case::abbreviation("files__readPDF", "Read PDF")]
    #[case::built_in("getWeather", "getWeather")]
    fn name_of_a_server_is_put_into_words(#[case] name: &str, #[case] expected: &str) {
        assert_eq!(tool_name_in_words(name), expected);
    }
}
