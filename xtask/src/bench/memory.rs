//! `cargo xtask bench memory`: speed and quality of recall.

use std::path::PathBuf;

use clap::Args;

use crate::models;
use crate::process::{cargo, run};
use crate::terminal::{say, step};

/// Speed of recall; with --questions: its quality.
///
/// Speed is measured on made-up messages: writing, opening, recall by words and by meaning. Quality is the share of the
/// evidence for written questions that is found, by several kinds of search; no language model takes part.
///
/// A file of questions is JSON, and described in full in tests/recall/README.md:
///
/// {"format": "jarvis-recall-1",
///  "conversations": [{"id", "half", "turns": [{"id", "speaker", "at", "text"}]}],
///  "questions": [{"id", "conversation", "asked_at", "text", "evidence", "kind"}]}
///
/// "speaker" is user, assistant or a name; "at" and "asked_at" are local times such as 2024-03-09T18:30:00; "evidence"
/// holds the ids of the turns it takes to answer, and none if nothing was said; "kind" is any word to group by; "half" is
/// tuning or held_out, and may be missing.
#[derive(Args)]
#[command(verbatim_doc_comment)]
pub struct Memory {
    /// The number of messages that the memory holds, one measurement for each [default: 1000,100000,1000000]
    #[arg(long, value_delimiter = ',', value_name = "N,N", conflicts_with = "questions")]
    rows: Vec<usize>,
    /// Measure a memory that is encrypted on the disk
    #[arg(long, conflicts_with = "questions")]
    encrypted: bool,
    /// Measure how much of the evidence for these questions is found: a file of tests/recall, or your own
    #[arg(long, value_name = "FILE")]
    questions: Option<PathBuf>,
    /// Measure one half of the questions alone: tuning, or held_out
    #[arg(long, value_name = "HALF", requires = "questions")]
    half: Option<String>,
    /// Write the figures to this file as well
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Download without asking
    #[arg(long)]
    yes: bool,
}

/// With the database as the program has it: SQLCipher reads plain files too.
const BENCH: [&str; 7] = ["bench", "-p", "memory", "--features", "encryption", "--bench", "recall"];

impl Memory {
    /// Builds and measures. A million messages take some minutes and 2 GB of the disk.
    ///
    /// # Errors
    ///
    /// A step failed.
    pub fn run(self) -> anyhow::Result<()> {
        step("models", || {
            // Search by words can be measured without it.
            models::fetch_embedding(self.yes).or_else(|error| {
                say(format!("going on without a sentence model: {error:#}"));
                Ok(())
            })
        })?;
        step("build", || run(&mut cargo(&[&BENCH[..], &["--no-run"]].concat())))?;
        let mut measure = cargo(&[&BENCH[..], &["--"]].concat());
        measure.env("JARVIS_MODELS", models::folder()?);
        if !self.rows.is_empty() {
            let rows: Vec<String> = self.rows.iter().map(usize::to_string).collect();
            measure.arg("--rows").arg(rows.join(","));
        }
        if self.encrypted {
            measure.arg("--encrypted");
        }
        if let Some(half) = &self.half {
            measure.arg("--half").arg(half);
        }
        // Cargo runs it in another folder, so paths are made absolute.
        for (flag, file) in [("--questions", self.questions), ("--json", self.json)] {
            if let Some(file) = file {
                measure.arg(flag).arg(std::path::absolute(file)?);
            }
        }
        step("measure", || run(&mut measure))
    }
}
