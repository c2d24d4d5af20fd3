//! Matches the patterns of a language.

use std::sync::LazyLock;

use super::languages::{ALL, Meaning, Table};
use super::lexicon::{Language, Words};
use super::slots::{Slot, Values, values_at};
use super::tokens::Token;

/// The grammars of all languages, in the order of the tables.
pub(super) static GRAMMARS: LazyLock<Vec<Grammar>> =
    LazyLock::new(|| ALL.iter().map(|table| Grammar::new(table)).collect());

/// The requests of a language with their patterns read.
pub(super) struct Grammar {
    pub language: Language,
    requests: Vec<(Meaning, Vec<Item>)>,
}

impl Grammar {
    fn new(table: &'static Table) -> Self {
        let requests = table.requests.iter().flat_map(|(meaning, patterns)| {
            let items = |pattern: &str| pattern.split_whitespace().map(Item::new).collect();
            // The repeated ones first: "every" is no part of a text.
            let repeated = patterns.iter().filter(|_| may_repeat(*meaning)).filter_map(|it| repeated(it));
            let all = repeated.chain(patterns.iter().map(|pattern| (*pattern).to_owned()));
            all.map(|pattern| (*meaning, items(&pattern))).collect::<Vec<_>>()
        });
        Self { language: Language::new(table), requests: requests.collect() }
    }

    /// The requests that account for all tokens, in the order of the table.
    pub(super) fn matches<'a>(&'a self, tokens: &'a [Token]) -> impl Iterator<Item = (Meaning, Values)> + 'a {
        self.requests.iter().filter_map(|(meaning, items)| {
            Some((*meaning, whole(items, tokens, &self.language, &Values::default())?))
        })
    }
}

/// Whether a request may be one that repeats.
fn may_repeat(meaning: Meaning) -> bool {
    matches!(meaning, Meaning::Alarm | Meaning::Remind)
}

/// The pattern with a repetition where the day is; `None` for one without a day.
fn repeated(pattern: &str) -> Option<String> {
    let (before, behind) = pattern.split_once("{date}")?;
    // "on every Monday" is one of the words for a repetition itself.
    let before = before.strip_suffix("on? ").unwrap_or(before);
    Some(format!("{before}{{repeats}}{behind}"))
}

enum ItemKind {
    Words(Words),
    Slot(Slot),
}

struct Item {
    kind: ItemKind,
    is_optional: bool,
}

impl Item {
    fn new(text: &str) -> Self {
        let (text, is_optional) = text.strip_suffix('?').map_or((text, false), |text| (text, true));
        let kind = Slot::named(text).map_or_else(|| ItemKind::Words(Words::new(text)), ItemKind::Slot);
        Self { kind, is_optional }
    }
}

/// The values with which the items account for all tokens.
fn whole(items: &[Item], tokens: &[Token], language: &Language, values: &Values) -> Option<Values> {
    let Some((item, rest)) = items.split_first() else {
        return tokens.is_empty().then(|| values.clone());
    };
    let found = match &item.kind {
        ItemKind::Words(words) => {
            words.ends_in(tokens).find_map(|end| whole(rest, &tokens[end..], language, values))
        }
        ItemKind::Slot(slot) => values_at(*slot, tokens, language)
            .into_iter()
            .find_map(|(used, value)| whole(rest, &tokens[used..], language, &values.with(value))),
    };
    found.or_else(|| item.is_optional.then(|| whole(rest, tokens, language, values)).flatten())
}
