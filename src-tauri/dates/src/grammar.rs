//! The tables made ready to match: words become numbers, patterns are found by how they begin.

use std::collections::HashMap;
use std::sync::LazyLock;

use jiff::civil::{Date, Weekday};

use crate::days::{Feast, Meaning, Name, Number, Season, Unit, When, Which};
use crate::languages::{self, Language, Sense};
use crate::tokens::{Figure, Token, tokens};

/// All languages.
pub(crate) static GRAMMAR: LazyLock<Grammar> = LazyLock::new(Grammar::new);

/// Every word of every table has a number.
pub(crate) type WordId = u32;

pub(crate) struct Grammar {
    words: HashMap<String, WordId>,
    pub(crate) tongues: Vec<Tongue>,
}

impl Grammar {
    fn new() -> Self {
        let mut words = HashMap::new();
        let tongues = languages::ALL.iter().map(|language| Tongue::new(language, &mut words)).collect();
        Self { words, tongues }
    }

    /// The tokens as numbers; `None` for words no table has.
    pub(crate) fn ids(&self, tokens: &[Token]) -> Vec<Option<WordId>> {
        tokens.iter().map(|token| self.words.get(&token.folded).copied()).collect()
    }
}

/// A text to match against.
#[derive(Clone, Copy)]
pub(crate) struct Line<'a> {
    pub tokens: &'a [Token],
    pub ids: &'a [Option<WordId>],
}

impl Line<'_> {
    /// Whether the word can go on what the one before began.
    fn goes_on(&self, at: usize, from: usize) -> bool {
        at < self.tokens.len() && (at == from || self.tokens[at].joined)
    }

    /// Where the words end if they stand at `at`, as part of what began at `from`.
    fn end_of(&self, words: &[WordId], at: usize, from: usize) -> Option<usize> {
        let stands = |(offset, word): (usize, &WordId)| {
            self.goes_on(at + offset, from) && self.ids[at + offset] == Some(*word)
        };
        words.iter().enumerate().all(stands).then_some(at + words.len())
    }
}

/// A language, ready to match.
pub(crate) struct Tongue {
    phrases: Patterns,
    names: Patterns,
    values: HashMap<WordId, Vec<(Vec<WordId>, Value)>>,
    links: Vec<WordId>,
    never_before: Vec<(WordId, WordId)>,
    never_after: Vec<WordId>,
    marks: Vec<WordId>,
}

impl Tongue {
    fn new(language: &Language, words: &mut HashMap<String, WordId>) -> Self {
        let mut number = |text: &str| -> Vec<WordId> {
            let folded = tokens(text).into_iter().map(|token| token.folded);
            folded
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
        for (pattern, sense) in language.phrases {
            phrases.add(Pattern::new(pattern, *sense, &mut number), &values);
        }
        let mut names = Patterns::default();
        for name in language.names {
            names.add(Pattern::new(name, Sense::Nearest, &mut number), &values);
        }
        for patterns in [&mut phrases, &mut names] {
            patterns.add(Pattern::new("{date}", Sense::Nearest, &mut number), &values);
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
            marks: each(language.marks),
            phrases,
            names,
            values,
        }
    }

    /// How much in a text speaks for this language.
    pub(crate) fn marks_in(&self, line: Line<'_>) -> usize {
        line.ids.iter().flatten().filter(|id| self.marks.contains(id)).count()
    }

    /// The longest phrase that begins at a token; the sure ones only, where another language has more marks.
    pub(crate) fn phrase_at(&self, line: Line<'_>, at: usize, only_sure: bool) -> Option<Matched> {
        let after_never = at > 0 && line.ids[at - 1].is_some_and(|id| self.never_after.contains(&id));
        if after_never && line.tokens[at].joined {
            return None;
        }
        self.longest(&self.phrases, line, at, only_sure)
    }

    /// The longest phrase or name that begins at a token and holds no other.
    fn simple_at(&self, line: Line<'_>, at: usize) -> Option<(usize, When)> {
        let simple = |matched: Matched| match matched.meaning {
            Meaning::Time(when) => Some((matched.end, when)),
            Meaning::Since(_) | Meaning::Between(..) => None,
        };
        let phrase = self.phrases.longest(self, line, at, &|pattern| !pattern.holds_others).and_then(simple);
        let name = self.longest(&self.names, line, at, false).and_then(simple);
        [name, phrase].into_iter().flatten().max_by_key(|(end, _)| *end)
    }

    /// The longest name that begins at a token, to be followed by what makes a time of it.
    pub(crate) fn name_at(&self, line: Line<'_>, at: usize) -> Option<Matched> {
        self.longest(&self.names, line, at, false)
    }

    /// What follows an expression that ends before `at`, perhaps after a linking word.
    pub(crate) fn following(&self, line: Line<'_>, at: usize) -> Option<(usize, When)> {
        let joined = |at: usize| line.tokens.get(at).is_some_and(|token| token.joined);
        if !joined(at) {
            return None;
        }
        let linked = line.ids[at].is_some_and(|id| self.links.contains(&id)) && joined(at + 1);
        self.simple_at(line, at).or_else(|| linked.then(|| self.simple_at(line, at + 1)).flatten())
    }

    fn longest(&self, patterns: &Patterns, line: Line<'_>, at: usize, only_sure: bool) -> Option<Matched> {
        patterns.longest(self, line, at, &|pattern| !(only_sure && pattern.is_doubtful))
    }

    fn is_ruled_out(&self, line: Line<'_>, end: usize) -> bool {
        let last = end.checked_sub(1).and_then(|last| line.ids[last]);
        let next = line.ids.get(end).copied().flatten().filter(|_| line.tokens[end].joined);
        last.zip(next).is_some_and(|pair| self.never_before.contains(&pair))
    }
}

/// An expression in a text.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Matched {
    /// The token after it.
    pub end: usize,
    pub meaning: Meaning,
}

#[derive(Default)]
struct Patterns {
    all: Vec<Pattern>,
    by_word: HashMap<WordId, Vec<usize>>,
    /// Those that can begin with digits.
    by_figure: Vec<usize>,
}

impl Patterns {
    fn add(&mut self, pattern: Pattern, values: &HashMap<WordId, Vec<(Vec<WordId>, Value)>>) {
        let number = self.all.len();
        for item in pattern.beginnings() {
            match &item.what {
                What::Words(alternatives) => {
                    for first in alternatives.iter().filter_map(|words| words.first()) {
                        self.by_word.entry(*first).or_default().push(number);
                    }
                }
                What::Slot(slot) => {
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
        tongue: &Tongue,
        line: Line<'_>,
        at: usize,
        counts: &dyn Fn(&Pattern) -> bool,
    ) -> Option<Matched> {
        let beginning = match line.ids[at] {
            Some(id) => self.by_word.get(&id).map_or(&[][..], Vec::as_slice),
            None => &[],
        };
        let is_figure = line.tokens[at].figure != Figure::None;
        let with_figure = if is_figure { self.by_figure.as_slice() } else { &[] };
        let matched = beginning.iter().chain(with_figure).map(|number| &self.all[*number]);
        let matched = matched
            .filter(|pattern| counts(pattern))
            .filter_map(|pattern| pattern.matched(tongue, line, at))
            .filter(|matched| !tongue.is_ruled_out(line, matched.end));
        // The first of those as long, as tables list them.
        matched.reduce(|best, next| if next.end > best.end { next } else { best })
    }
}

struct Pattern {
    items: Vec<Item>,
    sense: Sense,
    is_doubtful: bool,
    holds_others: bool,
}

impl Pattern {
    fn new(text: &str, sense: Sense, number: &mut impl FnMut(&str) -> Vec<WordId>) -> Self {
        let (text, is_doubtful) = text.strip_prefix('~').map_or((text, false), |text| (text, true));
        let items: Vec<Item> = text.split_whitespace().map(|item| Item::new(item, number)).collect();
        let holds_others = items.iter().any(|item| matches!(item.what, What::Slot(Slot::When)));
        Self { items, sense, is_doubtful, holds_others }
    }

    /// The items it can begin with.
    fn beginnings(&self) -> impl Iterator<Item = &Item> {
        let missing = self.items.iter().take_while(|item| item.may_be_missing).count();
        self.items.iter().take(missing + 1)
    }

    fn matched(&self, tongue: &Tongue, line: Line<'_>, at: usize) -> Option<Matched> {
        let (end, filled) = longest(&self.items, tongue, line, at, at, Filled::default())?;
        Some(Matched { end, meaning: filled.meaning(self.sense)? }).filter(|matched| matched.end > at)
    }
}

/// The longest way the items stand from `at` on, with what fills their slots.
fn longest(
    items: &[Item],
    tongue: &Tongue,
    line: Line<'_>,
    from: usize,
    at: usize,
    filled: Filled,
) -> Option<(usize, Filled)> {
    let Some((item, rest)) = items.split_first() else {
        return Some((at, filled));
    };
    let mut best: Option<(usize, Filled)> = None;
    let mut consider = |end: usize, filled: Filled| {
        let candidate = longest(rest, tongue, line, from, end, filled);
        if candidate.is_some_and(|(end, _)| best.is_none_or(|(best_end, _)| end > best_end)) {
            best = candidate;
        }
    };
    if line.goes_on(at, from) {
        match &item.what {
            What::Words(alternatives) => {
                for words in alternatives {
                    if let Some(end) = line.end_of(words, at, from) {
                        consider(end, filled);
                    }
                }
            }
            What::Slot(Slot::When) => {
                if let Some((end, when)) = tongue.simple_at(line, at) {
                    consider(end, filled.with(Value::When(when)));
                }
            }
            What::Slot(slot) => {
                if let Some(value) = Value::of_figure(line.tokens[at].figure, *slot) {
                    consider(at + 1, filled.with(value));
                }
                let entries = line.ids[at].and_then(|id| tongue.values.get(&id));
                for (words, value) in entries.into_iter().flatten().filter(|(_, value)| value.fits(*slot)) {
                    if let Some(end) = line.end_of(words, at, from) {
                        consider(end, filled.with(*value));
                    }
                }
            }
        }
    }
    if item.may_be_missing {
        consider(at, filled);
    }
    best
}

struct Item {
    what: What,
    may_be_missing: bool,
}

impl Item {
    fn new(text: &str, number: &mut impl FnMut(&str) -> Vec<WordId>) -> Self {
        let (text, may_be_missing) = text.strip_suffix('?').map_or((text, false), |text| (text, true));
        let what =
            Slot::named(text).map_or_else(|| What::Words(text.split('|').map(number).collect()), What::Slot);
        Self { what, may_be_missing }
    }
}

enum What {
    Words(Vec<Vec<WordId>>),
    Slot(Slot),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Slot {
    Number,
    Nth,
    DayInDigits,
    DayAndMonth,
    Unit,
    Weekday,
    Month,
    Season,
    Feast,
    Year,
    Date,
    When,
}

impl Slot {
    fn named(text: &str) -> Option<Self> {
        let slot = match text {
            "{n}" => Self::Number,
            "{nth}" => Self::Nth,
            "{dd}" => Self::DayInDigits,
            "{dm}" => Self::DayAndMonth,
            "{unit}" => Self::Unit,
            "{weekday}" => Self::Weekday,
            "{month}" => Self::Month,
            "{season}" => Self::Season,
            "{feast}" => Self::Feast,
            "{year}" => Self::Year,
            "{date}" => Self::Date,
            "{when}" => Self::When,
            _ => return None,
        };
        Some(slot)
    }
}

/// What a word of a slot stands for.
#[derive(Debug, Clone, Copy)]
enum Value {
    Number(Number),
    DayOfMonth(i8),
    DayAndMonth { day: i8, month: i8 },
    Unit(Unit),
    Weekday(Weekday),
    Month(i8),
    Season(Season),
    Feast(Feast),
    Year(i16),
    Date(Date),
    When(When),
}

/// Beyond this nobody counts, and the sums stay small.
const MOST: u32 = 999;

impl Value {
    fn fits(self, slot: Slot) -> bool {
        match self {
            Self::Number(_) => slot == Slot::Number,
            Self::DayOfMonth(_) => slot == Slot::Nth,
            Self::DayAndMonth { .. } => slot == Slot::DayAndMonth,
            Self::Unit(_) => slot == Slot::Unit,
            Self::Weekday(_) => slot == Slot::Weekday,
            Self::Month(_) => slot == Slot::Month,
            Self::Season(_) => slot == Slot::Season,
            Self::Feast(_) => slot == Slot::Feast,
            Self::Year(_) => slot == Slot::Year,
            Self::Date(_) => slot == Slot::Date,
            Self::When(_) => slot == Slot::When,
        }
    }

    fn of_figure(figure: Figure, slot: Slot) -> Option<Self> {
        let number = |number: u32| i32::try_from(number).ok().map(Number::exactly).map(Self::Number);
        let day = |number: u32| i8::try_from(number).ok().filter(|day| (1..=31).contains(day));
        match (figure, slot) {
            (Figure::Number(value), Slot::Number) if value <= MOST => number(value),
            (Figure::Number(value), Slot::Year) if (1900..2200).contains(&value) => {
                i16::try_from(value).ok().map(Self::Year)
            }
            (Figure::Number(value) | Figure::Ordinal(value), Slot::Nth | Slot::DayInDigits) => {
                day(value).map(Self::DayOfMonth)
            }
            (Figure::DayAndMonth { day, month }, Slot::DayAndMonth) => Some(Self::DayAndMonth { day, month }),
            (Figure::Date(date), Slot::Date) => Some(Self::Date(date)),
            _ => None,
        }
    }
}

fn values_of(language: &Language) -> Vec<(&'static str, Value)> {
    let mut values = Vec::new();
    for (number, words) in (1..).zip(language.numbers) {
        values.push((*words, Value::Number(Number::exactly(number))));
    }
    for (words, low, high) in language.vague {
        values.push((*words, Value::Number(Number { low: *low, high: *high })));
    }
    for (day, words) in (1..).zip(language.ordinals) {
        values.push((*words, Value::DayOfMonth(day)));
    }
    values.extend(language.units.iter().map(|(words, unit)| (*words, Value::Unit(*unit))));
    for (number, words) in (0..).zip(language.weekdays) {
        let weekday = Weekday::from_monday_zero_offset(number).expect("a week has seven days");
        values.push((words, Value::Weekday(weekday)));
    }
    values.extend((1..).zip(language.months).map(|(month, words)| (words, Value::Month(month))));
    let seasons = [Season::Spring, Season::Summer, Season::Autumn, Season::Winter];
    values.extend(language.seasons.into_iter().zip(seasons.map(Value::Season)));
    let feasts = [Feast::Christmas, Feast::Easter, Feast::NewYear];
    values.extend(language.feasts.into_iter().zip(feasts.map(Value::Feast)));
    values
}

/// What the slots of a pattern stand for in a text.
#[derive(Debug, Clone, Copy, Default)]
struct Filled {
    number: Option<Number>,
    day: Option<i8>,
    unit: Option<Unit>,
    /// A weekday, month, season, feast or `3.5.`.
    name: Option<Name>,
    year: Option<i16>,
    date: Option<Date>,
    first: Option<When>,
    second: Option<When>,
}

impl Filled {
    fn with(mut self, value: Value) -> Self {
        match value {
            Value::Number(number) => self.number = Some(number),
            Value::DayOfMonth(day) => self.day = Some(day),
            Value::DayAndMonth { day, month } => self.name = Some(Name::DayOfMonth { month, day }),
            Value::Unit(unit) => self.unit = Some(unit),
            Value::Weekday(weekday) => self.name = Some(Name::Weekday(weekday)),
            Value::Month(month) => self.name = Some(Name::Month(month)),
            Value::Season(season) => self.name = Some(Name::Season(season)),
            Value::Feast(feast) => self.name = Some(Name::Feast(feast)),
            Value::Year(year) => self.year = Some(year),
            Value::Date(date) => self.date = Some(date),
            Value::When(when) if self.first.is_none() => self.first = Some(when),
            Value::When(when) => self.second = Some(when),
        }
        self
    }

    /// What a pattern says; `None` if its slots do not make sense together, such as 31 April.
    fn meaning(&self, sense: Sense) -> Option<Meaning> {
        let when = match sense {
            Sense::Since => return self.first.map(Meaning::Since),
            Sense::Between => return Some(Meaning::Between(self.first?, self.second?)),
            Sense::Day(offset) => When::Day(offset),
            Sense::Of(unit, offset) => When::Calendar(unit, offset),
            Sense::Nth(offset) => match self.name()? {
                Some(name) => When::Name(name, Which::Nth(offset)),
                None => When::Calendar(self.longer_unit()?, offset),
            },
            Sense::This => match self.name()? {
                Some(name) => When::Name(name, Which::This),
                None => When::Calendar(self.longer_unit()?, 0),
            },
            Sense::Nearest => match (self.date, self.name()?, self.year) {
                (Some(date), ..) => When::Date(date),
                (None, Some(name), Some(year)) => When::Name(name, Which::InYear(year)),
                (None, Some(name), None) => When::Name(name, Which::Nearest),
                (None, None, year) => When::Year(year?),
            },
            Sense::InWeek(offset) => match self.name {
                Some(Name::Weekday(weekday)) => When::InWeek(weekday, offset),
                _ => return None,
            },
            Sense::WithinAbout(number, unit) => When::Within(Number::exactly(number), unit),
            Sense::Ago => When::Ago(self.number.unwrap_or(Number::ONE), self.unit?),
            Sense::Ago2(unit) => When::Ago(Number::exactly(2), unit),
            Sense::AgoAbout(low, high, unit) => When::Ago(Number { low, high }, unit),
            Sense::Within => When::Within(self.number.unwrap_or(Number::ONE), self.unit?),
            Sense::Ahead => When::Ahead(self.number.unwrap_or(Number::ONE), self.unit?),
        };
        Some(Meaning::Time(when))
    }

    /// "The last day" is that of a holiday as often as yesterday, which has a word of its own.
    fn longer_unit(&self) -> Option<Unit> {
        self.unit.filter(|unit| *unit != Unit::Day)
    }

    /// The name, if there is one; outside `None` if it is no day of any year.
    fn name(&self) -> Option<Option<Name>> {
        let counted = self.number.and_then(|number| i8::try_from(number.low).ok());
        let Some(day) = self.day.or(counted) else {
            return Some(self.name);
        };
        let Some(Name::Month(month)) = self.name else {
            return None;
        };
        // A leap year, so 29 February counts.
        Date::new(2024, month, day).ok()?;
        Some(Some(Name::DayOfMonth { month, day }))
    }
}
