//! The files of `tests/recall` say what their README promises.

use std::collections::{BTreeMap, BTreeSet};

use dates::{Calendar, span_of};
use jiff::civil::DateTime;
use rstest::rstest;
use serde_json::Value;

const FIRST: &str = include_str!("../../../../tests/recall/questions.json");
const SECOND: &str = include_str!("../../../../tests/recall/questions-2.json");

fn text_of<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().unwrap_or_else(|| panic!("{key} of {value}"))
}

fn time_of(value: &Value, key: &str) -> DateTime {
    text_of(value, key).parse().unwrap()
}

fn list<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value[key].as_array().unwrap_or_else(|| panic!("{key} of {value}"))
}

#[rstest]
#[case::first(FIRST)]
#[case::second(SECOND)]
fn evidence_was_said_before_it_is_asked_for(#[case] file: &str) {
    let file: Value = serde_json::from_str(file).unwrap();
    let mut said = BTreeMap::new();
    for conversation in list(&file, "conversations") {
        for turn in list(conversation, "turns") {
            said.insert((text_of(conversation, "id"), text_of(turn, "id")), time_of(turn, "at"));
        }
    }

    for question in list(&file, "questions") {
        let (id, kind) = (text_of(question, "id"), text_of(question, "kind"));
        let asked_at = time_of(question, "asked_at");
        let conversation = text_of(question, "conversation");
        let evidence = list(question, "evidence").iter().map(|turn| {
            *said.get(&(conversation, turn.as_str().unwrap())).unwrap_or_else(|| panic!("{id}: {turn}"))
        });
        let evidence: Vec<DateTime> = evidence.collect();
        assert!(evidence.iter().all(|at| *at < asked_at), "{id}: {evidence:?}");
        assert_eq!(evidence.is_empty(), kind == "unanswerable", "{id}");
        if kind == "temporal" {
            let days = span_of(text_of(question, "text"), &Calendar::looking_back(asked_at.date()));
            let days = days.unwrap_or_else(|| panic!("{id} names no days"));
            let missed = evidence.iter().find(|at| at.date() < days.first || at.date() > days.last);
            assert_eq!(missed, None, "{id}: {days:?}");
        }
    }
}

#[test]
fn halves_of_the_second_file_are_of_one_size() {
    let file: Value = serde_json::from_str(SECOND).unwrap();
    let conversations = list(&file, "conversations");

    let halves = conversations.iter().map(|conversation| text_of(conversation, "half"));
    let mut halves: Vec<&str> = halves.collect();
    halves.sort_unstable();
    let ids: BTreeSet<&str> = conversations.iter().map(|conversation| text_of(conversation, "id")).collect();

    assert_eq!(halves, ["held_out", "held_out", "held_out", "tuning", "tuning", "tuning"]);
    assert_eq!(ids.len(), conversations.len());
}
