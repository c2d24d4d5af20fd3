//! The measured figures, printed as they are noted.

use std::path::Path;
use std::time::Duration;

use serde_json::{Map, Value, json};

/// The figures, in the order they are printed.
#[derive(Default)]
pub struct Figures(Map<String, Value>);

impl Figures {
    /// Notes a figure; the unit is part of its name.
    pub fn note(&mut self, name: &str, value: f64) {
        let rounded = (value * 1000.0).round() / 1000.0;
        println!("{name:<56} {rounded:>10}");
        self.0.insert(name.to_owned(), json!(rounded));
    }

    /// Notes the median and the 95th percentile of some times.
    pub fn note_spread(&mut self, name: &str, times: &[Duration]) {
        let mut sorted: Vec<f64> = times.iter().map(|time| time.as_secs_f64() * 1000.0).collect();
        sorted.sort_by(f64::total_cmp);
        self.note(&format!("{name} p50 ms"), at_share(&sorted, 0.5));
        self.note(&format!("{name} p95 ms"), at_share(&sorted, 0.95));
    }

    /// Notes a row of a table, one figure for each column.
    pub fn note_row(&mut self, name: &str, columns: &[(String, f64)]) {
        print!("{name:<44}");
        for (column, value) in columns {
            let rounded = (value * 1000.0).round() / 1000.0;
            print!(" {rounded:>7.3}");
            self.0.insert(format!("{name}, {column}"), json!(rounded));
        }
        println!();
    }

    /// Writes all figures to a file.
    pub fn write(&self, path: &Path) {
        std::fs::write(path, serde_json::to_string_pretty(&self.0).unwrap() + "\n").unwrap();
    }
}

/// The quantile of sorted values: the value that this share of them does not exceed.
pub fn at_share(sorted: &[f64], share: f64) -> f64 {
    sorted[((sorted.len() - 1) as f64 * share).round() as usize]
}
