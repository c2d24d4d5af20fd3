//! The inputs of the tools of files.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use jiff::Timestamp;
use tokio_util::sync::CancellationToken;
use vocabulary::ConversationId;

use super::changing::{Changer, UndoneChange};
use super::home_folder::HomeFolder;
use super::journal::{FileRequest, Journal};
use super::refusal::FileRefusal;
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

impl FileStore {
    /// The newest request of a conversation since this time that changed a file.
    pub(crate) fn newest_change(
        &self,
        conversation: &ConversationId,
        since: Timestamp,
    ) -> Option<(FileRequest, String)> {
        self.changer.newest(conversation, since)
    }

    /// Writes a new file into a folder, off the runtime, under the first of these names that is free. Returns its path as the
    /// user reads it; `None` if no name is free. Dropping the future stops what has not begun.
    pub(crate) async fn create(
        self: &Arc<Self>,
        folder: &Path,
        names: impl Iterator<Item = String> + Send + 'static,
        text: String,
        request: FileRequest,
        stop: &CancellationToken,
    ) -> Result<Option<String>, FileRefusal> {
        let (files, folder, stop) = (Arc::clone(self), folder.to_path_buf(), stop.child_token());
        let _stops = stop.clone().drop_guard();
        let creating = tokio::task::spawn_blocking(move || {
            for name in names {
                let place = files.home.place_in(&folder, &name)?;
                if files.changer.create(&place, &text, &request, &stop)? {
                    return Ok(Some(place.shown));
                }
            }
            Ok(None)
        });
        creating.await.unwrap_or_else(|failure| std::panic::resume_unwind(failure.into_panic()))
    }

    /// Undoes the last change of a request, off the runtime. Dropping the future stops what has not begun.
    pub(crate) async fn undo_change(
        self: &Arc<Self>,
        request: FileRequest,
        stop: &CancellationToken,
    ) -> Result<UndoneChange, FileRefusal> {
        let (files, stop) = (Arc::clone(self), stop.child_token());
        let _stops = stop.clone().drop_guard();
        let undoing = tokio::task::spawn_blocking(move || files.changer.undo_of(&request, &stop));
        undoing.await.unwrap_or_else(|failure| std::panic::resume_unwind(failure.into_panic()))
    }
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
