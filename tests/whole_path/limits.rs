//! The limits of the figures, in `limits.json`: ratios within one run, processor time, counts, memory and sizes. No wall
//! time, which says more about the machine than about the change.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Map, Value};

/// The figures that a run has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Run {
    /// Those marked as quick.
    Quick,
    /// All of them.
    Whole,
}

/// The limit of one figure.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Limit {
    #[serde(default = "unlimited")]
    max: f64,
    /// The largest value in a build without optimisation, if it differs.
    #[serde(default)]
    max_unoptimised: Option<f64>,
    #[serde(default)]
    min: f64,
    /// A quick run has this figure.
    #[serde(default)]
    quick: bool,
    /// The aim, if the limit is not there yet. Nothing is compared with it.
    #[serde(default, rename = "goal")]
    _goal: Option<f64>,
}

impl Limit {
    fn max(&self) -> f64 {
        self.max_unoptimised.filter(|_| cfg!(debug_assertions)).unwrap_or(self.max)
    }
}

fn unlimited() -> f64 {
    f64::INFINITY
}

/// Sentences about the figures that are beyond their limits, or missing.
pub fn beyond(figures: &Map<String, Value>, run: Run) -> Vec<String> {
    let limits: BTreeMap<String, Limit> = serde_json::from_str(include_str!("limits.json")).unwrap();
    let compared = limits.iter().filter(|(_, limit)| run == Run::Whole || limit.quick);
    compared
        .filter_map(|(name, limit)| match figures.get(name).and_then(Value::as_f64) {
            Some(figure) if (limit.min..=limit.max()).contains(&figure) => None,
            Some(figure) => Some(format!("{name} is {figure}, allowed are {} to {}", limit.min, limit.max())),
            None => Some(format!("{name} was not measured")),
        })
        .collect()
}
