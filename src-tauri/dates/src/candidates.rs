//! The languages in which a text may name a time, by single words, so that only their grammars are compiled.

use std::collections::HashMap;
use std::sync::LazyLock;

use languages::{DateTable, LanguageData, PatternItem, PatternItemKind, sequences};

use crate::tokens::{Figure, Token, tokens};

/// A set of languages, a bit for each.
type Languages = u64;

/// The languages in which a word says something.
#[derive(Debug, Clone, Copy, Default)]
struct WordEntry {
    /// It is a function word.
    function: Languages,
    /// Some expression of time needs it.
    needed: Languages,
    /// Some expression of time needs it beside a year or a date in digits.
    needed_with_figure: Languages,
}

/// A language that has a table, with the number of its function words in a text.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Candidate {
    pub(crate) data: &'static LanguageData,
    /// `true` if another language has more function words in the text.
    pub(crate) is_less_likely: bool,
    pub(crate) function_words: usize,
}

/// The languages with a table.
pub(crate) fn with_table() -> impl Iterator<Item = (&'static LanguageData, &'static DateTable)> {
    languages::all().iter().filter_map(|data| Some((data, data.dates.as_ref()?)))
}

/// The languages that these words may name a time in. One with fewer function words than another in the text counts only
/// if it has a word that the other one lacks: "September" is a month in many.
pub(crate) fn candidates(text: &[Token]) -> Vec<Candidate> {
    let entries: Vec<WordEntry> =
        text.iter().map(|token| WORDS.get(&token.normalised).copied().unwrap_or_default()).collect();
    let has_figure = text.iter().any(|token| is_day_or_year(token.figure));
    let counts: Vec<usize> = (0..with_table().count())
        .map(|bit| entries.iter().filter(|entry| entry.function & (1 << bit) != 0).count())
        .collect();
    let most = counts.iter().copied().max().unwrap_or_default();
    let needed = |bit: usize| -> Vec<usize> {
        let is_needed = |entry: &WordEntry| {
            let with_figure = if has_figure { entry.needed_with_figure } else { 0 };
            (entry.needed | with_figure) & (1 << bit) != 0
        };
        entries.iter().enumerate().filter(|(_, entry)| is_needed(entry)).map(|(at, _)| at).collect()
    };
    let found: Vec<(usize, Vec<usize>)> =
        (0..counts.len()).map(|bit| (bit, needed(bit))).filter(|(_, words)| !words.is_empty()).collect();
    let best = found.iter().map(|(bit, _)| counts[*bit]).max().unwrap_or_default();
    let of_best: Vec<&[usize]> =
        found.iter().filter(|(bit, _)| counts[*bit] == best).map(|(_, words)| words.as_slice()).collect();
    let adds_a_word =
        |words: &[usize]| of_best.iter().all(|best| words.iter().any(|word| !best.contains(word)));
    let is_candidate = |bit: usize| match found.iter().find(|(known, _)| *known == bit) {
        Some((_, words)) => counts[bit] == best || adds_a_word(words),
        // Digits alone: any language reads them.
        None => found.is_empty() && has_figure,
    };
    with_table()
        .enumerate()
        .filter(|(bit, _)| is_candidate(*bit))
        .map(|(bit, (data, _))| Candidate {
            data,
            is_less_likely: counts[bit] < most,
            function_words: counts[bit],
        })
        .collect()
}

fn is_day_or_year(figure: Figure) -> bool {
    match figure {
        Figure::Date(_) | Figure::DayAndMonth { .. } => true,
        Figure::Number(number) => (1900..2200).contains(&number),
        Figure::None | Figure::Ordinal(_) => false,
    }
}

static WORDS: LazyLock<HashMap<String, WordEntry>> = LazyLock::new(|| {
    let mut words: HashMap<String, WordEntry> = HashMap::new();
    for (bit, (data, table)) in with_table().enumerate() {
        let language: Languages = 1 << bit;
        for token in data.all_function_words().flat_map(tokens) {
            words.entry(token.normalised).or_default().function |= language;
        }
        let units = table.units.iter().map(|(words, _)| *words);
        let names = [&table.weekdays[..], &table.months, &table.seasons, &table.holidays].concat();
        for alternative in units.chain(names).flat_map(|alternatives| alternatives.split('|')) {
            if let Some(word) = longest_word(alternative) {
                words.entry(word).or_default().needed |= language;
            }
        }
        let patterns = table.phrases.iter().map(|(pattern, _)| *pattern).chain(table.names.iter().copied());
        let readings = patterns.flat_map(|pattern| {
            sequences(pattern.trim_start_matches('~')).expect("the build script has read the pattern")
        });
        for (word, is_with_figure) in readings.flat_map(|items| needed_words(&items)) {
            let entry = words.entry(word).or_default();
            if is_with_figure { entry.needed_with_figure |= language } else { entry.needed |= language }
        }
    }
    words
});

/// Words one of which a text needs for this reading of a pattern, and whether it needs a figure too. None if it has a slot
/// whose words are needed anyway.
fn needed_words(items: &[PatternItem]) -> Vec<(String, bool)> {
    let required = || items.iter().filter(|item| !item.is_optional);
    let slots = || {
        required().filter_map(|item| match &item.kind {
            PatternItemKind::Slot(slot) => Some(slot.as_str()),
            PatternItemKind::Words(_) => None,
        })
    };
    if slots().any(|slot| matches!(slot, "unit" | "weekday" | "month" | "season" | "holiday")) {
        return Vec::new();
    }
    let needs_figure = slots().any(|slot| matches!(slot, "year" | "dm"));
    let words = required().filter_map(|item| match &item.kind {
        PatternItemKind::Words(phrases) => {
            Some(phrases.iter().filter_map(|phrase| longest_word(phrase)).collect::<Vec<String>>())
        }
        PatternItemKind::Slot(_) => None,
    });
    // The place whose words say the most.
    let telling = |words: &Vec<String>| words.iter().map(String::len).min().unwrap_or_default();
    let words = words.max_by_key(telling).unwrap_or_default();
    words.into_iter().map(|word| (word, needs_figure)).collect()
}

fn longest_word(phrase: &str) -> Option<String> {
    tokens(phrase).into_iter().map(|token| token.normalised).max_by_key(String::len)
}
