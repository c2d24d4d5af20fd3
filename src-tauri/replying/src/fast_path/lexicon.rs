//! The words of a language, read from its table.

use std::collections::HashMap;

use languages::{LanguageData, MeasureNames, NumberWords};

use super::languages::{ClockMeaning, Table};
use super::tokens::{Token, tokens};

/// Alternatives of words.
#[derive(Debug, Clone, Default)]
pub(super) struct Words(Vec<Vec<String>>);

impl Words {
    /// Alternatives with `|` between them.
    pub(super) fn new(text: &str) -> Self {
        let mut all: Vec<Vec<String>> =
            text.split('|').map(folded).filter(|words| !words.is_empty()).collect();
        all.sort_by_key(|words| std::cmp::Reverse(words.len()));
        Self(all)
    }

    /// The number of tokens of the longest alternative that they begin with.
    pub(super) fn end_in(&self, tokens: &[Token]) -> Option<usize> {
        self.ends_in(tokens).next()
    }

    pub(super) fn ends_in<'a>(&'a self, tokens: &'a [Token]) -> impl Iterator<Item = usize> + 'a {
        let begins = move |words: &&Vec<String>| {
            words.len() <= tokens.len() && words.iter().zip(tokens).all(|(word, token)| *word == token.text)
        };
        self.0.iter().filter(begins).map(Vec::len)
    }

    /// Whether the tokens are one of the alternatives.
    pub(super) fn are(&self, tokens: &[Token]) -> bool {
        self.ends_in(tokens).any(|end| end == tokens.len())
    }
}

fn folded(text: &str) -> Vec<String> {
    tokens(&text.replace('_', " ")).into_iter().map(|token| token.text).collect()
}

/// A language with its patterns read.
pub(super) struct Language {
    pub table: &'static Table,
    pub numbers: &'static NumberWords,
    pub openers: Words,
    pub greetings: Words,
    /// Polite words, fillers, and what the table ignores.
    pub ignored: Words,
    pub dismissals: Words,
    pub point: Words,
    pub one: Words,
    pub and: Words,
    pub durations: Vec<(Words, u32)>,
    pub and_a_half: Words,
    pub unit_and_a_half: Words,
    pub halves: Vec<(Words, u32)>,
    pub morning: Words,
    pub evening: Words,
    /// What may stand behind 6:30, such as "o'clock".
    pub clock_sign: Words,
    pub clock: Vec<(ClockPattern, ClockMeaning)>,
    pub operators: Vec<(Words, &'static str)>,
    pub prefixes: Vec<(Words, &'static str)>,
    pub postfixes: Vec<(Words, &'static str)>,
    /// What makes an appointment one that repeats.
    pub repeating: Words,
    pub repetitions: Vec<(Words, &'static str)>,
    pub every: Words,
    list_words: Words,
    units: HashMap<String, Vec<(Vec<String>, &'static str)>>,
    pub data: &'static LanguageData,
}

impl Language {
    pub(super) fn new(table: &'static Table) -> Self {
        let data = languages::of_code(table.code).expect("each table is of a known language");
        let list = |words: languages::WordList| words.iter().collect::<Vec<_>>().join("|");
        let pairs = |pairs: &'static [(&'static str, u32)]| {
            pairs.iter().map(|(words, value)| (Words::new(words), *value)).collect::<Vec<_>>()
        };
        let signs = |signs: &'static [(&'static str, &'static str)]| {
            signs.iter().map(|(words, sign)| (Words::new(words), *sign)).collect::<Vec<_>>()
        };
        let mut units: HashMap<String, Vec<(Vec<String>, &'static str)>> = HashMap::new();
        let names = MeasureNames::of_code(table.code).expect("each table has names of units");
        for (id, names) in names.iter() {
            for words in names.map(folded).filter(|words| !words.is_empty()) {
                units.entry(words[0].clone()).or_default().push((words, id));
            }
        }
        Self {
            table,
            numbers: NumberWords::of_code(table.code).expect("each table has number words"),
            openers: Words::new(table.openers),
            greetings: Words::new(&list(data.greetings)),
            ignored: Words::new(&format!(
                "{}|{}|{}",
                list(data.polite_words),
                list(data.fillers),
                table.ignored
            )),
            dismissals: Words::new(table.dismissals),
            point: Words::new(table.point),
            one: Words::new(table.one),
            and: Words::new(table.and),
            durations: pairs(table.durations),
            and_a_half: Words::new(table.and_a_half),
            unit_and_a_half: Words::new(table.unit_and_a_half),
            halves: pairs(table.halves),
            morning: Words::new(table.morning),
            evening: Words::new(table.evening),
            clock_sign: Words::new("o'clock|uhr|uur"),
            clock: table
                .clock
                .iter()
                .map(|(pattern, meaning)| (ClockPattern::new(pattern), *meaning))
                .collect(),
            operators: signs(table.operators),
            prefixes: signs(table.prefixes),
            postfixes: signs(table.postfixes),
            repeating: Words::new(table.repeating),
            repetitions: signs(table.repetitions),
            every: Words::new(table.every),
            list_words: Words::new(table.list_words),
            units,
            data,
        }
    }

    /// Whether the word is the name of a list in one word, such as "Einkaufsliste".
    pub(super) fn is_compound_of_list(&self, word: &str) -> bool {
        self.list_words
            .0
            .iter()
            .flatten()
            .any(|list| word.len() > list.len() && word.ends_with(list.as_str()))
    }

    /// The unit of measure at the beginning of the tokens.
    pub(super) fn unit_at(&self, tokens: &[Token]) -> Option<(usize, &'static str)> {
        let begins = |words: &Vec<String>| {
            words.len() <= tokens.len() && words.iter().zip(tokens).all(|(word, token)| *word == token.text)
        };
        let candidates = self.units.get(&tokens.first()?.text)?;
        candidates
            .iter()
            .filter(|(words, _)| begins(words))
            .max_by_key(|(words, _)| words.len())
            .map(|(words, id)| (words.len(), *id))
    }
}

/// The pattern of a time of day.
pub(super) struct ClockPattern(pub Vec<ClockItem>);

/// A part of such a pattern.
pub(super) enum ClockItem {
    Hour,
    Minute,
    Words { words: Words, is_optional: bool },
}

impl ClockPattern {
    fn new(pattern: &str) -> Self {
        let item = |text: &str| match text {
            "{h}" => ClockItem::Hour,
            "{m}" => ClockItem::Minute,
            text => {
                let (text, is_optional) = text.strip_suffix('?').map_or((text, false), |text| (text, true));
                ClockItem::Words { words: Words::new(text), is_optional }
            }
        };
        Self(pattern.split_whitespace().map(item).collect())
    }
}
