//! The words of an utterance, as they are compared and as they were written.

use crate::normalisation::folded;
use crate::tables::WordList;

/// The words of a text in lower case and without accents. Apostrophes belong to a word and are left out; a number keeps
/// the signs between its digits; a sign for a range is a word of its own.
pub fn words(text: &str) -> Vec<String> {
    written_words(text).iter().map(|word| folded_word(word)).collect()
}

/// A word as it is compared.
pub fn folded_word(written: &str) -> String {
    folded(&written.replace(is_apostrophe, ""))
}

/// The same words as they were written, in lower case.
pub fn written_words(text: &str) -> Vec<String> {
    let chars: Vec<char> = text.to_lowercase().chars().map(narrow).collect();
    let mut words: Vec<String> = Vec::new();
    let mut at = 0;
    while at < chars.len() {
        let c = chars[at];
        let is_digit_at = |at: usize| chars.get(at).is_some_and(char::is_ascii_digit);
        if c.is_ascii_digit() {
            let from = at;
            while is_digit_at(at)
                || (matches!(chars.get(at), Some('.' | ',' | ':' | '/')) && is_digit_at(at + 1))
            {
                at += 1;
            }
            words.push(chars[from..at].iter().collect());
            continue;
        }
        if is_letter(c) {
            let from = at;
            while chars.get(at).is_some_and(|c| is_letter(*c) || is_apostrophe(*c)) {
                at += 1;
            }
            let word: String = chars[from..at].iter().collect();
            words.push(word.trim_end_matches(is_apostrophe).to_owned());
            continue;
        }
        let is_before_digit = is_digit_at(at + 1) || (chars.get(at + 1) == Some(&' ') && is_digit_at(at + 2));
        match c {
            '-' | '–' | '—' | '−' if is_before_digit => {
                let is_behind_number = words.last().is_some_and(|word| is_number(word));
                let is_joined_word = at > 0 && is_letter(chars[at - 1]);
                if is_behind_number {
                    words.push(RANGE_SIGN.to_owned());
                } else if !is_joined_word && is_digit_at(at + 1) {
                    words.push(MINUS.to_owned());
                }
            }
            '½' | '¼' | '¾' => words.push(c.to_string()),
            _ => {}
        }
        at += 1;
    }
    words
}

/// A dash between two numbers.
pub const RANGE_SIGN: &str = "-";

/// A minus before a number.
pub const MINUS: &str = "−";

fn is_letter(c: char) -> bool {
    (c.is_alphanumeric() && !c.is_ascii_digit() && vulgar_fraction(c).is_none())
        || matches!(c, '\u{307}' | '\u{301}' | '\u{308}')
}

/// A digit or colon of full width in its usual form.
fn narrow(c: char) -> char {
    match c {
        '０'..='９' | '：' => char::from_u32(u32::from(c) - 0xfee0).unwrap_or(c),
        c => c,
    }
}

fn is_apostrophe(c: char) -> bool {
    matches!(c, '\'' | '’')
}

/// The value of a sign such as ½.
pub fn vulgar_fraction(c: char) -> Option<f64> {
    Some(match c {
        '½' => 0.5,
        '¼' => 0.25,
        '¾' => 0.75,
        _ => return None,
    })
}

/// Returns `true` for a word that begins with a digit.
pub fn is_number(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_digit())
}

/// Alternatives of one or more words, the longest first.
#[derive(Debug, Clone, Default)]
pub struct Phrases(Vec<Vec<String>>);

impl Phrases {
    /// These alternatives; each is split into words.
    pub fn new<'a>(phrases: impl IntoIterator<Item = &'a str>) -> Self {
        let mut all: Vec<Vec<String>> =
            phrases.into_iter().map(words).filter(|words| !words.is_empty()).collect();
        all.sort_by_key(|words| std::cmp::Reverse(words.len()));
        Self(all)
    }

    /// The alternatives of a list of a language.
    pub fn from_list(list: WordList) -> Self {
        Self::new(list.iter())
    }

    /// Alternatives with `|` between them.
    pub fn from_text(text: &'static str) -> Self {
        Self::new(text.split('|'))
    }

    /// The number of words of the longest alternative at the beginning of the words.
    pub fn at(&self, words: &[String]) -> Option<usize> {
        self.0.iter().find(|phrase| words.starts_with(phrase)).map(Vec::len)
    }

    /// The number of words of the longest alternative at their end.
    pub fn at_end(&self, words: &[String]) -> Option<usize> {
        self.0.iter().find(|phrase| words.ends_with(phrase)).map(Vec::len)
    }

    /// The first place where one of the alternatives stands, and its length.
    pub fn find(&self, words: &[String]) -> Option<(usize, usize)> {
        (0..words.len()).find_map(|at| self.at(&words[at..]).map(|length| (at, length)))
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::plain("Set a Timer, please!", "set a timer please")]
    #[case::glued_units("1h30m 10min", "1 h 30 m 10 min")]
    #[case::numbers("1.5 1,000 1:30 1/2 2. 3,", "1.5 1,000 1:30 1/2 2 3")]
    #[case::apostrophes("don’t it's 'x'", "dont its x")]
    #[case::joined("ten-minute 10-minute twenty-five", "ten minute 10 minute twenty five")]
    #[case::range("5-10 5 – 10", "5 - 10 5 - 10")]
    #[case::minus("-5 minutes", "− 5 minutes")]
    #[case::fractions("1½ ¾", "1 ½ ¾")]
    #[case::accents("Café Zürich 東京", "cafe zurich 東京")]
    fn text_is_split_into_words(#[case] text: &str, #[case] expected: &str) {
        assert_eq!(words(text).join(" "), expected);
    }
}
