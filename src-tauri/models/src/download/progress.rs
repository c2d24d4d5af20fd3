//! How far a download is.

use std::time::Duration;

use crate::catalogue::{Entry, ModelFile};

/// Tell about at most every so many bytes: finer steps only keep the screen busy.
const STEP_BYTES: u64 = 64 * 1024;

/// How far the download of a model is, all its files together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Progress {
    /// The model.
    pub id: String,
    /// The file under way, as the catalogue names it.
    pub file: String,
    /// Bytes that are here.
    pub done_bytes: u64,
    /// Bytes of all files; a good guess until the hub has told.
    pub total_bytes: u64,
    /// What is going on.
    pub phase: Phase,
}

/// What is going on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// Another task or program downloads the same file.
    Waiting,
    /// Asking the hub.
    Connecting,
    /// Bytes arrive.
    Downloading,
    /// Something went wrong that may right itself.
    Retrying {
        /// The next attempt begins after this time.
        after: Duration,
    },
    /// All bytes are here and are being checked and named.
    Checking,
    /// The model is ready.
    Installed,
}

/// Adds up the files of a model and tells about it.
pub(super) struct Reporter<'a> {
    report: &'a (dyn Fn(Progress) + Send + Sync),
    now: Progress,
    /// Bytes of the files already here.
    finished_bytes: u64,
    /// What the file under way was counted as.
    file_bytes: u64,
    last_told: u64,
}

impl<'a> Reporter<'a> {
    pub(super) fn new(report: &'a (dyn Fn(Progress) + Send + Sync), entry: &Entry) -> Self {
        let now = Progress {
            id: entry.id.clone(),
            file: String::new(),
            done_bytes: 0,
            total_bytes: entry.download_bytes(),
            phase: Phase::Connecting,
        };
        Self { report, now, finished_bytes: 0, file_bytes: 0, last_told: 0 }
    }

    pub(super) fn begin(&mut self, file: &ModelFile) {
        self.now.file.clone_from(&file.name);
        self.file_bytes = file.download_bytes();
    }

    /// The hub told how long the file under way really is.
    pub(super) fn size_is(&mut self, bytes: u64) {
        self.now.total_bytes = self.now.total_bytes - self.file_bytes + bytes;
        self.file_bytes = bytes;
    }

    pub(super) fn phase(&mut self, phase: Phase) {
        self.now.phase = phase;
        self.tell();
    }

    /// So many bytes of the file under way are here.
    pub(super) fn have(&mut self, bytes: u64) {
        self.now.done_bytes = self.finished_bytes + bytes;
        let is_news = self.now.done_bytes.abs_diff(self.last_told) >= STEP_BYTES || bytes == self.file_bytes;
        if self.now.phase != Phase::Downloading || is_news {
            self.phase(Phase::Downloading);
        }
    }

    pub(super) fn end(&mut self) {
        self.finished_bytes += self.file_bytes;
        self.now.done_bytes = self.finished_bytes;
    }

    pub(super) fn finish(&mut self) {
        self.phase(Phase::Installed);
    }

    fn tell(&mut self) {
        self.last_told = self.now.done_bytes;
        (self.report)(self.now.clone());
    }
}
