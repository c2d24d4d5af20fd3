//! The calls that a follow-up asks for.

use std::collections::HashSet;

use memory::ItemId;
use serde_json::{Map, Value};
use tools::TAKE_BACK;
use vocabulary::Language;

use super::filling::{another, changed, filled, shifted};
use crate::plain_requests::fast_path::{FollowUp, FollowUpMeaning};
use crate::plain_requests::kept_calls::KeptCall;
use crate::tool_calls::toolbox::ToolFacts;

/// The tools that set or add something, which can be taken back. What was snoozed is not among it: one that repeats would be
/// gone for good.
const SETTING: [&str; 4] = ["setTimer", "setAlarm", "setReminder", "addTodo"];

/// The tool that changes a timer: taken back, the timer is as it was before.
const CHANGE_TIMER: &str = "changeTimer";

/// The tool that lets what rings ring again later.
const SNOOZE: &str = "snooze";

/// The tools that name what was set. Who asks about one thing can go on with it.
const LISTING: [&str; 3] = ["listTimers", "listReminders", "listTodos"];

/// The argument of a call that moves what is set.
const REPLACES: &str = "replaces";

/// The tool whose setting is replaced by another call of it.
const SET_VOLUME: &str = "setVolume";

/// The calls that a follow-up asks for.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Continuation {
    /// The call that runs first.
    pub call: Option<NextCall>,
    /// The arguments that it is kept with for the next follow-up, if they are others.
    pub kept_as: Option<Map<String, Value>>,
    /// Taken back if that call succeeds.
    pub takes_back: Vec<ItemId>,
    /// The language of the answer, if it is another one.
    pub language: Option<Language>,
}

/// A call of a tool.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct NextCall {
    pub tool: String,
    pub arguments: Map<String, Value>,
}

/// The only thing that all readings ask for; `None` if they ask for nothing or disagree.
pub(crate) fn continuation(
    kept: &[KeptCall],
    readings: &[FollowUp],
    facts: impl Fn(&str) -> Option<ToolFacts>,
) -> Option<Continuation> {
    let mut found = readings.iter().filter_map(|reading| of_reading(kept, reading, &facts));
    let first = found.next()?;
    found.all(|other| other == first).then_some(first)
}

fn of_reading(
    kept: &[KeptCall],
    reading: &FollowUp,
    facts: &impl Fn(&str) -> Option<ToolFacts>,
) -> Option<Continuation> {
    if reading.meaning == FollowUpMeaning::TakeBack {
        if lists_several_timers(kept) {
            // It asks which one if there are still several.
            return Some(plain_call("cancelTimer"));
        }
        // What was there before comes back with it.
        let is_change = |call: &KeptCall| call.tool == CHANGE_TIMER || call.arguments.contains_key(REPLACES);
        if !kept.is_empty() && kept.iter().all(is_change) {
            return Some(plain_call(TAKE_BACK));
        }
        let takes_back = takes_back(kept);
        return (!takes_back.is_empty()).then(|| Continuation { takes_back, ..Continuation::default() });
    }
    if reading.meaning == FollowUpMeaning::WhenItRings {
        return when_it_rings(kept);
    }
    let [call] = kept else { return None };
    let known = facts(&call.tool).filter(|_| call.is_worded)?;
    let again = |arguments: Map<String, Value>| Continuation {
        call: Some(NextCall { tool: call.tool.clone(), arguments }),
        ..Continuation::default()
    };
    match reading.meaning {
        FollowUpMeaning::SameWith
        | FollowUpMeaning::SameOf
        | FollowUpMeaning::SamePercent
        | FollowUpMeaning::Then(_) => {
            (!known.changes).then(|| filled(call, reading, &known)).flatten().map(again)
        }
        // It would be set as a new one, without what it took over.
        FollowUpMeaning::Change | FollowUpMeaning::Another if call.arguments.contains_key(REPLACES) => None,
        FollowUpMeaning::Change if !known.changes => filled(call, reading, &known).map(again),
        FollowUpMeaning::Change if call.tool == CHANGE_TIMER => other_shift(call, reading),
        FollowUpMeaning::Change => {
            let is_replaced = call.tool == SET_VOLUME || !call.touched.is_empty();
            let arguments = is_replaced.then(|| changed(call, &reading.values)).flatten()?;
            Some(Continuation { takes_back: call.touched.clone(), ..again(arguments) })
        }
        FollowUpMeaning::Another => another(call, &reading.values).map(again),
        FollowUpMeaning::SameInLanguage => (!known.changes).then(|| Continuation {
            language: reading.values.language.clone(),
            ..again(call.arguments.clone())
        }),
        FollowUpMeaning::TakeBack | FollowUpMeaning::Again | FollowUpMeaning::WhenItRings => None,
    }
}

/// The last change of a timer by another duration: "make it ten" behind "add five minutes" adds five more to the same timer, so
/// that ten were added in all.
fn other_shift(call: &KeptCall, reading: &FollowUp) -> Option<Continuation> {
    let [timer] = call.touched.as_slice() else { return None };
    let (arguments, by) = shifted(call, &reading.values)?;
    let mut next = Map::from_iter([("item".to_owned(), Value::from(timer.to_string()))]);
    let (action, opposite) = match call.arguments.get("action")?.as_str()? {
        action @ "add" => (action, "subtract"),
        action @ "subtract" => (action, "add"),
        _ => return None,
    };
    next.insert("action".to_owned(), if by > 0 { action } else { opposite }.into());
    next.insert("seconds".to_owned(), by.unsigned_abs().into());
    let call = NextCall { tool: CHANGE_TIMER.to_owned(), arguments: next };
    Some(Continuation { call: Some(call), kept_as: Some(arguments), ..Continuation::default() })
}

/// The records that the calls set. Empty if they did something else, or named several things.
fn takes_back(kept: &[KeptCall]) -> Vec<ItemId> {
    let is_any = |tools: &[&str]| kept.iter().all(|call| tools.contains(&call.tool.as_str()));
    let items: Vec<ItemId> = kept.iter().flat_map(|call| &call.touched).copied().collect();
    match is_any(&SETTING) || (is_any(&LISTING) && items.len() == 1) {
        true => items,
        false => Vec::new(),
    }
}

/// The calls that the next request can go on with: those of this reply, or the earlier ones that set exactly what it named. "How
/// long is left?" leaves it at that timer: "make it twelve" means what was set.
pub(crate) fn going_on(earlier: &[KeptCall], calls: Vec<KeptCall>) -> Vec<KeptCall> {
    let is_any = |call: &KeptCall, tools: &[&str]| tools.contains(&call.tool.as_str());
    if calls.is_empty() || !calls.iter().all(|call| is_any(call, &LISTING)) {
        return calls;
    }
    let named: HashSet<ItemId> = calls.iter().flat_map(|call| &call.touched).copied().collect();
    let is_named = |call: &&KeptCall| {
        is_any(call, &SETTING)
            && !call.touched.is_empty()
            && call.touched.iter().all(|item| named.contains(item))
    };
    let set: Vec<KeptCall> = earlier.iter().filter(is_named).cloned().collect();
    let all: HashSet<ItemId> = set.iter().flat_map(|call| &call.touched).copied().collect();
    if !named.is_empty() && all == named { set } else { calls }
}

/// Returns `true` if the last reply named several timers.
fn lists_several_timers(kept: &[KeptCall]) -> bool {
    matches!(kept, [call] if call.tool == "listTimers" && call.touched.len() > 1)
}

/// A call without arguments, and nothing besides.
fn plain_call(tool: &str) -> Continuation {
    let call = NextCall { tool: tool.to_owned(), arguments: Map::new() };
    Continuation { call: Some(call), ..Continuation::default() }
}

/// Tells when the calls let something ring: the one thing by its name, several with all others.
fn when_it_rings(kept: &[KeptCall]) -> Option<Continuation> {
    if let [call] = kept
        && call.tool == SNOOZE
        && !call.touched.is_empty()
    {
        // It may be a timer, an alarm or a reminder.
        let items: Vec<Value> = call.touched.iter().map(|item| item.to_string().into()).collect();
        let arguments = Map::from_iter([("items".to_owned(), items.into())]);
        let call = NextCall { tool: "listReminders".to_owned(), arguments };
        return Some(Continuation { call: Some(call), ..Continuation::default() });
    }
    let listing = |call: &KeptCall| match call.tool.as_str() {
        "setTimer" | CHANGE_TIMER => Some("listTimers"),
        "setAlarm" | "setReminder" => Some("listReminders"),
        _ => None,
    };
    let (first, rest) = kept.split_first()?;
    let tool = listing(first).filter(|tool| rest.iter().all(|call| listing(call) == Some(*tool)))?;
    let is_worded = kept.iter().all(|call| call.is_worded);
    let mut next = plain_call(tool);
    if let (Some(call), true) = (&mut next.call, rest.is_empty()) {
        let named = |label: &&Value| label.as_str().is_some_and(|label| !label.is_empty());
        let label = first.arguments.get("label").filter(named);
        call.arguments.extend(label.map(|label| ("label".to_owned(), label.clone())));
        // "The ten minute timer"
        let seconds = first.arguments.get("set_for");
        call.arguments.extend(seconds.map(|seconds| ("seconds".to_owned(), seconds.clone())));
    }
    is_worded.then_some(next)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use memory::RecordKind;
    use rstest::rstest;
    use serde_json::json;

    use super::*;
    use crate::plain_requests::fast_path::follow_ups;

    /// Returns the declaration of a tool of the tests.
    fn facts(tool: &str) -> Option<ToolFacts> {
        let (properties, changes): (&[&str], bool) = match tool {
            "getTime" => (&["place"], false),
            "getDate" => (&["date", "count_days"], false),
            "calculate" => (&["expression"], false),
            "convertUnits" => (&["amount", "from", "to"], false),
            "listTimers" => (&["label"], false),
            "setTimer" | "setAlarm" | "setReminder" | "addTodo" | "setVolume" | "changeTimer" | "snooze" => {
                (&[], true)
            }
            _ => return None,
        };
        let properties = properties.iter().map(|name| (*name).to_owned()).collect();
        Some(ToolFacts { properties, changes })
    }

    fn kept(tool: &str, arguments: Value) -> KeptCall {
        let Value::Object(arguments) = arguments else { unreachable!("it is an object") };
        let sets = facts(tool).is_some_and(|facts| facts.changes) && tool != SET_VOLUME;
        let touched = sets.then(|| ItemId::new(RecordKind::Appointment, 7)).into_iter().collect();
        KeptCall { tool: tool.to_owned(), arguments, touched, is_worded: true }
    }

    /// The calls in one line; `-` if a model decides.
    fn line(kept: &[KeptCall], text: &str) -> String {
        let readings = follow_ups(text, &Language::new("en").unwrap(), &[]);
        let Some(Continuation { call, takes_back, language, .. }) = continuation(kept, &readings, facts)
        else {
            return "-".to_owned();
        };
        let sorted = |arguments: Map<String, Value>| arguments.into_iter().collect::<BTreeMap<_, _>>();
        let call = call.map(|call| format!("{} {}", call.tool, json!(sorted(call.arguments))));
        let gone = takes_back.iter().map(|item| format!("without {item}"));
        let language = language.map(|language| format!("in {}", language.code()));
        call.into_iter().chain(gone).chain(language).collect::<Vec<_>>().join(", ")
    }

    #[rstest]
    #[case::moved_alarm("setAlarm", json!({"time": "08:00", "replaces": "any"}), "make it nine", "-")]
    #[case::place("getTime", json!({}), "and in Oslo?", r#"getTime {"place":"Oslo"}"#)]
    #[case::meant_place("getTime", json!({"place": "Rome"}), "no, in Oslo", r#"getTime {"place":"Oslo"}"#)]
    #[case::place_of_a_date("getDate", json!({}), "and in Oslo?", "-")]
    #[case::day("getDate", json!({"date": "Easter", "count_days": true}), "and until Christmas?", r#"getDate {"count_days":true,"date":"Christmas"}"#)]
    #[case::base("calculate", json!({"expression": "15% of 240"}), "and of 260?", r#"calculate {"expression":"15% of 260"}"#)]
    #[case::percentage("calculate", json!({"expression": "15% of 240"}), "and 20 percent?", r#"calculate {"expression":"20% of 240"}"#)]
    #[case::percentage_within("calculate", json!({"expression": "(15% of 84.50) / 3"}), "and 20 percent?", "-")]
    #[case::divided("calculate", json!({"expression": "17 * 23"}), "Divide that by 2.", r#"calculate {"expression":"(17 * 23) / 2"}"#)]
    #[case::added("calculate", json!({"expression": "17 * 23"}), "and plus 9", r#"calculate {"expression":"(17 * 23) + 9"}"#)]
    #[case::multiplied("calculate", json!({"expression": "17"}), "times 3", r#"calculate {"expression":"(17) * 3"}"#)]
    #[case::divided_time("getTime", json!({}), "Divide that by 2.", "-")]
    #[case::base_or_percentage("calculate", json!({"expression": "15% of 240"}), "and 260?", "-")]
    #[case::base_of_no_percentage("calculate", json!({"expression": "3 * 4"}), "and of 260?", "-")]
    #[case::amount("convertUnits", json!({"amount": 5, "from": "mile", "to": "kilometre"}), "and 20?", r#"convertUnits {"amount":20,"from":"mile","to":"kilometre"}"#)]
    #[case::amount_and_unit("convertUnits", json!({"amount": 5, "from": "mile", "to": "kilometre"}), "and 20 yards?", r#"convertUnits {"amount":20,"from":"yard","to":"kilometre"}"#)]
    #[case::amount_of_something_else("convertUnits", json!({"amount": 5, "from": "mile", "to": "kilometre"}), "and 20 pounds?", "-")]
    #[case::wanted_unit("convertUnits", json!({"amount": 5, "from": "mile", "to": "kilometre"}), "and in feet?", r#"convertUnits {"amount":5,"from":"mile","to":"foot"}"#)]
    #[case::wanted_unit_of_something_else("convertUnits", json!({"amount": 5, "from": "mile", "to": "kilometre"}), "and in litres?", "-")]
    #[case::other_language("getTime", json!({"place": "Oslo"}), "in German please", r#"getTime {"place":"Oslo"}, in de"#)]
    #[case::other_language_of_an_action("setTimer", json!({"seconds": 60}), "in German please", "-")]
    #[case::longer_timer("setTimer", json!({"seconds": 600, "label": "tea"}), "make it twelve", r#"setTimer {"label":"tea","seconds":720}, without appointment-7"#)]
    #[case::timer_of_a_model("setTimer", json!({"hours": 0, "minutes": 10, "seconds": 0}), "make it twelve", r#"setTimer {"seconds":720}, without appointment-7"#)]
    #[case::timer_in_hours("setTimer", json!({"seconds": 7200}), "make it three", r#"setTimer {"seconds":10800}, without appointment-7"#)]
    #[case::timer_with_unit("setTimer", json!({"seconds": 600}), "make it half an hour", r#"setTimer {"seconds":1800}, without appointment-7"#)]
    #[case::later_alarm("setAlarm", json!({"time": "07:00"}), "make it eight", r#"setAlarm {"time":"08:00"}, without appointment-7"#)]
    #[case::alarm_of_the_evening("setAlarm", json!({"time": "19:00"}), "make it eight", r#"setAlarm {"time":"20:00"}, without appointment-7"#)]
    #[case::said_with_actually("setAlarm", json!({"time": "06:30"}), "actually make that quarter to seven", r#"setAlarm {"time":"06:45"}, without appointment-7"#)]
    #[case::said_with_instead("setAlarm", json!({"time": "07:00"}), "set it for 8 instead", r#"setAlarm {"time":"08:00"}, without appointment-7"#)]
    #[case::shared("calculate", json!({"expression": "90"}), "split that three ways", r#"calculate {"expression":"(90) / 3"}"#)]
    #[case::shared_by_people("calculate", json!({"expression": "90"}), "divide it between four people", r#"calculate {"expression":"(90) / 4"}"#)]
    #[case::named_half("setAlarm", json!({"time": "19:00"}), "make it eight in the morning", r#"setAlarm {"time":"08:00"}, without appointment-7"#)]
    #[case::other_day("setAlarm", json!({"time": "07:00"}), "make it tomorrow", r#"setAlarm {"date":"tomorrow","time":"07:00"}, without appointment-7"#)]
    #[case::place_of_an_alarm("setAlarm", json!({"time": "07:00"}), "no, in Oslo", "-")]
    #[case::volume("setVolume", json!({"percent": 30}), "make it 40 percent", r#"setVolume {"percent":40}"#)]
    #[case::volume_out_of_range("setVolume", json!({"percent": 30}), "make it 400 percent", "-")]
    #[case::another_timer("setTimer", json!({"seconds": 600, "label": "tea"}), "another one for the rice", r#"setTimer {"label":"rice","seconds":600}"#)]
    #[case::another_duration("setTimer", json!({"seconds": 600, "label": "tea"}), "another one for five minutes", r#"setTimer {"seconds":300}"#)]
    #[case::another_with_name_and_duration("setTimer", json!({"seconds": 180, "label": "eggs"}), "And one for the pasta, 8 minutes.", r#"setTimer {"label":"pasta","seconds":480}"#)]
    #[case::another_for_the_rice("setTimer", json!({"seconds": 180, "label": "eggs"}), "another one for the rice, eight minutes", r#"setTimer {"label":"rice","seconds":480}"#)]
    #[case::duration_and_name("setTimer", json!({"seconds": 180, "label": "eggs"}), "and 8 minutes for the pasta", r#"setTimer {"label":"pasta","seconds":480}"#)]
    #[case::another_alarm("setAlarm", json!({"time": "07:00"}), "another one at eight", r#"setAlarm {"time":"08:00"}"#)]
    #[case::another_thing("addTodo", json!({"text": "milk", "list": "shopping"}), "and eggs too", r#"addTodo {"list":"shopping","text":"eggs"}"#)]
    #[case::another_time("getTime", json!({}), "another one", "-")]
    #[case::cancelled("setTimer", json!({"seconds": 600}), "cancel that", "without appointment-7")]
    #[case::cancelled_answer("getTime", json!({}), "cancel that", "-")]
    #[case::when("setTimer", json!({"seconds": 600, "label": "tea"}), "when does it ring?", r#"listTimers {"label":"tea"}"#)]
    #[case::when_an_alarm("setAlarm", json!({"time": "07:00"}), "when does it ring?", "listReminders {}")]
    #[case::moved_alarm("setAlarm", json!({"time": "08:00", "replaces": "any"}), "cancel that", "takeBack {}")]
    #[case::changed_timer("changeTimer", json!({"action": "add", "seconds": 300}), "cancel that", "takeBack {}")]
    #[case::when_a_changed_timer("changeTimer", json!({"action": "add", "seconds": 300, "label": "tea"}), "when does it ring?", r#"listTimers {"label":"tea"}"#)]
    #[case::when_a_timer_called_by_its_duration("changeTimer", json!({"action": "pause", "set_for": 600}), "when does it ring?", r#"listTimers {"seconds":600}"#)]
    #[case::more_for_a_changed_timer("changeTimer", json!({"action": "add", "seconds": 300}), "another one for two minutes", r#"changeTimer {"action":"add","seconds":120}"#)]
    #[case::longer_change("changeTimer", json!({"action": "add", "seconds": 300}), "make it ten", r#"changeTimer {"action":"add","item":"appointment-7","seconds":300}"#)]
    #[case::shorter_change("changeTimer", json!({"action": "add", "minutes": 5, "label": "tea"}), "make it three minutes", r#"changeTimer {"action":"subtract","item":"appointment-7","seconds":120}"#)]
    #[case::change_the_other_way("changeTimer", json!({"action": "subtract", "seconds": 60}), "make it two", r#"changeTimer {"action":"subtract","item":"appointment-7","seconds":60}"#)]
    #[case::same_change("changeTimer", json!({"action": "add", "seconds": 300}), "make it five", "-")]
    #[case::change_of_a_paused_timer("changeTimer", json!({"action": "pause"}), "make it ten", "-")]
    #[case::snoozed("snooze", json!({}), "cancel that", "-")]
    #[case::when_the_snoozed_one_rings("snooze", json!({"minutes": 5}), "when does it ring?", r#"listReminders {"items":["appointment-7"]}"#)]
    #[case::when_of_a_sum("calculate", json!({"expression": "1 + 1"}), "when does it ring?", "-")]
    #[case::unknown_tool("callMum", json!({}), "and in Oslo?", "-")]
    fn follow_up_changes_the_last_call_or_is_left_to_a_model(
        #[case] tool: &str,
        #[case] arguments: Value,
        #[case] text: &str,
        #[case] expected: &str,
    ) {
        assert_eq!(line(&[kept(tool, arguments)], text), expected);
    }

    #[test]
    fn everything_that_one_request_set_is_taken_back() {
        let calls = [kept("addTodo", json!({"text": "milk"})), kept("addTodo", json!({"text": "eggs"}))];

        assert_eq!(line(&calls, "cancel that"), "without appointment-7, without appointment-7");
        assert_eq!(line(&calls, "another one"), "-");
    }

    #[test]
    fn several_timers_of_one_request_are_listed() {
        let timers = [kept("setTimer", json!({"seconds": 60})), kept("setTimer", json!({"seconds": 120}))];
        let mixed = [kept("setTimer", json!({"seconds": 60})), kept("setAlarm", json!({"time": "07:00"}))];

        assert_eq!(line(&timers, "when does it ring?"), "listTimers {}");
        assert_eq!(line(&mixed, "when does it ring?"), "-");
    }

    #[test]
    fn the_only_listed_thing_is_taken_back_but_not_several() {
        let listed = |tool: &str, rows: &[i64]| KeptCall {
            touched: rows.iter().map(|row| ItemId::new(RecordKind::Appointment, *row)).collect(),
            ..kept(tool, json!({}))
        };

        assert_eq!(line(&[listed("listTimers", &[3])], "cancel it"), "without appointment-3");
        assert_eq!(line(&[listed("listTimers", &[3, 4])], "cancel it"), "cancelTimer {}");
        assert_eq!(line(&[listed("listReminders", &[3, 4])], "cancel it"), "-");
    }

    #[rstest]
    #[case::the_same(&[7], &[7], "make it twelve", r#"setTimer {"seconds":720}, without appointment-7"#)]
    #[case::another(&[7], &[8], "make it twelve", "-")]
    #[case::more(&[7], &[7, 8], "make it twelve", "-")]
    #[case::nothing(&[7], &[], "make it twelve", "-")]
    fn question_about_what_was_set_leaves_it_to_go_on_with(
        #[case] set: &[i64],
        #[case] named: &[i64],
        #[case] text: &str,
        #[case] expected: &str,
    ) {
        let touching = |call: KeptCall, rows: &[i64]| KeptCall {
            touched: rows.iter().map(|row| ItemId::new(RecordKind::Appointment, *row)).collect(),
            ..call
        };
        let earlier = [touching(kept("setTimer", json!({"seconds": 600})), set)];

        let calls = going_on(&earlier, vec![touching(kept("listTimers", json!({})), named)]);

        assert_eq!(line(&calls, text), expected);
    }

    #[test]
    fn answer_that_a_model_worded_is_left_to_the_model() {
        let call = KeptCall { is_worded: false, ..kept("getTime", json!({})) };

        assert_eq!(line(&[call], "and in Oslo?"), "-");
    }
}
