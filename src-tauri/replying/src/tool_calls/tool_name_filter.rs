//! Finds answers that consist of the name of a tool: a model that should have called it, and wrote its name instead.

/// The filter of one answer, which comes in pieces.
pub(crate) struct BareName<'a> {
    names: Vec<&'a str>,
    /// The answer so far, as long as it may become a name.
    held: Option<String>,
}

/// The whole answer is the name of a tool.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct OnlyName;

impl<'a> BareName<'a> {
    /// A filter for an answer of a model that knows these tools. Names that are plain words, like `stop`, may be answers.
    pub fn new(names: impl IntoIterator<Item = &'a str>) -> Self {
        let is_plain_word = |name: &str| name.chars().all(char::is_lowercase);
        Self {
            names: names.into_iter().filter(|name| !is_plain_word(name)).collect(),
            held: Some(String::new()),
        }
    }

    /// Takes more text. Returns what is certainly no name.
    pub fn push(&mut self, text: &str) -> String {
        let Some(held) = &mut self.held else { return text.to_owned() };
        held.push_str(text);
        let begun = bare(held);
        match self.names.iter().any(|name| name.starts_with(begun)) {
            true => String::new(),
            false => self.held.take().unwrap_or_default(),
        }
    }

    /// Returns the text that was held back, now that nothing follows.
    pub fn finish(self) -> Result<String, OnlyName> {
        let held = self.held.unwrap_or_default();
        match self.names.contains(&bare(&held)) {
            true => Err(OnlyName),
            false => Ok(held),
        }
    }
}

/// The text without the signs that models put around a name.
fn bare(text: &str) -> &str {
    text.trim_matches(|c: char| c.is_whitespace() || matches!(c, '`' | '"' | '*' | '.' | ':' | '(' | ')'))
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::name("getWeather", Err(OnlyName))]
    #[case::name_with_signs(" `getWeather()`.\n", Err(OnlyName))]
    #[case::prose("It rains.", Ok("It rains."))]
    #[case::prose_about_a_tool("getWeather tells that it rains.", Ok("getWeather tells that it rains."))]
    #[case::beginning_of_a_name("get", Ok("get"))]
    #[case::plain_word("stop", Ok("stop"))]
    fn answer_that_is_only_a_name_is_found(#[case] answer: &str, #[case] expected: Result<&str, OnlyName>) {
        let mut filter = BareName::new(["stop", "getWeather"]);

        let mut passed: String =
            answer.chars().map(|char| filter.push(char.encode_utf8(&mut [0; 4]))).collect();
        let ending = filter.finish().map(|held| {
            passed.push_str(&held);
            passed.as_str()
        });

        assert_eq!(ending, expected);
    }
}
