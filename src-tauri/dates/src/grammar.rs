//! Compiles the tables for matching: words get ids, patterns are indexed by their first word.

mod slots; // values of the slots, and the meaning of a filled pattern

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use crate::expression::{TimeExpression, When};
use crate::languages::{self, Language, PatternMeaning};
use crate::tokens::{Figure, Token, tokens};
use slots::{Slot, SlotValues, Value, values_of};

/// The grammars of all languages, compiled on first use.
pub(crate) static GRAMMAR: LazyLock<Grammar> = LazyLock::new(Grammar::new);

/// The id of a word. All tables share the ids.
pub(crate) type WordId = u32;

pub(crate) struct Grammar {
    words: HashMap<String, WordId>,
    pub(crate) languages: Vec<LanguageGrammar>,
}

impl Grammar {
    fn new() -> Self {
        let mut words = HashMap::new();
        let languages =
            languages::ALL.iter().map(|language| LanguageGrammar::new(language, &mut words)).collect();
        Self { words, languages }
    }

    /// The ids of the tokens; `None` for a word that is in no table.
    pub(crate) fn ids(&self, tokens: &[Token]) -> Vec<Option<WordId>> {
        tokens.iter().map(|token| self.words.get(&token.normalised).copied()).collect()
    }
}

/// A text to match against.
#[derive(Clone, Copy)]
pub(crate) struct TokenizedText<'a> {
    pub tokens: &'a [Token],
    pub ids: &'a [Option<WordId>],
}

impl TokenizedText<'_> {
    /// Whether the word at `at` can continue an expression that begins at `from`.
    fn continues(&self, at: usize, from: usize) -> bool {
        at < self.tokens.len() && (at == from || self.tokens[at].is_joined)
    }

    /// The end of `words` if they occur at `at`, in an expression that begins at `from`.
    fn end_of(&self, words: &[WordId], at: usize, from: usize) -> Option<usize> {
        let occurs = |(offset, word): (usize, &WordId)| {
            self.continues(at + offset, from) && self.ids[at + offset] == Some(*word)
        };
        words.iter().enumerate().all(occurs).then_some(at + words.len())
    }
}

/// The compiled table of one language.
pub(crate) struct LanguageGrammar {
    phrases: Patterns,
    names: Patterns,
    values: HashMap<WordId, Vec<(Vec<WordId>, Value)>>,
    links: Vec<WordId>,
    never_before: Vec<(WordId, WordId)>,
    never_after: Vec<WordId>,
    function_words: HashSet<WordId>,
}

impl LanguageGrammar {
    fn new(language: &Language, words: &mut HashMap<String, WordId>) -> Self {
        let mut number = |text: &str| -> Vec<WordId> {
            let normalised = tokens(text).into_iter().map(|token| token.normalised);
            normalised
                .map(|word| {
                    let next = WordId::try_from(words.len()).expect("the tables are small");
                    *words.entry(word).or_insert(next)
                })
                .collect()
        };
        let mut values: HashMap<WordId, Vec<(Vec<WordId>, Value)>> = HashMap::new();
        for (alternatives, value) in values_of(language) {
            for words in alternatives.split('|').map(&mut number) {
                if let Some(first) = words.first() {
                    values.entry(*first).or_default().push((words, value));
                }
            }
        }
        let mut phrases = Patterns::default();
        for (pattern, meaning) in language.phrases {
            phrases.add(Pattern::new(pattern, *meaning, &mut number), &values);
        }
        let mut names = Patterns::default();
        for name in language.names {
            names.add(Pattern::new(name, PatternMeaning::Nearest, &mut number), &values);
        }
        for patterns in [&mut phrases, &mut names] {
            patterns.add(Pattern::new("{date}", PatternMeaning::Nearest, &mut number), &values);
        }
        let mut each = |words: &[&str]| words.iter().flat_map(|word| number(word)).collect::<Vec<WordId>>();
        let never_before = language.never_before.iter().flat_map(|(word, next)| {
            let (words, nexts) = (each(&[*word]), each(&[*next]));
            words.into_iter().flat_map(move |word| nexts.clone().into_iter().map(move |next| (word, next)))
        });
        Self {
            never_before: never_before.collect(),
            links: each(language.links),
            never_after: each(language.never_after),
            function_words: language.words().all_function_words().flat_map(number).collect(),
            phrases,
            names,
            values,
        }
    }

    /// Number of function words of this language in the text.
    pub(crate) fn function_words_in(&self, text: TokenizedText<'_>) -> usize {
        text.ids.iter().flatten().filter(|id| self.function_words.contains(id)).count()
    }

    /// The longest phrase that begins at a token. `only_unambiguous` is set when another language has more function words.
    pub(crate) fn phrase_at(
        &self,
        text: TokenizedText<'_>,
        at: usize,
        only_unambiguous: bool,
    ) -> Option<Matched> {
        let after_never = at > 0 && text.ids[at - 1].is_some_and(|id| self.never_after.contains(&id));
        if after_never && text.tokens[at].is_joined {
            return None;
        }
        self.longest(&self.phrases, text, at, only_unambiguous)
    }

    /// The longest phrase or name that begins at a token and contains no other time.
    fn simple_at(&self, text: TokenizedText<'_>, at: usize) -> Option<(usize, When)> {
        let simple = |matched: Matched| match matched.meaning {
            TimeExpression::Time(when) => Some((matched.end, when)),
            TimeExpression::Since(_) | TimeExpression::Between(..) => None,
        };
        let phrase = self.phrases.longest(self, text, at, &|pattern| !pattern.contains_when).and_then(simple);
        let name = self.longest(&self.names, text, at, false).and_then(simple);
        [name, phrase].into_iter().flatten().max_by_key(|(end, _)| *end)
    }

    /// The longest ambiguous name that begins at a token. It counts as a time only when another time follows.
    pub(crate) fn name_at(&self, text: TokenizedText<'_>, at: usize) -> Option<Matched> {
        self.longest(&self.names, text, at, false)
    }

    /// The time directly after an expression that ends before `at`, with at most one linking word between them.
    pub(crate) fn following(&self, text: TokenizedText<'_>, at: usize) -> Option<(usize, When)> {
        let joined = |at: usize| text.tokens.get(at).is_some_and(|token| token.is_joined);
        if !joined(at) {
            return None;
        }
        let linked = text.ids[at].is_some_and(|id| self.links.contains(&id)) && joined(at + 1);
        self.simple_at(text, at).or_else(|| linked.then(|| self.simple_at(text, at + 1)).flatten())
    }

    fn longest(
        &self,
        patterns: &Patterns,
        text: TokenizedText<'_>,
        at: usize,
        only_unambiguous: bool,
    ) -> Option<Matched> {
        patterns.longest(self, text, at, &|pattern| !(only_unambiguous && pattern.is_ambiguous))
    }

    fn is_ruled_out(&self, text: TokenizedText<'_>, end: usize) -> bool {
        let last = end.checked_sub(1).and_then(|last| text.ids[last]);
        let next = text.ids.get(end).copied().flatten().filter(|_| text.tokens[end].is_joined);
        last.zip(next).is_some_and(|pair| self.never_before.contains(&pair))
    }
}

/// An expression in a text.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Matched {
    /// Index of the token after the expression.
    pub end: usize,
    pub meaning: TimeExpression,
}

#[derive(Default)]
struct Patterns {
    all: Vec<Pattern>,
    by_word: HashMap<WordId, Vec<usize>>,
    /// Patterns that can begin with digits.
    by_figure: Vec<usize>,
}

impl Patterns {
    fn add(&mut self, pattern: Pattern, values: &HashMap<WordId, Vec<(Vec<WordId>, Value)>>) {
        let number = self.all.len();
        for item in pattern.beginnings() {
            match &item.kind {
                ItemKind::Words(alternatives) => {
                    for first in alternatives.iter().filter_map(|words| words.first()) {
                        self.by_word.entry(*first).or_default().push(number);
                    }
                }
                ItemKind::Slot(slot) => {
                    for (first, entries) in values {
                        if *slot == Slot::When || entries.iter().any(|(_, value)| value.fits(*slot)) {
                            self.by_word.entry(*first).or_default().push(number);
                        }
                    }
                    self.by_figure.push(number);
                }
            }
        }
        self.all.push(pattern);
    }

    fn longest(
        &self,
        language: &LanguageGrammar,
        text: TokenizedText<'_>,
        at: usize,
        is_allowed: &dyn Fn(&Pattern) -> bool,
    ) -> Option<Matched> {
        let beginning = match text.ids[at] {
            Some(id) => self.by_word.get(&id).map_or(&[][..], Vec::as_slice),
            None => &[],
        };
        let is_figure = text.tokens[at].figure != Figure::None;
        let with_figure = if is_figure { self.by_figure.as_slice() } else { &[] };
        let matched = beginning.iter().chain(with_figure).map(|number| &self.all[*number]);
        let matched = matched
            .filter(|pattern| is_allowed(pattern))
            .filter_map(|pattern| pattern.matched(language, text, at))
            .filter(|matched| !language.is_ruled_out(text, matched.end));
        // Of equally long matches, the first in the table wins.
        matched.reduce(|best, next| if next.end > best.end { next } else { best })
    }
}

struct Pattern {
    items: Vec<Item>,
    meaning: PatternMeaning,
    is_ambiguous: bool,
    contains_when: bool,
}

impl Pattern {
    fn new(text: &str, meaning: PatternMeaning, number: &mut impl FnMut(&str) -> Vec<WordId>) -> Self {
        let (text, is_ambiguous) = text.strip_prefix('~').map_or((text, false), |text| (text, true));
        let items: Vec<Item> = text.split_whitespace().map(|item| Item::new(item, number)).collect();
        let contains_when = items.iter().any(|item| matches!(item.kind, ItemKind::Slot(Slot::When)));
        Self { items, meaning, is_ambiguous, contains_when }
    }

    /// The items that a match can begin with.
    fn beginnings(&self) -> impl Iterator<Item = &Item> {
        let optional = self.items.iter().take_while(|item| item.is_optional).count();
        self.items.iter().take(optional + 1)
    }

    fn matched(&self, language: &LanguageGrammar, text: TokenizedText<'_>, at: usize) -> Option<Matched> {
        let (end, filled) = longest(&self.items, language, text, at, at, SlotValues::default())?;
        Some(Matched { end, meaning: filled.meaning(self.meaning)? }).filter(|matched| matched.end > at)
    }
}

/// The longest match of the items from `at` on, with the values of their slots.
fn longest(
    items: &[Item],
    language: &LanguageGrammar,
    text: TokenizedText<'_>,
    from: usize,
    at: usize,
    filled: SlotValues,
) -> Option<(usize, SlotValues)> {
    let Some((item, rest)) = items.split_first() else {
        return Some((at, filled));
    };
    let mut best: Option<(usize, SlotValues)> = None;
    let mut consider = |end: usize, filled: SlotValues| {
        let candidate = longest(rest, language, text, from, end, filled);
        if candidate.is_some_and(|(end, _)| best.is_none_or(|(best_end, _)| end > best_end)) {
            best = candidate;
        }
    };
    if text.continues(at, from) {
        match &item.kind {
            ItemKind::Words(alternatives) => {
                for words in alternatives {
                    if let Some(end) = text.end_of(words, at, from) {
                        consider(end, filled);
                    }
                }
            }
            ItemKind::Slot(Slot::When) => {
                if let Some((end, when)) = language.simple_at(text, at) {
                    consider(end, filled.with(Value::When(when)));
                }
            }
            ItemKind::Slot(slot) => {
                if let Some(value) = Value::of_figure(text.tokens[at].figure, *slot) {
                    consider(at + 1, filled.with(value));
                }
                let entries = text.ids[at].and_then(|id| language.values.get(&id));
                for (words, value) in entries.into_iter().flatten().filter(|(_, value)| value.fits(*slot)) {
                    if let Some(end) = text.end_of(words, at, from) {
                        consider(end, filled.with(*value));
                    }
                }
            }
        }
    }
    if item.is_optional {
        consider(at, filled);
    }
    best
}

struct Item {
    kind: ItemKind,
    is_optional: bool,
}

impl Item {
    fn new(text: &str, number: &mut impl FnMut(&str) -> Vec<WordId>) -> Self {
        let (text, is_optional) = text.strip_suffix('?').map_or((text, false), |text| (text, true));
        let kind = Slot::named(text)
            .map_or_else(|| ItemKind::Words(text.split('|').map(number).collect()), ItemKind::Slot);
        Self { kind, is_optional }
    }
}

enum ItemKind {
    Words(Vec<Vec<WordId>>),
    Slot(Slot),
}
