//! The programs of the applications menu: only these are opened.
//!
//! Source of the format: Desktop Entry Specification 1.5 (freedesktop.org).

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use languages::folded_words;

/// The most bytes of an entry. The longest of Debian has about 60,000, translations included.
const MAX_ENTRY: u64 = 1 << 20;

/// A program of the applications menu.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Application {
    /// Its file.
    pub entry: PathBuf,
    /// The name that a user sees.
    pub name: String,
    /// Its names in all languages, and what it is in general: "Web Browser".
    names: Vec<String>,
}

/// The folders with the entries of the menu, those of the user first.
#[derive(Debug, Clone)]
pub struct ApplicationFolders(Vec<PathBuf>);

impl ApplicationFolders {
    /// These folders.
    pub fn new(folders: Vec<PathBuf>) -> Self {
        Self(folders)
    }

    /// Those of this user, as the environment names them.
    pub fn from_environment(home: &Path) -> Self {
        let variable = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
        let own = variable("XDG_DATA_HOME").map_or_else(|| home.join(".local/share"), PathBuf::from);
        let shared = variable("XDG_DATA_DIRS").unwrap_or_else(|| "/usr/local/share:/usr/share".to_owned());
        let all = std::iter::once(own).chain(shared.split(':').map(PathBuf::from));
        Self(all.map(|folder| folder.join("applications")).collect())
    }

    /// The programs that fit a name: all with exactly this name, else all whose names hold its words. Blocks.
    pub fn find(&self, name: &str) -> Vec<Application> {
        let wanted = folded_words(name);
        if wanted.is_empty() {
            return Vec::new();
        }
        let all = self.all();
        let is_exact = |app: &&Application| app.names.iter().any(|known| folded_words(known) == wanted);
        let exact: Vec<Application> = all.iter().filter(is_exact).cloned().collect();
        // Two programs may be "Web Browser"; only one is named so.
        let named: Vec<Application> =
            exact.iter().filter(|app| folded_words(&app.name) == wanted).cloned().collect();
        let holds = |app: &&Application| {
            app.names.iter().any(|known| {
                let known = folded_words(known);
                wanted.iter().all(|word| known.contains(word))
            })
        };
        [named, exact]
            .into_iter()
            .find(|found| !found.is_empty())
            .unwrap_or_else(|| all.iter().filter(holds).cloned().collect())
    }

    /// All programs; an entry of the user stands for one of the system with the same file name.
    fn all(&self) -> Vec<Application> {
        let mut seen = HashSet::new();
        let mut applications = Vec::new();
        for folder in &self.0 {
            let Ok(entries) = std::fs::read_dir(folder) else { continue };
            let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
            files.sort();
            for file in files {
                let is_new = file.extension().is_some_and(|ending| ending == "desktop")
                    && seen.insert(file.file_name().map(ToOwned::to_owned));
                if is_new && let Some(application) = read(&file) {
                    applications.push(application);
                }
            }
        }
        applications
    }
}

/// Reads an entry; `None` for one that is no program with windows.
fn read(file: &Path) -> Option<Application> {
    if std::fs::metadata(file).ok()?.len() > MAX_ENTRY {
        return None;
    }
    let text = std::fs::read_to_string(file).ok()?;
    let lines = text.lines().skip_while(|line| line.trim() != "[Desktop Entry]").skip(1);
    let lines = lines.take_while(|line| !line.trim_start().starts_with('['));
    let (mut name, mut names, mut is_program) = (None, Vec::new(), false);
    for line in lines {
        let Some((key, value)) = line.split_once('=') else { continue };
        let (key, value) = (key.trim(), value.trim());
        match key {
            "Type" => is_program = value == "Application",
            "NoDisplay" | "Hidden" | "Terminal" if value == "true" => return None,
            "Name" => name = Some(value.to_owned()),
            _ if key.starts_with("Name[") || key.starts_with("GenericName") => names.push(value.to_owned()),
            _ => {}
        }
    }
    let name = name.filter(|name| is_program && !name.is_empty())?;
    names.push(name.clone());
    Some(Application { entry: file.to_owned(), name, names })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folders() -> (tempfile::TempDir, ApplicationFolders) {
        let home = tempfile::tempdir().unwrap();
        let folders = ["user", "system", "missing"].map(|name| home.path().join(name));
        let entries = [
            (
                "user/firefox.desktop",
                "[Desktop Entry]\nType=Application\nName=Firefox\nGenericName=Web Browser\n",
            ),
            ("system/firefox.desktop", "[Desktop Entry]\nType=Application\nName=Old Firefox\n"),
            (
                "system/files.desktop",
                "[Desktop Entry]\nType=Application\nName=Files\nName[de]=Dateien\n[Desktop Action new]\nName=New Window\n",
            ),
            ("system/chat.desktop", "[Desktop Entry]\nType=Application\nName=Chat Browser\n"),
            ("system/hidden.desktop", "[Desktop Entry]\nType=Application\nName=Hidden\nNoDisplay=true\n"),
            ("system/top.desktop", "[Desktop Entry]\nType=Application\nName=Top\nTerminal=true\n"),
            ("system/link.desktop", "[Desktop Entry]\nType=Link\nName=Home page\n"),
            ("system/nonsense.desktop", "Name=Nonsense"),
        ];
        for (path, text) in entries {
            let path = home.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        let folders = ApplicationFolders::new(folders.to_vec());
        (home, folders)
    }

    #[rstest::rstest]
    #[case::name("firefox", &["Firefox"])]
    #[case::in_another_language("Dateien", &["Files"])]
    #[case::in_general("web browser", &["Firefox"])]
    #[case::part_of_several("browser", &["Chat Browser", "Firefox"])]
    #[case::action("New Window", &[])]
    #[case::hidden("hidden", &[])]
    #[case::of_a_terminal("top", &[])]
    #[case::no_program("home page", &[])]
    #[case::nothing("  ", &[])]
    fn programs_of_the_menu_are_found_by_their_names(#[case] name: &str, #[case] expected: &[&str]) {
        let (_home, folders) = folders();

        let mut found: Vec<String> = folders.find(name).into_iter().map(|app| app.name).collect();
        found.sort();

        assert_eq!(found, expected);
    }
}
