//! Splits a text into words without case and accents, with their positions.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::LazyLock;

use icu_normalizer::DecomposingNormalizerBorrowed;
use jiff::civil::Date;

/// A word, number or date of a text; a single character in scripts without spaces.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Token {
    /// Lower case, without accents.
    pub normalised: String,
    /// Byte range in the text.
    pub at: Range<usize>,
    pub figure: Figure,
    /// `true` if only blanks and light marks separate it from the token before.
    pub is_joined: bool,
}

/// The value of a token written in digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Figure {
    None,
    Number(u32),
    /// `3rd`, `1er`.
    Ordinal(u32),
    /// `3.5.2024`, `2024-05-03`.
    Date(Date),
    /// `3.5.`
    DayAndMonth {
        day: i8,
        month: i8,
    },
}

/// Endings of ordinals in digits, of all languages.
static ORDINAL_ENDINGS: LazyLock<HashSet<String>> = LazyLock::new(|| {
    languages::all().iter().flat_map(|data| data.ordinal_endings.iter()).map(normalised).collect()
});

/// The tokens of a text, in order.
pub(crate) fn tokens(text: &str) -> Vec<Token> {
    let mut tokens: Vec<Token> = Vec::new();
    let mut from = 0;
    while let Some(first) = text[from..].chars().next() {
        let kind = TokenKind::from_char(first);
        if kind == TokenKind::Gap {
            from += first.len_utf8();
            continue;
        }
        let (until, figure) = match kind {
            TokenKind::Digit => figure(text, from),
            TokenKind::Single => (from + first.len_utf8(), Figure::None),
            TokenKind::Gap | TokenKind::Letter => (end_of_word(text, from), Figure::None),
        };
        let is_joined = tokens.last().is_some_and(|before| {
            let dotted = matches!(before.figure, Figure::Number(_));
            text[before.at.end..from].chars().all(|c| is_light(c) || (c == '.' && dotted))
        });
        tokens.push(Token { normalised: normalised(&text[from..until]), at: from..until, figure, is_joined });
        from = until;
    }
    tokens
}

/// The word in lower case, without accents and vowel signs. Interchangeable Arabic letters become the same letter.
fn normalised(word: &str) -> String {
    if word.is_ascii() {
        return word.to_ascii_lowercase();
    }
    if word.chars().all(|c| TokenKind::from_char(c) == TokenKind::Single) {
        return word.to_owned();
    }
    DecomposingNormalizerBorrowed::new_nfd()
        .normalize(&word.to_lowercase())
        .chars()
        .filter(|c| !matches!(c, '\u{300}'..='\u{36f}' | '\u{640}' | '\u{64b}'..='\u{65f}' | '\u{670}'))
        .map(|c| match c {
            'ß' => 's',
            'ى' => 'ي',
            'ة' => 'ه',
            'º' => 'o',
            'ª' => 'a',
            c => digit(c).and_then(|digit| char::from_digit(digit, 10)).unwrap_or(c),
        })
        .collect()
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TokenKind {
    Gap,
    Digit,
    Letter,
    /// A word of one character: Han and kana are written without spaces.
    Single,
}

impl TokenKind {
    fn from_char(c: char) -> Self {
        match c {
            '\u{3005}'..='\u{3007}'
            | '\u{3041}'..='\u{30ff}'
            | '\u{3400}'..='\u{4dbf}'
            | '\u{4e00}'..='\u{9fff}' => Self::Single,
            c if digit(c).is_some() => Self::Digit,
            '\u{300}'..='\u{36f}' | '\u{640}' | '\u{64b}'..='\u{65f}' | '\u{670}' => Self::Letter,
            c if c.is_alphanumeric() => Self::Letter,
            _ => Self::Gap,
        }
    }
}

/// ASCII, full-width and Arabic digits.
fn digit(c: char) -> Option<u32> {
    let zero = match c {
        '0'..='9' => '0',
        '\u{660}'..='\u{669}' => '\u{660}',
        '\u{6f0}'..='\u{6f9}' => '\u{6f0}',
        '\u{ff10}'..='\u{ff19}' => '\u{ff10}',
        _ => return None,
    };
    Some(u32::from(c) - u32::from(zero))
}

/// Returns `true` if the words around this mark may belong to one expression. A full stop separates them, except
/// after a number: `3. Mai`.
fn is_light(c: char) -> bool {
    c == ' '
        || c == '\t'
        || matches!(c, '\u{a0}' | '\u{202f}' | '\u{3000}' | '\'' | '’' | '-' | '‐' | '‑' | ',' | '،')
}

fn end_of_word(text: &str, from: usize) -> usize {
    text[from..]
        .find(|c| !matches!(TokenKind::from_char(c), TokenKind::Letter | TokenKind::Digit))
        .map_or(text.len(), |length| from + length)
}

/// The end of the figure at `from`, and its value.
fn figure(text: &str, from: usize) -> (usize, Figure) {
    if let Some((length, figure)) = numeric_date(&text[from..]) {
        return (from + length, figure);
    }
    let (number, length) = number(&text[from..]);
    let end = end_of_word(text, from);
    let ending = normalised(&text[from + length..end]);
    match number {
        Some(number) if ending.is_empty() => (end, Figure::Number(number)),
        Some(number) if ORDINAL_ENDINGS.contains(&ending) => (end, Figure::Ordinal(number)),
        _ => (end, Figure::None),
    }
}

/// The number at the beginning of a text, if it is not too large, and its length in bytes.
fn number(text: &str) -> (Option<u32>, usize) {
    let length = text.find(|c| digit(c).is_none()).unwrap_or(text.len());
    let value = text[..length]
        .chars()
        .filter_map(digit)
        .try_fold(0u32, |value, digit| value.checked_mul(10)?.checked_add(digit));
    (value, length)
}

/// The date in digits at the beginning of a text, and its length in bytes.
fn numeric_date(text: &str) -> Option<(usize, Figure)> {
    let (first, first_length) = number(text);
    let mark = text[first_length..].chars().next().filter(|c| matches!(c, '.' | '-' | '/'))?;
    let rest = &text[first_length + 1..];
    let (second, second_length) = number(rest);
    let (first, second) = (small(first)?, small(second).filter(|_| (1..=2).contains(&second_length))?);
    let end = first_length + 1 + second_length;
    let rest = &rest[second_length..];
    let third = rest.strip_prefix(mark).map(number).filter(|(_, length)| *length > 0);
    let ends_there = |end: usize| {
        !text[end..].starts_with(|c| matches!(TokenKind::from_char(c), TokenKind::Digit | TokenKind::Letter))
    };
    let Some((third, third_length)) = third else {
        let day_and_month = (mark == '.' && rest.starts_with('.') && first_length <= 2)
            .then(|| Some((i8::try_from(first).ok()?, i8::try_from(second).ok()?)))
            .flatten()
            .filter(|(day, month)| (1..=31).contains(day) && (1..=12).contains(month));
        let (day, month) = day_and_month?;
        return ends_there(end + 1).then_some((end + 1, Figure::DayAndMonth { day, month }));
    };
    let third = small(third)?;
    let end = end + 1 + third_length;
    let date = match (first_length, third_length, mark) {
        (4, 1..=2, _) => day_of(first, second, third),
        (1..=2, 4, '/') => day_of(third, second, first).or_else(|| day_of(third, first, second)),
        (1..=2, 4, _) => day_of(third, second, first),
        (1..=2, 2, '.') => day_of(if third < 70 { 2000 + third } else { 1900 + third }, second, first),
        _ => None,
    }?;
    ends_there(end).then_some((end, Figure::Date(date)))
}

fn small(number: Option<u32>) -> Option<i16> {
    i16::try_from(number?).ok()
}

fn day_of(year: i16, month: i16, day: i16) -> Option<Date> {
    Date::new(year, i8::try_from(month).ok()?, i8::try_from(day).ok()?).ok()
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::accents("Été d'août", &["ete", "d", "aout"])]
    #[case::hyphens("segunda-feira", &["segunda", "feira"])]
    #[case::no_spaces("上周3天", &["上", "周", "3", "天"])]
    #[case::kana("この夏", &["こ", "の", "夏"])]
    #[case::arabic_letters("أمس الأوّل", &["امس", "الاول"])]
    #[case::digits_of_other_scripts("٣ ３", &["3", "3"])]
    #[case::ordinals("May 3rd, 1er", &["may", "3rd", "1er"])]
    #[case::nothing("… 🙂 \0", &[])]
    fn tokens_have_no_case_and_no_accents(#[case] text: &str, #[case] expected: &[&str]) {
        let normalised: Vec<String> = tokens(text).into_iter().map(|token| token.normalised).collect();

        assert_eq!(normalised, expected);
    }

    #[rstest]
    #[case::day_first("3.5.2024", Figure::Date(date(2024, 5, 3)))]
    #[case::short_year("3.5.24", Figure::Date(date(2024, 5, 3)))]
    #[case::year_first("2024-05-03", Figure::Date(date(2024, 5, 3)))]
    #[case::slashes("3/5/2024", Figure::Date(date(2024, 5, 3)))]
    #[case::only_month_first_is_a_date("5/23/2024", Figure::Date(date(2024, 5, 23)))]
    #[case::without_year("3.5.", Figure::DayAndMonth { day: 3, month: 5 })]
    #[case::ordinal("22nd", Figure::Ordinal(22))]
    #[case::number("2024", Figure::Number(2024))]
    #[case::a_decimal("3.5", Figure::Number(3))]
    #[case::a_version("1.2.3456.7", Figure::Date(date(3456, 2, 1)))]
    #[case::no_such_day("31.2.2024", Figure::Number(31))]
    #[case::a_time("5pm", Figure::None)]
    #[case::too_large("99999999999", Figure::None)]
    fn digits_are_read_as_figures(#[case] text: &str, #[case] expected: Figure) {
        assert_eq!(tokens(text)[0].figure, expected);
    }
}
