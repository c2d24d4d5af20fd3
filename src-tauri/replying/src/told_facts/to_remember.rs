//! Requests to remember something: "remember that the spare key is with Ada".
//!
//! A tiny model takes a tool for them, or asks what is missing. No model and no I/O in here.

use languages::{LanguageData, folded_words};

use crate::answer_text::answer_patterns::patterns_of;

/// The fewest words of what is to be remembered: "remember that" alone points to something else.
const MIN_WORDS: usize = 3;

/// `true` if the text asks to remember what it says.
pub(crate) fn asks_to_remember(text: &str, data: &'static LanguageData) -> bool {
    let Some(patterns) = patterns_of(data).filter(|_| !text.trim_end().ends_with('?')) else { return false };
    let words = folded_words(text);
    let openers = patterns.openers.beginning(&words).map_or(0, |found| found.words.end);
    [0, openers].into_iter().any(|begin| {
        let found = patterns.to_remember.beginning(&words[begin..]);
        found.is_some_and(|found| words.len() - begin >= found.words.end + MIN_WORDS)
    })
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    fn in_language(code: &str, text: &str) -> bool {
        asks_to_remember(text, languages::of_code(code).unwrap())
    }

    #[rstest]
    #[case::english("en", "Remember that the spare key is with Ada.")]
    #[case::polite("en", "Please remember that the spare key is with Ada.")]
    #[case::note("en", "Take a note: the wifi at the cabin is called BlueLake")]
    #[case::forget("en", "Don't forget that the bins go out on Monday")]
    #[case::german("de", "Merk dir, dass der Schlüssel bei Ada ist.")]
    #[case::german_note("de", "Notier dir: Das WLAN heißt Blausee.")]
    #[case::french("fr", "Retiens que la clé est chez Ada.")]
    #[case::french_elision("fr", "N'oublie pas qu'elle arrive lundi soir.")]
    #[case::spanish("es", "Recuerda que la llave la tiene Ada.")]
    #[case::italian("it", "Ricordati che la chiave è da Ada.")]
    #[case::dutch("nl", "Onthoud dat de sleutel bij Ada ligt.")]
    #[case::portuguese("pt", "Lembra-te de que a chave está com a Ada.")]
    #[case::swedish("sv", "Kom ihåg att min nyckel är hos Ada.")]
    #[case::turkish("tr", "Unutma ki anahtar Ada'da duruyor.")]
    fn something_is_to_be_remembered(#[case] code: &str, #[case] text: &str) {
        assert!(in_language(code, text));
    }

    #[rstest]
    #[case::reminder("en", "Remember to buy milk tomorrow")]
    #[case::reminder_order("en", "Remind me that the bins go out on Monday")]
    #[case::question("en", "Remember that film we saw in Leeds?")]
    #[case::pointing("en", "Remember that")]
    #[case::told_about("en", "I remember that the key was with Ada")]
    #[case::german_reminder("de", "Erinnere mich daran, dass der Müll raus muss")]
    #[case::swedish_reminder("sv", "Kom ihåg att köpa mjölk imorgon")]
    #[case::dutch_reminder("nl", "Herinner me eraan dat de bak buiten moet")]
    #[case::french_question("fr", "Tu te souviens que la clé est chez Ada ?")]
    fn something_else_is_meant(#[case] code: &str, #[case] text: &str) {
        assert!(!in_language(code, text));
    }
}
