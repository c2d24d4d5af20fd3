//! `cargo xtask bench`: figures of a release build.

mod listening;
mod memory;
mod tools;

use std::path::PathBuf;

use clap::{Args, Subcommand};

use crate::front_end;
use crate::models::{self, Set};
use crate::process::{cargo, cargo_for_this_machine, run};
use crate::system;
use crate::terminal::step;

/// Figures of the whole path, as a table and as JSON; with `listening`, `memory` or `tools`: of that alone.
#[derive(Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct Bench {
    #[command(subcommand)]
    part: Option<Part>,
    /// Write the figures to this file as well
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Measure the path of spoken questions while a busy process of low priority runs on every core
    #[arg(long)]
    busy: bool,
    /// Measure the path of spoken questions alone
    #[arg(long, conflicts_with = "check")]
    path: bool,
    /// Recognise with Moonshine tiny in place of Whisper base
    #[arg(long, conflicts_with = "check")]
    moonshine: bool,
    /// Fail if a figure is beyond its limit in `tests/whole_path/limits.json`
    #[arg(long, conflicts_with = "busy")]
    check: bool,
    /// Install and download without asking
    #[arg(long)]
    yes: bool,
}

#[derive(Subcommand)]
enum Part {
    Listening(listening::Listening),
    Memory(memory::Memory),
    Tools(tools::Tools),
}

impl Bench {
    /// Builds and measures. After the build it takes some minutes on an otherwise idle machine.
    ///
    /// # Errors
    ///
    /// A step failed.
    pub fn run(self) -> anyhow::Result<()> {
        match self.part {
            Some(Part::Listening(listening)) => listening.run(),
            Some(Part::Memory(memory)) => memory.run(),
            Some(Part::Tools(tools)) => tools.run(),
            None => self.whole_path(),
        }
    }

    fn whole_path(self) -> anyhow::Result<()> {
        let Self { json, busy, path, moonshine, check, yes, .. } = self;
        step("system packages", || system::ensure_packages(true, yes))?;
        step("models", || models::fetch(Set::Tests, yes))?;
        step("windows", front_end::build)?;
        // Programs and measurement in one build: the features of its own dependencies would compile everything twice.
        let build =
            ["build", "--release", "-p", "jarvis", "-p", "llm-worker", "--bins", "--bench", "whole_path"];
        step("build", || run(&mut cargo_for_this_machine(&build)))?;
        let measured = ["bench", "-p", "jarvis", "-p", "llm-worker", "--bench", "whole_path", "--"];
        let mut measure = cargo_for_this_machine(&measured);
        measure.env("JARVIS_MODELS", models::folder()?);
        if let Some(json) = json {
            // Cargo runs it in another folder, so the path is made absolute.
            measure.arg("--json").arg(std::path::absolute(json)?);
        }
        measure.args(busy.then_some("--busy")).args(path.then_some("--path"));
        measure.args(moonshine.then_some("--moonshine")).args(check.then_some("--check"));
        step("measure", || run(&mut measure))
    }
}

/// Compares the figures that take a minute with their limits. It runs the build of the tests, in which speech and sound are
/// optimised too.
///
/// # Errors
///
/// A figure is beyond its limit.
pub fn quick_check() -> anyhow::Result<()> {
    let mut measure = cargo(&["test", "--workspace", "--bench", "whole_path", "--", "--quick", "--check"]);
    run(measure.env("JARVIS_MODELS", models::folder()?))
}
