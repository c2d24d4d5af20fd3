//! Which words of a question have a meaning of their own: sharing one of the others says nothing.

use std::collections::HashSet;

use languages::{LanguageData, PerLanguage};
use vocabulary::Language;

/// Returns `true` if the text has a content word of the question. Endings may differ. Without a `language` that of
/// the question is detected; a few words do not tell theirs: "car" is a function word in French.
pub fn shares_content_word(question: &str, language: Option<&Language>, text: &str) -> bool {
    let detected = || languages::detect(question).map(|it| it.language);
    let of_question = language.cloned().or_else(detected);
    let is_of_question = |data: &&LanguageData| of_question.as_ref().is_none_or(|it| it.code() == data.code);
    let is_function_word = |term: &str| {
        let mut languages = languages::all().iter().filter(is_of_question);
        languages.any(|data| FUNCTION_TERMS.get(data).contains(term))
    };
    let text = text.to_lowercase();
    let words: Vec<String> = words(&text).flat_map(comparable).collect();
    memory::terms(question).iter().filter(|term| !is_function_word(term)).any(|term| {
        if term.chars().all(is_ideograph) {
            let is_function = |char: char| is_function_word(char.encode_utf8(&mut [0; 4]));
            return text.contains(term) && !term.chars().all(is_function);
        }
        let beginning = term.chars().count().saturating_sub(2).max(3);
        let stem: String = term.chars().take(beginning).collect();
        words.iter().any(|other| other.starts_with(&stem))
    })
}

/// The function words of a language in the form of the terms of a question.
static FUNCTION_TERMS: PerLanguage<HashSet<String>> =
    PerLanguage::new(|data| data.all_function_words().flat_map(memory::terms).collect());

fn is_ideograph(char: char) -> bool {
    matches!(char, '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{30a0}'..='\u{30ff}')
}

/// A word as a question has it: without accents. A run without spaces stays whole.
fn comparable(word: &str) -> Vec<String> {
    let is_unspaced = word.chars().any(|char| is_ideograph(char) || matches!(char, '\u{3040}'..='\u{309f}'));
    if is_unspaced { vec![word.to_owned()] } else { memory::terms(word) }
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|char: char| !char.is_alphanumeric()).filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case("where is the spare key?", "the spare key hangs in the hall", true)]
    #[case("where are the keys", "a key for the shed", true)]
    #[case("where is the spare key?", "bananas are cheap at the market", false)]
    #[case("wo ist der Schlüssel", "der Hund ist im Garten", false)]
    #[case("where is my hat?", "the hat is on the shelf", true)]
    #[case("où est la clé", "la clé est dans le tiroir", true)]
    #[case("où est la clé", "le chien est où tu veux", false)]
    #[case("anahtarım nerede", "anahtar çekmecede", true)]
    #[case("де мій ключ", "мій пес у саду", false)]
    #[case("我的护照在哪里", "护照在蓝色抽屉里", true)]
    #[case("我的护照在哪里", "我的狗在花园里", false)]
    #[case("パスポートはどこ", "パスポートは青い引き出しの中です", true)]
    fn only_content_words_count_as_shared(
        #[case] question: &str,
        #[case] text: &str,
        #[case] expected: bool,
    ) {
        assert_eq!(shares_content_word(question, None, text), expected);
    }

    #[rstest]
    #[case::in_french("fr", false)]
    #[case::in_english("en", true)]
    fn word_alone_is_taken_in_the_users_language(#[case] language: &str, #[case] expected: bool) {
        let language = Language::new(language);

        assert_eq!(shares_content_word("car", language.as_ref(), "the car is in the yard"), expected);
    }
}
