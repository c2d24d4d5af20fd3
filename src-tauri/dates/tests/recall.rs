//! The questions of `tests/recall`: the evidence of a temporal question lies in the days that the question names.

#![allow(clippy::unwrap_used, reason = "a failure should fail the test")]

use dates::{Calendar, span_of};
use jiff::civil::DateTime;
use serde_json::Value;

/// A question with the times of its evidence.
struct Question {
    id: String,
    text: String,
    kind: String,
    asked_at: DateTime,
    evidence: Vec<DateTime>,
}

fn text_of<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().unwrap_or_else(|| panic!("{key} of {value}"))
}

fn questions() -> Vec<Question> {
    let set: Value = serde_json::from_str(include_str!("../../../tests/recall/questions.json")).unwrap();
    let conversations = set["conversations"].as_array().unwrap();
    let said_at = |conversation: &str, turn: &str| -> DateTime {
        let conversation = conversations.iter().find(|it| it["id"] == conversation).unwrap();
        let turn = conversation["turns"].as_array().unwrap().iter().find(|it| it["id"] == turn);
        text_of(turn.unwrap(), "at").parse().unwrap()
    };
    let question = |question: &Value| Question {
        id: text_of(question, "id").to_owned(),
        text: text_of(question, "text").to_owned(),
        kind: text_of(question, "kind").to_owned(),
        asked_at: text_of(question, "asked_at").parse().unwrap(),
        evidence: question["evidence"]
            .as_array()
            .unwrap()
            .iter()
            .map(|turn| said_at(text_of(question, "conversation"), turn.as_str().unwrap()))
            .collect(),
    };
    set["questions"].as_array().unwrap().iter().map(question).collect()
}

#[test]
fn days_of_a_temporal_question_contain_its_evidence() {
    for question in questions().into_iter().filter(|question| question.kind == "temporal") {
        let calendar = Calendar::looking_back(question.asked_at.date());

        let found = span_of(&question.text, &calendar).unwrap_or_else(|| panic!("{}", question.text));

        let missed: Vec<&DateTime> =
            question.evidence.iter().filter(|at| at.date() < found.first || at.date() > found.last).collect();
        assert!(missed.is_empty(), "{}: {found:?} misses {missed:?}", question.id);
    }
}

#[test]
fn only_unanswerable_questions_have_no_evidence() {
    for question in questions() {
        let is_unanswerable = question.kind == "unanswerable";

        assert_eq!(question.evidence.is_empty(), is_unanswerable, "{}", question.id);
    }
}
