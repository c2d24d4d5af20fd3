//! The calls of a matched request.

use languages::RequestMeaning;
use serde_json::{Map, Value, json};

use super::lexicon::Language;
use super::slots::{Values, is_one_day, names_a_day};
use super::times::SpokenClock;
use super::tokens::tokens;

/// A call of a tool that answers a request, or a part of it.
#[derive(Debug, Clone, PartialEq)]
pub struct FastCall {
    /// The name of the tool.
    pub tool: &'static str,
    /// Its arguments.
    pub arguments: Map<String, Value>,
}

impl FastCall {
    pub(super) fn new(tool: &'static str, arguments: Value) -> Self {
        let arguments = match arguments {
            Value::Object(arguments) => arguments.into_iter().filter(|(_, value)| !value.is_null()).collect(),
            _ => Map::new(),
        };
        Self { tool, arguments }
    }
}

/// The calls of a request with these values; `None` where they do not go together.
pub(super) fn calls(meaning: RequestMeaning, values: &Values, language: &Language) -> Option<Vec<FastCall>> {
    let date = values.dates.first();
    let label = values.labels.first();
    let duration = values.durations.first();
    let call = |tool, arguments| Some(vec![FastCall::new(tool, arguments)]);
    match meaning {
        RequestMeaning::Time => call("getTime", json!({ "place": values.places.first() })),
        RequestMeaning::Date => call("getDate", json!({ "date": date })),
        RequestMeaning::DaysUntil => call("getDate", json!({ "date": date, "count_days": true })),
        RequestMeaning::Timer => timers(values),
        RequestMeaning::ListTimers => call("listTimers", json!({ "label": label })),
        RequestMeaning::CancelTimer => call("cancelTimer", json!({ "label": label })),
        RequestMeaning::CancelAllTimers => call("cancelTimer", json!({ "all": true })),
        RequestMeaning::StopRinging => call("stopRinging", json!({})),
        RequestMeaning::Snooze => {
            let named = values.numbers.first().and_then(|minutes| minutes.parse::<u32>().ok());
            let minutes = duration.map(|seconds| seconds.div_ceil(60)).or(named);
            call("snooze", json!({ "minutes": minutes }))
        }
        RequestMeaning::Alarm => call(
            "setAlarm",
            json!({ "time": time_of_day(clock(values, language)?.minutes), "date": date, "repeats": values.repeats }),
        ),
        RequestMeaning::ListReminders => call("listReminders", json!({})),
        RequestMeaning::CancelReminder => call("cancelReminder", json!({ "label": values.texts.first() })),
        RequestMeaning::AddTodo if names_nothing(values, language) => None,
        RequestMeaning::AddTodo => Some(todos(values, language)),
        RequestMeaning::ListTodos => call("listTodos", json!({ "list": label })),
        RequestMeaning::FinishTodo => {
            call("finishTodo", json!({ "text": values.texts.first(), "list": label }))
        }
        RequestMeaning::Remind => reminder(values, language),
        RequestMeaning::Volume => {
            let percent = values.numbers.first()?.parse::<u8>().ok().filter(|percent| *percent <= 100)?;
            call("setVolume", json!({ "percent": percent }))
        }
        RequestMeaning::Louder => call("setVolume", json!({ "change": "up" })),
        RequestMeaning::Quieter => call("setVolume", json!({ "change": "down" })),
        RequestMeaning::Mute => call("muteVoice", json!({ "muted": true })),
        RequestMeaning::Unmute => call("muteVoice", json!({ "muted": false })),
        RequestMeaning::Calculate => call("calculate", json!({ "expression": values.maths.first() })),
        RequestMeaning::PercentOf => {
            let [percent, of] = values.numbers.as_slice() else { return None };
            call("calculate", json!({ "expression": format!("{percent}% of {of}") }))
        }
        RequestMeaning::Convert => conversion(values, 0, 1),
        RequestMeaning::ConvertTo => conversion(values, 1, 0),
    }
}

/// Returns `true` if a text says only that there is something.
fn names_nothing(values: &Values, language: &Language) -> bool {
    values.texts.iter().any(|text| language.table.unnamed.split('|').any(|word| word == text.to_lowercase()))
}

fn time_of_day(minutes: u32) -> String {
    format!("{:02}:{:02}", minutes / 60, minutes % 60)
}

/// A call for each thing that is to be bought; what is to be done stays whole: "call Ann and Bob".
fn todos(values: &Values, language: &Language) -> Vec<FastCall> {
    let (text, list) = (values.texts.first(), values.labels.first());
    let parts = match text.filter(|_| list.is_some()) {
        Some(text) => enumerated(text, language),
        None => text.cloned().into_iter().collect(),
    };
    parts.iter().map(|text| FastCall::new("addTodo", json!({ "text": text, "list": list }))).collect()
}

/// The parts of "milk, eggs and bread".
fn enumerated(text: &str, language: &Language) -> Vec<String> {
    let mut parts = vec![String::new()];
    for (at, token) in tokens(text).iter().enumerate() {
        let is_and = language.and.are(std::slice::from_ref(token));
        if at > 0 && (is_and || token.follows_comma) {
            parts.push(String::new());
        }
        if let Some(part) = parts.last_mut().filter(|_| !is_and) {
            if !part.is_empty() {
                part.push(' ');
            }
            part.push_str(&token.written);
        }
    }
    parts.retain(|part| !part.is_empty());
    parts
}

/// The time of day, in the part of the day that the date names.
fn clock(values: &Values, language: &Language) -> Option<SpokenClock> {
    values.dates.iter().try_fold(values.clock?, |clock, date| clock.on_day(date, language))
}

/// The first hour that is of the morning though nobody says so: a reminder at five is meant for the afternoon.
const FIRST_HOUR: u32 = 7;

/// `None` where the text says something about its time: a model reads that better.
fn reminder(values: &Values, language: &Language) -> Option<Vec<FastCall>> {
    let text = values.texts.first()?;
    let repeats = tokens(text).iter().any(|token| language.repeating.are(std::slice::from_ref(token)));
    if repeats || names_a_day(text) || !values.dates.iter().all(|date| is_one_day(date)) {
        return None;
    }
    if let Some(seconds) = values.durations.first() {
        return Some(vec![FastCall::new("setTimer", json!({ "seconds": seconds, "label": text }))]);
    }
    let SpokenClock { minutes, names_half } = clock(values, language)?;
    let is_afternoon = !names_half && (60..FIRST_HOUR * 60).contains(&minutes);
    let time = time_of_day(if is_afternoon { minutes + 720 } else { minutes });
    let date = values.dates.first();
    Some(vec![FastCall::new(
        "setReminder",
        json!({ "time": time, "date": date, "repeats": values.repeats, "label": text }),
    )])
}

fn timers(values: &Values) -> Option<Vec<FastCall>> {
    let timer = |seconds: &u32, label: Option<&String>| {
        FastCall::new("setTimer", json!({ "seconds": seconds, "label": label }))
    };
    match (values.durations.as_slice(), values.labels.as_slice()) {
        ([seconds], []) => Some(vec![timer(seconds, None)]),
        ([seconds], labels) => Some(labels.iter().map(|label| timer(seconds, Some(label))).collect()),
        (durations, []) => Some(durations.iter().map(|seconds| timer(seconds, None)).collect()),
        (durations, labels) if durations.len() == labels.len() => {
            Some(durations.iter().zip(labels).map(|(seconds, label)| timer(seconds, Some(label))).collect())
        }
        _ => None,
    }
}

fn conversion(values: &Values, from: usize, to: usize) -> Option<Vec<FastCall>> {
    let amount: Value = serde_json::from_str(values.numbers.first()?).ok()?;
    let (from, to) = (values.units.get(from)?, values.units.get(to)?);
    (from != to)
        .then(|| vec![FastCall::new("convertUnits", json!({ "amount": amount, "from": from, "to": to }))])
}
