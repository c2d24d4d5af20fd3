//! `cargo xtask run`: from a fresh checkout to a running Jarvis.

use std::path::PathBuf;
use std::process::Command;

use clap::Args;

use crate::front_end;
use crate::models::{self, Set};
use crate::process::{self, cargo};
use crate::system;
use crate::terminal::step;

/// The profile of Cargo for programs that stay on this machine: built sooner than a release, and as fast.
const PROFILE: &str = "local";

/// Install what is missing, fetch the models, build, and start Jarvis.
#[derive(Args)]
pub struct Run {
    /// Install and download without asking
    #[arg(long)]
    yes: bool,
    /// The arguments of Jarvis, after `--`
    #[arg(last = true)]
    arguments: Vec<String>,
}

impl Run {
    /// Does it. Returns when Jarvis ends, if the system does not let us become Jarvis.
    ///
    /// # Errors
    ///
    /// A step failed.
    pub fn run(self) -> anyhow::Result<()> {
        step("system packages", || system::ensure_packages(false, self.yes))?;
        step("models", || models::fetch(Set::Default, self.yes))?;
        step("windows", front_end::build_if_changed)?;
        // Both with one call: the worker has to lie beside the program that starts it.
        step("build", || {
            let build = ["build", "--profile", PROFILE, "-p", "jarvis", "-p", "llm-worker"];
            process::run(&mut process::cargo_for_this_machine(&build))
        })?;
        become_jarvis(Command::new(target_folder()?.join(PROFILE).join("jarvis")).args(self.arguments))
    }
}

/// The place where cargo puts what it builds, as cargo itself tells.
///
/// # Errors
///
/// Cargo cannot be asked.
pub fn target_folder() -> anyhow::Result<PathBuf> {
    let told = process::run_quietly(&mut cargo(&["metadata", "--format-version", "1", "--no-deps"]))?;
    let metadata: serde_json::Value = serde_json::from_str(&told)?;
    Ok(PathBuf::from(metadata["target_directory"].as_str().unwrap_or("target")))
}

/// Takes our place, so that signals and the terminal are Jarvis's own.
#[cfg(unix)]
fn become_jarvis(jarvis: &mut Command) -> anyhow::Result<()> {
    use std::os::unix::process::CommandExt;

    Err(jarvis.exec().into())
}

#[cfg(not(unix))]
fn become_jarvis(jarvis: &mut Command) -> anyhow::Result<()> {
    process::run(jarvis)
}
