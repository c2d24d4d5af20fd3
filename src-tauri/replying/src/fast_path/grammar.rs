//! Matches the patterns of a language.

use std::collections::HashMap;

use languages::{
    LanguageData, PatternItem, PatternItemKind, PerLanguage, RequestMeaning, RequestTable, sequences,
};

use super::lexicon::{Language, Words};
use super::slots::{Slot, Values, values_at};
use super::tokens::Token;

/// The grammars of the languages with a table, each made on first use.
static GRAMMARS: PerLanguage<Option<Grammar>> =
    PerLanguage::new(|data| data.requests.as_ref().map(|table| Grammar::new(data, table)));

/// The grammar of a language; `None` if it has no table.
pub(super) fn grammar_of(data: &'static LanguageData) -> Option<&'static Grammar> {
    GRAMMARS.get(data).as_ref()
}

/// The codes of the languages whose patterns were read so far: those in which a request was looked for.
pub fn prepared_languages() -> Vec<&'static str> {
    GRAMMARS.made_for()
}

/// The requests of a language with their patterns read.
pub(super) struct Grammar {
    pub language: Language,
    requests: Vec<Request>,
    /// The requests that begin with a word, by this word.
    by_first_word: HashMap<String, Vec<usize>>,
    /// The requests that may begin with a value.
    with_any_beginning: Vec<usize>,
}

/// One reading of a pattern.
struct Request {
    meaning: RequestMeaning,
    items: Vec<Item>,
}

impl Grammar {
    fn new(data: &'static LanguageData, table: &'static RequestTable) -> Self {
        let mut grammar = Self {
            language: Language::new(data, table),
            requests: Vec::new(),
            by_first_word: HashMap::new(),
            with_any_beginning: Vec::new(),
        };
        for (meaning, patterns) in table.requests {
            for pattern in *patterns {
                for items in sequences(pattern).expect("the build script has read the pattern") {
                    if may_repeat(*meaning)
                        && let Some(items) = repeated(&items)
                    {
                        grammar.add(*meaning, &items);
                    }
                    grammar.add(*meaning, &items);
                }
            }
        }
        grammar
    }

    fn add(&mut self, meaning: RequestMeaning, items: &[PatternItem]) {
        let items: Vec<Item> = items.iter().map(Item::new).collect();
        let number = self.requests.len();
        let optional = items.iter().take_while(|item| item.is_optional).count();
        let beginnings = &items[..items.len().min(optional + 1)];
        let first_words: Option<Vec<&Words>> = beginnings
            .iter()
            .map(|item| match &item.kind {
                ItemKind::Words(words) => Some(words),
                ItemKind::Slot(_) => None,
            })
            .collect();
        match first_words {
            Some(words) => {
                for word in words.into_iter().flat_map(Words::first_words) {
                    let requests = self.by_first_word.entry(word.to_owned()).or_default();
                    if requests.last() != Some(&number) {
                        requests.push(number);
                    }
                }
            }
            None => self.with_any_beginning.push(number),
        }
        self.requests.push(Request { meaning, items });
    }

    /// The requests that account for all tokens.
    pub(super) fn matches<'a>(
        &'a self,
        tokens: &'a [Token],
    ) -> impl Iterator<Item = (RequestMeaning, Values)> + 'a {
        let first = tokens.first().and_then(|token| self.by_first_word.get(&token.text));
        let numbers = first.into_iter().flatten().chain(&self.with_any_beginning);
        numbers.map(|number| &self.requests[*number]).filter_map(|request| {
            Some((request.meaning, whole(&request.items, tokens, &self.language, &Values::default())?))
        })
    }
}

/// Returns `true` if a request may be one that repeats.
fn may_repeat(meaning: RequestMeaning) -> bool {
    matches!(meaning, RequestMeaning::Alarm | RequestMeaning::Remind)
}

/// The pattern with a repetition where the day is; `None` for one without a day.
fn repeated(items: &[PatternItem]) -> Option<Vec<PatternItem>> {
    let is_date = |item: &PatternItem| matches!(&item.kind, PatternItemKind::Slot(slot) if slot == "date");
    let at = items.iter().position(is_date)?;
    let mut items = items.to_vec();
    items[at].kind = PatternItemKind::Slot("repeats".to_owned());
    Some(items)
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
    fn new(item: &PatternItem) -> Self {
        let kind = match &item.kind {
            PatternItemKind::Slot(slot) => {
                ItemKind::Slot(Slot::named(slot).expect("the build script knows the slots"))
            }
            PatternItemKind::Words(phrases) => {
                ItemKind::Words(Words::of_phrases(phrases.iter().map(String::as_str)))
            }
        };
        Self { kind, is_optional: item.is_optional }
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
            .find_map(|(used, value)| whole(rest, &tokens[used..], language, &values.with(value, used))),
    };
    found.or_else(|| item.is_optional.then(|| whole(rest, tokens, language, values)).flatten())
}
