//! Chance: a coin, a die, one of several things. Models favour some answers, so that they cannot toss a coin.

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::declaration::{declaration, read, words};
use super::wording::{id, wording};
use crate::{Declaration, Effect, Tool, ToolContext, ToolResult};

#[derive(Deserialize, JsonSchema)]
struct Arguments {
    /// The things to pick one of, in the user's words: heads and tails for a coin. Leave it out for a number.
    options: Option<Vec<String>>,
    /// The lowest number; 1 otherwise.
    from: Option<i64>,
    /// The highest number: 6 for a die.
    to: Option<i64>,
}

pub(super) struct PickAtRandom(Declaration);

impl PickAtRandom {
    pub fn new() -> Self {
        Self(declaration::<Arguments>(
            "pickAtRandom",
            Effect::ReadOnly,
            "Picks by chance: tosses a coin, rolls a die, draws a number or one of several things.",
            "random chance coin toss flip heads tails dice die roll draw lot lottery choose pick decide number",
            &[
                ("flip a coin", json!({"options": ["heads", "tails"]})),
                ("roll a die", json!({"from": 1, "to": 6})),
                ("pick one of Anna, Ben and Carla", json!({"options": ["Anna", "Ben", "Carla"]})),
            ],
        ))
    }
}

#[async_trait]
impl Tool for PickAtRandom {
    fn declaration(&self) -> &Declaration {
        &self.0
    }

    async fn run(&self, arguments: Map<String, Value>, context: &ToolContext) -> ToolResult {
        let picked = read::<Arguments>(arguments).and_then(|arguments| pick(arguments, below));
        let picked = match picked {
            Ok(picked) => picked,
            Err(failure) => return failure,
        };
        let result = ToolResult::done(format!("Picked: {picked}"));
        match wording(context, id::RANDOM_PICK) {
            Some(wording) => result.answering(wording.random_pick(&picked)),
            None => result,
        }
    }
}

/// One of the things or numbers, by a number below a limit.
fn pick(arguments: Arguments, below: impl Fn(u64) -> Result<u64, ToolResult>) -> Result<String, ToolResult> {
    let options: Vec<String> =
        arguments.options.unwrap_or_default().into_iter().filter_map(|option| words(Some(option))).collect();
    if !options.is_empty() {
        let at = below(options.len() as u64)?;
        return Ok(options.into_iter().nth(at as usize).unwrap_or_default());
    }
    let from = arguments.from.unwrap_or(1);
    let to = arguments.to.ok_or_else(|| {
        ToolResult::failed("There is nothing to pick from: give options, or the highest number as to.")
    })?;
    let count = to.checked_sub(from).and_then(|last| u64::try_from(last).ok()).ok_or_else(|| {
        ToolResult::failed(format!("There is no number from {from} to {to}: the first has to be lower."))
    })?;
    Ok((from + below(count.saturating_add(1))? as i64).to_string())
}

/// A number below this limit, each as likely as the others.
fn below(limit: u64) -> Result<u64, ToolResult> {
    // The highest numbers would make some results likelier.
    let fair = u64::MAX - u64::MAX % limit;
    loop {
        let drawn = getrandom::u64().map_err(|error| {
            ToolResult::failed(format!("This computer gives no random numbers: {error}."))
        })?;
        if drawn < fair {
            return Ok(drawn % limit);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use rstest::rstest;

    use super::*;

    fn picked(arguments: Value, drawn: u64) -> Result<String, ToolResult> {
        pick(serde_json::from_value(arguments).unwrap(), |limit| Ok(drawn.min(limit - 1)))
    }

    #[rstest]
    #[case::coin(json!({"options": ["heads", "tails"]}), 1, "tails")]
    #[case::lowest(json!({"from": 1, "to": 6}), 0, "1")]
    #[case::highest(json!({"from": 1, "to": 6}), u64::MAX, "6")]
    #[case::from_one(json!({"to": 100}), u64::MAX, "100")]
    #[case::below_zero(json!({"from": -3, "to": -1}), 1, "-2")]
    #[case::one_number(json!({"from": 5, "to": 5}), 9, "5")]
    #[case::widest(json!({"from": 0, "to": i64::MAX}), u64::MAX, "9223372036854775807")]
    #[case::blank_options(json!({"options": [" ", "tea "]}), 1, "tea")]
    fn drawn_number_decides(#[case] arguments: Value, #[case] drawn: u64, #[case] expected: &str) {
        assert_eq!(picked(arguments, drawn).unwrap(), expected);
    }

    #[rstest]
    #[case::nothing(json!({}))]
    #[case::no_options(json!({"options": []}))]
    #[case::turned_round(json!({"from": 6, "to": 1}))]
    #[case::too_wide(json!({"from": i64::MIN, "to": i64::MAX}))]
    fn nothing_to_pick_from_is_a_failure(#[case] arguments: Value) {
        assert!(picked(arguments, 0).is_err());
    }

    #[test]
    fn every_side_of_a_die_comes_up() {
        let sides: BTreeSet<u64> = (0..1_000).map(|_| below(6).unwrap()).collect();

        assert_eq!(sides, (0..6).collect());
    }
}
