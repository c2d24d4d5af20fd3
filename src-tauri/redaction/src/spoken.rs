//! Secrets that are recognised by the word which announces them, in each language whose `words.toml` has `[secrets]`:
//! "my password is hunter2", "der Code lautet 482913".
//!
//! # The rule
//!
//! A *label* is a word such as "password", "PIN", "code" or "API key". The value after it is replaced in these cases:
//!
//! | between label and value | what is replaced |
//! |---|---|
//! | `:` or `=` | any word after a password, else what looks like a secret |
//! | a form of "is" or "reads", also behind "for …", "of …" or "they sent me" | what looks like a secret, or the last word |
//! | a comma and "it is" | what looks like a secret |
//! | "to", if a word such as "set" or "change" is close before the label | what looks like a secret |
//! | nothing | what looks like a secret |
//!
//! A value *looks like a secret* when it is
//!
//! - quoted text (not directly after the label),
//! - a number of 4 digits or more (keys 6, check numbers of cards 3), digits in groups or one by one, digits in words, letters spelled one by one,
//! - a word with both letters and digits (codes: alternating, or at the end of the sentence),
//! - after passwords only: a word with a sign inside (`rain_coat`, `pa$$word`) or a capital after a small letter.
//!
//! Numbers before a unit ("2000 lines"), dates, years, versions, ordinals and names of algorithms are no secrets. A code or
//! a PIN has to have digits.
//!
//! *The last word*: a single word between "the password is" and the end of the sentence is a secret, unless it is one of
//! the usual continuations ("wrong", "there", "secret") or has the ending of an adjective or participle ("expired"). Up
//! to five words are a secret if the last one is a number ("purple elephant 42") and none is a usual continuation. Three or
//! four words are one if each carries a meaning ("yellow tiger lamp").
//!
//! A value before its label is replaced if it has digits: "482913 is my PIN".
//!
//! "Zip code", "error code" and the like are no labels.
//!
//! Time is linear in the length of the text: each label looks at no more than [`MAX_LOOK_AHEAD`] words before the value,
//! and a word of more than [`words::MAX_WORD_BYTES`] is not read.

mod labels;
mod value;
mod numbers;
mod words;
mod language_tables;

use std::ops::Range;

use labels::{Label, SecretKind};
use language_tables::{
    ADJECTIVES_OF_LABELS, CHANGING_VERBS, CLAUSE_OPENERS, COPULAS, DETERMINERS, FILLERS,
    FILLERS_AFTER_DETERMINER, HARMLESS_QUALIFIERS, PREPOSITIONS, PRONOUNS, PRONOUNS_WITH_IS,
    TARGET_PREPOSITIONS, is_hesitation, short_copula,
};
use value::Position;
use words::{MAX_WORD_BYTES, Word, next_word, previous_words};

/// Most words between a label and "is": "my password for the old router at home is".
const MAX_LOOK_AHEAD: usize = 6;

/// Most words that are read before a label: "one two three four five six is my PIN".
const MAX_LOOK_BACK: usize = 12;

/// Replaces the values after and before labels.
pub(crate) fn scrub(text: String) -> String {
    let mut scrubbed = String::new();
    let mut done = 0;
    for label in labels::find(&text) {
        if label.range.start < done {
            continue;
        }
        let values = [value_before(&text, &label, done), value_after(&text, &label)];
        for value in values.into_iter().flatten() {
            scrubbed.push_str(&text[done..value.start]);
            scrubbed.push_str(label.kind.mark());
            done = value.end;
        }
    }
    if done == 0 {
        return text;
    }
    scrubbed.push_str(&text[done..]);
    scrubbed
}

/// The place of the value after the label.
fn value_after(text: &str, label: &Label) -> Option<Range<usize>> {
    if has_harmless_qualifier(text, label) {
        return None;
    }
    let after = label.range.end;
    let rest = &text[after..];
    if let Some(sign) = sign_length(rest) {
        return value::read(text, after + sign, label.kind, Position::AfterSign);
    }
    if let Some(length) = short_copula(rest) {
        return value::read(text, after + length, label.kind, Position::AfterShortIs);
    }
    if rest.starts_with(',') {
        return value_after_pronoun(text, after + 1, label.kind);
    }
    let rest_starts_word = rest.starts_with(|c: char| c.is_whitespace() || c == '…' || c == '.');
    if !rest_starts_word {
        return None;
    }
    value_in_sentence(text, label)
}

/// The place of the value in the words after the label: directly behind it, or behind "to" or "is".
fn value_in_sentence(text: &str, label: &Label) -> Option<Range<usize>> {
    let mut at = label.range.end;
    for distance in 0..MAX_LOOK_AHEAD {
        let word = next_word(text, at)?;
        let lower = word.lower();
        if COPULAS.contains(lower.as_str()) && !word.ends_sentence() {
            return value_after_copula(text, &word, label.kind);
        }
        if distance == 0 {
            let value = value::read(text, label.range.end, label.kind, Position::Direct)
                .or_else(|| value_after_target(text, label, &word));
            if value.is_some() || !opens_gap(&lower) {
                return value;
            }
        }
        let is_harmless = HARMLESS_QUALIFIERS.contains(lower.as_str()) && label.kind == SecretKind::Code;
        if word.ends_clause() || is_harmless {
            return sign_ends(&word).then(|| value::read(text, word.end, label.kind, Position::AfterSign))?;
        }
        at = word.end;
    }
    None
}

/// The place of the value in "change my PIN to 4821".
fn value_after_target(text: &str, label: &Label, to: &Word<'_>) -> Option<Range<usize>> {
    let is_changed = || {
        let before = previous_words(text, label.range.start, 4);
        before.iter().any(|word| CHANGING_VERBS.contains(word.lower().as_str()))
    };
    let is_target = TARGET_PREPOSITIONS.contains(to.lower().as_str()) && !to.ends_clause() && is_changed();
    is_target.then(|| value::read(text, to.end, label.kind, Position::AfterTarget))?
}

/// Returns `true` if more words may stand between a label and "is" after this one, as after "for" in "my PIN for the door is".
fn opens_gap(lower: &str) -> bool {
    let before_apostrophe = lower.find(['\'', '’']).map_or(lower, |at| &lower[..at]);
    [lower, before_apostrophe].iter().any(|word| {
        [&PREPOSITIONS, &ADJECTIVES_OF_LABELS, &CLAUSE_OPENERS].iter().any(|list| list.contains(word))
    })
}

/// The place of the value in "my PIN, it is 4821".
fn value_after_pronoun(text: &str, from: usize, kind: SecretKind) -> Option<Range<usize>> {
    let word = next_word(text, from)?;
    let lower = word.lower();
    if PRONOUNS_WITH_IS.contains(lower.as_str()) || COPULAS.contains(lower.as_str()) {
        return value::read(text, word.end, kind, Position::AfterPause);
    }
    let copula = next_word(text, word.end).filter(|_| PRONOUNS.contains(lower.as_str()))?;
    let is_copula = COPULAS.contains(copula.lower().as_str());
    is_copula.then(|| value::read(text, copula.end, kind, Position::AfterPause))?
}

/// The place of the value after "is". Words such as "now" and "the word" are skipped.
fn value_after_copula(text: &str, copula: &Word<'_>, kind: SecretKind) -> Option<Range<usize>> {
    let mut position =
        if copula.ends_clause() && !sign_ends(copula) { Position::AfterPause } else { Position::AfterCopula };
    let mut at = copula.end;
    for _ in 0..MAX_LOOK_AHEAD {
        let value = value::read(text, at, kind, position);
        if value.is_some() {
            return value;
        }
        let word = next_word(text, at)?;
        let lower = word.lower();
        let is_filler = (FILLERS.contains(lower.as_str()) || is_hesitation(&lower)) && !word.ends_sentence();
        let is_determiner = DETERMINERS.contains(lower.as_str())
            && next_word(text, word.end)
                .is_some_and(|next| FILLERS_AFTER_DETERMINER.contains(next.lower().as_str()));
        let is_pause = lower.is_empty();
        if !(is_filler || is_determiner || is_pause || FILLERS_AFTER_DETERMINER.contains(lower.as_str())) {
            return None;
        }
        if word.ends_clause() {
            position = Position::AfterPause;
        }
        at = word.end;
    }
    None
}

/// The place of the value before the label, as in "482913 is my PIN". It starts at `from` or later.
fn value_before(text: &str, label: &Label, from: usize) -> Option<Range<usize>> {
    let is_end = text[label.range.end..].chars().next().is_none_or(|c| ".,;:!?)…\n".contains(c))
        || next_word(text, label.range.end).is_some_and(|word| PREPOSITIONS.contains(word.lower().as_str()));
    if !is_end || has_harmless_qualifier(text, label) {
        return None;
    }
    let before = previous_words(text, label.range.start, MAX_LOOK_BACK);
    let copula = before.iter().take(4).position(|word| COPULAS.contains(word.lower().as_str()))?;
    let determiners = &before[..copula];
    let announces = determiners.iter().any(|word| DETERMINERS.contains(word.lower().as_str()));
    let is_one_clause = before[..=copula].iter().all(|word| !word.ends_clause());
    let is_number = |word: &&Word<'_>| value::digits_of(&word.lower()).is_some() && !word.ends_clause();
    let more_numbers = before.iter().skip(copula + 2).take_while(is_number).count();
    let value = before.get(copula + 1 + more_numbers)?;
    let value = value::read(text, value.start, label.kind, Position::BeforeLabel)?;
    (announces && is_one_clause && value.start >= from).then_some(value)
}

/// Returns `true` if the label is a harmless one, such as "zip code" and "error code".
fn has_harmless_qualifier(text: &str, label: &Label) -> bool {
    label.kind == SecretKind::Code
        && (HARMLESS_QUALIFIERS.contains(compound(text, label).as_str())
            || previous_words(text, label.range.start, 1).first().is_some_and(|word| {
                !word.ends_clause() && HARMLESS_QUALIFIERS.contains(word.lower().as_str())
            }))
}

/// The word that the label ends, in small letters: "felkoden" of "koden".
fn compound(text: &str, label: &Label) -> String {
    let window = text.ceil_char_boundary(label.range.start.saturating_sub(MAX_WORD_BYTES));
    let before = &text[window..label.range.start];
    let beginning = before.trim_end_matches(|c: char| c.is_alphanumeric() || c == '-');
    text[window + beginning.len()..label.range.end].to_lowercase()
}

/// Length of `:` or `=`, with the blanks before it. Two colons are a path in source code.
fn sign_length(rest: &str) -> Option<usize> {
    let sign = rest.trim_start_matches([' ', '\t', '\u{a0}']);
    let is_sign = sign.starts_with([':', '=']) && !sign.starts_with("::");
    is_sign.then(|| rest.len() - sign.len() + 1)
}

fn sign_ends(word: &Word<'_>) -> bool {
    word.text().ends_with([':', '='])
}
