//! The measured figures, printed as they are noted.

use std::path::Path;

use serde_json::{Map, Value, json};

/// The figures, in the order they are printed.
#[derive(Default)]
pub struct Figures(Map<String, Value>);

impl Figures {
    /// Notes a row of a table, one figure for each column.
    pub fn note(&mut self, name: &str, columns: &[(&str, f64)]) {
        print!("{name:<36}");
        for (column, value) in columns {
            let rounded = (value * 1000.0).round() / 1000.0;
            print!("  {column} {rounded:>7.3}");
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
