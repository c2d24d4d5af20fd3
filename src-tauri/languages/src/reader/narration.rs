//! The words of models about a conversation, a part of `words.toml`.

use super::section::Section;
use crate::pattern::{PatternItem, PatternItemKind, sequences};
use crate::tables::{List, NarrationWords};

/// The slots of a pattern.
const SLOTS: [&str; 5] = ["user", "assistant", "word", "words", "any"];

/// The words of a language.
pub(super) fn read(mut section: Section<'_>) -> NarrationWords {
    let words = NarrationWords {
        user: section.phrases("user"),
        assistant: section.phrases("assistant"),
        verbs_before_subject: section.optional_words("verbs_before_subject"),
        conjunctions: section.phrases("conjunctions"),
        inabilities: patterns(&mut section, "inabilities"),
        offers: optional_patterns(&mut section, "offers"),
        narrations: patterns(&mut section, "narrations"),
    };
    section.finish();
    words
}

fn patterns(section: &mut Section<'_>, name: &str) -> List<&'static str> {
    let texts = section.texts(name);
    checked(section, texts)
}

fn optional_patterns(section: &mut Section<'_>, name: &str) -> List<&'static str> {
    let field = section.optional(name);
    let texts = field.map(|field| section.texts_of(name, &field)).unwrap_or_default();
    checked(section, texts)
}

/// The patterns that are well formed; the mistakes of the others are reported.
fn checked(section: &Section<'_>, texts: Vec<(usize, &'static str)>) -> List<&'static str> {
    let is_good = |(at, pattern): &(usize, &'static str)| match mistake_of(pattern) {
        Some(mistake) => {
            section.mistake(*at, format!("{pattern:?}: {mistake}"));
            false
        }
        None => true,
    };
    let good: Vec<&'static str> = texts.into_iter().filter(is_good).map(|(_, pattern)| pattern).collect();
    List(good.leak())
}

fn mistake_of(pattern: &str) -> Option<String> {
    let readings = match sequences(pattern) {
        Ok(readings) => readings,
        Err(mistake) => return Some(mistake),
    };
    if readings.iter().any(|items| items.first().is_some_and(|item| item.is_optional)) {
        return Some("it begins with what may be left out".to_owned());
    }
    let unknown = |item: &PatternItem| match &item.kind {
        PatternItemKind::Slot(slot) if !SLOTS.contains(&slot.as_str()) => {
            Some(format!("there is no slot {{{slot}}}"))
        }
        _ => None,
    };
    readings.iter().flatten().find_map(unknown)
}
