//! Compiles the tables for matching: words get ids, patterns are indexed by their first word.

mod slots; // values of the slots, and the meaning of a filled pattern

use std::collections::HashMap;

use languages::{DateMeaning, DateTable, LanguageData, PatternItem, PatternItemKind, PerLanguage, sequences};

use crate::expression::{TimeExpression, When};
use crate::tokens::{Figure, Token, tokens};
use slots::{Slot, SlotValues, Value, values_of};

static GRAMMARS: PerLanguage<Option<LanguageGrammar>> =
    PerLanguage::new(|data| data.dates.as_ref().map(|table| LanguageGrammar::new(data, table)));

/// The grammar of a language, compiled on first use; `None` if it has no table.
pub(crate) fn grammar_of(data: &'static LanguageData) -> Option<&'static LanguageGrammar> {
    GRAMMARS.get(data).as_ref()
}

/// The codes of the languages whose grammar was compiled.
pub(crate) fn compiled() -> Vec<&'static str> {
    GRAMMARS.made_for()
}

/// The id of a word in a grammar.
pub(crate) type WordId = u32;

/// A text to match against.
#[derive(Clone, Copy)]
pub(crate) struct TokenizedText<'a> {
    pub tokens: &'a [Token],
    pub ids: &'a [Option<WordId>],
}

impl TokenizedText<'_> {
    /// Returns `true` if the word at `at` can continue an expression that begins at `from`.
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
    words: HashMap<String, WordId>,
    phrases: Patterns,
    names: Patterns,
    values: HashMap<WordId, Vec<(Vec<WordId>, Value)>>,
    links: Vec<WordId>,
    never_before: Vec<(WordId, WordId)>,
    never_after: Vec<WordId>,
}

impl LanguageGrammar {
    fn new(data: &LanguageData, table: &DateTable) -> Self {
        let mut ids: HashMap<String, WordId> = HashMap::new();
        let mut number = |text: &str| -> Vec<WordId> {
            let normalised = tokens(text).into_iter().map(|token| token.normalised);
            normalised
                .map(|word| {
                    let next = WordId::try_from(ids.len()).expect("the tables are small");
                    *ids.entry(word).or_insert(next)
                })
                .collect()
        };
        let mut values: HashMap<WordId, Vec<(Vec<WordId>, Value)>> = HashMap::new();
        for (alternatives, value) in values_of(data, table) {
            for words in alternatives.split('|').map(&mut number) {
                if let Some(first) = words.first() {
                    values.entry(*first).or_default().push((words, value));
                }
            }
        }
        let mut phrases = Patterns::default();
        for (pattern, meaning) in table.phrases {
            phrases.add_all(pattern, *meaning, &values, &mut number);
        }
        let mut names = Patterns::default();
        for name in table.names {
            names.add_all(name, DateMeaning::Nearest, &values, &mut number);
        }
        for patterns in [&mut phrases, &mut names] {
            patterns.add_all("{date}", DateMeaning::Nearest, &values, &mut number);
        }
        let mut never_before = Vec::new();
        for (word, next) in table.never_before {
            let (words, nexts) = (number(word), number(next));
            never_before.extend(words.iter().flat_map(|word| nexts.iter().map(|next| (*word, *next))));
        }
        Self {
            never_before,
            links: table.links.iter().flat_map(&mut number).collect(),
            never_after: table.never_after.iter().flat_map(&mut number).collect(),
            phrases,
            names,
            values,
            words: ids,
        }
    }

    /// The ids of the tokens; `None` for a word that is not in the table.
    pub(crate) fn ids(&self, tokens: &[Token]) -> Vec<Option<WordId>> {
        tokens.iter().map(|token| self.words.get(&token.normalised).copied()).collect()
    }

    /// The longest phrase that begins at a token. `only_unambiguous` is set when another language has more function words.
    pub(crate) fn phrase_at(
        &self,
        text: TokenizedText<'_>,
        at: usize,
        only_unambiguous: bool,
    ) -> Option<ExpressionMatch> {
        let after_never = at > 0 && text.ids[at - 1].is_some_and(|id| self.never_after.contains(&id));
        if after_never && text.tokens[at].is_joined {
            return None;
        }
        self.longest(&self.phrases, text, at, only_unambiguous)
    }

    /// The longest phrase or name that begins at a token and contains no other time.
    fn simple_at(&self, text: TokenizedText<'_>, at: usize) -> Option<(usize, When)> {
        let simple = |matched: ExpressionMatch| match matched.meaning {
            TimeExpression::Time(when) => Some((matched.end, when)),
            TimeExpression::Since(_) | TimeExpression::Between(..) => None,
        };
        let phrase = self.phrases.longest(self, text, at, &|pattern| !pattern.contains_when).and_then(simple);
        let name = self.longest(&self.names, text, at, false).and_then(simple);
        [name, phrase].into_iter().flatten().max_by_key(|(end, _)| *end)
    }

    /// The longest ambiguous name that begins at a token. It counts as a time only when another time follows.
    pub(crate) fn name_at(&self, text: TokenizedText<'_>, at: usize) -> Option<ExpressionMatch> {
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
    ) -> Option<ExpressionMatch> {
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
pub(crate) struct ExpressionMatch {
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
    /// Adds every reading of a pattern.
    fn add_all(
        &mut self,
        text: &str,
        meaning: DateMeaning,
        values: &HashMap<WordId, Vec<(Vec<WordId>, Value)>>,
        number: &mut impl FnMut(&str) -> Vec<WordId>,
    ) {
        let (text, is_ambiguous) = text.strip_prefix('~').map_or((text, false), |text| (text, true));
        for items in sequences(text).expect("the build script has read the pattern") {
            let items: Vec<Item> = items.iter().map(|item| Item::new(item, number)).collect();
            let contains_when = items.iter().any(|item| matches!(item.kind, ItemKind::Slot(Slot::When)));
            self.add(Pattern { items, meaning, is_ambiguous, contains_when }, values);
        }
    }

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
    ) -> Option<ExpressionMatch> {
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
    meaning: DateMeaning,
    is_ambiguous: bool,
    contains_when: bool,
}

impl Pattern {
    /// The items that a match can begin with.
    fn beginnings(&self) -> impl Iterator<Item = &Item> {
        let optional = self.items.iter().take_while(|item| item.is_optional).count();
        self.items.iter().take(optional + 1)
    }

    fn matched(
        &self,
        language: &LanguageGrammar,
        text: TokenizedText<'_>,
        at: usize,
    ) -> Option<ExpressionMatch> {
        let (end, filled) = longest(&self.items, language, text, at, at, SlotValues::default())?;
        Some(ExpressionMatch { end, meaning: filled.meaning(self.meaning)? })
            .filter(|matched| matched.end > at)
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
                if let Some(value) = Value::from_figure(text.tokens[at].figure, *slot) {
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
    fn new(item: &PatternItem, number: &mut impl FnMut(&str) -> Vec<WordId>) -> Self {
        let kind = match &item.kind {
            PatternItemKind::Slot(slot) => {
                ItemKind::Slot(Slot::named(slot).expect("the build script knows the slots"))
            }
            PatternItemKind::Words(phrases) => {
                ItemKind::Words(phrases.iter().map(|phrase| number(phrase)).collect())
            }
        };
        Self { kind, is_optional: item.is_optional }
    }
}

enum ItemKind {
    Words(Vec<Vec<WordId>>),
    Slot(Slot),
}
