//! Other programs.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, bail};

/// The root of the checkout.
pub fn checkout() -> PathBuf {
    // Several checkouts may share a target folder, and with it this program: cargo says at run time which one it is.
    let package = std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").into());
    Path::new(&package).parent().unwrap_or_else(|| Path::new(".")).to_path_buf()
}

/// The cargo that called us, at the root of the checkout.
pub fn cargo(arguments: &[&str]) -> Command {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.args(arguments).current_dir(checkout());
    // What `cargo run` tells us about ourselves would look like a change to build scripts.
    for (name, _) in std::env::vars_os() {
        let is_ours =
            name.to_str().is_some_and(|n| n.starts_with("CARGO_PKG_") || n.starts_with("CARGO_MANIFEST_"));
        if is_ours {
            cargo.env_remove(name);
        }
    }
    cargo
}

/// The same for a release build that stays on this machine: the native engines may use all that its processor has.
pub fn cargo_for_this_machine(arguments: &[&str]) -> Command {
    let mut cargo = cargo(arguments);
    cargo.env("GGML_NATIVE", "ON");
    cargo
}

/// Runs a command with the terminal as its own.
///
/// # Errors
///
/// It cannot be started, or says that it failed.
pub fn run(command: &mut Command) -> anyhow::Result<()> {
    let line = line_of(command);
    let status = command.status().with_context(|| format!("starting `{line}`"))?;
    if !status.success() {
        bail!("`{line}` failed ({status})");
    }
    Ok(())
}

/// Runs a command without showing what it says, unless it fails.
///
/// # Errors
///
/// It cannot be started, or says that it failed; then with the end of what it said.
pub fn run_quietly(command: &mut Command) -> anyhow::Result<String> {
    let line = line_of(command);
    let output = command.stdin(Stdio::null()).output().with_context(|| format!("starting `{line}`"))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        let lines: Vec<_> = said.trim().lines().collect();
        let end = lines[lines.len().saturating_sub(6)..].join("\n");
        bail!("`{line}` failed ({}):\n{end}", output.status);
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Can this be started, and does it end well?
pub fn works(program: impl AsRef<OsStr>, arguments: &[&str]) -> bool {
    let quiet = Command::new(program).args(arguments).stdin(Stdio::null()).output();
    quiet.is_ok_and(|output| output.status.success())
}

fn line_of(command: &Command) -> String {
    let words = [command.get_program()].into_iter().chain(command.get_args());
    words.map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
}
