//! Reading of the words at a place: a secret and its end, or none.

use std::ops::{Range, RangeInclusive};

use super::labels::SecretKind;
use super::language_tables::{
    CHANGING_VERBS, CLAUSE_OPENERS, CONTINUATIONS, COPULAS, DETERMINERS, FILLERS, PREPOSITIONS, PRONOUNS,
    SENTENCE_CONJUNCTIONS, SPELLING_WORDS, TECHNICAL_TERMS, UNITS, begins_as_unit, has_adjective_ending,
    is_ordinal_ending, is_polite,
};
use super::numbers::{digits_of_number_word, grouped_digits, is_date};
use super::words::{Word, next_word};
use crate::closing_signs::len_without_closing_signs;

/// The place of a value, relative to its label.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Position {
    /// "password: …"
    AfterSign,
    /// "the password is …"
    AfterCopula,
    /// "the password is, however, …": not the end of a sentence.
    AfterPause,
    /// "the password's …", which may also be a possessive.
    AfterShortIs,
    /// "change the password to …"
    AfterTarget,
    /// "password …"
    Direct,
    /// "… is the password"
    BeforeLabel,
}

/// Longest quoted secret, in bytes.
const MAX_QUOTED_BYTES: usize = 128;

/// Words of a password that consists of common words: "yellow tiger lamp".
const WORDS_OF_PLAIN_PASSPHRASE: RangeInclusive<usize> = 3..=4;

/// Most words of a password that ends with a number.
const MAX_WORDS_OF_PASSPHRASE: usize = 5;

/// Most digits, number words and letters that are read as one secret.
const MAX_ELEMENTS: usize = 32;

/// The secret that starts with the first word at `from` or later.
pub(super) fn read(text: &str, from: usize, kind: SecretKind, position: Position) -> Option<Range<usize>> {
    let mut first = next_word(text, from)?;
    if matches!(first.text(), "…" | "..." | "-" | "–" | "—" | ":" | "=") {
        first = next_word(text, first.end)?;
    }
    if first.text().contains("[REDACTED") {
        return around_mark(&first, kind, position);
    }
    quoted(text, &first, kind, position)
        .or_else(|| digits_and_letters(text, first, kind, position))
        .or_else(|| single_word(text, &first, kind, position))
        .or_else(|| last_word(text, &first, kind, position))
}

/// A password in which an earlier rule found a mail address or the like. A mark alone stays.
fn around_mark(word: &Word<'_>, kind: SecretKind, position: Position) -> Option<Range<usize>> {
    let is_mark = word
        .core()
        .strip_prefix("REDACTED")
        .is_some_and(|rest| rest.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_'));
    let is_password =
        kind == SecretKind::Password && matches!(position, Position::AfterSign | Position::AfterCopula);
    (is_password && !is_mark).then(|| secret_range(word))
}

fn quoted(text: &str, first: &Word<'_>, kind: SecretKind, position: Position) -> Option<Range<usize>> {
    if matches!(position, Position::Direct | Position::BeforeLabel) {
        return None;
    }
    let opening = first.text().chars().next()?;
    let closing: &[char] = match opening {
        '"' => &['"'],
        '\'' => &['\''],
        '`' => &['`'],
        '“' => &['”', '"'],
        '„' => &['“', '”', '"'],
        '‘' => &['’'],
        '‚' => &['‘', '’'],
        '«' => &['»'],
        '»' => &['«'],
        _ => return None,
    };
    let start = first.start + opening.len_utf8();
    let rest = &text[start..];
    let window = &rest[..rest.floor_char_boundary(MAX_QUOTED_BYTES)];
    let line = window.lines().next()?;
    let length = line.char_indices().find_map(|(at, sign)| {
        let ends_word = !line[at + sign.len_utf8()..].starts_with(char::is_alphanumeric);
        (closing.contains(&sign) && ends_word).then_some(at)
    })?;
    let content = &line[..length];
    let digits = content.bytes().filter(u8::is_ascii_digit).count();
    let is_secret = match kind {
        _ if content.trim().is_empty() || content.contains("[REDACTED") => false,
        SecretKind::Password => true,
        SecretKind::Key => digits > 0 && !content.contains(' '),
        SecretKind::CardCheck => digits >= 3,
        SecretKind::Pin | SecretKind::Code => digits >= 4,
    };
    is_secret.then(|| start..start + length)
}

/// Digits in one or several groups, numbers in words, and letters spelled one by one.
fn digits_and_letters(
    text: &str,
    first: Word<'_>,
    kind: SecretKind,
    position: Position,
) -> Option<Range<usize>> {
    let takes_letters = matches!(kind, SecretKind::Password | SecretKind::Key | SecretKind::Code)
        && !matches!(position, Position::Direct | Position::BeforeLabel);
    let mut run = Run::default();
    let mut last = None;
    let mut word = Some(first);
    while let Some(current) = word.take().filter(|_| run.elements < MAX_ELEMENTS) {
        let lower = current.lower();
        let next = next_word(text, current.end);
        if run.elements > 0 && is_joining(&lower, &run, next.as_ref()) {
            word = next;
            continue;
        }
        if let Some(digits) = grouped_digits(&lower).filter(|_| !is_date(&lower)) {
            if run.follows_pause && digits > 2 {
                break;
            }
            run.digits += digits;
            run.groups += 1;
        } else if let Some(digits) = digits_of_number_word(&lower) {
            run.digits += digits;
        } else if takes_letters && lower.chars().count() == 1 && lower.chars().all(char::is_alphabetic) {
            run.letters += 1;
        } else if !takes_letters || !SPELLING_WORDS.contains(lower.as_str()) {
            break;
        }
        run.elements += 1;
        run.follows_pause = current.ends_clause();
        last = Some(current);
        word = next.filter(|_| !current.ends_sentence());
    }
    let last: Word<'_> = last?;
    let counts_something = run.elements <= 2
        && !last.ends_clause()
        && next_word(text, last.end).is_some_and(|word| UNITS.contains(word.lower().as_str()));
    let may_be_year =
        matches!(position, Position::Direct | Position::BeforeLabel) || !ends_sentence(text, &last);
    let is_year = kind == SecretKind::Code
        && run.elements == 1
        && may_be_year
        && matches!(first.core().parse(), Ok(1900..=2099));
    (run.is_secret(kind, position) && !counts_something && !is_year)
        .then(|| first.core_start()..last.core_end())
}

/// Returns `true` if the word only joins two numbers: a dash, or "and" as in "one two and three four" and "treinta y
/// cuatro".
fn is_joining(lower: &str, run: &Run, next: Option<&Word<'_>>) -> bool {
    let joins_words = run.groups == 0
        && SENTENCE_CONJUNCTIONS.contains(&lower)
        && next.is_some_and(|next| digits_of_number_word(&next.lower()).is_some());
    matches!(lower, "" | "-") || joins_words
}

/// The words that were read so far.
#[derive(Default)]
struct Run {
    /// Groups of digits, number words, and letters.
    elements: usize,
    /// Digits in total, those of number words included.
    digits: usize,
    groups: usize,
    letters: usize,
    follows_pause: bool,
}

impl Run {
    fn is_secret(&self, kind: SecretKind, position: Position) -> bool {
        if self.letters > 0 {
            return self.elements >= 4;
        }
        let least = match kind {
            SecretKind::Key => 6,
            SecretKind::CardCheck => 3,
            SecretKind::Password | SecretKind::Pin | SecretKind::Code if self.groups > 0 => 4,
            SecretKind::Pin => 3,
            SecretKind::Password | SecretKind::Code if position == Position::Direct => 4,
            SecretKind::Password | SecretKind::Code => 3,
        };
        self.digits >= least
    }
}

/// A word that looks like a secret.
fn single_word(text: &str, word: &Word<'_>, kind: SecretKind, position: Position) -> Option<Range<usize>> {
    let core = word.core();
    if position == Position::AfterSign && kind == SecretKind::Password && !core.is_empty() {
        return Some(word.core_start()..word.start + len_without_closing_signs(word.text()))
            .filter(|range| !range.is_empty());
    }
    let lower = word.lower();
    let is_link = core.contains("://");
    let is_known = is_link || TECHNICAL_TERMS.contains(lower.as_str()) || is_count_or_version(&lower);
    if is_known || core.chars().count() < 4 {
        return None;
    }
    let letters = core.chars().filter(|c| c.is_alphabetic()).count();
    let digits = core.bytes().filter(u8::is_ascii_digit).count();
    let is_mixed = letters > 0 && digits > 0;
    let is_secret = match kind {
        SecretKind::Password if matches!(position, Position::Direct | Position::BeforeLabel) => is_mixed,
        SecretKind::Password => is_mixed || has_inner_sign(core) || has_inner_capital(core),
        SecretKind::Key => is_mixed && core.chars().count() >= 6,
        SecretKind::Code | SecretKind::CardCheck => {
            let is_plain = core.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
            let alternates = changes_of_class(core) >= 2 || core.as_bytes().get(1) == Some(&b'-');
            is_plain && is_mixed && digits >= 2 && (alternates || ends_sentence(text, word))
        }
        SecretKind::Pin => false,
    };
    is_secret.then(|| secret_range(word))
}

/// The only word between "the password is" and the end of the sentence. Several words are a secret if the last one is a
/// number: "purple elephant 42", and "hunter two", as speech recognisers write "hunter2". So are three or four words that
/// carry a meaning each: "yellow tiger lamp".
fn last_word(text: &str, word: &Word<'_>, kind: SecretKind, position: Position) -> Option<Range<usize>> {
    let core = word.core();
    let lower = word.lower();
    let is_word = core.chars().count() >= 3 && core.chars().all(|c| c.is_alphanumeric() || "-'’".contains(c));
    let starts_small = core.starts_with(char::is_lowercase);
    let is_usual = CONTINUATIONS.contains(lower.as_str())
        || is_count_or_version(&lower)
        || TECHNICAL_TERMS.contains(lower.as_str())
        || (starts_small && has_adjective_ending(&lower))
        || digits_of_number_word(&lower).is_some()
        || core.chars().all(|c| c.is_ascii_digit());
    if kind != SecretKind::Password || position != Position::AfterCopula || !is_word || is_usual {
        return None;
    }
    let mut last = *word;
    let mut are_all_plain = true;
    let mut ends_with_number = false;
    for words in 1..=MAX_WORDS_OF_PASSPHRASE {
        are_all_plain &= is_plain_word(&last);
        if ends_sentence(text, &last) {
            let is_plain_passphrase = are_all_plain && WORDS_OF_PLAIN_PASSPHRASE.contains(&words);
            let is_secret = words == 1 || ends_with_number || is_plain_passphrase;
            return is_secret.then(|| word.core_start()..secret_range(&last).end);
        }
        last = next_word(text, last.end)?;
        let lower = last.lower();
        ends_with_number = digits_of(&lower).is_some();
        let is_usual = CONTINUATIONS.contains(lower.as_str())
            || PREPOSITIONS.contains(lower.as_str())
            || DETERMINERS.contains(lower.as_str());
        if is_usual && !ends_with_number {
            return None;
        }
    }
    None
}

/// Returns `true` if the word may be one of a passphrase: letters only, and no word that only joins others.
fn is_plain_word(word: &Word<'_>) -> bool {
    let lower = word.lower();
    let joins = [&FILLERS, &PRONOUNS, &COPULAS, &CLAUSE_OPENERS, &CHANGING_VERBS, &UNITS];
    lower.chars().count() >= 3
        && lower.chars().all(char::is_alphabetic)
        && !has_adjective_ending(&lower)
        && !is_polite(&lower)
        && !joins.iter().any(|list| list.contains(lower.as_str()))
        && !languages::all().iter().any(|data| data.is_function_word(&lower))
}

/// Returns `true` if the sentence ends with the word, or goes on with "please" or "and my".
fn ends_sentence(text: &str, word: &Word<'_>) -> bool {
    let rest = &text[word.end..];
    let is_last_of_line = rest.chars().take_while(|c| c.is_whitespace()).any(|c| c == '\n');
    if word.ends_clause() || is_last_of_line || rest.trim_start().is_empty() {
        return true;
    }
    next_word(text, word.end).is_some_and(|next| {
        let lower = next.lower();
        let joins = SENTENCE_CONJUNCTIONS.contains(lower.as_str())
            && next_word(text, next.end).is_some_and(|after| DETERMINERS.contains(after.lower().as_str()));
        joins || is_polite(&lower)
    })
}

/// Number of digits that a number stands for, in digits or in words.
pub(super) fn digits_of(lower: &str) -> Option<usize> {
    grouped_digits(lower).or_else(|| digits_of_number_word(lower))
}

/// The word without the signs of the sentence around it. An exclamation mark counts as a part of the secret.
fn secret_range(word: &Word<'_>) -> Range<usize> {
    let start = word.core_start();
    let mut secret = &word.text()[start - word.start..];
    loop {
        let shorter =
            secret.trim_end_matches([',', ';', ':', '?', '"', '\'', '”', '“', '’', '»', '«', '…', '`']);
        let shorter = &shorter[..len_without_closing_signs(shorter)];
        if shorter.len() == secret.len() {
            return start..start + secret.len();
        }
        secret = shorter;
    }
}

/// Returns `true` if the word counts or orders: "12-character", "4th", "10x", "v2.1".
fn is_count_or_version(lower: &str) -> bool {
    let tail =
        lower.strip_prefix('v').unwrap_or(lower).trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
    let starts_with_digit =
        lower.strip_prefix('v').unwrap_or(lower).starts_with(|c: char| c.is_ascii_digit());
    let counted = tail.strip_prefix('-').unwrap_or(tail);
    starts_with_digit
        && (matches!(tail, "" | "x" | "%")
            || is_ordinal_ending(tail)
            || UNITS.contains(counted)
            || begins_as_unit(counted))
}

/// Returns `true` if there is a sign inside the word that words of a language do not have.
fn has_inner_sign(core: &str) -> bool {
    const SIGNS: &str = "@#$%^&*_+=~|\\<>€£!?";
    core.char_indices().any(|(at, sign)| at > 0 && at + sign.len_utf8() < core.len() && SIGNS.contains(sign))
}

/// Returns `true` if a capital follows a small letter.
fn has_inner_capital(core: &str) -> bool {
    core.chars().zip(core.chars().skip(1)).any(|(left, right)| left.is_lowercase() && right.is_uppercase())
}

/// Counts the places at which a letter follows a digit or a digit a letter.
fn changes_of_class(core: &str) -> usize {
    let signs = || core.chars().filter(|c| c.is_alphanumeric());
    signs()
        .zip(signs().skip(1))
        .filter(|(left, right)| left.is_ascii_digit() != right.is_ascii_digit())
        .count()
}
