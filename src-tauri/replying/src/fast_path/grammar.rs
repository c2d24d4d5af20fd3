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
            patterns.iter().map(|pattern| (*meaning, pattern.split_whitespace().map(Item::new).collect()))
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
