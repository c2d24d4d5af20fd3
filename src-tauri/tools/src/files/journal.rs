//! The last changes of files, with what is needed to undo them.

use std::collections::VecDeque;
use std::fs::Permissions;
use std::io;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use parking_lot::{Mutex, MutexGuard};
use sha2::{Digest, Sha256};
use vocabulary::ConversationId;

/// Changes that are kept.
const MAX_CHANGES: usize = 20;

/// Bytes of a file that are kept at most: more fills the disk of the user unasked.
pub(super) const MAX_KEPT_BYTES: u64 = 1024 * 1024;

/// The last changes of this process. Whoever holds its lock may change files.
pub(super) struct Journal(Mutex<Changes>);

/// The changes, the last one at the end, and the copies in a private folder.
pub(super) struct Changes {
    folder: PathBuf,
    changes: VecDeque<FileChange>,
    copies: u64,
    /// The copies of an earlier process are gone.
    is_cleared: bool,
}

/// A change of a file.
#[derive(Debug, Clone)]
pub(super) struct FileChange {
    pub path: PathBuf,
    /// The path as the user reads it.
    pub shown: String,
    /// The request that made the change.
    pub request: FileRequest,
    pub before: Before,
    pub after: Content,
}

/// A request that changes files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileRequest {
    /// The conversation of the request.
    pub conversation: ConversationId,
    /// The time of the request.
    pub at: Timestamp,
}

/// The file before a change.
#[derive(Debug, Clone)]
pub(super) enum Before {
    /// There was none.
    Absent,
    /// A copy of it.
    Copy { at: PathBuf, permissions: Permissions },
    /// It was too large for a copy.
    NotKept,
}

/// The content of a file, to be compared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Content {
    /// There is no file.
    Absent,
    /// Its length in bytes and its hash.
    Of { length: u64, hash: [u8; 32] },
    /// Something else than a file.
    Other,
}

impl Journal {
    /// An empty journal with copies in `folder`. What an earlier process left there is removed with the first change.
    pub fn new(folder: PathBuf) -> Self {
        Self(Mutex::new(Changes { folder, changes: VecDeque::new(), copies: 0, is_cleared: false }))
    }

    /// Waits until no other change is under way.
    pub fn open(&self) -> MutexGuard<'_, Changes> {
        self.0.lock()
    }
}

/// The copies serve this process alone.
impl Drop for Changes {
    fn drop(&mut self) {
        if self.is_cleared
            && let Err(error) = std::fs::remove_dir_all(&self.folder)
        {
            tracing::debug!(%error, "the copies of changed files were not removed");
        }
    }
}

impl Changes {
    /// Keeps a copy of a file that exists, before it is changed.
    pub fn copy(&mut self, content: &[u8], permissions: Permissions) -> io::Result<Before> {
        self.clear_once()?;
        self.copies += 1;
        let at = self.folder.join(self.copies.to_string());
        std::fs::write(&at, content)?;
        Ok(Before::Copy { at, permissions })
    }

    /// Notes a change that was made. The oldest one is forgotten if there are too many.
    pub fn note(&mut self, change: FileChange) {
        self.changes.push_back(change);
        if self.changes.len() > MAX_CHANGES
            && let Some(oldest) = self.changes.pop_front()
        {
            discard(&oldest.before);
        }
    }

    /// The last change with its place, of those that fit.
    pub fn last(&self, fits: impl Fn(&FileChange) -> bool) -> Option<(usize, &FileChange)> {
        self.changes.iter().enumerate().rev().find(|(_, change)| fits(change))
    }

    /// Forgets the change at a place, because it was undone.
    pub fn forget(&mut self, place: usize) {
        if let Some(change) = self.changes.remove(place) {
            discard(&change.before);
        }
    }

    /// Makes the private folder, and empties it of what an earlier process left.
    fn clear_once(&mut self) -> io::Result<()> {
        if self.is_cleared {
            return Ok(());
        }
        match std::fs::remove_dir_all(&self.folder) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            Ok(()) | Err(_) => {}
        }
        let mut folders = std::fs::DirBuilder::new();
        folders.recursive(true);
        // Nobody else reads the copies: the folder keeps them out.
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut folders, 0o700);
        folders.create(&self.folder)?;
        self.is_cleared = true;
        Ok(())
    }
}

/// Removes the copy of a change that can no longer be undone, or was not made.
pub(super) fn discard(before: &Before) {
    if let Before::Copy { at, .. } = before
        && let Err(error) = std::fs::remove_file(at)
    {
        tracing::warn!(%error, "a copy of a changed file could not be removed");
    }
}

impl Content {
    /// The content of these bytes.
    pub fn from_bytes(bytes: &[u8]) -> Self {
        Self::Of { length: bytes.len() as u64, hash: Sha256::digest(bytes).into() }
    }

    /// Compares a file with the content. A file of another length is not read.
    pub fn is_at(&self, path: &Path) -> io::Result<bool> {
        let found = match std::fs::symlink_metadata(path) {
            Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
                Self::Absent
            }
            Err(error) => return Err(error),
            Ok(file) if !file.is_file() => Self::Other,
            Ok(file) => match self {
                Self::Of { length, .. } if *length == file.len() => Self::from_bytes(&std::fs::read(path)?),
                _ => Self::Other,
            },
        };
        Ok(found == *self)
    }
}
