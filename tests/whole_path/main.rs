//! Whole-path figures: from the end of speech to the first sound, and what an assistant costs while it waits.
//!
//! Real detector, whisper, engine, voice; the room is a file, the language model answers after a stated delay. Run by
//! `cargo xtask bench`; prints a table, and JSON with `--json FILE`. With `--busy` only the path is measured, while other
//! programs use every core, with `--path` only the path on a free machine, and `--moonshine` recognises with Moonshine tiny in
//! place of Whisper base. `--quick` measures in a minute what the checks of every change need. `--check` compares with
//! `limits.json` and fails if a figure is beyond its limit.
#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a measurement that cannot go on should say where"
)]

mod embedded;
mod limits;
#[cfg(unix)]
mod load;
mod process;
mod recognition;
mod room;
mod turn_log;
mod turns;
#[cfg(target_os = "linux")]
mod window;

use std::path::PathBuf;
use std::process::ExitCode;

use serde_json::{Map, Value, json};

use turns::{ALL_TURNS, ALL_TURNS_WITH_MOONSHINE, QUICK_TURNS};

/// The figures, in the order they are printed.
#[derive(Default)]
pub struct Figures(Map<String, Value>);

impl Figures {
    /// Notes a figure; the unit is part of its name.
    pub fn note(&mut self, name: &str, value: f64) {
        let rounded = (value * 100.0).round() / 100.0;
        println!("{name:<56} {rounded:>10}");
        self.0.insert(name.to_owned(), json!(rounded));
    }

    /// Notes the median and the 95th percentile of some measurements. Nothing is noted if there are none.
    pub fn note_spread(&mut self, name: &str, values: &[f64]) {
        if values.is_empty() {
            return;
        }
        self.note(&format!("{name} p50 ms"), percentile(values, 0.5));
        self.note(&format!("{name} p95 ms"), percentile(values, 0.95));
    }
}

/// The value below which this share of the values lies; there must be one.
pub fn percentile(values: &[f64], share: f64) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted[((sorted.len() - 1) as f64 * share).round() as usize]
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().collect();
    let is_given = |flag: &str| arguments.iter().any(|argument| argument == flag);
    let json_file = arguments.windows(2).find(|pair| pair[0] == "--json").map(|pair| PathBuf::from(&pair[1]));
    let mut figures = Figures::default();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let (is_busy, is_quick) = (is_given("--busy"), is_given("--quick"));
    let all_turns = if is_given("--moonshine") { &ALL_TURNS_WITH_MOONSHINE } else { &ALL_TURNS };
    if is_busy {
        #[cfg(unix)]
        let _busy = load::BusyCores::start();
        runtime.block_on(turns::measure(&mut figures, all_turns));
    } else if is_given("--path") {
        runtime.block_on(turns::measure(&mut figures, all_turns));
    } else if is_quick {
        runtime.block_on(turns::measure(&mut figures, &QUICK_TURNS));
        #[cfg(target_os = "linux")]
        window::note_front_end(&mut figures);
    } else {
        runtime.block_on(turns::measure(&mut figures, all_turns));
        runtime.block_on(embedded::measure(&mut figures));
        #[cfg(target_os = "linux")]
        window::measure(&mut figures);
        process::note_sizes(&mut figures);
    }
    runtime.shutdown_background();
    if let Some(path) = json_file {
        std::fs::write(&path, serde_json::to_string_pretty(&figures.0).unwrap() + "\n").unwrap();
        println!("written to {}", path.display());
    }
    if !is_given("--check") {
        return ExitCode::SUCCESS;
    }
    let run = if is_quick { limits::Run::Quick } else { limits::Run::Whole };
    let beyond = limits::beyond(&figures.0, run);
    for finding in &beyond {
        println!("BEYOND ITS LIMIT: {finding}");
    }
    if beyond.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
