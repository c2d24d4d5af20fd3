//! Files with passwords, keys and private data of programs, and files that the system runs by itself.
//!
//! Names are compared without regard to case: the file systems of macOS and Windows have none, and elsewhere a `.SSH` that
//! is refused harms nobody.

use std::path::Path;

/// Folders of secrets, as neighbouring names anywhere in a path, so that copies of them are found too.
const FOLDERS: [&str; 56] = [
    ".ssh",
    ".gnupg",
    ".aws",
    ".azure",
    ".kube",
    ".config/gcloud",
    ".config/gh",
    // Password stores and keyrings.
    ".password-store",
    ".local/share/keyrings",
    ".local/share/kwalletd",
    ".gnome2/keyrings",
    ".config/op",
    ".config/bitwarden",
    ".config/keepassxc",
    ".config/1password",
    "library/keychains",
    "library/passwords",
    "library/cookies",
    "appdata/roaming/bitwarden",
    "appdata/roaming/microsoft/credentials",
    "appdata/local/microsoft/credentials",
    "appdata/roaming/microsoft/protect",
    "appdata/local/microsoft/vault",
    "appdata/roaming/gnupg",
    // Browsers.
    ".mozilla",
    ".thunderbird",
    "snap/firefox",
    "snap/chromium",
    ".var/app/org.mozilla.firefox",
    ".config/google-chrome",
    ".config/chromium",
    ".config/microsoft-edge",
    ".config/bravesoftware",
    ".config/google-chrome-beta",
    ".config/google-chrome-unstable",
    ".config/vivaldi",
    ".config/opera",
    ".librewolf",
    ".var/app/com.google.chrome",
    ".var/app/com.brave.browser",
    ".var/app/org.chromium.chromium",
    "library/safari",
    "library/application support/vivaldi",
    "library/application support/arc",
    "appdata/local/vivaldi",
    "appdata/roaming/opera software",
    ".config/rclone",
    "library/application support/firefox",
    "library/application support/google",
    "library/application support/chromium",
    "library/application support/microsoft edge",
    "library/application support/bravesoftware",
    "appdata/roaming/mozilla",
    "appdata/local/google",
    "appdata/local/microsoft/edge",
    "appdata/local/bravesoftware",
];

/// Files of secrets, as the last names of a path.
const FILES: [&str; 21] = [
    ".docker/config.json",
    ".config/containers/auth.json",
    ".terraform.d/credentials.tfrc.json",
    ".m2/settings.xml",
    ".vault-token",
    ".claude/.credentials.json",
    ".cargo/credentials",
    ".cargo/credentials.toml",
    ".config/hub",
    ".netrc",
    "_netrc",
    ".pgpass",
    ".my.cnf",
    ".npmrc",
    ".pypirc",
    ".git-credentials",
    ".envrc",
    ".zhistory",
    ".histfile",
    "fish_history",
    "consolehost_history.txt",
];

/// The last part of the names of key files, password databases, secrets of programs and histories of shells.
const ENDINGS: [&str; 13] = [
    ".kdbx",
    ".kdb",
    ".pem",
    ".key",
    ".ppk",
    ".p12",
    ".pfx",
    ".jks",
    ".keystore",
    ".keychain-db",
    ".env",
    "_history",
    ".history",
];

/// The first part of the names of private keys; what ends in `.pub` is public.
const KEYS: [&str; 4] = ["id_rsa", "id_dsa", "id_ecdsa", "id_ed25519"];

/// Files and folders that are run when the user logs in, opens a terminal or works on a repository, as neighbouring names.
const RUN_BY_THE_SYSTEM: [&str; 37] = [
    ".bashrc",
    ".bash_profile",
    ".bash_login",
    ".bash_logout",
    ".bash_aliases",
    ".profile",
    ".zshrc",
    ".zprofile",
    ".zshenv",
    ".zlogin",
    ".xprofile",
    ".xinitrc",
    ".xsession",
    ".config/fish",
    ".config/autostart",
    ".config/systemd",
    ".config/environment.d",
    ".gitconfig",
    ".git/hooks",
    ".git/config",
    ".config/git",
    ".local/bin",
    ".local/share/applications",
    ".bash_completion",
    ".xsessionrc",
    ".zlogout",
    ".vimrc",
    ".config/nvim",
    ".tmux.conf",
    ".config/i3",
    ".config/sway",
    ".config/hypr",
    ".config/plasma-workspace",
    "library/launchagents",
    "programs/startup",
    "documents/powershell",
    "documents/windowspowershell",
];

/// Returns `true` if a path may hold secrets.
pub(super) fn is_secret(path: &Path) -> bool {
    let names = folded_names(path);
    let Some(last) = names.last() else { return false };
    let is_key = KEYS.iter().any(|key| last.starts_with(key)) && !last.ends_with(".pub");
    let is_environment = last.starts_with(".env.");
    is_key
        || is_environment
        || ENDINGS.iter().any(|ending| last.ends_with(ending))
        || FOLDERS.iter().any(|folder| has_in_a_row(&names, folder))
        || FILES.iter().any(|file| names.ends_with(&file.split('/').map(str::to_owned).collect::<Vec<_>>()))
}

/// Returns `true` if the system runs the file by itself.
pub(super) fn runs_by_itself(path: &Path) -> bool {
    let names = folded_names(path);
    RUN_BY_THE_SYSTEM.iter().any(|row| has_in_a_row(&names, row))
}

fn has_in_a_row(names: &[String], row: &str) -> bool {
    let row: Vec<&str> = row.split('/').collect();
    names.windows(row.len()).any(|window| window.iter().zip(&row).all(|(name, wanted)| name == wanted))
}

/// The names of a path as file systems without case compare them. Windows passes over dots and blanks at the end of a name.
fn folded_names(path: &Path) -> Vec<String> {
    let names = path.components().map(|part| part.as_os_str().to_string_lossy());
    // Upper case first: it makes an `s` of the letter ſ, as these file systems do.
    names.map(|name| name.to_uppercase().to_lowercase().trim_end_matches(['.', ' ']).to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::ssh(".ssh/config", true)]
    #[case::other_case(".SSH/known_hosts", true)]
    #[case::long_s(".ſsh/known_hosts", true)]
    #[case::dots_at_the_end(".ssh./config", true)]
    #[case::copy_of_a_folder("backup/old/.gnupg/x", true)]
    #[case::docker(".docker/config.json", true)]
    #[case::docker_other(".docker/daemon.json", false)]
    #[case::login_data(".netrc", true)]
    #[case::private_key("keys/id_ed25519", true)]
    #[case::public_key("keys/id_ed25519.pub", false)]
    #[case::key_file("certs/server.PEM", true)]
    #[case::passwords("Documents/mine.kdbx", true)]
    #[case::environment("project/.env.local", true)]
    #[case::history(".bash_history", true)]
    #[case::chrome_on_linux(".config/google-chrome/Default/Login Data", true)]
    #[case::chrome_on_windows("AppData/Local/Google/Chrome/User Data/Default/Cookies", true)]
    #[case::firefox_on_macos("Library/Application Support/Firefox/Profiles/x/logins.json", true)]
    #[case::another_channel(".config/google-chrome-beta/Default/Login Data", true)]
    #[case::safari("Library/Safari/History.db", true)]
    #[case::token(".vault-token", true)]
    #[case::plain("Documents/notes.txt", false)]
    #[case::similar_name("Documents/ssh.txt", false)]
    #[case::home("", false)]
    fn secrets_are_told_by_their_place_or_name(#[case] path: &str, #[case] expected: bool) {
        assert_eq!(is_secret(Path::new(path)), expected);
    }

    #[rstest]
    #[case::shell(".bashrc", true)]
    #[case::autostart(".config/autostart/x.desktop", true)]
    #[case::hook("code/app/.git/hooks/pre-commit", true)]
    #[case::menu(".local/share/applications/firefox.desktop", true)]
    #[case::repository("code/app/.git/config", true)]
    #[case::plain("Documents/bashrc.txt", false)]
    fn files_run_by_the_system_are_told(#[case] path: &str, #[case] expected: bool) {
        assert_eq!(runs_by_itself(Path::new(path)), expected);
    }
}
