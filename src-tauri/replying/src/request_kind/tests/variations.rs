//! Questions for something live, and general knowledge in the same words: `live.variations.txt` of each language. Rows in odd
//! places are for work on the patterns, those in even places judge it.

use std::fmt;
use std::ops::AddAssign;

use super::*;
use crate::test_rows::{Row, halves, rows};

const ROWS: &str = "live.variations.txt";

/// Languages with fewer rows would have a share that means little.
const FEWEST_OF_A_KIND: usize = 40;

/// The greatest share of general knowledge that is taken for something live, in percent: such a question gets no answer.
const MOST_MISTAKEN: usize = 2;

/// The same for one language, where a row is two percent.
const MOST_MISTAKEN_OF_LANGUAGE: usize = 5;

/// The greatest share of questions for something live that are left to a model, in percent. Single words as patterns left 19.
const MOST_MISSED: usize = 10;

/// The outcome of rows.
#[derive(Debug, Default)]
struct Outcome {
    live: usize,
    /// Questions for something live that were left open or taken for another topic.
    missed: Vec<String>,
    near_misses: usize,
    /// Near misses that were taken.
    mistaken: Vec<String>,
}

impl Outcome {
    fn new(code: &str, rows: &[Row]) -> Self {
        let mut outcome = Self::default();
        for (text, expected) in rows {
            let found = topic(code, text);
            let (count, failures) = match expected.as_str() {
                "-" => (&mut outcome.near_misses, &mut outcome.mistaken),
                _ => (&mut outcome.live, &mut outcome.missed),
            };
            *count += 1;
            if found != expected {
                failures.push(format!("{code}: {text} => {found}"));
            }
        }
        outcome
    }

    fn is_within(&self, most_mistaken: usize) -> bool {
        let is_few = |failures: &[String], all: usize, most: usize| failures.len() * 100 <= most * all;
        is_few(&self.mistaken, self.near_misses, most_mistaken)
    }

    fn finds_enough(&self) -> bool {
        self.missed.len() * 100 <= MOST_MISSED * self.live
    }
}

impl AddAssign for Outcome {
    fn add_assign(&mut self, mut other: Self) {
        self.live += other.live;
        self.near_misses += other.near_misses;
        self.missed.append(&mut other.missed);
        self.mistaken.append(&mut other.mistaken);
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (missed, mistaken) = (self.missed.len(), self.mistaken.len());
        let Self { live, near_misses, .. } = self;
        write!(formatter, "{mistaken} of {near_misses} near misses taken, {missed} of {live} missed")
    }
}

/// The name of the topic of a question; `-` for none.
fn topic(code: &str, text: &str) -> &'static str {
    match read(code, text) {
        RequestKind::Live(found) => LiveTopic::ALL.iter().find(|(_, topic)| *topic == found).unwrap().0,
        _ => "-",
    }
}

fn with_answers() -> impl Iterator<Item = &'static LanguageData> {
    languages::all().iter().filter(|data| data.answers.is_some())
}

#[test]
fn general_knowledge_is_told_from_questions_for_something_live() {
    let [mut tuning, mut held_out] = [Outcome::default(), Outcome::default()];
    let mut failures = String::new();
    for data in with_answers() {
        let [of_tuning, of_held_out] = halves(data, ROWS).map(|rows| Outcome::new(data.code, &rows));
        let line = format!("{}: tuning {of_tuning}; held out {of_held_out}\n", data.code);
        print!("{line}");
        if ![&of_tuning, &of_held_out].iter().all(|half| half.is_within(MOST_MISTAKEN_OF_LANGUAGE)) {
            failures += &line;
        }
        tuning += of_tuning;
        held_out += of_held_out;
    }
    let line = format!("all: tuning {tuning}; held out {held_out}\n");
    print!("{line}");
    if ![&tuning, &held_out].iter().all(|half| half.is_within(MOST_MISTAKEN) && half.finds_enough()) {
        failures += &line;
    }

    let Outcome { mistaken, missed, .. } = tuning;
    assert!(failures.is_empty(), "{failures}tuning, mistaken: {mistaken:#?}\nmissed: {missed:#?}");
}

#[test]
fn every_language_has_enough_questions_of_both_kinds() {
    for data in with_answers() {
        let (near_misses, live): (Vec<_>, Vec<_>) =
            rows(data, ROWS).into_iter().partition(|(_, topic)| topic == "-");

        let fewest = near_misses.len().min(live.len());
        assert!(fewest >= FEWEST_OF_A_KIND, "{}: {} and {}", data.code, near_misses.len(), live.len());
    }
}
