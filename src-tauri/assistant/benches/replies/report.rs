//! Tables of the results.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::time::Duration;

use serde_json::json;

use crate::judging::Judged;

/// Prints one scenario as it is done.
pub fn print_scenario(judged: &Judged, show: bool) {
    let mark = if judged.is_right() { "ok  " } else { "FAIL" };
    println!("{mark} {}", judged.id);
    for turn in &judged.turns {
        if show || !turn.faults.is_empty() {
            let tools: Vec<&str> = turn.answer.tools.iter().map(|(tool, _)| tool.as_str()).collect();
            let (text, offered) = (&turn.answer.text, &turn.answer.offered);
            println!("       > {}\n       < {text} [{}; {offered}]", turn.turn.say, tools.join(", "));
            if !turn.faults.is_empty() {
                println!("       ! {}", turn.faults.join("; "));
            }
        }
    }
}

/// All figures of a model.
pub struct Figures {
    model: String,
    /// Right ones and all, by kind.
    kinds: BTreeMap<String, (usize, usize)>,
    restrained: (usize, usize),
    truthful: (usize, usize),
    without_model: (usize, usize),
    first_text: Vec<Duration>,
    took: Vec<Duration>,
}

impl Figures {
    /// The figures of these results.
    pub fn new(model: &str, results: &[Judged]) -> Self {
        let mut kinds: BTreeMap<String, (usize, usize)> = BTreeMap::new();
        for judged in results {
            let kind = kinds.entry(judged.kind.clone()).or_default();
            kind.0 += usize::from(judged.is_right());
            kind.1 += 1;
        }
        let turns = || results.iter().flat_map(|judged| &judged.turns);
        let share = |right: usize, all: usize| (right, all);
        let no_tools = turns().filter(|turn| turn.turn.no_tools);
        let checked = turns().filter(|turn| turn.turn.never.iter().any(|property| property.is_about_truth()));
        Self {
            model: model.to_owned(),
            kinds,
            restrained: share(
                no_tools.clone().filter(|turn| !turn.is_unrestrained).count(),
                no_tools.count(),
            ),
            truthful: share(checked.clone().filter(|turn| !turn.is_untrue).count(), checked.count()),
            without_model: share(
                turns().filter(|turn| turn.answer.model_calls == 0).count(),
                turns().count(),
            ),
            first_text: sorted(turns().filter_map(|turn| turn.answer.first_text)),
            took: sorted(turns().map(|turn| turn.answer.took)),
        }
    }

    /// The figures as Markdown.
    pub fn markdown(&self) -> String {
        let mut text = format!("## {}\n\n| kind | right | of |\n|---|---|---|\n", self.model);
        for (kind, (right, all)) in &self.kinds {
            let _ = writeln!(text, "| {kind} | {right} | {all} |");
        }
        let (right, all) = self.total();
        let _ = writeln!(text, "| **all** | **{right}** | **{all}** |\n");
        let of = |(part, all): (usize, usize)| format!("{part} of {all}");
        let _ = writeln!(text, "- restraint (no tool where none is due): {}", of(self.restrained));
        let _ = writeln!(text, "- truthfulness (nothing claimed that is not so): {}", of(self.truthful));
        let _ = writeln!(text, "- answered without a model: {}", of(self.without_model));
        let span = |times: &[Duration]| {
            let ms = |share| percentile(times, share).as_millis();
            format!("p50 {} ms, p95 {} ms", ms(0.5), ms(0.95))
        };
        let _ = writeln!(text, "- first text: {}", span(&self.first_text));
        let _ = writeln!(text, "- whole answer: {}", span(&self.took));
        text
    }

    /// The same as JSON.
    pub fn json(&self) -> String {
        let (right, all) = self.total();
        let kinds: BTreeMap<&str, [usize; 2]> =
            self.kinds.iter().map(|(kind, (right, all))| (kind.as_str(), [*right, *all])).collect();
        let ms = |times: &[Duration]| [0.5, 0.95].map(|share| percentile(times, share).as_millis());
        let figures = json!({
            "model": self.model, "right": right, "of": all, "kinds": kinds,
            "restrained": self.restrained, "truthful": self.truthful, "without_model": self.without_model,
            "first_text_ms": ms(&self.first_text), "whole_answer_ms": ms(&self.took),
        });
        format!("{figures:#}\n")
    }

    fn total(&self) -> (usize, usize) {
        self.kinds.values().fold((0, 0), |sum, kind| (sum.0 + kind.0, sum.1 + kind.1))
    }
}

fn sorted(times: impl Iterator<Item = Duration>) -> Vec<Duration> {
    let mut times: Vec<Duration> = times.collect();
    times.sort();
    times
}

fn percentile(times: &[Duration], share: f64) -> Duration {
    let at = ((times.len() as f64 * share).ceil() as usize).saturating_sub(1);
    times.get(at).copied().unwrap_or_default()
}
