//! Splits a request into words, numbers and signs.

/// A word, a number or a sign.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Token {
    /// Lower case, without accents.
    pub text: String,
    /// As it was written, with the case of names.
    pub written: String,
    /// Between it and the token before.
    pub gap: Gap,
}

/// The signs between two tokens.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Gap {
    #[default]
    Space,
    Comma,
    Apostrophe,
    Hyphen,
}

impl Gap {
    /// As it is written.
    pub(super) fn written(self) -> &'static str {
        match self {
            Self::Space => " ",
            Self::Comma => ", ",
            Self::Apostrophe => "'",
            Self::Hyphen => "-",
        }
    }
}

/// Signs that mean something in a request.
const SIGNS: &str = "+-*/^%()×÷·−√°²³=½";

/// The tokens of a text. An apostrophe ends a word: "l'heure" is two, and so is "what's".
pub(super) fn tokens(text: &str) -> Vec<Token> {
    let chars: Vec<char> = text.chars().collect();
    let mut tokens = Vec::new();
    let (mut at, mut gap) = (0, Gap::Space);
    while at < chars.len() {
        let end = if chars[at].is_ascii_digit() {
            end_of_number(&chars, at)
        } else if is_letter(chars[at]) {
            end_of_word(&chars, at)
        } else {
            at + 1
        };
        let first = chars[at];
        let is_inside = |before: fn(char) -> bool| {
            at > 0 && before(chars[at - 1]) && chars.get(end).is_some_and(|c| is_letter(*c))
        };
        // A hyphen inside words only joins them, as in "ten-minute" and "90-second".
        if first == '-' && is_inside(|c| is_letter(c) || c.is_ascii_digit()) {
            gap = Gap::Hyphen;
        } else if matches!(first, '\'' | '’') && is_inside(is_letter) {
            gap = Gap::Apostrophe;
        } else if first == ',' {
            gap = Gap::Comma;
        } else if first.is_alphanumeric() || SIGNS.contains(first) {
            let written: String = chars[at..end].iter().collect();
            tokens.push(Token { text: languages::folded(&written), written, gap });
            gap = Gap::Space;
        }
        at = end;
    }
    tokens
}

fn is_letter(c: char) -> bool {
    (c.is_alphabetic() || c == '\u{307}') && !SIGNS.contains(c)
}

/// Digits, with decimals, groups or a colon inside: `3.5`, `1,000`, `6:30`.
fn end_of_number(chars: &[char], from: usize) -> usize {
    let mut at = from;
    while at < chars.len() {
        let is_inside =
            matches!(chars[at], '.' | ',' | ':') && chars.get(at + 1).is_some_and(char::is_ascii_digit);
        if !(chars[at].is_ascii_digit() || is_inside) {
            break;
        }
        at += 1;
    }
    at
}

fn end_of_word(chars: &[char], from: usize) -> usize {
    let length = chars[from..].iter().take_while(|c| is_letter(**c)).count();
    from + length
}
