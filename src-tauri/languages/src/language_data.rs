//! Questions about the words of a language.

use vocabulary::Language;

use crate::normalisation::normalised;
use crate::tables::{LanguageData, WordList, Writing};

impl LanguageData {
    /// The language of these tables.
    pub fn language(&self) -> Language {
        Language::new(self.code).expect("a test reads each code")
    }

    /// All words that carry no meaning of their own: function words, question words and possessives.
    pub fn all_function_words(&self) -> impl Iterator<Item = &'static str> {
        self.function_words.iter().chain(self.question_words.iter()).chain(self.possessives.iter())
    }

    /// Returns `true` if a normalised word carries no meaning of its own.
    pub fn is_function_word(&self, word: &str) -> bool {
        self.all_function_words().any(|function_word| function_word == word)
    }

    /// Returns `true` if the whole text is a yes.
    pub fn is_yes(&self, text: &str) -> bool {
        self.yes.contains(&normalised(text))
    }

    /// Returns `true` if the whole text is a no.
    pub fn is_no(&self, text: &str) -> bool {
        self.no.contains(&normalised(text))
    }

    /// Returns `true` if a normalised text contains one of these phrases as whole words.
    pub fn has_phrase(&self, list: WordList, text: &str) -> bool {
        list.iter().any(|phrase| self.contains_phrase(text, phrase))
    }

    /// Returns `true` if a normalised text begins with this phrase as whole words.
    pub(crate) fn begins_with(&self, text: &str, phrase: &str) -> bool {
        let ends = |rest: &str| self.writing != Writing::Spaced || !rest.starts_with(char::is_alphanumeric);
        text.strip_prefix(phrase).is_some_and(ends)
    }

    fn contains_phrase(&self, text: &str, phrase: &str) -> bool {
        text.match_indices(phrase).any(|(at, _)| {
            let begins = !text[..at].chars().next_back().is_some_and(char::is_alphanumeric);
            let ends = !text[at + phrase.len()..].chars().next().is_some_and(char::is_alphanumeric);
            match self.writing {
                Writing::Spaced => begins && ends,
                Writing::SpacedWithParticles => begins,
                Writing::Unspaced => true,
            }
        })
    }

    /// The words for a number: 0 to 31, the tens up to 90, and 100. None for other numbers.
    pub fn number_words(&self, number: usize) -> impl Iterator<Item = &'static str> {
        let index_of_ten = number.checked_sub(40).filter(|rest| rest % 10 == 0).map(|rest| rest / 10);
        let words = self.numbers.get(number).or_else(|| self.tens.get(index_of_ten?));
        words.into_iter().flat_map(|words| words.split('|'))
    }

    /// Returns `true` if the character ends a sentence.
    pub fn is_sentence_end(&self, c: char) -> bool {
        self.sentence_ends.contains(c)
    }
}
