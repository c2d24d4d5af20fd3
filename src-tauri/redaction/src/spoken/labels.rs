//! The words that announce a secret.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::language_tables::{may_end_compound, words_of};

/// The kind of secret that a label announces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SecretKind {
    Password,
    /// A key or token for programs: never a common word.
    Key,
    /// Digits.
    Pin,
    /// The check number of a card, also called security code: three digits are enough.
    CardCheck,
    /// Digits, maybe with letters. "Code" has many other meanings, so this kind is read with the most care.
    Code,
}

impl SecretKind {
    /// The mark in the place of the secret.
    pub(super) fn mark(self) -> &'static str {
        match self {
            SecretKind::Password | SecretKind::Key => "[REDACTED]",
            SecretKind::Pin | SecretKind::CardCheck => "[REDACTED_PIN]",
            SecretKind::Code => "[REDACTED_OTP]",
        }
    }
}

/// A label in a text.
pub(super) struct Label {
    pub(super) range: Range<usize>,
    pub(super) kind: SecretKind,
}

/// All labels that are words of their own.
pub(super) fn find(text: &str) -> impl Iterator<Item = Label> {
    LABELS.find_iter(text).filter_map(|found| {
        let kind = kind_of(found.as_str())?;
        let is_word_sign = |c: char| c.is_alphanumeric() || c == '_';
        let may_end_compound = may_end_compound(&found.as_str().to_lowercase());
        let starts = may_end_compound || !text[..found.start()].ends_with(is_word_sign);
        let ends = !text[found.end()..].starts_with(is_word_sign);
        (starts && ends).then(|| Label { range: found.range(), kind })
    })
}

fn kind_of(label: &str) -> Option<SecretKind> {
    KINDS.iter().find(|(_, pattern)| pattern.is_match(label)).map(|(kind, _)| *kind)
}

/// The labels of a kind, as regular expressions, the longer ones first. They have no word boundaries, which slow the search
/// down in texts that are not ASCII: [`find`] checks them.
fn patterns(kind: SecretKind) -> String {
    let mut labels: Vec<&str> = words_of(match kind {
        SecretKind::Password => |secrets| secrets.password,
        SecretKind::Key => |secrets| secrets.key,
        SecretKind::CardCheck => |secrets| secrets.card_check,
        SecretKind::Pin => |secrets| secrets.pin,
        SecretKind::Code => |secrets| secrets.code,
    })
    .collect();
    labels.sort_by_key(|label| (std::cmp::Reverse(label.len()), *label));
    labels.dedup();
    labels.into_iter().map(pattern).collect::<Vec<_>>().join("|")
}

/// A blank may be missing or a hyphen, an apostrophe may be curly, and capitals count as such: "PUK".
fn pattern(label: &str) -> String {
    let word = |word: &str| {
        let escaped = regex::escape(word).replace('\'', "['’]");
        let has_capitals = word.chars().any(char::is_uppercase);
        if has_capitals { format!("(?-i:{escaped})") } else { escaped }
    };
    label.split(' ').map(word).collect::<Vec<_>>().join("[ _-]?")
}

/// In the order of their precedence.
const ALL: [SecretKind; 5] =
    [SecretKind::Password, SecretKind::Key, SecretKind::CardCheck, SecretKind::Pin, SecretKind::Code];

static LABELS: LazyLock<Regex> = LazyLock::new(|| compile(&format!("(?i){}", ALL.map(patterns).join("|"))));

static KINDS: LazyLock<Vec<(SecretKind, Regex)>> = LazyLock::new(|| {
    ALL.iter().map(|kind| (*kind, compile(&format!("(?i)^(?:{})$", patterns(*kind))))).collect()
});

fn compile(pattern: &str) -> Regex {
    Regex::new(pattern).expect("labels are escaped")
}
