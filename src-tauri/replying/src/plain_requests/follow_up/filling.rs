//! Values of a follow-up in the arguments of the last call. `None` wherever a value fits no argument.

use languages::MEASURES;
use serde_json::{Map, Value, json};

use crate::plain_requests::fast_path::{FollowUp, FollowUpClock, FollowUpMeaning, FollowUpValues};
use crate::plain_requests::kept_calls::KeptCall;
use crate::tool_calls::toolbox::ToolFacts;

/// The arguments that hold a place, by their names.
const PLACES: [&str; 2] = ["place", "location"];

/// Between the two numbers of a percentage.
const PERCENT_OF: &str = "% of ";

/// The arguments of a call that reads or computes, with another value.
pub(super) fn filled(call: &KeptCall, reading: &FollowUp, facts: &ToolFacts) -> Option<Map<String, Value>> {
    let (values, arguments) = (&reading.values, &call.arguments);
    match call.tool.as_str() {
        "calculate" => computed(arguments, reading),
        "convertUnits"
            if !matches!(reading.meaning, FollowUpMeaning::SamePercent | FollowUpMeaning::Then(_)) =>
        {
            conversion(arguments, values)
        }
        _ => match values {
            FollowUpValues { place: Some(place), .. } => {
                let key = PLACES.into_iter().find(|key| facts.has(key))?;
                Some(with(arguments, [(key, json!(place))]))
            }
            FollowUpValues { date: Some(date), .. } if facts.has("date") => {
                Some(with(arguments, [("date", json!(date))]))
            }
            _ => None,
        },
    }
}

fn computed(arguments: &Map<String, Value>, reading: &FollowUp) -> Option<Map<String, Value>> {
    let (before, number) = (arguments.get("expression")?.as_str()?, reading.values.number.as_ref()?);
    if let FollowUpMeaning::Then(operator) = reading.meaning {
        return Some(with(arguments, [("expression", json!(format!("({before}) {operator} {number}")))]));
    }
    // Within a longer calculation a model finds out which number is meant.
    let is_number = |text: &str| text.parse::<f64>().is_ok();
    let (percent, base) =
        before.split_once(PERCENT_OF).filter(|(percent, base)| is_number(percent) && is_number(base))?;
    let expression = match reading.meaning {
        FollowUpMeaning::SameOf => format!("{percent}{PERCENT_OF}{number}"),
        FollowUpMeaning::SamePercent => format!("{number}{PERCENT_OF}{base}"),
        _ => return None,
    };
    Some(with(arguments, [("expression", json!(expression))]))
}

fn conversion(arguments: &Map<String, Value>, values: &FollowUpValues) -> Option<Map<String, Value>> {
    let unit = |key: &str| arguments.get(key).and_then(Value::as_str);
    let (from, to) = (unit("from")?, unit("to")?);
    let amount = || -> Option<Value> { serde_json::from_str(values.number.as_ref()?).ok() };
    match (&values.number, values.unit) {
        (Some(_), None) => Some(with(arguments, [("amount", amount()?)])),
        (Some(_), Some(unit)) if unit != to && measures_the_same(unit, to) => {
            Some(with(arguments, [("amount", amount()?), ("from", json!(unit))]))
        }
        (None, Some(unit)) if unit != from && measures_the_same(unit, from) => {
            Some(with(arguments, [("to", json!(unit))]))
        }
        _ => None,
    }
}

fn measures_the_same(one: &str, other: &str) -> bool {
    MEASURES.iter().any(|(_, units)| units.contains(&one) && units.contains(&other))
}

/// The arguments of a call that sets something, as they were meant.
pub(super) fn changed(call: &KeptCall, values: &FollowUpValues) -> Option<Map<String, Value>> {
    let arguments = &call.arguments;
    match (call.tool.as_str(), values) {
        ("setTimer", FollowUpValues { seconds: Some(seconds), .. }) => Some(timer(arguments, *seconds)),
        ("setTimer", FollowUpValues { number: Some(number), unit: None, .. }) => {
            let unit = unit_of(seconds_of(arguments)?);
            Some(timer(arguments, number.parse::<u32>().ok()?.checked_mul(unit)?))
        }
        ("setAlarm" | "setReminder", FollowUpValues { clock: Some(clock), .. }) => {
            let before = arguments.get("time").and_then(Value::as_str);
            Some(with(arguments, [("time", json!(in_the_same_half(clock, before)))]))
        }
        ("setAlarm" | "setReminder", FollowUpValues { date: Some(date), .. }) => {
            Some(with(arguments, [("date", json!(date))]))
        }
        ("setVolume", FollowUpValues { number: Some(number), unit: None, .. }) => {
            let percent = number.parse::<u8>().ok().filter(|percent| *percent <= 100)?;
            Some(Map::from_iter([("percent".to_owned(), json!(percent))]))
        }
        _ => None,
    }
}

/// The arguments of a call that makes a timer longer or shorter, by another duration, with the seconds that this is more.
pub(super) fn shifted(call: &KeptCall, values: &FollowUpValues) -> Option<(Map<String, Value>, i64)> {
    let before = seconds_of(&call.arguments)?;
    let seconds = match values {
        FollowUpValues { seconds: Some(seconds), .. } => *seconds,
        FollowUpValues { number: Some(number), unit: None, .. } => {
            number.parse::<u32>().ok()?.checked_mul(unit_of(before))?
        }
        _ => return None,
    };
    let more = i64::from(seconds) - i64::from(before);
    (more != 0).then(|| (timer(&call.arguments, seconds), more))
}

/// The arguments of another call that sets something like the last one.
pub(super) fn another(call: &KeptCall, values: &FollowUpValues) -> Option<Map<String, Value>> {
    let arguments = &call.arguments;
    match (call.tool.as_str(), values) {
        ("setTimer", FollowUpValues { clock: None, label, seconds, .. }) => {
            let seconds = seconds.or_else(|| seconds_of(arguments))?;
            let mut timer = timer(&Map::new(), seconds);
            // The name belongs to the first one.
            timer.extend(label.as_ref().map(|label| ("label".to_owned(), json!(label))));
            Some(timer)
        }
        // More time, or less, once again.
        ("changeTimer", FollowUpValues { seconds: Some(seconds), clock: None, label: None, .. })
            if arguments.contains_key("seconds") =>
        {
            Some(with(arguments, [("seconds", json!(seconds))]))
        }
        ("setAlarm", FollowUpValues { clock: Some(clock), .. }) => {
            let before = arguments.get("time").and_then(Value::as_str);
            Some(with(arguments, [("time", json!(in_the_same_half(clock, before)))]))
        }
        ("addTodo", FollowUpValues { label: Some(thing), .. }) => {
            Some(with(arguments, [("text", json!(thing))]))
        }
        _ => None,
    }
}

fn timer(arguments: &Map<String, Value>, seconds: u32) -> Map<String, Value> {
    let mut timer = with(arguments, [("seconds", json!(seconds))]);
    timer.remove("hours");
    timer.remove("minutes");
    timer
}

/// The duration of a timer.
fn seconds_of(arguments: &Map<String, Value>) -> Option<u32> {
    let part = |key: &str| arguments.get(key).and_then(Value::as_f64).unwrap_or_default();
    let seconds = (part("hours") * 3_600.0 + part("minutes") * 60.0 + part("seconds")).round();
    // A timer runs for a day at most.
    (1.0..=86_400.0).contains(&seconds).then_some(seconds as u32)
}

/// The largest unit that a duration is a multiple of, in seconds: "make it twelve" keeps it.
fn unit_of(seconds: u32) -> u32 {
    [3_600, 60].into_iter().find(|unit| seconds.is_multiple_of(*unit)).unwrap_or(1)
}

/// The time in the half of the day of the time before, if nobody said which.
fn in_the_same_half(clock: &FollowUpClock, before: Option<&str>) -> String {
    let is_afternoon = |time: &str| time >= "12:00";
    let keeps =
        clock.names_half || before.is_none_or(|before| is_afternoon(before) == is_afternoon(&clock.time));
    if keeps { clock.time.clone() } else { clock.later.clone() }
}

fn with<const N: usize>(arguments: &Map<String, Value>, values: [(&str, Value); N]) -> Map<String, Value> {
    let mut arguments = arguments.clone();
    arguments.extend(values.map(|(key, value)| (key.to_owned(), value)));
    arguments
}
