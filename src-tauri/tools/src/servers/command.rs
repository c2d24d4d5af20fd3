//! Which program the command of a server means.
//!
//! A program that was started by the desktop has a shorter `PATH` than a terminal, so the usual folders of package managers are
//! searched too.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Folders of package managers below the folder of the user, searched after `PATH`.
const USER_FOLDERS: [&str; 5] = [".local/bin", ".volta/bin", ".cargo/bin", ".bun/bin", ".deno/bin"];
/// The same for the whole machine.
const MACHINE_FOLDERS: [&str; 4] =
    ["/opt/homebrew/bin", "/usr/local/bin", "/home/linuxbrew/.linuxbrew/bin", "/usr/bin"];
/// Folders with one folder for each version of Node, below the folder of the user, and the way to the programs in it.
const NODE_VERSIONS: [(&str, &str); 2] =
    [(".nvm/versions/node", "bin"), (".local/share/fnm/node-versions", "installation/bin")];

/// The surroundings in which a command is looked up.
#[derive(Debug, Clone, Default)]
pub struct Surroundings {
    /// The variable `PATH`.
    pub path: Option<OsString>,
    /// The folder of the user.
    pub home: Option<PathBuf>,
    /// Programs have endings such as `.cmd`.
    pub is_windows: bool,
}

impl Surroundings {
    /// Those of this process.
    pub fn of_this_process() -> Self {
        Self { path: std::env::var_os("PATH"), home: std::env::home_dir(), is_windows: cfg!(windows) }
    }

    /// The folders to search, in their order.
    fn folders(&self) -> Vec<PathBuf> {
        let mut folders: Vec<PathBuf> =
            self.path.as_ref().map(std::env::split_paths).into_iter().flatten().collect();
        folders.extend(MACHINE_FOLDERS.map(PathBuf::from));
        if let Some(home) = &self.home {
            folders.extend(USER_FOLDERS.map(|folder| home.join(folder)));
            for (versions, programs) in NODE_VERSIONS {
                folders.extend(
                    newest_first(&home.join(versions)).into_iter().map(|folder| folder.join(programs)),
                );
            }
        }
        folders
    }

    /// The names that a command may have as a file.
    fn names(&self, command: &str) -> Vec<String> {
        if !self.is_windows || Path::new(command).extension().is_some() {
            return vec![command.to_owned()];
        }
        [".exe", ".cmd", ".bat"].map(|ending| format!("{command}{ending}")).to_vec()
    }
}

/// The file that a command means: a path as it is, a name in the folders of `PATH` and of package managers. `None` if there is
/// none.
pub fn resolve_command(command: &str, surroundings: &Surroundings) -> Option<PathBuf> {
    let path = Path::new(command);
    let is_path =
        path.is_absolute() || command.contains('/') || (surroundings.is_windows && command.contains('\\'));
    if is_path {
        return path.is_file().then(|| path.to_owned());
    }
    let names = surroundings.names(command);
    let folders = surroundings.folders();
    let candidates = folders.iter().flat_map(|folder| names.iter().map(|name| folder.join(name)));
    candidates.into_iter().find(|candidate| is_program(candidate))
}

/// `PATH` for a server, with the folder of its own program first: `npx` needs the `node` beside it.
pub(super) fn path_beside(program: &Path, path: Option<OsString>) -> Option<OsString> {
    let folder = program.parent()?.to_owned();
    let rest: Vec<PathBuf> = path.as_ref().map(std::env::split_paths).into_iter().flatten().collect();
    std::env::join_paths(std::iter::once(folder).chain(rest)).ok()
}

#[cfg(unix)]
fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;

    path.metadata().is_ok_and(|file| file.is_file() && file.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_program(path: &Path) -> bool {
    path.is_file()
}

/// The folders in a folder, the highest version first.
fn newest_first(versions: &Path) -> Vec<PathBuf> {
    let number = |path: &PathBuf| -> Vec<u64> {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        name.trim_start_matches('v').split('.').map(|part| part.parse().unwrap_or_default()).collect()
    };
    let mut folders: Vec<PathBuf> = std::fs::read_dir(versions)
        .into_iter()
        .flatten()
        .filter_map(|entry| Some(entry.ok()?.path()))
        .collect();
    folders.sort_by_key(|folder| std::cmp::Reverse(number(folder)));
    folders
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    fn program(path: &Path) {
        use std::os::unix::fs::PermissionsExt;

        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, "").unwrap();
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn newest_node_of_a_version_manager_is_found_outside_the_path() {
        let home = tempfile::tempdir().unwrap();
        for version in ["v9.11.2", "v22.1.0", "v20.19.0"] {
            program(&home.path().join(".nvm/versions/node").join(version).join("bin/npx-of-a-test"));
        }
        let surroundings = Surroundings { path: None, home: Some(home.path().to_owned()), is_windows: false };

        let found = resolve_command("npx-of-a-test", &surroundings);

        assert_eq!(found, Some(home.path().join(".nvm/versions/node/v22.1.0/bin/npx-of-a-test")));
    }

    #[cfg(unix)]
    #[test]
    fn path_comes_first_and_plain_files_are_no_programs() {
        let folder = tempfile::tempdir().unwrap();
        let (first, second) = (folder.path().join("a"), folder.path().join("b"));
        std::fs::create_dir_all(&first).unwrap();
        std::fs::write(first.join("tool"), "").unwrap();
        program(&second.join("tool"));
        let path = std::env::join_paths([&first, &second]).unwrap();
        let surroundings = Surroundings { path: Some(path), home: None, is_windows: false };

        assert_eq!(resolve_command("tool", &surroundings), Some(second.join("tool")));
        assert_eq!(resolve_command(first.join("none").to_str().unwrap(), &surroundings), None);
    }

    #[test]
    fn windows_tries_the_endings_of_programs() {
        let windows = Surroundings { is_windows: true, ..Surroundings::default() };

        assert_eq!(windows.names("npx"), ["npx.exe", "npx.cmd", "npx.bat"]);
        assert_eq!(windows.names("npx.cmd"), ["npx.cmd"]);
    }
}
