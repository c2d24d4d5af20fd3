//! Speed and quality of recall. Run by `cargo xtask bench memory`; prints a table, and JSON with `--json FILE`.
//!
//! Speed: a memory with generated messages, with word frequencies as in speech and vectors distributed as those of real
//! sentences. Quality: written questions with known evidence, without a language model.
#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a measurement that cannot go on should say where"
)]

mod speed; // measures the time: start here
mod quality; // measures the evidence found
mod talk; // generated sentences
mod meaning; // vectors of the generated sentences
mod questions; // the file of questions
mod plain; // the baseline for the quality
mod figures;
mod random;

use std::path::PathBuf;

use clap::Parser;
use figures::Figures;
use questions::Half;
use speed::OnDisk;

/// Measures the speed of recall; with --questions, its quality.
///
/// A file of questions is JSON, and described in full in tests/recall/README.md:
///
/// {"format": "jarvis-recall-1",
///  "conversations": [{"id", "half", "turns": [{"id", "speaker", "at", "text"}]}],
///  "questions": [{"id", "conversation", "asked_at", "text", "evidence", "kind"}]}
///
/// "speaker" is user, assistant or a name; "at" and "asked_at" are local times such as 2024-03-09T18:30:00; "evidence"
/// lists the ids of the turns that contain the answer; it is empty for unanswerable questions; "half" may be missing.
#[derive(Parser)]
#[command(name = "recall", verbatim_doc_comment)]
struct Arguments {
    /// Numbers of messages in the memory, one measurement for each
    #[arg(long, value_delimiter = ',', value_name = "N,N", default_values_t = [1_000, 100_000, 1_000_000])]
    rows: Vec<usize>,
    /// Measure a memory that is encrypted on the disk
    #[arg(long, conflicts_with = "questions")]
    encrypted: bool,
    /// Measure how much of the evidence for these questions is found, instead of the speed
    #[arg(long, value_name = "FILE")]
    questions: Option<PathBuf>,
    /// Measure one half of the questions alone: tuning or held_out
    #[arg(long, requires = "questions")]
    half: Option<Half>,
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
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    match &arguments.questions {
        Some(file) => {
            runtime.block_on(quality::measure(&questions::read(file), arguments.half, &mut figures))
        }
        None => {
            let on_disk = if arguments.encrypted { OnDisk::Encrypted } else { OnDisk::Plain };
            runtime.block_on(speed::measure(&arguments.rows, on_disk, &mut figures));
        }
    }
    if let Some(path) = arguments.json {
        figures.write(&path);
        println!("written to {}", path.display());
    }
}
