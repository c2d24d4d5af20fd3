//! The figures, as a table and as JSON.

use serde_json::{Map, json};

use crate::Pass;
use crate::cases::Half;
use crate::judging::Judged;

/// The results of all cases.
#[derive(Default)]
pub struct Table(Vec<(Pass, Judged)>);

impl Table {
    /// Adds the results of a pass.
    pub fn add(&mut self, pass: Pass, judged: Vec<Judged>) {
        self.0.extend(judged.into_iter().map(|judged| (pass, judged)));
    }

    /// Prints a line for each pass and half.
    pub fn print(&self) {
        println!(
            "\n{:<7} {:<9} {:>6} {:>7} {:>7} {:>10} {:>9} {:>7} {:>8}",
            "pass", "half", "cases", "usable", "kept", "forbidden", "language", "stored", "p50 s"
        );
        for (pass, half, row) in self.rows() {
            let kept = format!("{}/{}", row.kept, row.wanted);
            let language = format!("{}/{}", row.language.0, row.language.0 + row.language.1);
            println!(
                "{:<7} {:<9} {:>6} {:>7} {kept:>7} {:>10} {language:>9} {:>7} {:>8.1}",
                format!("{pass:?}").to_lowercase(),
                name(half),
                row.cases,
                row.usable,
                row.forbidden,
                row.stored,
                row.median_secs,
            );
        }
    }

    /// The same as JSON.
    pub fn json(&self) -> String {
        let mut figures = Map::new();
        for (pass, half, row) in self.rows() {
            let name = format!("{}, {}", format!("{pass:?}").to_lowercase(), name(half));
            figures.insert(
                name,
                json!({
                    "cases": row.cases, "usable": row.usable, "wanted": row.wanted, "kept": row.kept,
                    "forbidden": row.forbidden, "language_kept": row.language.0, "language_lost": row.language.1,
                    "stored": row.stored, "unsupported": row.unsupported, "median_secs": row.median_secs,
                }),
            );
        }
        serde_json::to_string_pretty(&figures).unwrap() + "\n"
    }

    fn rows(&self) -> impl Iterator<Item = (Pass, Half, Row)> + '_ {
        let passes = [Pass::Diary, Pass::Facts, Pass::Meals];
        let each = passes.into_iter().flat_map(|pass| [(pass, Half::Tuning), (pass, Half::HeldOut)]);
        each.filter_map(|(pass, half)| {
            let of_row = self.0.iter().filter(|(of, judged)| *of == pass && judged.half == half);
            let judged: Vec<&Judged> = of_row.map(|(_, judged)| judged).collect();
            (!judged.is_empty()).then(|| (pass, half, Row::from_judged(&judged)))
        })
    }
}

struct Row {
    cases: usize,
    usable: usize,
    wanted: usize,
    kept: usize,
    forbidden: usize,
    language: (usize, usize),
    stored: usize,
    unsupported: usize,
    median_secs: f64,
}

impl Row {
    fn from_judged(judged: &[&Judged]) -> Self {
        let sum = |count: fn(&Judged) -> usize| judged.iter().map(|judged| count(judged)).sum::<usize>();
        let mut secs: Vec<f64> = judged.iter().map(|judged| judged.took.as_secs_f64()).collect();
        secs.sort_by(f64::total_cmp);
        let wanted = sum(|judged| judged.wanted);
        Self {
            cases: judged.len(),
            usable: sum(|judged| usize::from(judged.is_usable)),
            wanted,
            kept: wanted.saturating_sub(sum(|judged| judged.missing.len())),
            forbidden: sum(|judged| judged.forbidden.len()),
            language: (sum(|judged| judged.language_kept.0), sum(|judged| judged.language_kept.1)),
            stored: sum(|judged| judged.stored.len()),
            unsupported: sum(|judged| judged.unsupported),
            median_secs: secs[secs.len() / 2],
        }
    }
}

/// Prints the result of one case.
pub fn print_case(judged: &Judged, show: bool) {
    let usable = if judged.is_usable { "usable" } else { "UNUSABLE" };
    println!("{:<20} {usable:<9} {:>6.1} s", judged.id, judged.took.as_secs_f64());
    if !judged.missing.is_empty() {
        println!("    missing:   {}", judged.missing.join("; "));
    }
    if !judged.forbidden.is_empty() {
        println!("    forbidden: {}", judged.forbidden.join("; "));
    }
    if judged.unsupported > 0 {
        println!("    {} facts without the user's words", judged.unsupported);
    }
    if show {
        for text in &judged.stored {
            println!("    stored:    {}", text.replace('\n', "\n               "));
        }
        for answer in &judged.answers {
            println!("    answered:  {}", answer.replace('\n', "\n               "));
        }
    }
}

fn name(half: Half) -> &'static str {
    match half {
        Half::Tuning => "tuning",
        Half::HeldOut => "held out",
    }
}
