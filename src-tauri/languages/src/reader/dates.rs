//! `dates.toml`.

use super::section::Section;
use crate::pattern::{PatternItemKind, sequences};
use crate::tables::{DateMeaning, DateTable, List, TimeUnit};

/// The slots of a pattern of time.
const SLOTS: [&str; 11] =
    ["n", "nth", "dd", "dm", "unit", "weekday", "month", "season", "holiday", "year", "when"];

const UNITS: [(&str, TimeUnit); 6] = [
    ("day", TimeUnit::Day),
    ("week", TimeUnit::Week),
    ("fortnight", TimeUnit::Fortnight),
    ("weekend", TimeUnit::Weekend),
    ("month", TimeUnit::Month),
    ("year", TimeUnit::Year),
];

/// The table of a language.
pub(super) fn read(mut file: Section<'_>) -> DateTable {
    let table = DateTable {
        articles_as_one: file.optional_text("articles_as_one").unwrap_or_default(),
        approximate_numbers: approximate_numbers(&mut file),
        ordinals: ordinals(&mut file),
        units: units(&mut file),
        weekdays: file.texts_exactly("weekdays"),
        months: file.texts_exactly("months"),
        seasons: file.texts_exactly("seasons"),
        holidays: file.texts_exactly("holidays"),
        phrases: phrases(&mut file),
        names: names(&mut file),
        links: file.optional_words("links"),
        never_before: never_before(&mut file),
        never_after: file.optional_words("never_after"),
        night: file.optional_phrases("night").text,
    };
    file.finish();
    table
}

fn approximate_numbers(file: &mut Section<'_>) -> List<(&'static str, i32, i32)> {
    let Some(mut section) = file.section("approximate_numbers") else { return List(&[]) };
    let mut numbers = Vec::new();
    for (at, range, field) in section.rest() {
        let bounds =
            range.split_once(" to ").and_then(|(low, high)| Some((low.parse().ok()?, high.parse().ok()?)));
        match (bounds, section.text_of(&range, &field)) {
            (Some((low, high)), Some(words)) => numbers.push((words, low, high)),
            (None, _) => section.mistake(at, format!("{range:?} is no range such as \"2 to 5\"")),
            (_, None) => {}
        }
    }
    List(numbers.leak())
}

fn ordinals(file: &mut Section<'_>) -> List<&'static str> {
    let Some(field) = file.optional("ordinals") else { return List(&[]) };
    let ordinals: Vec<&'static str> =
        file.texts_of("ordinals", &field).into_iter().map(|(_, text)| text).collect();
    if ordinals.len() > 31 {
        file.mistake(field.at, format!("ordinals has {} entries, a month has 31 days", ordinals.len()));
    }
    List(ordinals.leak())
}

fn units(file: &mut Section<'_>) -> List<(&'static str, TimeUnit)> {
    let Some(mut section) = file.section("units") else {
        file.lacks("units");
        return List(&[]);
    };
    let mut units = Vec::new();
    for (at, name, field) in section.rest() {
        match (unit(&name), section.text_of(&name, &field)) {
            (Some(unit), Some(words)) => units.push((words, unit)),
            (None, _) => section.mistake(at, format!("{name} is no unit of time")),
            (_, None) => {}
        }
    }
    List(units.leak())
}

fn never_before(file: &mut Section<'_>) -> List<(&'static str, &'static str)> {
    let Some(mut section) = file.section("never_before") else { return List(&[]) };
    let mut pairs: Vec<(&'static str, &'static str)> = Vec::new();
    for (_, word, field) in section.rest() {
        if let Some(next) = section.text_of(&word, &field) {
            pairs.push((word.leak(), next));
        }
    }
    List(pairs.leak())
}

fn names(file: &mut Section<'_>) -> List<&'static str> {
    let names = file.texts("names");
    let checked = names.into_iter().filter(|(at, name)| is_good(file, *at, name)).map(|(_, name)| name);
    List(checked.collect::<Vec<_>>().leak())
}

fn phrases(file: &mut Section<'_>) -> List<(&'static str, DateMeaning)> {
    let Some(mut section) = file.section("phrases") else {
        file.lacks("phrases");
        return List(&[]);
    };
    let mut phrases = Vec::new();
    for (at, name, field) in section.rest() {
        let patterns = section.texts_of(&name, &field);
        let Some(meaning) = meaning(&name) else {
            section.mistake(at, format!("{name:?} means nothing, such as \"day -1\" does"));
            continue;
        };
        for (at, pattern) in patterns {
            if is_good(&section, at, pattern.strip_prefix('~').unwrap_or(pattern)) {
                phrases.push((pattern, meaning));
            }
        }
    }
    List(phrases.leak())
}

/// `true` if the pattern is well formed; reports what is wrong.
fn is_good(section: &Section<'_>, at: usize, pattern: &str) -> bool {
    let unknown = |slot: &str| !SLOTS.contains(&slot);
    let mistake = match sequences(pattern) {
        Ok(sequences) => sequences.iter().flatten().find_map(|item| match &item.kind {
            PatternItemKind::Slot(slot) if unknown(slot) => Some(format!("there is no slot {{{slot}}}")),
            _ => None,
        }),
        Err(mistake) => Some(mistake),
    };
    if let Some(mistake) = &mistake {
        section.mistake(at, format!("{pattern:?}: {mistake}"));
    }
    mistake.is_none()
}

fn unit(name: &str) -> Option<TimeUnit> {
    UNITS.iter().find(|(known, _)| *known == name).map(|(_, unit)| *unit)
}

/// "day -1", "week 0", "2 to 5 days ago", "within 5 days", "counted -1" …
fn meaning(text: &str) -> Option<DateMeaning> {
    let words: Vec<&str> = text.split(' ').collect();
    let number = |text: &str| text.parse::<i32>().ok();
    let units = |name: &str| unit(name.strip_suffix('s').unwrap_or(name));
    Some(match words.as_slice() {
        ["nearest"] => DateMeaning::Nearest,
        ["current"] => DateMeaning::Current,
        ["counted", offset] => DateMeaning::Counted(number(offset)?),
        ["day", offset] => DateMeaning::DaysFromToday(number(offset)?),
        ["weekday", "of", "week", offset] => DateMeaning::WeekdayOfWeek(number(offset)?),
        ["ago"] => DateMeaning::Ago,
        [count, unit, "ago"] => DateMeaning::AgoAbout(number(count)?, number(count)?, units(unit)?),
        [low, "to", high, unit, "ago"] => DateMeaning::AgoAbout(number(low)?, number(high)?, units(unit)?),
        ["within"] => DateMeaning::Within,
        ["within", count, unit] => DateMeaning::WithinAbout(number(count)?, units(unit)?),
        ["ahead"] => DateMeaning::Ahead,
        ["since"] => DateMeaning::Since,
        ["between"] => DateMeaning::Between,
        [name, offset] => DateMeaning::UnitFromNow(unit(name)?, number(offset)?),
        _ => return None,
    })
}
