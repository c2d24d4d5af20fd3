//! `answers.toml`.

use std::collections::BTreeMap;

use super::rules::with_rules;
use super::section::Section;
use crate::answer_kinds::{DialogueQuestion, Introduction, LiveTopic, OwnFact, WorldAction};
use crate::pattern::{PatternItem, PatternItemKind, sequences};
use crate::tables::{AnswerTable, List};

/// The slots of a pattern.
const SLOTS: [&str; 16] = [
    "any",
    "name",
    "date",
    "several",
    "noun",
    "own",
    "thing",
    "done",
    "present",
    "favourite",
    "relation",
    "counted",
    "profession",
    "diet",
    "begin",
    "end",
];

/// The parts of a pattern that the file shares.
type Rules = BTreeMap<&'static str, &'static str>;

/// The table of a language.
pub(super) fn read(mut file: Section<'_>) -> AnswerTable {
    let rules = rules(&mut file);
    let table = AnswerTable {
        openers: patterns(&mut file, "openers", &rules),
        live: by_name(&mut file, "live", &LiveTopic::ALL, &rules),
        topics: words(&mut file, "topics", &LiveTopic::ALL),
        present: file.text("present"),
        not_live: patterns(&mut file, "not_live", &rules),
        timeless: patterns(&mut file, "timeless", &rules),
        here: patterns(&mut file, "here", &rules),
        nearby: file.text("nearby"),
        outcomes: patterns(&mut file, "outcomes", &rules),
        actions: by_name(&mut file, "actions", &WorldAction::ALL, &rules),
        not_actions: patterns(&mut file, "not_actions", &rules),
        action_words: words(&mut file, "action_words", &WorldAction::ALL),
        source_words: words(&mut file, "source_words", &LiveTopic::ALL),
        things: things(&mut file),
        done: file.text("done"),
        claims: patterns(&mut file, "claims", &rules),
        states: patterns(&mut file, "states", &rules),
        not_claims: patterns(&mut file, "not_claims", &rules),
        texts: patterns(&mut file, "texts", &rules),
        persons: patterns(&mut file, "persons", &rules),
        orders: patterns(&mut file, "orders", &rules),
        order_addresses: patterns(&mut file, "order_addresses", &rules),
        tool_talk: patterns(&mut file, "tool_talk", &rules),
        to_remember: patterns(&mut file, "to_remember", &rules),
        again: patterns(&mut file, "again", &rules),
        empty: patterns(&mut file, "empty", &rules),
        introductions: by_name(&mut file, "introductions", &Introduction::ALL, &rules),
        greeted_names: optional_patterns(&mut file, "greeted_names", &rules),
        no_greeted_names: file.optional_words("no_greeted_names"),
        not_names: file.optional_words("not_names"),
        passing: file.optional_words("passing"),
        not_liked: file.optional_words("not_liked"),
        appointments: optional_patterns(&mut file, "appointments", &rules),
        participle_last: file.flag("participle_last"),
        not_appointments: file.optional_words("not_appointments"),
        lasting: file.optional_words("lasting"),
        questions: by_name(&mut file, "questions", &Introduction::ALL, &rules),
        own_facts: optional_by_name(&mut file, "own_facts", &OwnFact::ALL, &rules),
        own_questions: optional_by_name(&mut file, "own_questions", &OwnFact::ALL, &rules),
        favourites: file.optional_text("favourites").unwrap_or_default(),
        relations: file.optional_text("relations").unwrap_or_default(),
        counted: file.optional_text("counted").unwrap_or_default(),
        professions: file.optional_text("professions").unwrap_or_default(),
        diets: file.optional_text("diets").unwrap_or_default(),
        dialogue_questions: optional_by_name(&mut file, "dialogue_questions", &DialogueQuestion::ALL, &rules),
        spelling: optional_patterns(&mut file, "spelling", &rules),
    };
    file.finish();
    table
}

fn rules(file: &mut Section<'_>) -> Rules {
    let Some(mut section) = file.section("rules") else { return Rules::new() };
    let rest = section.rest();
    rest.into_iter()
        .map(|(_, name, field)| {
            let text = section.text_of(&name, &field).unwrap_or_default();
            (&*name.leak(), text)
        })
        .collect()
}

fn patterns(file: &mut Section<'_>, name: &str, rules: &Rules) -> List<&'static str> {
    let texts = file.texts(name);
    let read = texts.into_iter().filter_map(|(at, text)| checked(file, at, text, rules));
    List(read.collect::<Vec<_>>().leak())
}

/// The same of a list that may be missing.
fn optional_patterns(file: &mut Section<'_>, name: &str, rules: &Rules) -> List<&'static str> {
    let Some(field) = file.optional(name) else { return List(&[]) };
    let texts = file.texts_of(name, &field);
    let read = texts.into_iter().filter_map(|(at, text)| checked(file, at, text, rules));
    List(read.collect::<Vec<_>>().leak())
}

/// The patterns of a table, by the value that each name means.
fn by_name<T: Copy>(
    file: &mut Section<'_>,
    table: &str,
    all: &[(&'static str, T)],
    rules: &Rules,
) -> List<(T, List<&'static str>)> {
    match file.section(table) {
        Some(section) => rows_by_name(section, all, rules),
        None => {
            file.lacks(table);
            List(&[])
        }
    }
}

/// The same of a table that may be missing.
fn optional_by_name<T: Copy>(
    file: &mut Section<'_>,
    table: &str,
    all: &[(&'static str, T)],
    rules: &Rules,
) -> List<(T, List<&'static str>)> {
    file.section(table).map_or(List(&[]), |section| rows_by_name(section, all, rules))
}

fn rows_by_name<T: Copy>(
    mut section: Section<'_>,
    all: &[(&'static str, T)],
    rules: &Rules,
) -> List<(T, List<&'static str>)> {
    let mut rows = Vec::new();
    for (name, value) in all {
        if let Some(field) = section.optional(name) {
            let texts = section.texts_of(name, &field).into_iter();
            let read: Vec<&'static str> =
                texts.filter_map(|(at, text)| checked(&section, at, text, rules)).collect();
            rows.push((*value, List(&*read.leak())));
        }
    }
    section.finish();
    List(rows.leak())
}

/// The words of a table, which may be missing.
fn words<T: Copy>(file: &mut Section<'_>, table: &str, all: &[(&'static str, T)]) -> List<(T, &'static str)> {
    let Some(mut section) = file.section(table) else { return List(&[]) };
    let rows = all.iter().filter_map(|(name, value)| Some((*value, section.optional_text(name)?)));
    let rows: Vec<(T, &'static str)> = rows.collect();
    section.finish();
    List(rows.leak())
}

fn things(file: &mut Section<'_>) -> List<(Option<WorldAction>, &'static str)> {
    let Some(mut section) = file.section("things") else {
        file.lacks("things");
        return List(&[]);
    };
    let mut rows: Vec<(Option<WorldAction>, &'static str)> = vec![(None, section.text("own"))];
    let outside = WorldAction::ALL.iter();
    rows.extend(outside.filter_map(|(name, action)| Some((Some(*action), section.optional_text(name)?))));
    section.finish();
    List(rows.leak())
}

/// The pattern with its rules filled in; `None` if it is not well formed, which is reported.
fn checked(section: &Section<'_>, at: usize, pattern: &'static str, rules: &Rules) -> Option<&'static str> {
    let unknown = |item: &PatternItem| match &item.kind {
        PatternItemKind::Slot(slot) if !SLOTS.contains(&slot.as_str()) => Some(slot.clone()),
        _ => None,
    };
    let read = with_rules(pattern, rules).and_then(|text| {
        let readings = sequences(&text)?;
        match readings.iter().flatten().find_map(unknown) {
            Some(slot) => Err(format!("there is no slot {{{slot}}}")),
            None => Ok(text),
        }
    });
    match read {
        Ok(text) => Some(text.leak()),
        Err(mistake) => {
            section.mistake(at, format!("{pattern:?}: {mistake}"));
            None
        }
    }
}
