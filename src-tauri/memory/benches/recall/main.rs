//! How fast memory finds things again, and how well. Run by `cargo xtask bench memory`; prints a table, and JSON with
//! `--json FILE`.
//!
//! Speed: a memory of made-up talk, as long as asked for, with words as frequent as in speech and vectors that lie as
//! those of real sentences do. Quality: written questions whose answers are known, without a language model.
#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a measurement that cannot go on should say where"
)]

mod speed; // how fast: start here
mod quality; // how well
mod talk; // made-up sentences
mod meaning; // and their vectors
mod questions; // the file of questions
mod plain; // what the quality is compared with
mod figures;
mod random;

use std::path::PathBuf;

use clap::Parser;
use figures::Figures;
use speed::OnDisk;

/// How fast memory finds things again; with --questions: how well.
///
/// A file of questions is JSON, and described in full in tests/recall/README.md:
///
/// {"format": "jarvis-recall-1",
///  "conversations": [{"id", "turns": [{"id", "speaker", "at", "text"}]}],
///  "questions": [{"id", "conversation", "asked_at", "text", "evidence", "kind"}]}
///
/// "speaker" is user, assistant or a name; "at" and "asked_at" are local times such as 2024-03-09T18:30:00; "evidence"
/// holds the ids of the turns it takes to answer, and none where nothing was said.
#[derive(Parser)]
#[command(name = "recall", verbatim_doc_comment)]
struct Arguments {
    /// How many messages the memory holds, one measurement for each
    #[arg(long, value_delimiter = ',', value_name = "N,N", default_values_t = [1_000, 100_000, 1_000_000])]
    rows: Vec<usize>,
    /// Measure a memory that is encrypted on the disk
    #[arg(long, conflicts_with = "questions")]
    encrypted: bool,
    /// Measure how much of the evidence for these questions is found, in place of the speed
    #[arg(long, value_name = "FILE")]
    questions: Option<PathBuf>,
    /// Write the figures to this file as well
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
        Some(file) => runtime.block_on(quality::measure(&questions::read(file), &mut figures)),
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
