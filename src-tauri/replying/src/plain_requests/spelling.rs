//! Requests for the letters of a word: "how do you spell rhythm?"
//!
//! Models see pieces of words, no letters. No model and no I/O in here.

use languages::{LanguageData, folded, folded_words};

use crate::answer_text::answer_patterns::patterns_of;
use crate::plain_requests::request_kind::{is_plain, without_openers, without_polite_ends, written};

/// The word that is to be spelt, as it was written; a name may have several. `None` for "that", and for a whole sentence.
pub(crate) fn word_to_spell(text: &str, data: &'static LanguageData) -> Option<String> {
    let patterns = patterns_of(data)?;
    let words = folded_words(text);
    let asked = without_polite_ends(&words, data);
    let opened = asked.len() - without_openers(asked, patterns).len();
    let name = [0, opened].into_iter().find_map(|begin| {
        let name = patterns.spelling.whole(&asked[begin..])?.name?;
        Some(name.start + begin..name.end + begin)
    })?;
    let said = &words[name.clone()];
    let word = written(text, name)?;
    let is_letter = |char: char| char.is_alphabetic() || !char.is_alphanumeric();
    let is_one = !word.contains(char::is_whitespace);
    let is_name = || {
        let mut parts = word.split_whitespace();
        parts.all(|part| part.starts_with(char::is_uppercase))
            && !said.iter().any(|word| is_plain(word, data))
    };
    let may_be_spelt = word.chars().all(is_letter) && !points_back(said, data) && (is_one || is_name());
    may_be_spelt.then_some(word)
}

/// The letters of a word with commas between them: "N, O, W".
pub(crate) fn letters(word: &str, data: &LanguageData) -> String {
    let letters = word.chars().filter(|char| char.is_alphabetic());
    letters.map(|letter| languages::capital(letter, data.code)).collect::<Vec<String>>().join(", ")
}

/// `true` for "it" and "that".
fn points_back(words: &[String], data: &LanguageData) -> bool {
    let pronouns = data.requests.as_ref().map_or("", |requests| requests.pronouns);
    pronouns.split('|').any(|pronoun| [folded(pronoun.trim())] == *words)
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::question("en", "How do you spell necessary?", "N, E, C, E, S, S, A, R, Y")]
    #[case::order("en", "Spell rhythm", "R, H, Y, T, H, M")]
    #[case::polite("en", "Can you spell “rhythm” for me, please?", "R, H, Y, T, H, M")]
    #[case::function_word("en", "How do you spell their?", "T, H, E, I, R")]
    #[case::passive("en", "How is the word queue spelt?", "Q, U, E, U, E")]
    #[case::name("en", "How do you spell New York?", "N, E, W, Y, O, R, K")]
    #[case::apostrophe("en", "How do you spell they're?", "T, H, E, Y, R, E")]
    #[case::german("de", "Wie schreibt man Rhythmus?", "R, H, Y, T, H, M, U, S")]
    #[case::german_order("de", "Buchstabiere bitte Straße", "S, T, R, A, ß, E")]
    #[case::french("fr", "Comment s'écrit bibliothèque ?", "B, I, B, L, I, O, T, H, È, Q, U, E")]
    #[case::spanish("es", "¿Cómo se deletrea zanahoria?", "Z, A, N, A, H, O, R, I, A")]
    #[case::italian("it", "Come si scrive acqua?", "A, C, Q, U, A")]
    #[case::portuguese("pt", "Como se escreve exceção?", "E, X, C, E, Ç, Ã, O")]
    #[case::dutch("nl", "Hoe spel je goochelaar?", "G, O, O, C, H, E, L, A, A, R")]
    #[case::swedish("sv", "Hur stavas sju?", "S, J, U")]
    #[case::turkish("tr", "Bisiklet nasıl yazılır?", "B, İ, S, İ, K, L, E, T")]
    fn word_is_spelt_letter_by_letter(#[case] code: &str, #[case] text: &str, #[case] expected: &str) {
        let data = languages::of_code(code).unwrap();

        assert_eq!(word_to_spell(text, data).map(|word| letters(&word, data)).as_deref(), Some(expected));
    }

    #[rstest]
    #[case::pointing("en", "How do you spell that?")]
    #[case::text("en", "Spell check my essay")]
    #[case::of_the_user("en", "How do you spell my name?")]
    #[case::number("en", "Spell 42")]
    #[case::noun("en", "Cast a spell on him")]
    #[case::german_letter("de", "Wie schreibt man einen Brief?")]
    #[case::french_text("fr", "Comment écrire une lettre ?")]
    fn something_else_is_not_spelt(#[case] code: &str, #[case] text: &str) {
        assert_eq!(word_to_spell(text, languages::of_code(code).unwrap()), None);
    }
}
