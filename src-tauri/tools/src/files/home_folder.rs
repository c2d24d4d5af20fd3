//! Which file a path means, and whether it may be used.

use std::io::ErrorKind;
use std::path::{Component, Path, PathBuf};

use super::refusal::FileRefusal;
use super::secrets::{is_secret, runs_by_itself};

/// Links that are followed from one to the next. As many as Linux follows.
const MAX_LINKS: usize = 40;

/// The home folder of the user, without the folders in it that are ours.
pub(super) struct HomeFolder {
    home: PathBuf,
    private: Vec<PathBuf>,
}

/// A place in the home folder that may be used. There may be no file yet.
#[derive(Debug)]
pub(super) struct Place {
    /// The real path: without links.
    pub path: PathBuf,
    /// The path as it was asked for.
    pub written: String,
    /// The path from the home folder on.
    pub shown: String,
    /// The system runs it by itself.
    pub runs_by_itself: bool,
}

impl HomeFolder {
    /// The folder `home` without the folders `private`. One that holds all of `home` is passed over.
    pub fn new(home: PathBuf, private: Vec<PathBuf>) -> Self {
        Self { home, private }
    }

    /// Finds the place that a path means. Blocks.
    ///
    /// Paths start at the home folder; `~`, and whole paths that lead into it, are fine, too. Every link is followed before
    /// the place is judged, also on the way to a file that does not exist yet.
    pub fn place(&self, written: &str) -> Result<Place, FileRefusal> {
        let home = self.home.canonicalize().map_err(|error| FileRefusal::new("The home folder", error))?;
        let written = written.trim();
        let wanted = home.join(self.expanded(written, &home)?);
        let path = resolved(&wanted, 0).map_err(|error| FileRefusal::new(written, error))?;
        let Ok(inside) = path.strip_prefix(&home) else {
            return Err(FileRefusal::OutsideHome { path: written.to_owned() });
        };
        // A link to secrets gives them another name, so the path is judged as it was asked for, too.
        let asked = wanted.strip_prefix(&home).unwrap_or(&wanted);
        if is_secret(inside) || is_secret(asked) || self.is_private(&path, &home) {
            return Err(FileRefusal::Secret { path: written.to_owned() });
        }
        let shown = Path::new("~").join(inside).to_string_lossy().trim_end_matches('/').to_owned();
        let runs_by_itself = runs_by_itself(inside) || runs_by_itself(asked);
        Ok(Place { written: written.to_owned(), shown, runs_by_itself, path })
    }

    /// The place of a file that a tool writes for the user, in a folder that no model chose: it may be outside. Makes the
    /// folder. Blocks.
    pub fn place_in(&self, folder: &Path, file: &str) -> Result<Place, FileRefusal> {
        let failed = |error| FileRefusal::new(&folder.to_string_lossy(), error);
        std::fs::create_dir_all(folder).map_err(failed)?;
        let path = folder.canonicalize().map_err(failed)?.join(file);
        let home = self.home.canonicalize().ok();
        let inside = home.as_ref().and_then(|home| path.strip_prefix(home).ok());
        let shown = inside.map_or_else(|| path.clone(), |inside| Path::new("~").join(inside));
        let shown = shown.to_string_lossy().into_owned();
        Ok(Place { written: shown.clone(), shown, runs_by_itself: false, path })
    }

    /// Returns `true` if a folder below a place may not be looked into. `path` has no links in it.
    pub fn is_closed(&self, path: &Path) -> bool {
        let Ok(home) = self.home.canonicalize() else { return true };
        path.strip_prefix(&home).map_or(true, is_secret) || self.is_private(path, &home)
    }

    fn is_private(&self, path: &Path, home: &Path) -> bool {
        let folders =
            self.private.iter().map(|folder| folder.canonicalize().unwrap_or_else(|_| folder.clone()));
        folders.filter(|folder| !home.starts_with(folder)).any(|folder| is_below(path, &folder))
    }

    /// The path without `~`, in the signs of this system.
    fn expanded(&self, written: &str, home: &Path) -> Result<PathBuf, FileRefusal> {
        let refused = |why: &str| Err(FileRefusal::BadRequest(why.to_owned()));
        if written.is_empty() {
            return refused(
                "A path is needed. Ask the user which file or folder; home means the home folder.",
            );
        }
        if written.contains('\0') {
            return refused("A path cannot hold a zero sign.");
        }
        if !cfg!(windows) && is_of_windows(written) {
            return refused(
                "That is a path of Windows, and this is no Windows. Use a path in the home folder, such as Documents/notes.txt.",
            );
        }
        // A colon names a drive, and behind a name a hidden part of the file.
        if cfg!(windows) && written.chars().skip(2).any(|sign| sign == ':') {
            return refused("A colon cannot be part of a file name.");
        }
        let is_separator = |sign: char| sign == '/' || (cfg!(windows) && sign == '\\');
        let below = match written.strip_prefix('~') {
            Some(rest) if rest.is_empty() || rest.starts_with(is_separator) => {
                rest.trim_start_matches(is_separator)
            }
            _ => written,
        };
        // A user says "home" and models write it; the sign for it is in nobody's words.
        let is_home = below.eq_ignore_ascii_case("home") && home.join(below).symlink_metadata().is_err();
        Ok(if is_home { PathBuf::new() } else { PathBuf::from(below) })
    }
}

/// The path without links. Its end may not exist yet: then the nearest existing folder is resolved.
fn resolved(wanted: &Path, links: usize) -> std::io::Result<PathBuf> {
    if links > MAX_LINKS {
        return Err(std::io::Error::other("it is a circle of links"));
    }
    let (mut existing, mut missing) = (wanted.to_path_buf(), Vec::new());
    let base = loop {
        match existing.canonicalize() {
            Ok(base) => break base,
            Err(error) if !matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
                return Err(error);
            }
            Err(error) => {
                // A link to something that does not exist: writing through it would create its target.
                if let Ok(target) = existing.read_link() {
                    let folder = existing.parent().unwrap_or(Path::new("/"));
                    let target = missing.iter().rev().fold(folder.join(target), |path, part| path.join(part));
                    return resolved(&target, links + 1);
                }
                let Some(last) = existing.components().next_back() else { return Err(error) };
                missing.push(PathBuf::from(last.as_os_str()));
                if !existing.pop() {
                    return Err(error);
                }
            }
        }
    };
    let goes_back = missing.iter().any(|part| part.components().any(|part| part == Component::ParentDir));
    let path = missing.iter().rev().fold(base, |mut path, part| {
        match part.components().next() {
            Some(Component::ParentDir) => {
                path.pop();
            }
            _ => path.push(part),
        }
        path
    });
    // Behind `missing/..` there may be something that exists, such as a link.
    if goes_back { resolved(&path, links + 1) } else { Ok(path) }
}

/// Returns `true` for a path with a drive, or with the name of a computer of a Windows network.
fn is_of_windows(path: &str) -> bool {
    let bytes = path.as_bytes();
    let has_drive = matches!(bytes, [drive, b':', b'\\' | b'/', ..] if drive.is_ascii_alphabetic());
    has_drive || path.starts_with(r"\\") || matches!(bytes, [drive, b':'] if drive.is_ascii_alphabetic())
}

/// Returns `true` if a path is a folder, or below it, on a file system with or without case.
fn is_below(path: &Path, folder: &Path) -> bool {
    let folded = |path: &Path| PathBuf::from(path.to_string_lossy().to_lowercase());
    folded(path).starts_with(folded(folder))
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;
    use crate::files::refusal::RefusalKind;

    /// `home` with `notes.txt`, `Übung/ä.md` and our own data, and an `outside` beside it.
    fn fixture() -> (tempfile::TempDir, HomeFolder) {
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path().join("home");
        for below in ["home/Übung", "home/.data/jarvis", "outside"] {
            std::fs::create_dir_all(folder.path().join(below)).unwrap();
        }
        for file in ["home/notes.txt", "home/Übung/ä.md", "home/.data/jarvis/memory.db", "outside/secret.txt"]
        {
            std::fs::write(folder.path().join(file), "text").unwrap();
        }
        let private = vec![home.join(".data/jarvis"), folder.path().to_path_buf()];
        (folder, HomeFolder::new(home, private))
    }

    #[rstest]
    #[case::name("notes.txt", "~/notes.txt")]
    #[case::blanks(" notes.txt ", "~/notes.txt")]
    #[case::tilde("~/notes.txt", "~/notes.txt")]
    #[case::home("~", "~")]
    #[case::home_in_words("Home", "~")]
    #[case::folder_itself(".", "~")]
    #[case::unicode("Übung/ä.md", "~/Übung/ä.md")]
    #[case::new_file("Übung/new/x.md", "~/Übung/new/x.md")]
    #[case::back_inside("Übung/../notes.txt", "~/notes.txt")]
    #[case::back_from_nowhere("missing/../notes.txt", "~/notes.txt")]
    #[case::other_tilde("~notes.txt", "~/~notes.txt")]
    fn path_means_a_place_in_the_home_folder(#[case] written: &str, #[case] expected: &str) {
        let (_folder, home) = fixture();

        assert_eq!(home.place(written).unwrap().shown, expected);
    }

    #[rstest]
    #[case::nothing("  ", RefusalKind::BadRequest)]
    #[case::zero("a\0b", RefusalKind::BadRequest)]
    #[case::parent("..", RefusalKind::Permission)]
    #[case::parent_of_a_new_file("../outside/new.txt", RefusalKind::Permission)]
    #[case::parent_behind_nowhere("missing/../../outside/secret.txt", RefusalKind::Permission)]
    #[case::elsewhere("/etc/passwd", RefusalKind::Permission)]
    #[case::secrets(".ssh/id_rsa", RefusalKind::Permission)]
    #[case::secrets_in_the_making(".AWS/credentials", RefusalKind::Permission)]
    #[case::our_own_data(".data/jarvis/memory.db", RefusalKind::Permission)]
    #[case::our_own_data_by_a_detour("Übung/../.data/jarvis/new", RefusalKind::Permission)]
    fn path_elsewhere_is_refused(#[case] written: &str, #[case] expected: RefusalKind) {
        let (_folder, home) = fixture();

        assert_eq!(home.place(written).unwrap_err().kind(), expected);
    }

    #[cfg(unix)]
    #[rstest]
    #[case::drive("C:\\Users\\ann\\notes.txt")]
    #[case::drive_with_slashes("d:/notes.txt")]
    #[case::network("\\\\server\\notes.txt")]
    fn path_of_windows_is_refused_elsewhere(#[case] written: &str) {
        let (_folder, home) = fixture();

        assert!(home.place(written).unwrap_err().to_string().starts_with("That is a path of Windows"));
    }

    #[cfg(unix)]
    #[rstest]
    #[case::to_a_file("../outside/secret.txt", "link", false)]
    #[case::to_a_folder("../outside", "link/secret.txt", false)]
    #[case::to_a_new_file("../outside", "link/new.txt", false)]
    #[case::to_nothing_outside("../outside/new.txt", "link", false)]
    #[case::to_itself("link", "link", false)]
    #[case::to_secrets(".ssh", "link/config", false)]
    #[case::inside("Übung", "link/ä.md", true)]
    #[case::to_nothing_inside("Übung/new.txt", "link", true)]
    fn link_is_followed_before_the_place_is_judged(
        #[case] target: &str,
        #[case] written: &str,
        #[case] is_fine: bool,
    ) {
        let (folder, home) = fixture();
        std::os::unix::fs::symlink(target, folder.path().join("home/link")).unwrap();

        assert_eq!(home.place(written).is_ok(), is_fine);
    }
}
