//! `cargo xtask test`: every check and test.

use std::process::Command;

use clap::Args;

use crate::front_end;
use crate::models::{self, Set};
use crate::process::{cargo, run, works};
use crate::structure::Structure;
use crate::system;
use crate::terminal::{confirm, say, step};

/// Cargo tools that the checks need, and the versions that are known to work.
const TOOLS: [(&str, &str); 2] = [("cargo-nextest", "0.9.143"), ("cargo-deny", "0.20.2")];

/// The source of the advisories, to check whether it can be reached.
const ADVISORIES: &str = "https://github.com/RustSec/advisory-db";

/// Naming the examples, though there are none, makes cargo choose the features of the tests, as every step here does.
/// With others it would build whisper.cpp and llama.cpp a second time, which takes 11 minutes of two cores.
const DOCS: [&str; 7] = ["doc", "--workspace", "--no-deps", "--quiet", "--lib", "--bins", "--examples"];

/// Slow tests are ignored ones in a module named `slow`; other ignored ones are started by the tests they belong to.
const SLOW: [&str; 5] = ["--run-ignored", "only", "--no-tests", "pass", "-Etest(/(^|::)slow::/)"];

/// Every check and test.
#[derive(Args)]
pub struct Test {
    /// Run slow tests too: endurance, large models
    #[arg(long)]
    slow: bool,
    /// Install and download without asking
    #[arg(long)]
    yes: bool,
}

impl Test {
    /// Runs all checks, the quick ones first; the first failure ends it.
    ///
    /// # Errors
    ///
    /// A check failed.
    pub fn run(self) -> anyhow::Result<()> {
        step("system packages", || system::ensure_packages(true, self.yes))?;
        step("tools", || ensure_tools(self.yes))?;
        step("models", || models::fetch(Set::Tests, self.yes))?;
        step("format", || run(&mut cargo(&["fmt", "--all", "--check"])))?;
        step("licences, bans, sources", || deny(&["bans", "licenses", "sources"]))?;
        if models::can_reach(ADVISORIES) {
            step("advisories", || deny(&["advisories"]))?;
        } else {
            say("== advisories: left out, their database cannot be reached");
        }
        step("windows", front_end::build)?;
        step("tests of the windows", front_end::test)?;
        step("structure", || Structure {}.run())?;
        let clippy = ["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"];
        step("clippy", || run(&mut cargo(&clippy)))?;
        step("docs", || run(cargo(&DOCS).env("RUSTDOCFLAGS", "-D warnings")))?;
        step("build", || run(&mut cargo(&["build", "--workspace", "--bins", "--tests"])))?;
        step("tests", || run(&mut nextest()?))?;
        if self.slow {
            step("slow tests", || run(nextest()?.args(SLOW)))?;
        }
        step("examples in docs", || run(&mut cargo(&["test", "--workspace", "--doc", "--quiet"])))
    }
}

/// All tests. Each has its own home folder; they share the models.
fn nextest() -> anyhow::Result<Command> {
    let mut nextest = cargo(&["nextest", "run", "--workspace", "--no-fail-fast"]);
    nextest.env("JARVIS_MODELS", models::folder()?);
    Ok(nextest)
}

fn deny(checks: &[&str]) -> anyhow::Result<()> {
    run(cargo(&["deny", "--log-level", "error", "--config", ".deny.toml", "check"]).args(checks))
}

fn ensure_tools(yes: bool) -> anyhow::Result<()> {
    for (tool, version) in TOOLS {
        let verb = tool.trim_start_matches("cargo-");
        if works(cargo(&[]).get_program(), &[verb, "--version"]) {
            continue;
        }
        confirm(&format!("{tool} is missing. Install it with cargo?"), yes)?;
        run(&mut cargo(&["install", "--locked", &format!("{tool}@{version}")]))?;
    }
    Ok(())
}
