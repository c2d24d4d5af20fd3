//! Whole-path figures: from the end of speech to the first sound, and what an assistant costs while it waits.
//!
//! Real detector, whisper, engine, voice; the room is a file, the language model answers after a stated delay. Run by
//! `cargo xtask bench`; prints a table, and JSON with `--json FILE`. With `--busy` only the path is measured, while other
//! programs use every core.
#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a measurement that cannot go on should say where"
)]

mod embedded;
#[cfg(unix)]
mod load;
mod process;
mod room;
mod turns;
#[cfg(target_os = "linux")]
mod window;

use std::path::PathBuf;

use serde_json::{Map, Value, json};

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

    /// Notes the median and the 95th percentile of some measurements.
    pub fn note_spread(&mut self, name: &str, values: &[f64]) {
        let mut sorted = values.to_vec();
        sorted.sort_by(f64::total_cmp);
        let at = |share: f64| sorted[((sorted.len() - 1) as f64 * share).round() as usize];
        self.note(&format!("{name} p50 ms"), at(0.5));
        self.note(&format!("{name} p95 ms"), at(0.95));
    }
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let json_file = arguments.windows(2).find(|pair| pair[0] == "--json").map(|pair| PathBuf::from(&pair[1]));
    let mut figures = Figures::default();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    if arguments.iter().any(|argument| argument == "--busy") {
        #[cfg(unix)]
        let _busy = load::BusyCores::start();
        runtime.block_on(turns::measure(&mut figures));
    } else {
        runtime.block_on(turns::measure(&mut figures));
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
}
