//! The calls of a matched request.

use languages::RequestMeaning;
use serde_json::{Map, Value, json};

use super::lexicon::{RequestLanguage, Words};
use super::slots::{Values, is_ahead, is_one_day, names_a_day, written};
use super::times::{END_OF_NIGHT, Half, SpokenClock, half_of_day};
use super::tokens::{Gap, Token, tokens};

/// A call of a tool that answers a request, or a part of it.
#[derive(Debug, Clone, PartialEq)]
pub struct FastCall {
    /// The name of the tool.
    pub tool: &'static str,
    /// The arguments by name.
    pub arguments: Map<String, Value>,
    /// The name of the argument that the user has to be asked for.
    pub missing: Option<&'static str>,
}

impl FastCall {
    pub(super) fn new(tool: &'static str, arguments: Value) -> Self {
        let arguments = match arguments {
            Value::Object(arguments) => arguments.into_iter().filter(|(_, value)| !value.is_null()).collect(),
            _ => Map::new(),
        };
        Self { tool, arguments, missing: None }
    }

    /// A call that lacks this argument.
    fn without(missing: &'static str, tool: &'static str, arguments: Value) -> Self {
        Self { missing: Some(missing), ..Self::new(tool, arguments) }
    }

    /// Returns `true` if it undoes the newest change.
    pub(crate) fn undoes(&self) -> bool {
        self.tool == tools::TAKE_BACK && self.arguments.is_empty()
    }
}

/// The calls of a request with these values; `None` if they do not go together.
pub(super) fn calls(
    meaning: RequestMeaning,
    values: &Values,
    language: &RequestLanguage,
) -> Option<Vec<FastCall>> {
    match meaning {
        RequestMeaning::Time
        | RequestMeaning::TimeUntil
        | RequestMeaning::Date
        | RequestMeaning::DaysUntil
        | RequestMeaning::WeekNumber => of_time(meaning, values, language),
        RequestMeaning::Timer
        | RequestMeaning::TimerWithoutDuration
        | RequestMeaning::ListTimers
        | RequestMeaning::CancelTimer
        | RequestMeaning::CancelAllTimers
        | RequestMeaning::PauseTimer
        | RequestMeaning::ResumeTimer
        | RequestMeaning::LengthenTimer
        | RequestMeaning::ShortenTimer => of_timers(meaning, values),
        RequestMeaning::StopRinging
        | RequestMeaning::Snooze
        | RequestMeaning::Alarm
        | RequestMeaning::AlarmWithoutTime
        | RequestMeaning::ChangeAlarm
        | RequestMeaning::StopAlarm
        | RequestMeaning::CancelAlarm
        | RequestMeaning::CancelAllAlarms => of_alarms(meaning, values, language),
        RequestMeaning::Remind
        | RequestMeaning::ListReminders
        | RequestMeaning::CancelReminder
        | RequestMeaning::CancelAllReminders => of_reminders(meaning, values, language),
        RequestMeaning::AddTodo
        | RequestMeaning::ListTodos
        | RequestMeaning::FinishTodo
        | RequestMeaning::ClearTodos => of_lists(meaning, values, language),
        RequestMeaning::Volume
        | RequestMeaning::Louder
        | RequestMeaning::Quieter
        | RequestMeaning::Mute
        | RequestMeaning::Unmute => of_voice(meaning, values),
        RequestMeaning::Calculate
        | RequestMeaning::PercentOf
        | RequestMeaning::OfPercent
        | RequestMeaning::FractionOf
        | RequestMeaning::Sum
        | RequestMeaning::Product
        | RequestMeaning::Difference
        | RequestMeaning::DifferenceFrom
        | RequestMeaning::Quotient => calculation(meaning, values),
        RequestMeaning::Convert => conversion(values, 0, 1),
        RequestMeaning::ConvertTo => conversion(values, 1, 0),
        RequestMeaning::TossCoin | RequestMeaning::RollDie | RequestMeaning::PickNumber => {
            by_chance(meaning, values, language)
        }
        RequestMeaning::Undo => Some(vec![undo()]),
        // The others mean something only after another request.
        _ => None,
    }
}

/// The only call of a request.
fn call(tool: &'static str, arguments: Value) -> Option<Vec<FastCall>> {
    Some(vec![FastCall::new(tool, arguments)])
}

/// The only call of a request, which lacks an argument.
fn open(missing: &'static str, tool: &'static str, arguments: Value) -> Option<Vec<FastCall>> {
    Some(vec![FastCall::without(missing, tool, arguments)])
}

fn of_time(meaning: RequestMeaning, values: &Values, language: &RequestLanguage) -> Option<Vec<FastCall>> {
    let date = values.dates.first();
    match meaning {
        RequestMeaning::Time if values.places.is_empty() => call("getTime", json!({})),
        RequestMeaning::Time => {
            let at = |place: &String| FastCall::new("getTime", json!({ "place": place }));
            Some(values.places.iter().map(at).collect())
        }
        RequestMeaning::TimeUntil => {
            let clock = clock(values, language)?;
            let date = day(clock, values, language)?;
            // "Until 5 December": the number is no hour.
            let names_one_day = date.is_none_or(|date| is_one_day(date));
            names_one_day
                .then(|| {
                    let either = either_time(clock);
                    // What is over today may be meant for its other half.
                    let until =
                        if date.is_some_and(|date| is_ahead(date)) { likely(&either) } else { either };
                    FastCall::new("getTime", json!({ "until": until, "date": date }))
                })
                .map(|call| vec![call])
        }
        RequestMeaning::Date => call("getDate", json!({ "date": date })),
        RequestMeaning::DaysUntil => call("getDate", json!({ "date": date, "count_days": true })),
        RequestMeaning::WeekNumber => call("getDate", json!({ "date": date, "week_number": true })),
        _ => None,
    }
}

fn of_timers(meaning: RequestMeaning, values: &Values) -> Option<Vec<FastCall>> {
    let (label, duration) = (values.labels.first(), values.durations.first());
    match meaning {
        RequestMeaning::Timer => timers(values),
        RequestMeaning::TimerWithoutDuration => open("seconds", "setTimer", json!({ "label": label })),
        RequestMeaning::ListTimers => call("listTimers", json!({ "label": label, "seconds": duration })),
        RequestMeaning::CancelTimer => call("cancelTimer", json!({ "label": label, "seconds": duration })),
        RequestMeaning::CancelAllTimers => call("cancelTimer", json!({ "all": true })),
        RequestMeaning::PauseTimer => changed_timer("pause", values),
        RequestMeaning::ResumeTimer => changed_timer("resume", values),
        RequestMeaning::LengthenTimer => changed_timer("add", values),
        RequestMeaning::ShortenTimer => changed_timer("subtract", values),
        _ => None,
    }
}

fn of_alarms(meaning: RequestMeaning, values: &Values, language: &RequestLanguage) -> Option<Vec<FastCall>> {
    match meaning {
        RequestMeaning::StopRinging => call("stopRinging", json!({})),
        RequestMeaning::Snooze => {
            let named = values.numbers.first().and_then(|minutes| minutes.parse::<u32>().ok());
            let minutes = values.durations.first().map(|seconds| seconds.div_ceil(60)).or(named);
            call("snooze", json!({ "minutes": minutes }))
        }
        RequestMeaning::Alarm => {
            let clock = clock(values, language)?;
            let date = day(clock, values, language)?;
            let time = time_of_day(clock.minutes);
            call("setAlarm", json!({ "time": time, "date": date, "repeats": values.repeats }))
        }
        RequestMeaning::AlarmWithoutTime => open("time", "setAlarm", json!({ "date": values.dates.first() })),
        RequestMeaning::ChangeAlarm => {
            let time = either_time(values.clock?);
            let replaces = values.earlier_clock.map_or("any".to_owned(), either_time);
            call("setAlarm", json!({ "time": time, "replaces": replaces }))
        }
        RequestMeaning::StopAlarm => {
            call("cancelReminder", json!({ "kind": "alarm", "stops_ringing": true }))
        }
        RequestMeaning::CancelAlarm => cancelled("alarm", values, language),
        RequestMeaning::CancelAllAlarms => call("cancelReminder", json!({ "kind": "alarm", "all": true })),
        _ => None,
    }
}

fn of_reminders(
    meaning: RequestMeaning,
    values: &Values,
    language: &RequestLanguage,
) -> Option<Vec<FastCall>> {
    match meaning {
        RequestMeaning::Remind => reminder(values, language),
        RequestMeaning::ListReminders => call("listReminders", json!({})),
        RequestMeaning::CancelReminder => cancelled("reminder", values, language),
        RequestMeaning::CancelAllReminders => {
            call("cancelReminder", json!({ "kind": "reminder", "all": true }))
        }
        _ => None,
    }
}

fn of_lists(meaning: RequestMeaning, values: &Values, language: &RequestLanguage) -> Option<Vec<FastCall>> {
    let list = values.labels.first();
    match meaning {
        RequestMeaning::AddTodo if is_named_in(&language.unnamed, values) => {
            open("text", "addTodo", json!({ "list": list }))
        }
        RequestMeaning::AddTodo
            if is_named_in(&language.pronouns, values) || begins_anew(values, language) =>
        {
            None
        }
        RequestMeaning::AddTodo => Some(todos(values, language)),
        RequestMeaning::ListTodos => {
            let names_nothing =
                is_named_in(&language.unnamed, values) || is_named_in(&language.pronouns, values);
            match values.texts.first().filter(|_| !names_nothing) {
                Some(text) => {
                    let looked_up =
                        |text: &String| FastCall::new("listTodos", json!({ "text": text, "list": list }));
                    Some(enumerated(text, language).iter().map(looked_up).collect())
                }
                None => call("listTodos", json!({ "list": list })),
            }
        }
        RequestMeaning::FinishTodo if is_named_in(&language.pronouns, values) => None,
        RequestMeaning::FinishTodo => {
            call("finishTodo", json!({ "text": values.texts.first(), "list": list }))
        }
        RequestMeaning::ClearTodos => call("finishTodo", json!({ "all": true, "list": list })),
        _ => None,
    }
}

fn of_voice(meaning: RequestMeaning, values: &Values) -> Option<Vec<FastCall>> {
    match meaning {
        RequestMeaning::Volume => {
            let percent = values.numbers.first()?.parse::<u32>().ok()?;
            call("setVolume", json!({ "percent": percent }))
        }
        RequestMeaning::Louder => call("setVolume", json!({ "change": "up" })),
        RequestMeaning::Quieter => call("setVolume", json!({ "change": "down" })),
        RequestMeaning::Mute => call("muteVoice", json!({ "muted": true })),
        RequestMeaning::Unmute => call("muteVoice", json!({ "muted": false })),
        _ => None,
    }
}

/// The most dice that are rolled at once. Source: games need no more.
const MAX_DICE: usize = 6;

fn by_chance(meaning: RequestMeaning, values: &Values, language: &RequestLanguage) -> Option<Vec<FastCall>> {
    match meaning {
        RequestMeaning::TossCoin => {
            let sides: Vec<&str> = language.table.coin.split('|').map(str::trim).collect();
            call("pickAtRandom", json!({ "options": sides }))
        }
        RequestMeaning::RollDie => {
            let dice = values.numbers.first().map_or(Some(1), |dice| dice.parse().ok())?;
            let die = FastCall::new("pickAtRandom", json!({ "from": 1, "to": 6 }));
            (1..=MAX_DICE).contains(&dice).then(|| vec![die; dice])
        }
        RequestMeaning::PickNumber => {
            let [from, to] = values.numbers.as_slice() else { return None };
            let (from, to) = (from.parse::<i64>().ok()?, to.parse::<i64>().ok()?);
            call("pickAtRandom", json!({ "from": from, "to": to }))
        }
        _ => None,
    }
}

fn calculation(meaning: RequestMeaning, values: &Values) -> Option<Vec<FastCall>> {
    let two = || match values.numbers.as_slice() {
        [first, second] => Some((first, second)),
        _ => None,
    };
    let joined = |operator: &str| (values.numbers.len() > 1).then(|| values.numbers.join(operator));
    let expression = match meaning {
        RequestMeaning::Calculate => values.maths.first().cloned()?,
        RequestMeaning::PercentOf => two().map(|(percent, of)| format!("{percent}% of {of}"))?,
        RequestMeaning::OfPercent => two().map(|(of, percent)| format!("{percent}% of {of}"))?,
        RequestMeaning::FractionOf => {
            let ((numerator, denominator), [of]) = (values.fraction?, values.numbers.as_slice()) else {
                return None;
            };
            let whole = if numerator == 1 { of.clone() } else { format!("{of} * {numerator}") };
            format!("{whole} / {denominator}")
        }
        RequestMeaning::Sum => joined(" + ")?,
        RequestMeaning::Product => joined(" * ")?,
        RequestMeaning::Difference => joined(" - ")?,
        RequestMeaning::Quotient => joined(" / ")?,
        RequestMeaning::DifferenceFrom => two().map(|(less, from)| format!("{from} - {less}"))?,
        _ => return None,
    };
    call("calculate", json!({ "expression": expression }))
}

/// The call that undoes the newest change.
pub(super) fn undo() -> FastCall {
    FastCall::new(tools::TAKE_BACK, json!({}))
}

/// A change of one timer: of the one with the label, or of that which was set for a duration.
fn changed_timer(action: &str, values: &Values) -> Option<Vec<FastCall>> {
    // "Two more minutes"
    let minutes = values.numbers.first().and_then(|minutes| minutes.parse::<u32>().ok());
    let seconds = values.durations.first().copied().or(minutes.and_then(|minutes| minutes.checked_mul(60)));
    let label = values.labels.first();
    let arguments =
        json!({ "action": action, "seconds": seconds, "label": label, "set_for": values.set_for });
    let takes_a_duration = ["add", "subtract"].contains(&action);
    Some(vec![match takes_a_duration && seconds.is_none() {
        true => FastCall::without("minutes", "changeTimer", arguments),
        false => FastCall::new("changeTimer", arguments),
    }])
}

/// Returns `true` if a text is one of the words.
fn is_named_in(words: &Words, values: &Values) -> bool {
    values.texts.iter().any(|text| words.are(&tokens(text)))
}

/// Returns `true` if a text begins as requests and sentences do, as in "I wrote milk": it is more than a thing for a list.
fn begins_anew(values: &Values, language: &RequestLanguage) -> bool {
    values.texts.iter().any(|text| {
        let words = tokens(text);
        language.openers.end_in(&words).is_some()
            || words.first().is_some_and(|word| language.begins_sentence(word))
    })
}

pub(super) fn time_of_day(minutes: u32) -> String {
    format!("{:02}:{:02}", minutes / 60, minutes % 60)
}

/// A call for each thing that is to be bought; what is to be done stays whole: "call Ann and Bob".
fn todos(values: &Values, language: &RequestLanguage) -> Vec<FastCall> {
    let (text, list) = match (values.texts.first(), values.labels.as_slice()) {
        // "Milk onto the list"
        (None, [text, labels @ ..]) => (Some(text), labels.first()),
        (text, labels) => (text, labels.first()),
    };
    let parts = match text.filter(|_| list.is_some()) {
        Some(text) => enumerated(text, language),
        None => text.cloned().into_iter().collect(),
    };
    parts.iter().map(|text| FastCall::new("addTodo", json!({ "text": text, "list": list }))).collect()
}

/// The parts of "milk, eggs and bread".
fn enumerated(text: &str, language: &RequestLanguage) -> Vec<String> {
    let mut parts: Vec<Vec<Token>> = vec![Vec::new()];
    for (at, token) in tokens(text).into_iter().enumerate() {
        let is_and = language.and.are(std::slice::from_ref(&token));
        if at > 0 && (is_and || token.gap == Gap::Comma) {
            parts.push(Vec::new());
        }
        if let Some(part) = parts.last_mut().filter(|_| !is_and) {
            part.push(token);
        }
    }
    let named = |part: &Vec<Token>| {
        let article = language.articles.end_in(part).filter(|article| *article < part.len());
        written(&part[article.unwrap_or_default()..])
    };
    parts.iter().filter(|part| !part.is_empty()).map(named).collect()
}

/// The time of day, in the part of the day that the date names.
fn clock(values: &Values, language: &RequestLanguage) -> Option<SpokenClock> {
    values.dates.iter().try_fold(values.clock?, |clock, date| clock.on_day(date, language))
}

/// The day of the clock. What is small in a night that begins today is tomorrow: the next time the clock shows it. `None` for
/// the night of another day.
fn day<'a>(clock: SpokenClock, values: &'a Values, language: &RequestLanguage) -> Option<Option<&'a String>> {
    let Some(date) = values.dates.first() else { return Some(None) };
    let words = tokens(date);
    let is_after_midnight =
        clock.minutes < END_OF_NIGHT && half_of_day(&words, language) == Some(Half::Night);
    match (is_after_midnight, language.night.are(&words)) {
        (false, _) => Some(Some(date)),
        (true, true) => Some(None),
        (true, false) => None,
    }
}

/// The first hour that is of the morning though nobody says so: a reminder at five is meant for the afternoon.
const FIRST_HOUR: u32 = 7;

/// The likelier one of the times of `either_time`: "at three" is in the afternoon, "at eight" in the morning.
pub(crate) fn likely(time: &str) -> String {
    let Some((morning, evening)) = time.split_once(" or ") else { return time.to_owned() };
    let hour = morning.split(':').next().and_then(|hour| hour.parse::<u32>().ok());
    if hour.is_some_and(|hour| hour < FIRST_HOUR) { evening.to_owned() } else { morning.to_owned() }
}

/// The time, or both times if nobody said which half of the day: "my seven o'clock alarm" may be one of the evening.
pub(super) fn either_time(clock: SpokenClock) -> String {
    let time = time_of_day(clock.minutes);
    // From one o'clock to the last minute of the first half.
    let is_of_either_half = !clock.names_half && (60..780).contains(&clock.minutes);
    if is_of_either_half { format!("{time} or {}", time_of_day((clock.minutes + 720) % 1_440)) } else { time }
}

/// Cancels the alarm or the reminder that has these words, at this time.
fn cancelled(kind: &str, values: &Values, language: &RequestLanguage) -> Option<Vec<FastCall>> {
    let label = values.texts.first().or(values.labels.first());
    if values.labels.iter().any(|label| names_by_place(label, language)) {
        return None;
    }
    // "… about the dentist tomorrow": a model tells the words from the day.
    if label.is_some_and(|label| names_a_day(label)) {
        return None;
    }
    let clock = values.clock.map(|_| clock(values, language)).map_or(Some(None), |clock| clock.map(Some))?;
    let date = match clock {
        Some(clock) => day(clock, values, language)?,
        None => values.dates.first(),
    };
    let time = clock.map(either_time);
    let arguments = json!({ "kind": kind, "label": label, "time": time, "date": date });
    Some(vec![FastCall::new("cancelReminder", arguments)])
}

/// Returns `true` for "the next reminder" and "the second reminder": which one that is, a model finds out.
fn names_by_place(label: &str, language: &RequestLanguage) -> bool {
    let words = tokens(label);
    language.relative_places.are(&words) || language.places.iter().any(|(place, _)| place.are(&words))
}

/// `None` if the text says something about its time: a model reads that better.
fn reminder(values: &Values, language: &RequestLanguage) -> Option<Vec<FastCall>> {
    let text = values.texts.first()?;
    let repeats = tokens(text).iter().any(|token| language.repeating.are(std::slice::from_ref(token)));
    if repeats || names_a_day(text) || !values.dates.iter().all(|date| is_one_day(date)) {
        return None;
    }
    if let Some(seconds) = values.durations.first() {
        return Some(vec![FastCall::new("setTimer", json!({ "seconds": seconds, "label": text }))]);
    }
    let clock = clock(values, language)?;
    let date = day(clock, values, language)?;
    let time = likely(&either_time(clock));
    Some(vec![FastCall::new(
        "setReminder",
        json!({ "time": time, "date": date, "repeats": values.repeats, "label": text }),
    )])
}

fn timers(values: &Values) -> Option<Vec<FastCall>> {
    let timer = |seconds: &u32, label: Option<&String>| {
        FastCall::new("setTimer", json!({ "seconds": seconds, "label": label }))
    };
    match (durations(values)?.as_slice(), values.labels.as_slice()) {
        ([seconds], []) => Some(vec![timer(seconds, None)]),
        ([seconds], labels) => Some(labels.iter().map(|label| timer(seconds, Some(label))).collect()),
        (durations, []) => Some(durations.iter().map(|seconds| timer(seconds, None)).collect()),
        (durations, labels) if durations.len() == labels.len() => {
            Some(durations.iter().zip(labels).map(|(seconds, label)| timer(seconds, Some(label))).collect())
        }
        _ => None,
    }
}

/// The longest duration, in minutes, that may be told without its unit.
const LONGEST_WITHOUT_UNIT: u32 = 60;

/// The durations. One of two may be said without its unit: "for nine minutes and one for twenty". `None` if that could be another
/// one than minutes: "for an hour and one for twenty".
fn durations(values: &Values) -> Option<Vec<u32>> {
    match (values.durations.as_slice(), values.numbers.as_slice()) {
        (durations, []) => Some(durations.to_vec()),
        ([seconds @ 120..3_600], [number]) if seconds.is_multiple_of(60) => {
            let minutes = number.parse::<u32>().ok().filter(|minutes| *minutes <= LONGEST_WITHOUT_UNIT)?;
            Some(vec![*seconds, minutes * 60])
        }
        _ => None,
    }
}

/// Without a number it is one: "how many ounces are in a pound".
fn conversion(values: &Values, from: usize, to: usize) -> Option<Vec<FastCall>> {
    let amount: Value = serde_json::from_str(values.numbers.first().map_or("1", String::as_str)).ok()?;
    let (from, to) = (values.units.get(from)?, values.units.get(to)?);
    (from != to)
        .then(|| vec![FastCall::new("convertUnits", json!({ "amount": amount, "from": from, "to": to }))])
}
