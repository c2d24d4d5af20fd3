//! A list of words or phrases, written as one text.

/// Words or phrases in the form of [`crate::normalised`]: lower case, without punctuation around them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WordList {
    text: &'static str,
    separator: Separator,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Separator {
    /// Single words, with white space between them.
    WhiteSpace,
    /// Phrases of several words, with `|` between them.
    Bar,
}

/// A list of single words: white space separates them.
pub(crate) const fn words(text: &'static str) -> WordList {
    WordList { text, separator: Separator::WhiteSpace }
}

/// A list of phrases: `|` separates them.
pub(crate) const fn phrases(text: &'static str) -> WordList {
    WordList { text, separator: Separator::Bar }
}

impl WordList {
    /// The words in the order of the list.
    pub fn iter(&self) -> impl Iterator<Item = &'static str> {
        let is_separator = match self.separator {
            Separator::WhiteSpace => char::is_whitespace,
            Separator::Bar => |c: char| c == '|',
        };
        self.text.split(is_separator).map(str::trim).filter(|word| !word.is_empty())
    }

    /// Whether this word or phrase is in the list. It has to be normalised.
    pub fn contains(&self, normalised: &str) -> bool {
        self.iter().any(|word| word == normalised)
    }

    /// Whether the language has no such words.
    pub fn is_empty(&self) -> bool {
        self.iter().next().is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_separated_by_white_space_and_phrases_by_bars() {
        let single: Vec<_> = words("a b\n  c").iter().collect();
        let several: Vec<_> = phrases("do it |\n  go ahead").iter().collect();

        assert_eq!((single, several), (vec!["a", "b", "c"], vec!["do it", "go ahead"]));
    }

    #[test]
    fn list_contains_whole_words_and_phrases_only() {
        let list = phrases("do it | go ahead");

        assert_eq!(["go ahead", "go", ""].map(|text| list.contains(text)), [true, false, false]);
    }
}
