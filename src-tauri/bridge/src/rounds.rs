//! The rounds of tools within one prompt: which calls are new, and when the model has to answer.
//!
//! Source: docs/behaviour/bridge.md#calls-and-results.

use std::collections::HashMap;

use serde_json::Value;

use crate::reply::ReplyCall;

/// Rounds of tools before the model has to answer. Source: docs/behaviour/bridge.md#calls-and-results.
const MAX_ROUNDS: usize = 6;

/// Attempts to repair a wrong call. Source: docs/behaviour/bridge.md#calls-and-results.
const REPAIRS: usize = 1;

/// The rounds so far.
#[derive(Debug, Default)]
pub(crate) struct Rounds {
    used: usize,
    wrong_calls: usize,
    /// Results by name and arguments.
    results: HashMap<String, String>,
    is_closing: bool,
}

impl Rounds {
    /// Returns `true` if the next request offers no tools and asks for an answer.
    pub fn is_closing(&self) -> bool {
        self.is_closing
    }

    /// The result of an earlier call of the same tool with the same arguments. The model repeats itself, so it has to answer
    /// next.
    pub fn repeated(&mut self, call: &ReplyCall) -> Option<String> {
        let result = self.results.get(&key(call)).cloned();
        self.is_closing |= result.is_some();
        result
    }

    /// Keeps a result for a repetition.
    pub fn keep(&mut self, call: &ReplyCall, result: &str) {
        self.results.insert(key(call), result.to_owned());
    }

    /// Counts a call that could not run as it was written.
    pub fn count_wrong_call(&mut self) {
        self.wrong_calls += 1;
        self.is_closing |= self.wrong_calls > REPAIRS;
    }

    /// Counts a round.
    pub fn end_round(&mut self) {
        self.used += 1;
        self.is_closing |= self.used >= MAX_ROUNDS;
    }
}

/// The same for every order of the arguments.
fn key(call: &ReplyCall) -> String {
    format!("{} {}", call.name, sorted(&Value::Object(call.arguments.clone())))
}

fn sorted(value: &Value) -> Value {
    match value {
        Value::Object(members) => {
            let mut members: Vec<(&String, &Value)> = members.iter().collect();
            members.sort_unstable_by_key(|(name, _)| *name);
            members.into_iter().map(|(name, value)| (name.clone(), sorted(value))).collect()
        }
        Value::Array(items) => items.iter().map(sorted).collect(),
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn call(arguments: Value) -> ReplyCall {
        ReplyCall { name: "echo".into(), arguments: arguments.as_object().unwrap().clone() }
    }

    #[test]
    fn order_of_arguments_makes_no_other_call() {
        let mut rounds = Rounds::default();
        rounds.keep(&call(json!({"a": 1, "b": {"c": 2, "d": 3}})), "one");

        assert_eq!(rounds.repeated(&call(json!({"a": 2}))), None);
        assert!(!rounds.is_closing());
        assert_eq!(rounds.repeated(&call(json!({"b": {"d": 3, "c": 2}, "a": 1}))), Some("one".into()));
        assert!(rounds.is_closing());
    }

    #[test]
    fn sixth_round_and_second_wrong_call_close_the_rounds() {
        let (mut rounds, mut wrong) = (Rounds::default(), Rounds::default());

        let closing: Vec<bool> = (0..6)
            .map(|_| {
                rounds.end_round();
                rounds.is_closing()
            })
            .collect();
        wrong.count_wrong_call();
        let after_one = wrong.is_closing();
        wrong.count_wrong_call();

        assert_eq!(closing, [false, false, false, false, false, true]);
        assert_eq!((after_one, wrong.is_closing()), (false, true));
    }
}
