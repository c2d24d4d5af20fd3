//! Matches the patterns of a language.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use languages::{
    LanguageData, PatternItem, PatternItemKind, PerLanguage, RequestMeaning, RequestTable, sequences,
};

use super::lexicon::{RequestLanguage, Words};
use super::slots::{Slot, Value, Values, values_at};
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
    pub language: RequestLanguage,
    requests: Vec<Request>,
    /// The requests by a word that each of them needs.
    by_word: HashMap<String, Vec<usize>>,
    /// The requests that need no word, such as a calculation.
    without_words: Vec<usize>,
}

/// One reading of a pattern.
struct Request {
    meaning: RequestMeaning,
    items: Vec<Item>,
}

impl Grammar {
    fn new(data: &'static LanguageData, table: &'static RequestTable) -> Self {
        let mut grammar = Self {
            language: RequestLanguage::new(data, table),
            requests: Vec::new(),
            by_word: HashMap::new(),
            without_words: Vec::new(),
        };
        let mut known = HashMap::new();
        for (meaning, patterns) in table.requests {
            for pattern in *patterns {
                for items in sequences(pattern).expect("the build script has read the pattern") {
                    if may_repeat(*meaning)
                        && let Some(items) = repeated(&items)
                    {
                        grammar.add(*meaning, items, &mut known);
                    }
                    grammar.add(*meaning, items, &mut known);
                }
            }
        }
        grammar.index();
        grammar
    }

    fn add(&mut self, meaning: RequestMeaning, items: Vec<PatternItem>, known: &mut KnownWords) {
        let items = items.into_iter().map(|item| Item::new(item, known)).collect();
        self.requests.push(Request { meaning, items });
    }

    /// Files each request under the words of that place which the fewest others need.
    fn index(&mut self) {
        let mut needed: HashMap<&str, usize> = HashMap::new();
        for words in self.requests.iter().flat_map(Request::needed_words) {
            words.first_words().for_each(|word| *needed.entry(word).or_default() += 1);
        }
        let others = |words: &&Words| words.first_words().map(|word| needed[word]).sum::<usize>();
        let mut by_word: HashMap<String, Vec<usize>> = HashMap::new();
        for (number, request) in self.requests.iter().enumerate() {
            let Some(rarest) = request.needed_words().min_by_key(others) else {
                self.without_words.push(number);
                continue;
            };
            for word in rarest.first_words() {
                by_word.entry(word.to_owned()).or_default().push(number);
            }
        }
        self.by_word = by_word;
    }

    /// The requests that account for all tokens.
    pub(super) fn matches(&self, tokens: &[Token]) -> Vec<(RequestMeaning, Values)> {
        let filed = tokens.iter().filter_map(|token| self.by_word.get(&token.text)).flatten();
        let mut numbers: Vec<usize> = filed.chain(&self.without_words).copied().collect();
        numbers.sort_unstable();
        numbers.dedup();
        let slots = SlotValues { language: &self.language, known: RefCell::default() };
        let requests = numbers.into_iter().map(|number| &self.requests[number]);
        requests
            .filter_map(|request| {
                Some((request.meaning, whole(&request.items, tokens, &slots, &Values::default())?))
            })
            .collect()
    }
}

impl Request {
    /// The words of the places that may not be left out.
    fn needed_words(&self) -> impl Iterator<Item = &Words> {
        self.items.iter().filter(|item| !item.is_optional).filter_map(|item| match &item.kind {
            ItemKind::Words(words) => Some(words.as_ref()),
            ItemKind::Slot(_) => None,
        })
    }
}

/// Values with the number of their tokens.
type Found = Rc<Vec<(usize, Value)>>;

/// The values that slots can have in one text: many patterns ask for the same.
struct SlotValues<'a> {
    language: &'a RequestLanguage,
    /// By the slot and the number of tokens left.
    known: RefCell<HashMap<(Slot, usize), Found>>,
}

impl SlotValues<'_> {
    /// The values at the beginning of the tokens, which are the rest of the text.
    fn at(&self, slot: Slot, rest: &[Token]) -> Found {
        let place = (slot, rest.len());
        if let Some(values) = self.known.borrow().get(&place) {
            return Rc::clone(values);
        }
        let values = Rc::new(values_at(slot, rest, self.language));
        self.known.borrow_mut().insert(place, Rc::clone(&values));
        values
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

/// The words of phrases that were read before: patterns share most of theirs.
type KnownWords = HashMap<Vec<String>, Arc<Words>>;

enum ItemKind {
    Words(Arc<Words>),
    Slot(Slot),
}

struct Item {
    kind: ItemKind,
    is_optional: bool,
}

impl Item {
    fn new(item: PatternItem, known: &mut KnownWords) -> Self {
        let kind = match item.kind {
            PatternItemKind::Slot(slot) => {
                ItemKind::Slot(Slot::named(&slot).expect("the build script knows the slots"))
            }
            PatternItemKind::Words(phrases) => {
                let words = known.entry(phrases).or_insert_with_key(|phrases| {
                    Arc::new(Words::from_phrases(phrases.iter().map(String::as_str)))
                });
                ItemKind::Words(Arc::clone(words))
            }
        };
        Self { kind, is_optional: item.is_optional }
    }
}

/// The values with which the items account for all tokens.
fn whole(items: &[Item], tokens: &[Token], slots: &SlotValues<'_>, values: &Values) -> Option<Values> {
    let Some((item, rest)) = items.split_first() else {
        return tokens.is_empty().then(|| values.clone());
    };
    let found = match &item.kind {
        ItemKind::Words(words) => {
            words.ends_in(tokens).find_map(|end| whole(rest, &tokens[end..], slots, values))
        }
        ItemKind::Slot(slot) => slots
            .at(*slot, tokens)
            .iter()
            .find_map(|(used, value)| whole(rest, &tokens[*used..], slots, &values.with(value, *used))),
    };
    found.or_else(|| item.is_optional.then(|| whole(rest, tokens, slots, values)).flatten())
}
