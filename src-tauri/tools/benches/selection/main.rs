//! Quality and speed of the selection of tools. Run by `cargo xtask bench tools`; prints a table, and JSON with
//! `--json FILE`.
#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a measurement that cannot go on should say where"
)]

mod quality; // measures what is found: start here
mod speed; // measures time and memory
mod catalogue; // the files
mod figures;

use std::path::PathBuf;

use clap::Parser;
use embedding::InstalledEmbedder;
use figures::Figures;
use models::{Machine, ModelStore};

/// Measures which tools are selected for written questions, and how fast. Its files are described in
/// tests/tools/README.md.
#[derive(Parser)]
#[command(name = "selection")]
struct Arguments {
    /// The tools
    #[arg(long, value_name = "FILE")]
    catalogue: PathBuf,
    /// The questions
    #[arg(long, value_name = "FILE")]
    queries: PathBuf,
    /// Measure one half of the questions alone: tuning or held_out
    #[arg(long)]
    half: Option<String>,
    /// Name the questions whose tools are not among the first five
    #[arg(long)]
    misses: bool,
    /// Leave out speed and memory
    #[arg(long)]
    quality_only: bool,
    /// Also write the figures to this file
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Given by cargo
    #[arg(long, hide = true)]
    bench: bool,
}

fn main() {
    let arguments = Arguments::parse();
    let mut figures = Figures::default();
    let tools = catalogue::tools(&arguments.catalogue);
    let mut queries = catalogue::queries(&arguments.queries, &tools);
    queries.retain(|query| arguments.half.as_ref().is_none_or(|half| query.half == *half));
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let store = ModelStore::with_default_settings().unwrap();
    let embedder = InstalledEmbedder::new(store, Machine::this(), Vec::new(), None);
    runtime.block_on(async {
        quality::measure(&tools, &queries, &embedder, arguments.misses, &mut figures).await;
        if !arguments.quality_only {
            speed::measure(&tools, &queries, &embedder, &mut figures).await;
        }
    });
    if let Some(path) = arguments.json {
        figures.write(&path);
        println!("written to {}", path.display());
    }
}
