//! The surroundings in which a command is looked up: the system, variables of the environment, and folders.

use std::collections::HashMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The variables that say where programs are.
const VARIABLES: [&str; 12] = [
    "PATH",
    "SHELL",
    "APPDATA",
    "LOCALAPPDATA",
    "ProgramFiles",
    "XDG_DATA_HOME",
    "FNM_DIR",
    "NVM_DIR",
    "NVM_HOME",
    "NVM_SYMLINK",
    "SCOOP",
    "VOLTA_HOME",
];
/// Folders of package managers for the whole machine.
const LINUX_FOLDERS: [&str; 3] = ["/usr/local/bin", "/home/linuxbrew/.linuxbrew/bin", "/usr/bin"];
/// As above.
const MAC_FOLDERS: [&str; 4] = ["/opt/homebrew/bin", "/usr/local/bin", "/opt/local/bin", "/usr/bin"];
/// Folders of package managers below the folder of the user, on every system.
const USER_FOLDERS: [&str; 4] = [".local/bin", ".cargo/bin", ".bun/bin", ".deno/bin"];

/// A system, as far as the places of programs differ.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Platform {
    /// Linux and its relatives.
    #[default]
    Linux,
    /// macOS.
    MacOs,
    /// Microsoft Windows.
    Windows,
}

impl Platform {
    /// The system that this program runs on.
    pub fn this() -> Self {
        if cfg!(windows) {
            Self::Windows
        } else if cfg!(target_os = "macos") {
            Self::MacOs
        } else {
            Self::Linux
        }
    }

    /// The names that a command may have as a file. Programs of Windows have endings.
    pub(super) fn file_names(self, command: &str) -> Vec<String> {
        if self != Self::Windows || Path::new(command).extension().is_some() {
            return vec![command.to_owned()];
        }
        [".exe", ".cmd", ".bat"].map(|ending| format!("{command}{ending}")).to_vec()
    }
}

/// The surroundings in which a command is looked up.
#[derive(Debug, Clone, Default)]
pub struct Surroundings {
    platform: Platform,
    home: Option<PathBuf>,
    variables: HashMap<&'static str, OsString>,
}

impl Surroundings {
    /// Those of this process.
    pub fn from_environment() -> Self {
        Self::new(Platform::this(), std::env::home_dir(), |name| std::env::var_os(name))
    }

    /// The surroundings on a system with this folder of the user and these variables.
    pub fn new(
        platform: Platform,
        home: Option<PathBuf>,
        variable: impl Fn(&str) -> Option<OsString>,
    ) -> Self {
        let named = |name: &'static str| Some((name, variable(name).filter(|value| !value.is_empty())?));
        Self { platform, home, variables: VARIABLES.into_iter().filter_map(named).collect() }
    }

    /// The system.
    pub fn platform(&self) -> Platform {
        self.platform
    }

    /// The folders of `PATH`.
    pub(super) fn path(&self) -> Vec<PathBuf> {
        self.variables.get("PATH").map(std::env::split_paths).into_iter().flatten().collect()
    }

    /// The login shell of the user, if it is named by its path.
    #[cfg(unix)]
    pub(super) fn login_shell(&self) -> Option<PathBuf> {
        self.folder("SHELL").filter(|shell| shell.is_absolute())
    }

    /// The folders to search, in their order: `PATH`, package managers of the machine, those of the user, versions of Node.
    pub(super) fn folders(&self) -> Vec<PathBuf> {
        let managers = match self.platform {
            Platform::Linux => self.unix_folders(&LINUX_FOLDERS),
            Platform::MacOs => self.unix_folders(&MAC_FOLDERS),
            Platform::Windows => self.windows_folders(),
        };
        let users = USER_FOLDERS.into_iter().filter_map(|folder| self.at_home(folder));
        self.path().into_iter().chain(managers).chain(users).chain(self.node_versions()).collect()
    }

    fn unix_folders(&self, machine: &[&str]) -> Vec<PathBuf> {
        let volta = self.below("VOLTA_HOME", "bin").or_else(|| self.at_home(".volta/bin"));
        machine.iter().map(PathBuf::from).chain(volta).collect()
    }

    fn windows_folders(&self) -> Vec<PathBuf> {
        let folders = [
            self.folder("NVM_SYMLINK"),
            self.below("ProgramFiles", "nodejs"),
            self.below("APPDATA", "npm"),
            self.below("VOLTA_HOME", "bin").or_else(|| self.below("LOCALAPPDATA", "Volta/bin")),
            self.below("SCOOP", "shims").or_else(|| self.at_home("scoop/shims")),
            self.below("LOCALAPPDATA", "Microsoft/WinGet/Links"),
        ];
        folders.into_iter().flatten().collect()
    }

    /// The folders of the programs of each version of Node, the newest one of each version manager first.
    fn node_versions(&self) -> Vec<PathBuf> {
        let is_windows = self.platform == Platform::Windows;
        let nvm = match is_windows {
            true => self.folder("NVM_HOME").or_else(|| self.below("APPDATA", "nvm")),
            false => self.below("NVM_DIR", "versions/node").or_else(|| self.at_home(".nvm/versions/node")),
        };
        let fnm = self.folder("FNM_DIR").or_else(|| match self.platform {
            Platform::Linux => {
                self.below("XDG_DATA_HOME", "fnm").or_else(|| self.at_home(".local/share/fnm"))
            }
            Platform::MacOs => self.at_home("Library/Application Support/fnm"),
            Platform::Windows => self.below("APPDATA", "fnm"),
        });
        let fnm = fnm.map(|folder| folder.join("node-versions"));
        let (in_nvm, in_fnm) = if is_windows { ("", "installation") } else { ("bin", "installation/bin") };
        let versions = |folder: Option<PathBuf>, programs: &'static str| {
            let versions = folder.map(|folder| newest_first(&folder)).unwrap_or_default();
            versions.into_iter().map(move |version| version.join(programs))
        };
        versions(nvm, in_nvm).chain(versions(fnm, in_fnm)).collect()
    }

    fn folder(&self, variable: &str) -> Option<PathBuf> {
        self.variables.get(variable).map(PathBuf::from)
    }

    fn below(&self, variable: &str, folder: &str) -> Option<PathBuf> {
        Some(self.folder(variable)?.join(folder))
    }

    fn at_home(&self, folder: &str) -> Option<PathBuf> {
        Some(self.home.as_ref()?.join(folder))
    }
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
