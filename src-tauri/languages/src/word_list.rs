//! Reading a list of words or phrases that is written as one text.

use crate::tables::{Separator, WordList};

impl WordList {
    /// The words in the order of the list.
    pub fn iter(&self) -> impl Iterator<Item = &'static str> + use<> {
        let is_separator = match self.separator {
            Separator::WhiteSpace => char::is_whitespace,
            Separator::Bar => |c: char| c == '|',
        };
        self.text.split(is_separator).map(str::trim).filter(|word| !word.is_empty())
    }

    /// Returns `true` if this word or phrase is in the list. It has to be normalised.
    pub fn contains(&self, normalised: &str) -> bool {
        self.iter().any(|word| word == normalised)
    }

    /// Returns `true` if the language has no such words.
    pub fn is_empty(&self) -> bool {
        self.iter().next().is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_separated_by_white_space_and_phrases_by_bars() {
        let single = WordList { text: "a b\n  c", separator: Separator::WhiteSpace };
        let several = WordList { text: "do it |\n  go ahead", separator: Separator::Bar };

        assert_eq!(single.iter().collect::<Vec<_>>(), ["a", "b", "c"]);
        assert_eq!(several.iter().collect::<Vec<_>>(), ["do it", "go ahead"]);
    }

    #[test]
    fn list_contains_whole_words_and_phrases_only() {
        let list = WordList { text: "do it | go ahead", separator: Separator::Bar };

        assert_eq!(["go ahead", "go", ""].map(|text| list.contains(text)), [true, false, false]);
    }
}
