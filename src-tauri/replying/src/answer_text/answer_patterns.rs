//! The patterns of `answers.toml`, read once for each language, and how they match.

use std::ops::Range;
use std::sync::Arc;

use languages::{
    AnswerTable, DialogueQuestion, Introduction, LanguageData, LiveTopic, OwnFact, PatternItemKind,
    PerLanguage, WorldAction, folded, folded_words, sequences,
};

/// The most words of `{any}`: the parts of a claim stand close together.
const MAX_ANY: usize = 6;

/// The most words of a name.
const MAX_NAME: usize = 3;

/// The most words of a day: "the 3rd of March 1990".
const MAX_DATE: usize = 7;

/// The most words of several things: "peanuts, cow's milk and cats".
const MAX_SEVERAL: usize = 8;

/// The most words for a person or a thing of the user: "best friend".
const MAX_OWN: usize = 2;

static PATTERNS: PerLanguage<Option<AnswerPatterns>> =
    PerLanguage::new(|data| Some(AnswerPatterns::new(&Vocabulary::new(data)?)));

/// The patterns of one language.
pub(crate) struct AnswerPatterns {
    pub openers: Patterns,
    pub live: Vec<(LiveTopic, Patterns)>,
    pub topics: Vec<(LiveTopic, Patterns)>,
    pub present: Patterns,
    pub not_live: Patterns,
    pub timeless: Patterns,
    pub here: Patterns,
    pub nearby: Patterns,
    pub outcomes: Patterns,
    pub actions: Vec<(WorldAction, Patterns)>,
    pub not_actions: Patterns,
    pub claims: Patterns,
    pub states: Patterns,
    pub not_claims: Patterns,
    pub texts: Patterns,
    pub persons: Patterns,
    pub empty: Patterns,
    pub tool_talk: Patterns,
    pub to_remember: Patterns,
    pub again: Patterns,
    pub introductions: Vec<(Introduction, Patterns)>,
    pub greeted_names: Patterns,
    pub questions: Vec<(Introduction, Patterns)>,
    pub own_facts: Vec<(OwnFact, Patterns)>,
    pub own_questions: Vec<(OwnFact, Patterns)>,
    pub appointments: Patterns,
    pub dialogue_questions: Vec<(DialogueQuestion, Patterns)>,
    pub spelling: Patterns,
}

/// The patterns of a language; `None` if it has none.
pub(crate) fn patterns_of(data: &'static LanguageData) -> Option<&'static AnswerPatterns> {
    PATTERNS.get(data).as_ref()
}

impl AnswerPatterns {
    fn new(vocabulary: &Vocabulary) -> Self {
        let table = vocabulary.table;
        let patterns = |list: &[&str]| Patterns::new(list, vocabulary);
        fn by<T: Copy>(
            rows: &[(T, languages::List<&'static str>)],
            vocabulary: &Vocabulary,
        ) -> Vec<(T, Patterns)> {
            rows.iter().map(|(value, list)| (*value, Patterns::new(list, vocabulary))).collect()
        }
        let topics = table.topics.iter().map(|(topic, text)| (*topic, Patterns::from_phrases(text)));
        Self {
            openers: patterns(&table.openers),
            live: by(&table.live, vocabulary),
            topics: topics.collect(),
            present: Patterns::from_phrases(table.present),
            not_live: patterns(&table.not_live),
            timeless: patterns(&table.timeless),
            here: patterns(&table.here),
            nearby: Patterns::from_phrases(table.nearby),
            outcomes: patterns(&table.outcomes),
            actions: by(&table.actions, vocabulary),
            not_actions: patterns(&table.not_actions),
            claims: patterns(&table.claims),
            states: patterns(&table.states),
            not_claims: patterns(&table.not_claims),
            texts: patterns(&table.texts),
            persons: patterns(&table.persons),
            empty: patterns(&table.empty),
            tool_talk: patterns(&table.tool_talk),
            to_remember: patterns(&table.to_remember),
            again: patterns(&table.again),
            introductions: by(&table.introductions, vocabulary),
            greeted_names: patterns(&table.greeted_names),
            questions: by(&table.questions, vocabulary),
            own_facts: by(&table.own_facts, vocabulary),
            own_questions: by(&table.own_questions, vocabulary),
            appointments: patterns(&table.appointments),
            dialogue_questions: by(&table.dialogue_questions, vocabulary),
            spelling: patterns(&table.spelling),
        }
    }
}

/// The words of a language that the slots of patterns stand for.
struct Vocabulary {
    table: &'static AnswerTable,
    /// Folded.
    function_words: Arc<[String]>,
}

impl Vocabulary {
    fn new(data: &'static LanguageData) -> Option<Self> {
        let function_words = data.all_function_words().map(folded).collect();
        Some(Self { table: data.answers.as_ref()?, function_words })
    }
}

/// The patterns of orders to an assistant in text from outside. They are read apart from the others: a text is looked through
/// in every language.
pub(crate) struct OrderPatterns {
    pub orders: Patterns,
    pub addresses: Patterns,
}

static ORDERS: PerLanguage<Option<OrderPatterns>> = PerLanguage::new(|data| {
    Vocabulary::new(data).map(|vocabulary| OrderPatterns {
        orders: Patterns::new(&vocabulary.table.orders, &vocabulary),
        addresses: Patterns::new(&vocabulary.table.order_addresses, &vocabulary),
    })
});

/// The patterns of orders in all languages that have them.
pub(crate) fn order_patterns() -> impl Iterator<Item = &'static OrderPatterns> {
    languages::all().iter().filter_map(|data| ORDERS.get(data).as_ref())
}

/// Patterns for one purpose.
pub(crate) struct Patterns(Vec<Vec<Item>>);

struct Item {
    kind: PieceKind,
    is_optional: bool,
}

enum PieceKind {
    Words(Vec<Vec<String>>),
    Things(Vec<(Option<WorldAction>, Vec<String>)>),
    Any,
    /// Up to so many words, which are captured.
    Name(usize),
    /// One of these phrases, which is captured as a name.
    NamePhrase(Vec<Vec<String>>),
    /// One or two words that are none of these, which are captured.
    Own(Arc<[String]>),
    /// One of these phrases, which is captured.
    OwnPhrase(Vec<Vec<String>>),
    /// A word that is none of these.
    Noun(Arc<[String]>),
    Begin,
    End,
}

/// A match of a pattern.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Match {
    /// The words of it.
    pub words: Range<usize>,
    /// The words of `{name}`, `{date}`, `{several}`, `{profession}` or `{diet}`.
    pub name: Option<Range<usize>>,
    /// The words of the slot before it, if two are captured in this way: "tomorrow I have a meeting at three".
    pub earlier_name: Option<Range<usize>>,
    /// The words of `{own}`, `{favourite}`, `{relation}` or `{counted}`.
    pub own: Option<Range<usize>>,
    /// The value of `{thing}`: the action that it takes, or `None` for things that Jarvis keeps itself.
    pub thing: Option<Option<WorldAction>>,
}

/// The part of a text that a match has to cover.
#[derive(Clone, Copy, PartialEq)]
enum Reach {
    /// To the last word.
    Whole,
    /// Anywhere.
    Part,
}

/// The matches that are looked for.
#[derive(Clone, Copy)]
struct Goal<'a> {
    reach: Reach,
    accepts: &'a dyn Fn(&Match) -> bool,
}

/// Every match of a part of a text.
const PART: Goal<'static> = Goal { reach: Reach::Part, accepts: &|_| true };

impl Patterns {
    fn new(list: &[&str], vocabulary: &Vocabulary) -> Self {
        let readings = list.iter().flat_map(|pattern| {
            sequences(pattern).expect("the build script has read the pattern").into_iter().map(|items| {
                let items = items
                    .into_iter()
                    .map(|item| Item { kind: kind(item.kind, vocabulary), is_optional: item.is_optional });
                items.collect()
            })
        });
        Self(readings.collect())
    }

    /// One of these phrases, with `|` between them.
    fn from_phrases(text: &str) -> Self {
        Self(vec![vec![Item { kind: PieceKind::Words(phrases(text)), is_optional: false }]])
    }

    /// The first match that accounts for all words.
    pub fn whole(&self, words: &[String]) -> Option<Match> {
        self.whole_if(words, &|_| true)
    }

    /// The first match that accounts for all words and is accepted.
    pub fn whole_if(&self, words: &[String], accepts: &dyn Fn(&Match) -> bool) -> Option<Match> {
        let goal = Goal { reach: Reach::Whole, accepts };
        self.0.iter().find_map(|items| matched(items, words, 0, goal, Match::default()))
    }

    /// The first match that begins with the first word, and its length.
    pub fn beginning(&self, words: &[String]) -> Option<Match> {
        self.0.iter().find_map(|items| matched(items, words, 0, PART, Match::default()))
    }

    /// The first match anywhere in the words.
    pub fn anywhere(&self, words: &[String]) -> Option<Match> {
        (0..words.len()).find_map(|at| {
            let found = Match { words: at..at, ..Match::default() };
            self.0.iter().find_map(|items| matched(items, words, at, PART, found.clone()))
        })
    }
}

fn phrases(text: &str) -> Vec<Vec<String>> {
    text.split('|').map(folded_words).filter(|words| !words.is_empty()).collect()
}

fn kind(kind: PatternItemKind, vocabulary: &Vocabulary) -> PieceKind {
    let table = vocabulary.table;
    match kind {
        PatternItemKind::Words(all) => {
            PieceKind::Words(all.iter().map(|phrase| folded_words(phrase)).collect())
        }
        PatternItemKind::Slot(slot) => match slot.as_str() {
            "done" => PieceKind::Words(phrases(table.done)),
            "present" => PieceKind::Words(phrases(table.present)),
            "noun" => PieceKind::Noun(vocabulary.function_words.clone()),
            "own" => PieceKind::Own(vocabulary.function_words.clone()),
            "favourite" => PieceKind::OwnPhrase(phrases(table.favourites)),
            "relation" => PieceKind::OwnPhrase(phrases(table.relations)),
            "counted" => PieceKind::OwnPhrase(phrases(table.counted)),
            "thing" => {
                let things = table.things.iter();
                PieceKind::Things(
                    things
                        .flat_map(|(action, text)| phrases(text).into_iter().map(|words| (*action, words)))
                        .collect(),
                )
            }
            "name" => PieceKind::Name(MAX_NAME),
            "date" => PieceKind::Name(MAX_DATE),
            "several" => PieceKind::Name(MAX_SEVERAL),
            "profession" => PieceKind::NamePhrase(phrases(table.professions)),
            "diet" => PieceKind::NamePhrase(phrases(table.diets)),
            "begin" => PieceKind::Begin,
            "end" => PieceKind::End,
            _ => PieceKind::Any,
        },
    }
}

fn matched(items: &[Item], words: &[String], at: usize, goal: Goal<'_>, found: Match) -> Option<Match> {
    let Some((item, rest)) = items.split_first() else {
        let is_complete = goal.reach == Reach::Part || at == words.len();
        let found = Match { words: found.words.start..at, ..found };
        return (is_complete && (goal.accepts)(&found)).then_some(found);
    };
    let after = |used: usize, found: Match| matched(rest, words, at + used, goal, found);
    let left = words.len() - at;
    let taken = match &item.kind {
        PieceKind::Words(phrases) => phrases
            .iter()
            .filter(|phrase| words[at..].starts_with(phrase))
            .find_map(|phrase| after(phrase.len(), found.clone())),
        PieceKind::Things(things) => {
            things.iter().filter(|(_, phrase)| words[at..].starts_with(phrase)).find_map(
                |(action, phrase)| after(phrase.len(), Match { thing: Some(*action), ..found.clone() }),
            )
        }
        PieceKind::Any => (0..=left.min(MAX_ANY)).find_map(|used| after(used, found.clone())),
        PieceKind::Name(most) => (1..=left.min(*most)).find_map(|used| {
            let earlier_name = found.name.clone();
            after(used, Match { name: Some(at..at + used), earlier_name, ..found.clone() })
        }),
        PieceKind::NamePhrase(phrases) => {
            phrases.iter().filter(|phrase| words[at..].starts_with(phrase)).find_map(|phrase| {
                after(phrase.len(), Match { name: Some(at..at + phrase.len()), ..found.clone() })
            })
        }
        PieceKind::Own(others) => (1..=left.min(MAX_OWN))
            .take_while(|used| !others.contains(&words[at + used - 1]))
            .find_map(|used| after(used, Match { own: Some(at..at + used), ..found.clone() })),
        PieceKind::OwnPhrase(phrases) => {
            phrases.iter().filter(|phrase| words[at..].starts_with(phrase)).find_map(|phrase| {
                after(phrase.len(), Match { own: Some(at..at + phrase.len()), ..found.clone() })
            })
        }
        PieceKind::Noun(others) => {
            words.get(at).filter(|word| !others.contains(word)).and_then(|_| after(1, found.clone()))
        }
        PieceKind::Begin => (at == 0).then(|| after(0, found.clone())).flatten(),
        PieceKind::End => (left == 0).then(|| after(0, found.clone())).flatten(),
    };
    taken.or_else(|| item.is_optional.then(|| matched(rest, words, at, goal, found)).flatten())
}
