//! `requests.toml`.

use std::collections::BTreeMap;

use super::rules::with_rules;
use super::section::{Field, Section};
use crate::normalisation::folded_words;
use crate::pattern::{PatternItem, PatternItemKind, sequences};
use crate::tables::{ClockMeaning, List, PlaceInList, RequestMeaning, RequestTable};

/// The slots of a request.
const SLOTS: [&str; 17] = [
    "n",
    "numbers",
    "fraction",
    "unit",
    "quantity",
    "duration",
    "set_for",
    "clock",
    "date",
    "place",
    "label",
    "list",
    "usual_list",
    "timer",
    "text",
    "maths",
    "language",
];

/// The slots of a time of day.
const CLOCK_SLOTS: [&str; 3] = ["h", "m", "hm"];

/// The table and inner table of the requests of each meaning.
const MEANINGS: [(&str, &str, RequestMeaning); 63] = [
    ("time", "now", RequestMeaning::Time),
    ("time", "until", RequestMeaning::TimeUntil),
    ("date", "of_day", RequestMeaning::Date),
    ("date", "days_until", RequestMeaning::DaysUntil),
    ("date", "week", RequestMeaning::WeekNumber),
    ("timer", "set", RequestMeaning::Timer),
    ("timer", "without_duration", RequestMeaning::TimerWithoutDuration),
    ("timer", "list", RequestMeaning::ListTimers),
    ("timer", "cancel", RequestMeaning::CancelTimer),
    ("timer", "cancel_all", RequestMeaning::CancelAllTimers),
    ("timer", "pause", RequestMeaning::PauseTimer),
    ("timer", "resume", RequestMeaning::ResumeTimer),
    ("timer", "lengthen", RequestMeaning::LengthenTimer),
    ("timer", "shorten", RequestMeaning::ShortenTimer),
    ("ringing", "stop", RequestMeaning::StopRinging),
    ("ringing", "snooze", RequestMeaning::Snooze),
    ("alarm", "set", RequestMeaning::Alarm),
    ("alarm", "without_time", RequestMeaning::AlarmWithoutTime),
    ("alarm", "change", RequestMeaning::ChangeAlarm),
    ("alarm", "stop", RequestMeaning::StopAlarm),
    ("alarm", "cancel", RequestMeaning::CancelAlarm),
    ("alarm", "cancel_all", RequestMeaning::CancelAllAlarms),
    ("reminder", "set", RequestMeaning::Remind),
    ("reminder", "list", RequestMeaning::ListReminders),
    ("reminder", "cancel", RequestMeaning::CancelReminder),
    ("reminder", "cancel_all", RequestMeaning::CancelAllReminders),
    ("todo", "add", RequestMeaning::AddTodo),
    ("todo", "list", RequestMeaning::ListTodos),
    ("todo", "finish", RequestMeaning::FinishTodo),
    ("todo", "clear", RequestMeaning::ClearTodos),
    ("volume", "set", RequestMeaning::Volume),
    ("volume", "louder", RequestMeaning::Louder),
    ("volume", "quieter", RequestMeaning::Quieter),
    ("voice", "mute", RequestMeaning::Mute),
    ("voice", "unmute", RequestMeaning::Unmute),
    ("maths", "calculate", RequestMeaning::Calculate),
    ("maths", "percent_of", RequestMeaning::PercentOf),
    ("maths", "of_percent", RequestMeaning::OfPercent),
    ("maths", "fraction_of", RequestMeaning::FractionOf),
    ("maths", "sum", RequestMeaning::Sum),
    ("maths", "product", RequestMeaning::Product),
    ("maths", "difference", RequestMeaning::Difference),
    ("maths", "difference_from", RequestMeaning::DifferenceFrom),
    ("maths", "quotient", RequestMeaning::Quotient),
    ("units", "convert", RequestMeaning::Convert),
    ("units", "convert_to", RequestMeaning::ConvertTo),
    ("chance", "coin", RequestMeaning::TossCoin),
    ("chance", "die", RequestMeaning::RollDie),
    ("chance", "number", RequestMeaning::PickNumber),
    ("undo", "last", RequestMeaning::Undo),
    ("follow_up", "fill", RequestMeaning::SameWith),
    ("follow_up", "of", RequestMeaning::SameOf),
    ("follow_up", "percent", RequestMeaning::SamePercent),
    ("follow_up", "plus", RequestMeaning::ThenPlus),
    ("follow_up", "minus", RequestMeaning::ThenMinus),
    ("follow_up", "times", RequestMeaning::ThenTimes),
    ("follow_up", "over", RequestMeaning::ThenOver),
    ("follow_up", "change", RequestMeaning::Change),
    ("follow_up", "another", RequestMeaning::Another),
    ("follow_up", "cancel", RequestMeaning::TakeBack),
    ("follow_up", "when", RequestMeaning::WhenItRings),
    ("follow_up", "again", RequestMeaning::Again),
    ("follow_up", "in_language", RequestMeaning::SameInLanguage),
];

/// The table of a language.
pub(super) fn read(mut file: Section<'_>) -> RequestTable {
    let optional = |file: &mut Section<'_>, name: &str| file.optional_phrases(name).text;
    let requests = requests(&mut file);
    let table = RequestTable {
        openers: optional(&mut file, "openers"),
        other_assistants: optional(&mut file, "other_assistants"),
        ignored: optional(&mut file, "ignored"),
        dismissals: file.phrases("dismissals").text,
        unnamed: optional(&mut file, "unnamed"),
        relative_places: optional(&mut file, "relative_places"),
        pronouns: optional(&mut file, "pronouns"),
        tag_questions: optional(&mut file, "tag_questions"),
        answer_endings: optional(&mut file, "answer_endings"),
        choice_words: optional(&mut file, "choice_words"),
        places: places(&mut file),
        no_answers: optional(&mut file, "no_answers"),
        decimal_sign: file.choice("decimal_sign", &[(".", '.'), (",", ',')]),
        point: file.text("point"),
        one: file.text("one"),
        and: file.text("and"),
        durations: durations(&mut file),
        and_a_half: optional(&mut file, "and_a_half"),
        unit_and_a_half: optional(&mut file, "unit_and_a_half"),
        halves: halves(&mut file),
        fractions: fractions(&mut file),
        morning: optional(&mut file, "morning"),
        evening: optional(&mut file, "evening"),
        clock_sign: optional(&mut file, "clock_sign"),
        clock: clock(&mut file),
        operators: pairs(&mut file, "operators", &["+", "-", "*", "/", "^", "mod"]),
        prefixes: pairs(&mut file, "prefixes", &["sqrt", "cbrt"]),
        postfixes: pairs(&mut file, "postfixes", &["^ 2", "^ 3", "sqrt"]),
        repeating: optional(&mut file, "repeating"),
        repetitions: pairs(&mut file, "repetitions", &["daily", "weekdays"]),
        every: optional(&mut file, "every"),
        articles: optional(&mut file, "articles"),
        coin: optional(&mut file, "coin"),
        list_words: optional(&mut file, "list_words"),
        usual_lists: optional(&mut file, "usual_lists"),
        timer_words: optional(&mut file, "timer_words"),
        language_names: language_names(&mut file),
        vocabulary: vocabulary(&requests),
        requests,
    };
    file.finish();
    table
}

/// "all", "both", "all_3", "2", "last"
fn places(file: &mut Section<'_>) -> List<(&'static str, PlaceInList)> {
    let place = |name: &str| {
        Some(match name {
            "all" => PlaceInList::All,
            "both" => PlaceInList::AllOf(2),
            "last" => PlaceInList::Last,
            name => match name.strip_prefix("all_") {
                Some(count) => PlaceInList::AllOf(count.parse().ok().filter(|count| *count > 2)?),
                None => PlaceInList::Nth(name.parse().ok().filter(|number| *number > 0)?),
            },
        })
    };
    keyed(file, "which_one", "a place such as \"all\", \"all_3\", \"2\" or \"last\"", place)
}

fn durations(file: &mut Section<'_>) -> List<(&'static str, u32)> {
    let seconds = |text: &str| {
        let (count, unit) = text.split_once(' ')?;
        let seconds_of_unit = match unit {
            "seconds" => 1,
            "minutes" => 60,
            _ => return None,
        };
        Some(count.parse::<u32>().ok()? * seconds_of_unit)
    };
    keyed(file, "durations", "a duration such as \"30 minutes\"", seconds)
}

fn halves(file: &mut Section<'_>) -> List<(&'static str, u32)> {
    let tenths = |text: &str| Some(text.strip_suffix(".5")?.parse::<u32>().ok()? * 10 + 5);
    keyed(file, "halves", "a number with a half such as \"1.5\"", tenths)
}

fn fractions(file: &mut Section<'_>) -> List<(&'static str, (u32, u32))> {
    let parts = |text: &str| {
        let (numerator, denominator) = text.split_once('/')?;
        Some((numerator.parse().ok()?, denominator.parse().ok().filter(|parts| *parts > 0)?))
    };
    keyed(file, "fractions", "a fraction such as \"1/3\"", parts)
}

/// The words of a table by what they mean, which `read` tells from the name.
fn keyed<T: Copy>(
    file: &mut Section<'_>,
    table: &str,
    expected: &str,
    read: impl Fn(&str) -> Option<T>,
) -> List<(&'static str, T)> {
    let Some(mut section) = file.section(table) else { return List(&[]) };
    let mut rows = Vec::new();
    for (at, name, field) in section.rest() {
        match (read(&name), section.text_of(&name, &field)) {
            (Some(meaning), Some(words)) => rows.push((words, meaning)),
            (None, _) => section.mistake(at, format!("{name:?} is not {expected}")),
            (_, None) => {}
        }
    }
    List(rows.leak())
}

fn pairs(
    file: &mut Section<'_>,
    table: &str,
    known: &'static [&'static str],
) -> List<(&'static str, &'static str)> {
    let expected = format!("one of {}", known.join(", "));
    keyed(file, table, &expected, |name| known.iter().copied().find(|known| *known == name))
}

fn language_names(file: &mut Section<'_>) -> List<(&'static str, &'static str)> {
    let code = |name: &str| -> Option<&'static str> {
        let is_code = name.len() == 2 && name.bytes().all(|byte| byte.is_ascii_lowercase());
        is_code.then(|| &*name.to_owned().leak())
    };
    keyed(file, "language_names", "the code of a language", code)
}

fn clock(file: &mut Section<'_>) -> List<(&'static str, ClockMeaning)> {
    let Some(mut section) = file.section("clock") else {
        file.lacks("clock");
        return List(&[]);
    };
    let mut rows = Vec::new();
    for (at, name, field) in section.rest() {
        let Some(meaning) = clock_meaning(&name) else {
            section.mistake(at, format!("{name:?} is no time, such as \"hour +30\" or \"12:00\" is"));
            continue;
        };
        let patterns = section.texts_of(&name, &field).into_iter();
        let rules = BTreeMap::new();
        let patterns =
            patterns.filter_map(|(at, pattern)| checked(&section, at, pattern, &rules, &CLOCK_SLOTS));
        rows.extend(patterns.map(|pattern| (pattern, meaning)));
    }
    List(rows.leak())
}

/// "hour", "hour +30", "minutes past", "minutes to", "12:00"
fn clock_meaning(text: &str) -> Option<ClockMeaning> {
    Some(match text.split(' ').collect::<Vec<_>>().as_slice() {
        ["hour"] => ClockMeaning::Offset(0),
        ["hour", offset] => ClockMeaning::Offset(offset.parse().ok()?),
        ["minutes", "past"] => ClockMeaning::Past,
        ["minutes", "to"] => ClockMeaning::To,
        [time] => {
            let (hour, minute) = time.split_once(':')?;
            ClockMeaning::Fixed(hour.parse::<u32>().ok()? * 60 + minute.parse::<u32>().ok()?)
        }
        _ => return None,
    })
}

fn requests(file: &mut Section<'_>) -> List<(RequestMeaning, List<&'static str>)> {
    let mut rules = BTreeMap::new();
    let mut unused = BTreeMap::new();
    if let Some(mut section) = file.section("rules") {
        for (at, name, field) in section.rest() {
            let text = section.text_of(&name, &field).unwrap_or_default();
            let name: &'static str = name.leak();
            rules.insert(name, text);
            unused.insert(name, at);
        }
    }
    let mut requests = Vec::new();
    for (group, group_field) in groups(file) {
        let Some(mut section) = file.section_of(group, group_field) else { continue };
        for (at, name, field) in section.rest() {
            let known = MEANINGS.iter().find(|(of, known, _)| *of == group && *known == name);
            let Some((_, _, meaning)) = known else {
                section.mistake(at, format!("there are no requests {group}.{name}"));
                continue;
            };
            let Some(mut table) = section.section_of(&name, field) else { continue };
            let patterns = table.texts("patterns");
            for (_, pattern) in &patterns {
                unused.retain(|rule, _| !pattern.contains(&format!("<{rule}>")));
            }
            let patterns = patterns.into_iter();
            let patterns: Vec<&'static str> =
                patterns.filter_map(|(at, pattern)| checked(&table, at, pattern, &rules, &SLOTS)).collect();
            requests.push((*meaning, List(&*patterns.leak())));
            table.finish();
        }
    }
    for (rule, at) in unused {
        let is_used_by_rule = rules.values().any(|text| text.contains(&format!("<{rule}>")));
        if !is_used_by_rule {
            file.mistake(at, format!("no pattern uses the rule {rule}"));
        }
    }
    List(requests.leak())
}

/// The tables of requests that the file has.
fn groups<'a>(file: &mut Section<'a>) -> Vec<(&'static str, Field<'a>)> {
    let mut names: Vec<&'static str> = MEANINGS.iter().map(|(group, ..)| *group).collect();
    names.dedup();
    names.into_iter().filter_map(|name| Some((name, file.optional(name)?))).collect()
}

/// The pattern with its rules filled in; `None` if it is not well formed, which is reported.
fn checked(
    section: &Section<'_>,
    at: usize,
    pattern: &'static str,
    rules: &BTreeMap<&str, &str>,
    slots: &[&str],
) -> Option<&'static str> {
    let unknown = |item: &PatternItem| match &item.kind {
        PatternItemKind::Slot(slot) if !slots.contains(&slot.as_str()) => Some(slot.clone()),
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

/// All words of the patterns, each once.
fn vocabulary(requests: &List<(RequestMeaning, List<&'static str>)>) -> &'static str {
    let patterns = requests.iter().flat_map(|(_, patterns)| patterns.iter());
    let readings = patterns.flat_map(|pattern| sequences(pattern).unwrap_or_default()).flatten();
    let mut words: Vec<String> = readings
        .flat_map(|item| match item.kind {
            PatternItemKind::Words(phrases) => {
                phrases.iter().flat_map(|phrase| folded_words(phrase)).collect()
            }
            PatternItemKind::Slot(_) => Vec::new(),
        })
        .collect();
    words.sort_unstable();
    words.dedup();
    format!(" {} ", words.join(" ")).leak()
}
