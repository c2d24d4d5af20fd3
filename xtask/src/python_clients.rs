//! Python clients that the tests drive: the packages of a list, in a folder of their own.

use std::fs;
use std::process::Command;

use crate::process::{checkout, run};
use crate::system::ensure_python;
use crate::terminal::say;

/// The folder of the list and of the packages.
const FOLDER: &str = "tests/python_clients";

/// Installs the packages of the list, with exactly these versions, unless they are there.
///
/// # Errors
///
/// Python is missing, or the packages could not be installed.
pub fn install(yes: bool) -> anyhow::Result<()> {
    let folder = checkout().join(FOLDER);
    let (list, packages) = (folder.join("requirements.txt"), folder.join("packages"));
    // Written last: a folder without it is not complete.
    let installed = packages.join("requirements.txt");
    let wanted = fs::read_to_string(&list)?;
    if fs::read_to_string(&installed).is_ok_and(|installed| installed == wanted) {
        return Ok(());
    }
    ensure_python(yes)?;
    say("installing the Python clients of the tests");
    if packages.exists() {
        fs::remove_dir_all(&packages)?;
    }
    let mut pip = Command::new(if cfg!(windows) { "python" } else { "python3" });
    // Of packages without a build for this machine, pip would need compilers.
    pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--only-binary", ":all:"]);
    run(pip.arg("--target").arg(&packages).arg("-r").arg(&list))?;
    fs::write(installed, wanted)?;
    Ok(())
}
