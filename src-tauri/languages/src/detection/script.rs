//! The script of a text.

/// The language that the script tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Script {
    /// Only this language writes so, by its code.
    Of(&'static str),
    /// Several languages write so.
    Several,
    /// A language without data, or no letters.
    Other,
}

/// A character of Chinese, Japanese or Korean stands for about as many letters of an alphabet.
const DENSE_WEIGHT: usize = 3;

/// The script of most letters: a name in another script does not change the language.
pub(super) fn script(text: &str) -> Script {
    let count = |is_in: fn(char) -> bool| text.chars().filter(|c| is_in(*c)).count();
    let (kana, ideographs, hangul) = (count(is_kana), count(is_ideograph), count(is_hangul));
    let dense = kana + ideographs + hangul;
    let letters = count(char::is_alphabetic) + dense * (DENSE_WEIGHT - 1);
    let is_mostly = |count: usize| count * 2 > letters;
    let has_any = |letters: &str| text.chars().any(|c| letters.contains(c));
    if is_mostly(hangul * DENSE_WEIGHT) {
        Script::Of("ko")
    } else if is_mostly((kana + ideographs) * DENSE_WEIGHT) {
        // Ideographs alone are a Japanese name or noun as well.
        if kana > 0 { Script::Of("ja") } else { Script::Of("zh") }
    } else if is_mostly(count(is_arabic)) {
        if has_any(NOT_IN_ARABIC) { Script::Other } else { Script::Of("ar") }
    } else if is_mostly(count(is_cyrillic)) {
        cyrillic(text)
    } else if is_mostly(count(is_latin)) {
        Script::Several
    } else {
        Script::Other
    }
}

/// Letters of Persian and Urdu.
const NOT_IN_ARABIC: &str = "پچژگکیٹڈے";

/// Letters of Serbian, Macedonian and Belarusian.
const NOT_IN_RUSSIAN_OR_UKRAINIAN: &str = "ўјљњћђџѓќѕ";

fn cyrillic(text: &str) -> Script {
    let has_any = |letters: &str| text.to_lowercase().chars().any(|c| letters.contains(c));
    match (has_any("ыэё"), has_any("іїєґ")) {
        _ if has_any(NOT_IN_RUSSIAN_OR_UKRAINIAN) => Script::Other,
        (true, false) => Script::Of("ru"),
        (false, true) => Script::Of("uk"),
        // Belarusian has letters of both.
        (true, true) => Script::Other,
        (false, false) => Script::Several,
    }
}

fn is_hangul(c: char) -> bool {
    matches!(c, '\u{ac00}'..='\u{d7af}' | '\u{1100}'..='\u{11ff}' | '\u{3130}'..='\u{318f}')
}

fn is_kana(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}')
}

fn is_ideograph(c: char) -> bool {
    matches!(c, '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}')
}

fn is_arabic(c: char) -> bool {
    matches!(c, '\u{600}'..='\u{6ff}') && c.is_alphabetic()
}

fn is_cyrillic(c: char) -> bool {
    matches!(c, '\u{400}'..='\u{52f}')
}

pub(super) fn is_latin(c: char) -> bool {
    c.is_alphabetic() && matches!(c, 'a'..='z' | 'A'..='Z' | '\u{c0}'..='\u{24f}' | '\u{1e00}'..='\u{1eff}')
}
