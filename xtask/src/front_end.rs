//! The pages of the windows: built before cargo packs them into the program.

use std::process::Command;

use anyhow::bail;

use crate::process::{checkout, run, works};

/// The oldest Node.js that builds them.
const NODE: &str = "20.19";

/// The folder of the pages.
const PAGES: &str = "ui";

/// The folders of what the tests of tool servers talk to: servers, and the suite that drives a client. The suite comes with a
/// Node.js of its own, because it needs a newer one than the pages.
const TOOL_SERVERS: [&str; 2] = ["tests/tool_servers", "tests/tool_servers/conformance"];

/// Builds the pages, with exactly the packages of the lock file.
///
/// # Errors
///
/// Node.js is missing or too old, or a step failed.
pub fn build() -> anyhow::Result<()> {
    let is_new_enough = "const [a, b] = process.versions.node.split('.').map(Number); \
                         process.exit(a > 20 || (a === 20 && b >= 19) ? 0 : 1)";
    if !works("node", &["-e", is_new_enough]) {
        bail!("Node.js {NODE} or newer builds the windows: install it and start again");
    }
    install(PAGES)?;
    run(&mut npm(PAGES, &["run", "--silent", "build"]))
}

/// The same, unless nothing changed since.
///
/// # Errors
///
/// As [`build`].
pub fn build_if_changed() -> anyhow::Result<()> {
    if is_built().unwrap_or(false) {
        return Ok(());
    }
    build()
}

/// Returns `true` if every source is older than the built pages.
fn is_built() -> std::io::Result<bool> {
    let ui = checkout().join("ui");
    let built = ui.join("dist/index.html").metadata()?.modified()?;
    let mut waiting = vec![ui.join("src"), ui.join("public")];
    let mut sources: Vec<_> = std::fs::read_dir(&ui)?.collect::<Result<Vec<_>, _>>()?;
    sources.retain(|entry| entry.path().is_file());
    while let Some(folder) = waiting.pop() {
        for entry in std::fs::read_dir(folder)? {
            let entry = entry?;
            match entry.file_type()?.is_dir() {
                true => waiting.push(entry.path()),
                false => sources.push(entry),
            }
        }
    }
    for source in sources {
        if source.metadata()?.modified()? > built {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Checks the style of the pages with ESLint and Prettier, and the workflows in `.github`.
///
/// # Errors
///
/// A rule is broken, a file is formatted otherwise, or a workflow has a mistake.
pub fn lint() -> anyhow::Result<()> {
    run(&mut npm(PAGES, &["run", "--silent", "lint"]))
}

/// Tests the pages without a window.
///
/// # Errors
///
/// A test failed.
pub fn test() -> anyhow::Result<()> {
    run(&mut npm(PAGES, &["test", "--silent"]))
}

/// Installs the servers of tools that the tests talk to.
///
/// # Errors
///
/// The packages could not be installed.
pub fn install_tool_servers() -> anyhow::Result<()> {
    TOOL_SERVERS.into_iter().try_for_each(install)
}

/// Installs the packages of the lock file in this folder, unless they are there.
fn install(folder: &str) -> anyhow::Result<()> {
    if is_installed(folder) {
        return Ok(());
    }
    run(&mut npm(folder, &["ci", "--no-audit", "--no-fund", "--loglevel=error"]))
}

/// Returns `true` if the installed packages are those of the lock file. npm records what it installed last.
fn is_installed(folder: &str) -> bool {
    let modified =
        |file: &str| checkout().join(folder).join(file).metadata().and_then(|file| file.modified());
    match (modified("node_modules/.package-lock.json"), modified("package-lock.json")) {
        (Ok(installed), Ok(wanted)) => installed >= wanted,
        _ => false,
    }
}

fn npm(folder: &str, arguments: &[&str]) -> Command {
    let mut npm = Command::new(if cfg!(windows) { "npm.cmd" } else { "npm" });
    npm.args(arguments).current_dir(checkout().join(folder));
    npm
}
