//! The program that the command of a server means.
//!
//! A program that was started by the desktop has a shorter `PATH` than a terminal, so the usual folders of package managers are
//! searched too, and at last the login shell of the user is asked.

mod surroundings; // the environment, and the folders in it
#[cfg(unix)]
mod login_shell; // the last attempt

use std::ffi::OsString;
use std::path::{Path, PathBuf};

pub use surroundings::{Platform, Surroundings};

/// The file that a command means: a path as it is, a name in the folders of `PATH` and of package managers. `None` if there is
/// none.
pub fn resolve_command(command: &str, surroundings: &Surroundings) -> Option<PathBuf> {
    let platform = surroundings.platform();
    let names = platform.file_names(command);
    if is_path(command, platform) {
        return names.into_iter().map(PathBuf::from).find(|path| path.is_file());
    }
    let folders = surroundings.folders();
    let mut candidates = folders.iter().flat_map(|folder| names.iter().map(|name| folder.join(name)));
    candidates.find(|candidate| is_program(candidate, platform))
}

/// The same; a name that is in none of these folders is looked up by the login shell of the user, which reads its profile.
pub(super) async fn find_program(command: &str, surroundings: &Surroundings) -> Option<PathBuf> {
    let found = resolve_command(command, surroundings);
    if found.is_some() || is_path(command, surroundings.platform()) {
        return found;
    }
    ask_login_shell(command, surroundings).await
}

#[cfg(unix)]
async fn ask_login_shell(command: &str, surroundings: &Surroundings) -> Option<PathBuf> {
    let printed = login_shell::look_up(command, &surroundings.login_shell()?).await?;
    let path = PathBuf::from(printed);
    // Aliases and functions have no file.
    (path.is_absolute() && is_program(&path, surroundings.platform())).then_some(path)
}

#[cfg(not(unix))]
async fn ask_login_shell(_: &str, _: &Surroundings) -> Option<PathBuf> {
    None
}

/// `PATH` for a server, with the folder of its own program first: `npx` needs the `node` beside it.
pub(super) fn path_beside(program: &Path, surroundings: &Surroundings) -> Option<OsString> {
    let folder = program.parent()?.to_owned();
    std::env::join_paths(std::iter::once(folder).chain(surroundings.path())).ok()
}

fn is_path(command: &str, platform: Platform) -> bool {
    let has_separator = command.contains('/') || (platform == Platform::Windows && command.contains('\\'));
    has_separator || Path::new(command).is_absolute()
}

#[cfg(unix)]
fn is_program(path: &Path, platform: Platform) -> bool {
    use std::os::unix::fs::PermissionsExt;

    let may_run = |mode: u32| platform == Platform::Windows || mode & 0o111 != 0;
    path.metadata().is_ok_and(|file| file.is_file() && may_run(file.permissions().mode()))
}

#[cfg(not(unix))]
fn is_program(path: &Path, _: Platform) -> bool {
    path.is_file()
}

#[cfg(test)]
mod tests;
