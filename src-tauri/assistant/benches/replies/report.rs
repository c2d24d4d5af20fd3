//! Tables of the results.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::time::Duration;

use serde_json::json;

use crate::answer::Answer;
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
    /// The replies in which a model was asked for each task.
    asked_for: BTreeMap<String, usize>,
    /// Questions to models before the one for the answer, of each reply that asked a model.
    before_answer: Vec<usize>,
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
                turns().filter(|turn| turn.answer.asked_for.is_empty()).count(),
                turns().count(),
            ),
            asked_for: replies_by_task(turns().map(|turn| &turn.answer)),
            before_answer: sorted(
                turns()
                    .filter(|turn| !turn.answer.asked_for.is_empty())
                    .map(|turn| turn.answer.asked_before_answer()),
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
        let tasks: Vec<String> =
            self.asked_for.iter().map(|(task, replies)| format!("{task} {replies}")).collect();
        let _ = writeln!(text, "- replies that asked a model, by task: {}", tasks.join(", "));
        let count = |share| percentile(&self.before_answer, share);
        let _ = writeln!(
            text,
            "- questions to a model before that for the answer: p50 {}, p95 {}",
            count(0.5),
            count(0.95)
        );
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
        let before_answer = [0.5, 0.95].map(|share| percentile(&self.before_answer, share));
        let figures = json!({
            "model": self.model, "right": right, "of": all, "kinds": kinds,
            "restrained": self.restrained, "truthful": self.truthful, "without_model": self.without_model,
            "asked_for": self.asked_for, "asked_before_answer": before_answer,
            "first_text_ms": ms(&self.first_text), "whole_answer_ms": ms(&self.took),
        });
        format!("{figures:#}\n")
    }

    fn total(&self) -> (usize, usize) {
        self.kinds.values().fold((0, 0), |sum, kind| (sum.0 + kind.0, sum.1 + kind.1))
    }
}

/// The number of replies in which a model was asked for each task.
fn replies_by_task<'a>(answers: impl Iterator<Item = &'a Answer>) -> BTreeMap<String, usize> {
    let mut replies = BTreeMap::new();
    for answer in answers {
        for task in answer.asked_for.iter().collect::<BTreeSet<_>>() {
            *replies.entry(task.clone()).or_default() += 1;
        }
    }
    replies
}

fn sorted<T: Ord>(values: impl Iterator<Item = T>) -> Vec<T> {
    let mut values: Vec<T> = values.collect();
    values.sort();
    values
}

fn percentile<T: Copy + Default>(values: &[T], share: f64) -> T {
    let at = ((values.len() as f64 * share).ceil() as usize).saturating_sub(1);
    values.get(at).copied().unwrap_or_default()
}
