//! `cargo xtask test`: every check and test.

use std::path::PathBuf;
use std::process::Command;

use clap::Args;

use crate::bench;
use crate::front_end;
use crate::models::{self, Set};
use crate::notices;
use crate::process::{cargo, run};
use crate::python_clients;
use crate::structure::Structure;
use crate::system;
use crate::terminal::{say, step};
use crate::tools::{self, Tool};

/// Cargo tools that the checks need.
const TOOLS: [Tool; 2] = [
    Tool { name: "cargo-nextest", version: "0.9.143", features: &[] },
    Tool { name: "cargo-deny", version: "0.20.2", features: &[] },
];

/// cargo-deny with our configuration.
const DENY: [&str; 5] = ["deny", "--log-level", "error", "--config", ".deny.toml"];

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
        check_advisories()?;
        step("windows", front_end::build)?;
        step("style of the windows, workflows", front_end::lint)?;
        step("tests of the windows", front_end::test)?;
        step("tool servers for the tests", front_end::install_tool_servers)?;
        step("Python clients for the tests", || python_clients::install(self.yes))?;
        step("notices", notices::check)?;
        step("structure", || Structure {}.run())?;
        let clippy = ["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"];
        step("clippy", || run(&mut cargo(&clippy)))?;
        step("docs", || run(cargo(&DOCS).env("RUSTDOCFLAGS", "-D warnings")))?;
        step("build", || run(&mut cargo(&["build", "--workspace", "--bins", "--tests"])))?;
        step("tests", || run(&mut nextest()?))?;
        step("figures", bench::quick_check)?;
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

/// With the newest database where it can be reached, else with the one that was fetched last, else not at all.
fn check_advisories() -> anyhow::Result<()> {
    if models::can_reach(ADVISORIES) {
        step("advisories", || deny(&["advisories"]))
    } else if has_advisories() {
        say("== advisories: their database cannot be reached; an older copy of it is used");
        step("advisories", || run(cargo(&DENY).args(["--offline", "check", "advisories"])))
    } else {
        say("== advisories: NOT CHECKED, for their database cannot be reached and was never fetched here");
        Ok(())
    }
}

/// Returns `true` if cargo-deny has fetched the database of advisories before.
fn has_advisories() -> bool {
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(std::env::home_dir()?.join(".cargo")));
    let copies = home.and_then(|home| std::fs::read_dir(home.join("advisory-dbs")).ok());
    copies
        .is_some_and(|mut copies| copies.any(|copy| copy.is_ok_and(|copy| copy.path().join(".git").is_dir())))
}

fn deny(checks: &[&str]) -> anyhow::Result<()> {
    run(cargo(&DENY).arg("check").args(checks))
}

fn ensure_tools(yes: bool) -> anyhow::Result<()> {
    TOOLS.iter().try_for_each(|tool| tools::ensure(tool, yes))
}
