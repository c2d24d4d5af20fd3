//! Writing, adding to, deleting a file, and undoing that.

use std::fs::{Metadata, Permissions};
use std::io::{self, ErrorKind, Write};
use std::path::Path;
use std::sync::Arc;

use jiff::Timestamp;
use tempfile::NamedTempFile;
use tokio_util::sync::CancellationToken;
use vocabulary::ConversationId;

use super::home_folder::Place;
use super::journal::{Before, Changes, Content, FileChange, FileRequest, Journal, MAX_KEPT_BYTES, discard};
use super::refusal::FileRefusal;
use super::trash_bin::TrashBin;

/// Megabytes of a file that is added to: it is read and written whole.
const MAX_ADDED_TO_MB: u64 = 16;

/// Changes files, one after the other, and undoes the last change.
pub(super) struct Changer {
    journal: Journal,
    trash: Arc<dyn TrashBin>,
}

/// The place of the new text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Writing {
    /// In place of what is in the file.
    Over,
    /// Behind what is in the file.
    Behind,
}

/// A change that was undone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct UndoneChange {
    /// The path as the user reads it.
    pub shown: String,
    /// The change made the file, so it is in the trash now.
    pub was_new: bool,
}

impl Changer {
    pub fn new(journal: Journal, trash: Arc<dyn TrashBin>) -> Self {
        Self { journal, trash }
    }

    /// Writes text into a file, whole or not at all. Returns `true` if that can be undone. Blocks.
    pub fn write(
        &self,
        place: &Place,
        text: &str,
        writing: Writing,
        request: &FileRequest,
        stop: &CancellationToken,
    ) -> Result<bool, FileRefusal> {
        let mut changes = self.journal.open();
        let failed = |error| FileRefusal::new(&place.written, error);
        let old = self.changeable(place)?;
        let kept = kept_bytes(place, old.as_ref(), writing)?;
        let mut content = match writing {
            Writing::Over => Vec::new(),
            Writing::Behind => kept.clone().unwrap_or_default(),
        };
        content.extend_from_slice(text.as_bytes());
        let before = before(&mut changes, old.as_ref(), kept.as_deref()).map_err(failed)?;
        if let Err(refusal) = replace(place, &content, old.as_ref(), stop) {
            discard(&before);
            return Err(refusal);
        }
        let can_undo = !matches!(before, Before::NotKept);
        changes.note(change(place, request, before, Content::from_bytes(&content)));
        Ok(can_undo)
    }

    /// Writes a file that does not exist yet, whole or not at all. Returns `false` if something is there. Blocks.
    pub fn create(
        &self,
        place: &Place,
        text: &str,
        request: &FileRequest,
        stop: &CancellationToken,
    ) -> Result<bool, FileRefusal> {
        let mut changes = self.journal.open();
        if std::fs::symlink_metadata(&place.path).is_ok() {
            return Ok(false);
        }
        match replace(place, text.as_bytes(), None, stop) {
            Ok(()) => {}
            Err(FileRefusal::ChangedMeanwhile { .. }) => return Ok(false),
            Err(refusal) => return Err(refusal),
        }
        changes.note(change(place, request, Before::Absent, Content::from_bytes(text.as_bytes())));
        Ok(true)
    }

    /// Moves a file to the trash. Returns `true` if that can be undone. Blocks.
    pub fn delete(
        &self,
        place: &Place,
        request: &FileRequest,
        stop: &CancellationToken,
    ) -> Result<bool, FileRefusal> {
        let mut changes = self.journal.open();
        let failed = |error| FileRefusal::new(&place.written, error);
        let Some(old) = self.changeable(place)? else {
            return Err(FileRefusal::NotFound { path: place.written.clone() });
        };
        let kept = kept_bytes(place, Some(&old), Writing::Over)?;
        let before = before(&mut changes, Some(&old), kept.as_deref()).map_err(failed)?;
        let deleted = if stop.is_cancelled() {
            Err(FileRefusal::Stopped)
        } else {
            self.put_away(&place.path, &place.written)
        };
        if let Err(refusal) = deleted {
            discard(&before);
            return Err(refusal);
        }
        let can_undo = !matches!(before, Before::NotKept);
        changes.note(change(place, request, before, Content::Absent));
        Ok(can_undo)
    }

    /// Undoes the last change of a conversation, unless the file was changed since. Blocks.
    pub fn undo(
        &self,
        conversation: &ConversationId,
        stop: &CancellationToken,
    ) -> Result<UndoneChange, FileRefusal> {
        self.undo_last(|change| change.request.conversation == *conversation, stop)
    }

    /// Undoes the last change of a request. Blocks.
    pub fn undo_of(
        &self,
        request: &FileRequest,
        stop: &CancellationToken,
    ) -> Result<UndoneChange, FileRefusal> {
        self.undo_last(|change| change.request == *request, stop)
    }

    /// The newest request of a conversation since this time that changed a file, with the file that it changed last.
    pub fn newest(&self, conversation: &ConversationId, since: Timestamp) -> Option<(FileRequest, String)> {
        let changes = self.journal.open();
        let fits =
            |change: &FileChange| change.request.conversation == *conversation && change.request.at >= since;
        let (_, last) = changes.last(fits)?;
        Some((last.request.clone(), last.shown.clone()))
    }

    fn undo_last(
        &self,
        fits: impl Fn(&FileChange) -> bool,
        stop: &CancellationToken,
    ) -> Result<UndoneChange, FileRefusal> {
        let mut changes = self.journal.open();
        let (place, last) = changes.last(fits).ok_or(FileRefusal::NothingToUndo)?;
        let FileChange { path, shown, request: _, before, after } = last.clone();
        let failed = |error| FileRefusal::new(&shown, error);
        if !after.is_at(&path).map_err(failed)? {
            return Err(FileRefusal::ChangedSince { path: shown });
        }
        if stop.is_cancelled() {
            return Err(FileRefusal::Stopped);
        }
        let was_new = matches!(before, Before::Absent);
        match before {
            Before::Absent => self.put_away(&path, &shown)?,
            Before::NotKept => return Err(FileRefusal::NotKept { path: shown }),
            Before::Copy { at, permissions } => {
                let content = std::fs::read(at).map_err(failed)?;
                let is_new = after == Content::Absent;
                written(&path, &content, Some(permissions))
                    .and_then(|file| put_in_place(file, &path, is_new))
                    .map_err(|error| refused(&shown, error))?;
            }
        }
        changes.forget(place);
        Ok(UndoneChange { shown, was_new })
    }

    /// The file at a place that may be changed; `None` if there is none yet.
    fn changeable(&self, place: &Place) -> Result<Option<Metadata>, FileRefusal> {
        let path = || place.written.clone();
        if place.runs_by_itself {
            return Err(FileRefusal::RunsByItself { path: path() });
        }
        match std::fs::symlink_metadata(&place.path) {
            Ok(file) if !file.is_file() => Err(FileRefusal::NoFile { path: path() }),
            // A new file takes the place of the old one, which its own permissions do not hinder.
            Ok(file) if file.permissions().readonly() => Err(FileRefusal::NotAllowed { path: path() }),
            Ok(file) => Ok(Some(file)),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(FileRefusal::new(&place.written, error)),
        }
    }

    fn put_away(&self, path: &Path, shown: &str) -> Result<(), FileRefusal> {
        let put = self.trash.put(path);
        put.map_err(|error| FileRefusal::NoTrash { path: shown.to_owned(), reason: error.to_string() })
    }
}

fn change(place: &Place, request: &FileRequest, before: Before, after: Content) -> FileChange {
    let (path, shown) = (place.path.clone(), place.shown.clone());
    FileChange { path, shown, request: request.clone(), before, after }
}

/// The bytes of the file that are needed: to add to them, or to keep them. `None` if there is no file, or it is too large to
/// be kept.
fn kept_bytes(
    place: &Place,
    old: Option<&Metadata>,
    writing: Writing,
) -> Result<Option<Vec<u8>>, FileRefusal> {
    let Some(old) = old else { return Ok(None) };
    let is_too_large = old.len() > MAX_ADDED_TO_MB * 1024 * 1024;
    if writing == Writing::Behind && is_too_large {
        return Err(FileRefusal::TooLarge { path: place.written.clone(), most_mb: MAX_ADDED_TO_MB });
    }
    if writing == Writing::Over && old.len() > MAX_KEPT_BYTES {
        return Ok(None);
    }
    std::fs::read(&place.path).map(Some).map_err(|error| FileRefusal::new(&place.written, error))
}

fn before(changes: &mut Changes, old: Option<&Metadata>, kept: Option<&[u8]>) -> io::Result<Before> {
    let Some(old) = old else { return Ok(Before::Absent) };
    match kept.filter(|kept| kept.len() as u64 <= MAX_KEPT_BYTES) {
        Some(kept) => changes.copy(kept, old.permissions()),
        None => Ok(Before::NotKept),
    }
}

/// Puts a new file into the place of the old one, unless somebody else changed that meanwhile.
fn replace(
    place: &Place,
    content: &[u8],
    old: Option<&Metadata>,
    stop: &CancellationToken,
) -> Result<(), FileRefusal> {
    let refused = |error| refused(&place.written, error);
    let file = written(&place.path, content, old.map(Metadata::permissions)).map_err(refused)?;
    if stop.is_cancelled() {
        return Err(FileRefusal::Stopped);
    }
    if let Some(old) = old {
        let now = std::fs::symlink_metadata(&place.path).map_err(refused)?;
        let is_same = now.is_file() && now.len() == old.len() && now.modified().ok() == old.modified().ok();
        if !is_same {
            return Err(FileRefusal::ChangedMeanwhile { path: place.written.clone() });
        }
    }
    put_in_place(file, &place.path, old.is_none()).map_err(refused)
}

/// Writes a hidden file beside `path`; missing folders are made. It is removed again unless it is put in place.
fn written(path: &Path, content: &[u8], permissions: Option<Permissions>) -> io::Result<NamedTempFile> {
    let folder = path.parent().unwrap_or(Path::new("/"));
    std::fs::create_dir_all(folder)?;
    // The folder was made or changed since the place was judged: a link there may lead anywhere.
    if folder.canonicalize()? != folder {
        return Err(ErrorKind::PermissionDenied.into());
    }
    let mut builder = tempfile::Builder::new();
    builder.prefix(".jarvis-").suffix(".tmp");
    // A new file is as open as the user has files made, not as closed as temporary ones are.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let mut file = builder.tempfile_in(folder)?;
    file.write_all(content)?;
    if let Some(permissions) = permissions {
        file.as_file().set_permissions(permissions)?;
    }
    file.as_file().sync_all()?;
    Ok(file)
}

/// Renames a file to `path`: at one moment the old content is there, at the next one the new.
fn put_in_place(file: NamedTempFile, path: &Path, is_new: bool) -> io::Result<()> {
    if !is_new {
        return file.persist(path).map(drop).map_err(io::Error::from);
    }
    match file.persist_noclobber(path) {
        Ok(_) => Ok(()),
        Err(error) if error.error.kind() == ErrorKind::AlreadyExists => Err(error.error),
        // Some file systems, such as FAT, can only rename over what is there.
        Err(error) if std::fs::symlink_metadata(path).is_err() => {
            error.file.persist(path).map(drop).map_err(io::Error::from)
        }
        Err(error) => Err(error.error),
    }
}

fn refused(path: &str, error: io::Error) -> FileRefusal {
    match error.kind() {
        ErrorKind::AlreadyExists => FileRefusal::ChangedMeanwhile { path: path.to_owned() },
        _ => FileRefusal::new(path, error),
    }
}
