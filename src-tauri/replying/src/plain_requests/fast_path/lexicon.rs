//! The words of a language, read from its table.

use std::collections::HashMap;

use languages::{
    ClockMeaning, LanguageData, List, NumberWords, PatternItem, PatternItemKind, PlaceInList, RequestTable,
    WordList, sequences,
};

use super::tokens::{Token, tokens};

/// Alternatives of words.
#[derive(Debug, Clone, Default)]
pub(super) struct Words(Vec<Vec<String>>);

impl Words {
    /// Alternatives with `|` between them.
    pub(super) fn new(text: &str) -> Self {
        Self::from_phrases(text.split('|'))
    }

    /// The alternatives of all these texts.
    fn from_texts(texts: &[&str]) -> Self {
        Self::from_phrases(texts.iter().flat_map(|text| text.split('|')))
    }

    /// These alternatives.
    pub(super) fn from_phrases<'a>(phrases: impl Iterator<Item = &'a str>) -> Self {
        let mut all: Vec<Vec<String>> = phrases.map(folded).filter(|words| !words.is_empty()).collect();
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

    /// The first words of the alternatives.
    pub(super) fn first_words(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|words| words[0].as_str())
    }

    /// The longest alternative of one word that a longer word ends in.
    pub(super) fn ending_of(&self, word: &str) -> Option<&str> {
        let single = self.0.iter().filter_map(|words| match words.as_slice() {
            [ending] => Some(ending.as_str()),
            _ => None,
        });
        let endings = single.filter(|ending| word.len() > ending.len() && word.ends_with(ending));
        endings.max_by_key(|ending| ending.len())
    }

    pub(super) fn has_ending_of(&self, word: &str) -> bool {
        self.ending_of(word).is_some()
    }

    /// Returns `true` if the tokens end in one of the alternatives.
    pub(super) fn end(&self, tokens: &[Token]) -> bool {
        (0..tokens.len()).any(|at| self.are(&tokens[at..]))
    }

    /// Returns `true` if the tokens are one of the alternatives.
    pub(super) fn are(&self, tokens: &[Token]) -> bool {
        self.ends_in(tokens).any(|end| end == tokens.len())
    }
}

fn folded(text: &str) -> Vec<String> {
    tokens(text).into_iter().map(|token| token.text).collect()
}

/// A language with its patterns read.
pub(super) struct RequestLanguage {
    pub table: &'static RequestTable,
    pub numbers: &'static NumberWords,
    pub openers: Words,
    /// Words that call somebody, and names of other assistants.
    pub greetings: Words,
    pub polite: Words,
    /// Polite words, fillers, and what the table ignores.
    pub ignored: Words,
    pub dismissals: Words,
    /// Words that name nothing.
    pub unnamed: Words,
    /// Words that name an appointment by its place among the others.
    pub relative_places: Words,
    pub pronouns: Words,
    /// Ends of an answer behind its value.
    pub tag_questions: Words,
    pub answer_endings: Words,
    /// Say nothing in an answer to "which one?".
    pub choice_words: Words,
    /// Answers to "which one?" by the place of things in the question.
    pub places: Vec<(Words, PlaceInList)>,
    /// Beginnings of what is no answer to a question.
    pub no_answers: Words,
    /// Whole texts that name nothing: yes, no, and what wants no answer.
    pub no_names: Words,
    pub point: Words,
    pub one: Words,
    pub and: Words,
    pub durations: Vec<(Words, u32)>,
    pub and_a_half: Words,
    pub unit_and_a_half: Words,
    pub halves: Vec<(Words, u32)>,
    /// Numerator and denominator.
    pub fractions: Vec<(Words, (u32, u32))>,
    pub morning: Words,
    pub evening: Words,
    pub night: Words,
    /// Optional words behind 6:30, such as "o'clock".
    pub clock_sign: Words,
    pub clock: Vec<(ClockPattern, ClockMeaning)>,
    pub operators: Vec<(Words, &'static str)>,
    pub prefixes: Vec<(Words, &'static str)>,
    pub postfixes: Vec<(Words, &'static str)>,
    /// Words that make an appointment one that repeats.
    pub repeating: Words,
    pub repetitions: Vec<(Words, &'static str)>,
    pub every: Words,
    pub articles: Words,
    list_words: Words,
    /// Names of lists that an assistant keeps.
    pub usual_lists: Words,
    timer_words: Words,
    language_names: Vec<(Words, &'static str)>,
    units: Units,
    pub data: &'static LanguageData,
}

impl RequestLanguage {
    pub(super) fn new(data: &'static LanguageData, table: &'static RequestTable) -> Self {
        let polite = joined(data.polite_words);
        Self {
            table,
            numbers: NumberWords::of_code(data.code).expect("the build script asks for the numbers"),
            openers: Words::new(table.openers),
            greetings: Words::from_texts(&[&joined(data.greetings), table.other_assistants]),
            ignored: Words::from_texts(&[&polite, &joined(data.fillers), table.ignored]),
            polite: Words::new(&polite),
            dismissals: Words::new(table.dismissals),
            unnamed: Words::new(table.unnamed),
            relative_places: Words::new(table.relative_places),
            pronouns: Words::new(table.pronouns),
            tag_questions: Words::new(table.tag_questions),
            answer_endings: Words::new(table.answer_endings),
            choice_words: Words::new(table.choice_words),
            places: by_words(table.places),
            no_answers: Words::new(table.no_answers),
            no_names: no_names(data, table),
            point: Words::new(table.point),
            one: Words::new(table.one),
            and: Words::new(table.and),
            durations: by_words(table.durations),
            and_a_half: Words::new(table.and_a_half),
            unit_and_a_half: Words::new(table.unit_and_a_half),
            halves: by_words(table.halves),
            fractions: by_words(table.fractions),
            morning: Words::new(table.morning),
            evening: Words::new(table.evening),
            night: Words::new(data.dates.as_ref().map_or("", |dates| dates.night)),
            clock_sign: Words::new(table.clock_sign),
            clock: clock_patterns(table),
            operators: by_words(table.operators),
            prefixes: by_words(table.prefixes),
            postfixes: by_words(table.postfixes),
            repeating: Words::new(table.repeating),
            repetitions: by_words(table.repetitions),
            every: Words::new(table.every),
            articles: Words::new(table.articles),
            list_words: Words::new(table.list_words),
            usual_lists: Words::new(table.usual_lists),
            timer_words: Words::new(table.timer_words),
            language_names: by_words(table.language_names),
            units: units_of(data),
            data,
        }
    }

    /// Returns `true` for "what" or "qué", as it is written: "que" is another word.
    pub(super) fn is_question_word(&self, token: &Token) -> bool {
        self.data.question_words.contains(&token.written.to_lowercase())
    }

    /// Returns `true` for a function word that is no article, number or possessive: "I", "it".
    pub(super) fn begins_sentence(&self, word: &Token) -> bool {
        let written = word.written.to_lowercase();
        let token = std::slice::from_ref(word);
        self.data.is_function_word(&written)
            && !self.data.possessives.contains(&written)
            && ![&self.articles, &self.one, &self.and].iter().any(|words| words.are(token))
    }

    /// Returns `true` if the word is the name of a list in one word, such as "Einkaufsliste".
    pub(super) fn is_compound_of_list(&self, word: &str) -> bool {
        self.list_words.has_ending_of(word)
    }

    /// The name of a timer in one word: "Tee" of "Teetimer".
    pub(super) fn label_of_compound(&self, token: &Token) -> Option<String> {
        let ending = self.timer_words.ending_of(&token.text)?;
        let label = token.written.chars().count().checked_sub(ending.chars().count())?;
        Some(token.written.chars().take(label).collect())
    }

    /// The code of the language that is named at the beginning of the tokens.
    pub(super) fn named_language_at(&self, tokens: &[Token]) -> Option<(usize, &'static str)> {
        self.language_names.iter().find_map(|(words, code)| Some((words.end_in(tokens)?, *code)))
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

/// The words of a list with `|` between them.
fn joined(words: WordList) -> String {
    words.iter().collect::<Vec<_>>().join("|")
}

/// The meanings of words.
fn by_words<T: Copy>(rows: List<(&'static str, T)>) -> Vec<(Words, T)> {
    rows.into_iter().map(|(words, meaning)| (Words::new(words), *meaning)).collect()
}

/// Yes, no, and whole texts that want no answer.
fn no_names(data: &LanguageData, table: &RequestTable) -> Words {
    Words::from_texts(&[&joined(data.no), &joined(data.yes), &joined(data.stop_words), table.dismissals])
}

/// Every reading of the times of day.
fn clock_patterns(table: &RequestTable) -> Vec<(ClockPattern, ClockMeaning)> {
    let readings = |(pattern, meaning): &(&str, ClockMeaning)| {
        let meaning = *meaning;
        ClockPattern::all(pattern).map(move |pattern| (pattern, meaning)).collect::<Vec<_>>()
    };
    table.clock.iter().flat_map(readings).collect()
}

/// The names of the units of measure by their first word, with the ids of the units.
type Units = HashMap<String, Vec<(Vec<String>, &'static str)>>;

fn units_of(data: &LanguageData) -> Units {
    let mut units = Units::new();
    let names = data.measures.as_ref().expect("the build script asks for the names of units");
    for (id, names) in names.iter() {
        for words in names.map(folded).filter(|words| !words.is_empty()) {
            units.entry(words[0].clone()).or_default().push((words, id));
        }
    }
    units
}

/// The pattern of a time of day.
pub(super) struct ClockPattern(pub Vec<ClockItem>);

/// A part of such a pattern.
pub(super) enum ClockItem {
    Hour,
    Minute,
    /// Both, as in 7:15.
    HourAndMinute,
    Words {
        words: Words,
        is_optional: bool,
    },
}

impl ClockPattern {
    /// Every reading of a pattern.
    fn all(pattern: &str) -> impl Iterator<Item = Self> {
        let readings = sequences(pattern).expect("the build script has read the pattern");
        readings.into_iter().map(|items| Self(items.into_iter().map(ClockItem::new).collect()))
    }
}

impl ClockItem {
    fn new(item: PatternItem) -> Self {
        match item.kind {
            PatternItemKind::Slot(slot) if slot == "h" => Self::Hour,
            PatternItemKind::Slot(slot) if slot == "hm" => Self::HourAndMinute,
            PatternItemKind::Slot(_) => Self::Minute,
            PatternItemKind::Words(phrases) => Self::Words {
                words: Words::from_phrases(phrases.iter().map(String::as_str)),
                is_optional: item.is_optional,
            },
        }
    }
}
