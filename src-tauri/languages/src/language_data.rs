//! What the data file of a language contains.

use vocabulary::Language;

use crate::normalisation::normalised;
use crate::word_list::WordList;

/// How words are separated in writing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Writing {
    /// Words stand between spaces.
    Spaced,
    /// Words stand between spaces, with particles attached to their end: a phrase matches the beginning of a word.
    SpacedWithParticles,
    /// No spaces: a phrase matches anywhere.
    Unspaced,
}

/// Where a question has its question word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WordOrder {
    /// Near the beginning: "where is my key".
    QuestionWordFirst,
    /// Where the answer would stand: "my key where is".
    QuestionWordInPlace,
}

/// The words of one language. All of them are in the form of [`crate::normalised`], except abbreviations, which keep
/// their full stops.
#[derive(Debug)]
pub struct LanguageData {
    /// ISO 639-1.
    pub code: &'static str,
    /// As prompts name it.
    pub english_name: &'static str,
    /// As its speakers name it.
    pub own_name: &'static str,
    /// How words are separated.
    pub writing: Writing,
    /// Where questions have their question word.
    pub word_order: WordOrder,
    /// Articles, pronouns, prepositions, conjunctions, auxiliaries. Question words and possessives count too: ask
    /// [`LanguageData::is_function_word`].
    pub function_words: WordList,
    /// "what", "where"
    pub question_words: WordList,
    /// Of the first person: "my", "our". Empty where they are endings of nouns.
    pub possessives: WordList,
    /// Words that end no sentence. Where the language has no spaces they are endings of the text.
    pub continuation_words: WordList,
    /// "uh", "um"
    pub fillers: WordList,
    /// Whole answers that mean yes.
    pub yes: WordList,
    /// Whole answers that mean no.
    pub no: WordList,
    /// Whole commands to stop speaking. Some mean something else inside a sentence: Spanish "para", Turkish "dur".
    pub stop_words: WordList,
    /// "please", "thanks"
    pub polite_words: WordList,
    /// What is said before a name to call somebody.
    pub greetings: WordList,
    /// Beginnings of requests: "can you", "remind me". In languages with the verb at the end, their ends.
    pub request_openers: WordList,
    /// Phrases that ask for what was said or done before, or whether it is remembered.
    pub looking_back: WordList,
    /// Phrases that ask for advice or permission.
    pub advice: WordList,
    /// The words for 0 to 31, `|` between alternatives: ask [`LanguageData::number_words`].
    pub numbers: [&'static str; 32],
    /// The words for 40, 50, 60, 70, 80, 90 and 100, `|` between alternatives.
    pub tens: [&'static str; 7],
    /// Lower-case letters and signs besides a to z, or those that distinguish it from languages in the same script. Empty
    /// where the script identifies the language.
    pub letters: &'static str,
    /// Endings of its words that few other languages have. Empty as above.
    pub endings: WordList,
    /// Characters that end a sentence.
    pub sentence_ends: &'static [char],
    /// Abbreviations whose full stop ends no sentence, with it.
    pub abbreviations: WordList,
    /// Abbreviations only before a number: "no." is the end of a sentence elsewhere.
    pub abbreviations_before_numbers: WordList,
    /// "3. Mai": a full stop behind a number makes it an ordinal.
    pub has_ordinals_with_full_stop: bool,
    /// The id of the recommended voice in the catalogue of models; `None` where the catalogue has none.
    pub default_voice: Option<&'static str>,
}

impl LanguageData {
    /// The language.
    pub fn language(&self) -> Language {
        Language::new(self.code).expect("a test reads each code")
    }

    /// All words that carry no meaning of their own: function words, question words and possessives.
    pub fn all_function_words(&self) -> impl Iterator<Item = &'static str> {
        self.function_words.iter().chain(self.question_words.iter()).chain(self.possessives.iter())
    }

    /// Whether a normalised word carries no meaning of its own.
    pub fn is_function_word(&self, word: &str) -> bool {
        self.all_function_words().any(|function_word| function_word == word)
    }

    /// Whether the whole text is a yes.
    pub fn is_yes(&self, text: &str) -> bool {
        self.yes.contains(&normalised(text))
    }

    /// Whether the whole text is a no.
    pub fn is_no(&self, text: &str) -> bool {
        self.no.contains(&normalised(text))
    }

    /// Whether a normalised text contains one of these phrases as whole words.
    pub fn has_phrase(&self, list: WordList, text: &str) -> bool {
        list.iter().any(|phrase| self.contains_phrase(text, phrase))
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
}
