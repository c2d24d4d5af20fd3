//! The form in which words are compared.

/// The words of a text in lower case with one space between them, without punctuation. Hyphens and apostrophes inside a
/// word stay, curly apostrophes become straight. Arabic loses its vowel signs, since most people leave them out.
pub fn normalised(text: &str) -> String {
    let mut words = String::with_capacity(text.len());
    for word in tokens(text) {
        if !words.is_empty() {
            words.push(' ');
        }
        words.push_str(&word);
    }
    words
}

/// The words of a text, each normalised. A run of Chinese or Japanese without punctuation is one word.
pub(crate) fn tokens(text: &str) -> impl Iterator<Item = String> {
    text.split(|c: char| !is_part_of_word(c)).filter_map(|word| {
        let word = word.trim_matches(|c: char| !c.is_alphanumeric() && !is_mark(c));
        let lower = word.to_lowercase();
        let word: String =
            lower.chars().filter(|c| !is_mark(*c)).map(|c| if c == '’' { '\'' } else { c }).collect();
        (!word.is_empty()).then_some(word)
    })
}

fn is_part_of_word(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '\'' | '’' | '-') || is_mark(c)
}

/// Returns `true` for vowel signs of Arabic, and for the dot that lower case leaves above the Turkish "İ".
pub fn is_mark(c: char) -> bool {
    matches!(c, '\u{64b}'..='\u{652}' | '\u{640}' | '\u{307}')
}

/// The words of a text in lower case and without accents; hyphens and apostrophes separate words too.
pub fn folded_words(text: &str) -> Vec<String> {
    text.split(|c: char| !(c.is_alphanumeric() || is_mark(c)))
        .map(folded)
        .filter(|word| !word.is_empty())
        .collect()
}

/// The text in lower case, without the accents of Latin letters.
pub fn folded(text: &str) -> String {
    text.chars().flat_map(char::to_lowercase).filter(|c| !is_mark(*c)).map(without_accent).collect()
}

/// The capital of a letter in a language; the letter itself if its capital is written with two.
pub fn capital(letter: char, language: &str) -> String {
    if language == "tr" && letter == 'i' {
        return "İ".to_owned();
    }
    let mut capital = letter.to_uppercase();
    match (capital.next(), capital.next()) {
        (Some(capital), None) => capital.to_string(),
        _ => letter.to_string(),
    }
}

fn without_accent(c: char) -> char {
    match c {
        'à' | 'á' | 'â' | 'ã' | 'ä' | 'å' => 'a',
        'ç' => 'c',
        'è' | 'é' | 'ê' | 'ë' => 'e',
        'ì' | 'í' | 'î' | 'ï' => 'i',
        'ñ' => 'n',
        'ò' | 'ó' | 'ô' | 'õ' | 'ö' => 'o',
        'ù' | 'ú' | 'û' | 'ü' => 'u',
        'ş' => 's',
        'ğ' => 'g',
        // Turkish tells it from "i", but typists without the key do not.
        'ı' => 'i',
        '’' => '\'',
        c => c,
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::case_and_punctuation("Nein, danke!", "nein danke")]
    #[case::curly_apostrophe("J’ai dit", "j'ai dit")]
    #[case::hyphen_inside("Vingt-deux -", "vingt-deux")]
    #[case::turkish_capital("İptal et", "iptal et")]
    #[case::arabic_vowel_signs("شُكراً", "شكرا")]
    #[case::japanese("はい、お願いします。", "はい お願いします")]
    #[case::quoted("'stop'", "stop")]
    #[case::nothing(" … ", "")]
    fn words_are_compared_in_lower_case_without_punctuation(#[case] text: &str, #[case] expected: &str) {
        assert_eq!(normalised(text), expected);
    }
}
