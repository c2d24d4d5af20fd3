//! Cargo tools of other people that our commands call.

use crate::process::{cargo, run, works};
use crate::terminal::confirm;

/// A cargo tool, and the version that is known to work.
pub struct Tool {
    /// Its package, `cargo-` and its verb.
    pub name: &'static str,
    /// The version that is installed; another one that is there already is taken as it is.
    pub version: &'static str,
    /// Features of the package that its program needs.
    pub features: &'static [&'static str],
}

/// Installs `tool` unless it is there.
///
/// # Errors
///
/// The user says no, or it cannot be built.
pub fn ensure(tool: &Tool, yes: bool) -> anyhow::Result<()> {
    let Tool { name, version, features } = tool;
    let verb = name.trim_start_matches("cargo-");
    if works(cargo(&[]).get_program(), &[verb, "--version"]) {
        return Ok(());
    }
    confirm(&format!("{name} is missing. Install it with cargo?"), yes)?;
    let mut install = cargo(&["install", "--locked", &format!("{name}@{version}")]);
    run(install.args(features.iter().flat_map(|feature| ["--features", feature])))
}
