//! `cargo xtask bench`: whole-path figures of a release build.

use std::path::PathBuf;

use clap::Args;

use crate::front_end;
use crate::models::{self, Set};
use crate::process::{cargo_for_this_machine, run};
use crate::system;
use crate::terminal::step;

/// Figures of the whole path, as a table and as JSON.
#[derive(Args)]
pub struct Bench {
    /// Write the figures to this file as well
    #[arg(long)]
    json: Option<PathBuf>,
    /// Install and download without asking
    #[arg(long)]
    yes: bool,
}

impl Bench {
    /// Builds and measures. Takes some minutes of quiet once it is built.
    ///
    /// # Errors
    ///
    /// A step failed.
    pub fn run(self) -> anyhow::Result<()> {
        step("system packages", || system::ensure_packages(true, self.yes))?;
        step("models", || models::fetch(Set::Tests, self.yes))?;
        step("windows", front_end::build)?;
        step("build", || {
            run(&mut cargo_for_this_machine(&["build", "--release", "-p", "jarvis", "-p", "llm-worker"]))
        })?;
        let mut measure = cargo_for_this_machine(&["bench", "-p", "jarvis", "--bench", "whole_path", "--"]);
        measure.env("JARVIS_MODELS", models::folder()?);
        if let Some(json) = self.json {
            // Cargo runs it elsewhere: the file is meant from where we were called.
            measure.arg("--json").arg(std::path::absolute(json)?);
        }
        step("measure", || run(&mut measure))
    }
}
