//! `cargo xtask system`: the packages of the operating system that building and running need.

mod packages;

use std::fs;
use std::process::Command;

use anyhow::bail;
use clap::Args;

use crate::process::{run, run_quietly, works};
use crate::terminal::{confirm, say};
use packages::Need;

/// Install the system packages that building and running need.
#[derive(Args)]
pub struct System {
    /// Install the needs of the tests as well
    #[arg(long)]
    tests: bool,
    /// Install without asking
    #[arg(long)]
    yes: bool,
}

impl System {
    /// Installs what is missing.
    ///
    /// # Errors
    ///
    /// Something is missing that cannot be installed from here; the error says what to do.
    pub fn run(self) -> anyhow::Result<()> {
        if !ensure(&packages::needs(self.tests), self.yes)? {
            say("nothing is missing");
        }
        Ok(())
    }
}

/// Makes sure that all packages to build and run are there, and those of the tests if `tests`.
///
/// # Errors
///
/// As [`System::run`].
pub fn ensure_packages(tests: bool, yes: bool) -> anyhow::Result<()> {
    ensure(&packages::needs(tests), yes).map(drop)
}

/// Makes sure that Python and its package installer are there.
///
/// # Errors
///
/// As [`System::run`].
pub fn ensure_python(yes: bool) -> anyhow::Result<()> {
    ensure(&packages::PYTHON, yes).map(drop)
}

/// Installs what is missing of `needs`. Tells whether anything was.
fn ensure(needs: &[Need], yes: bool) -> anyhow::Result<bool> {
    let is_debian = is_debian();
    let missing: Vec<_> = needs.iter().filter(|need| !need.is_met(is_debian, has_debian_package)).collect();
    if missing.is_empty() {
        return Ok(false);
    }
    let names: Vec<_> = missing.iter().flat_map(|need| need.debian).copied().collect();
    if !is_debian {
        bail!(packages::instructions(&missing, std::env::consts::OS, &os_release()));
    }
    say(format!("These system packages are missing: {}", names.join(" ")));
    confirm("Install them with apt-get?", yes)?;
    run(&mut apt_get(&["update", "-qq"]))?;
    let install = ["install", "-y", "-qq", "--no-install-recommends"];
    run(apt_get(&install).args(&names))?;
    Ok(true)
}

/// apt-get as root, asking for no input but perhaps the password.
fn apt_get(arguments: &[&str]) -> Command {
    let is_root = run_quietly(Command::new("id").arg("-u")).is_ok_and(|id| id.trim() == "0");
    let mut command = if is_root { Command::new("env") } else { Command::new("sudo") };
    command.args(["DEBIAN_FRONTEND=noninteractive", "apt-get"]).args(arguments);
    command
}

fn is_debian() -> bool {
    cfg!(target_os = "linux") && works("apt-get", &["--version"]) && works("dpkg-query", &["--version"])
}

fn has_debian_package(name: &str) -> bool {
    let status = run_quietly(Command::new("dpkg-query").args(["-W", "-f", "${db:Status-Status}", name]));
    status.is_ok_and(|status| status == "installed")
}

/// Returns the description of this system; empty if there is no such file.
fn os_release() -> String {
    fs::read_to_string("/etc/os-release").unwrap_or_default()
}
