//! The inputs of the tools of files.

use std::path::PathBuf;
use std::sync::Arc;

use super::changing::Changer;
use super::home_folder::HomeFolder;
use super::journal::Journal;
use super::trash_bin::TrashBin;

/// The inputs of the tools of files.
pub struct FileParts {
    /// The home folder of the user. Nothing outside it is used.
    pub home: PathBuf,
    /// Folders that are never used: our own data and settings.
    pub private: Vec<PathBuf>,
    /// A folder of our own, for copies of files that were changed. It is emptied.
    pub journal: PathBuf,
    /// Takes deleted files.
    pub trash: Arc<dyn TrashBin>,
}

/// The files of the user. The tools share one.
pub struct FileStore {
    pub(super) home: HomeFolder,
    pub(super) changer: Changer,
}

impl FileStore {
    /// The files that these parts name.
    pub fn new(parts: FileParts) -> Self {
        let FileParts { home, mut private, journal, trash } = parts;
        private.push(journal.clone());
        Self { home: HomeFolder::new(home, private), changer: Changer::new(Journal::new(journal), trash) }
    }
}
