//! `cargo xtask bench tools`: quality and speed of the selection of tools.

use std::path::PathBuf;

use clap::Args;

use crate::models;
use crate::process::{cargo, run};
use crate::terminal::step;

/// The share of written questions for which the right tools are selected, and the time it takes.
///
/// Both files are JSON, and described in full in tests/tools/README.md:
///
/// {"format": "jarvis-tools-1",
///  "tools": [{"name", "description", "parameters", "keywords", "examples"}]}
///
/// {"format": "jarvis-tools-1",
///  "questions": [{"id", "half", "kind", "text", "tools"}]}
///
/// "tools" of a question names all tools that would answer it; "kind" is any word to group by; "half" is tuning or held_out,
/// and may be missing, as may "parameters" (a JSON schema), "keywords" and "examples" (requests of users).
#[derive(Args)]
#[command(verbatim_doc_comment)]
pub struct Tools {
    /// The tools
    #[arg(long, value_name = "FILE", default_value = "tests/tools/catalogue.json")]
    catalogue: PathBuf,
    /// The questions
    #[arg(long, value_name = "FILE", default_value = "tests/tools/questions.json")]
    queries: PathBuf,
    /// Measure one half of the questions alone: tuning, or held_out
    #[arg(long, value_name = "HALF")]
    half: Option<String>,
    /// Name the questions whose tools are not among the first five
    #[arg(long)]
    misses: bool,
    /// Leave out speed and memory
    #[arg(long)]
    quality_only: bool,
    /// Write the figures to this file as well
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Download without asking
    #[arg(long)]
    yes: bool,
}

const BENCH: [&str; 5] = ["bench", "-p", "tools", "--bench", "selection"];

impl Tools {
    /// Builds and measures. 4,000 tools take about half a minute to embed.
    ///
    /// # Errors
    ///
    /// A step failed.
    pub fn run(self) -> anyhow::Result<()> {
        step("models", || models::fetch_embedding(self.yes))?;
        step("build", || run(&mut cargo(&[&BENCH[..], &["--no-run"]].concat())))?;
        let mut measure = cargo(&[&BENCH[..], &["--"]].concat());
        measure.env("JARVIS_MODELS", models::folder()?);
        // Cargo runs it in another folder, so paths are made absolute.
        let files =
            [("--catalogue", Some(self.catalogue)), ("--queries", Some(self.queries)), ("--json", self.json)];
        for (flag, file) in files {
            if let Some(file) = file {
                measure.arg(flag).arg(std::path::absolute(file)?);
            }
        }
        if let Some(half) = &self.half {
            measure.arg("--half").arg(half);
        }
        measure.args(self.misses.then_some("--misses"));
        measure.args(self.quality_only.then_some("--quality-only"));
        step("measure", || run(&mut measure))
    }
}
