//! Progress of a download.

use std::time::Duration;

use crate::catalogue::{CatalogueEntry, ModelFile};

/// Minimum number of bytes between two reports: more reports only keep the screen busy.
const STEP_BYTES: u64 = 64 * 1024;

/// Progress of a model download, over all its files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DownloadProgress {
    /// The id of the model.
    pub id: String,
    /// The current file, as named in the catalogue.
    pub file: String,
    /// Bytes already downloaded.
    pub done_bytes: u64,
    /// Size of all files in bytes; an estimate until the server has sent the sizes.
    pub total_bytes: u64,
    /// The current phase.
    pub phase: DownloadPhase,
}

/// Phase of a download.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DownloadPhase {
    /// Another task or process downloads the same file.
    Waiting,
    /// Waiting for the response of the server.
    Connecting,
    /// Receiving data.
    Downloading,
    /// A transient error occurred.
    Retrying {
        /// Delay before the next attempt.
        after: Duration,
    },
    /// The file is complete and is being verified and installed.
    Checking,
    /// The model is installed.
    Installed,
}

/// Sums up the progress of all files of a model and reports it.
pub(super) struct Reporter<'a> {
    report: &'a (dyn Fn(DownloadProgress) + Send + Sync),
    progress: DownloadProgress,
    /// Total size of the finished files.
    finished_bytes: u64,
    /// Size of the current file within `total_bytes`.
    file_bytes: u64,
    last_reported: u64,
}

impl<'a> Reporter<'a> {
    pub(super) fn new(report: &'a (dyn Fn(DownloadProgress) + Send + Sync), entry: &CatalogueEntry) -> Self {
        let progress = DownloadProgress {
            id: entry.id.clone(),
            file: String::new(),
            done_bytes: 0,
            total_bytes: entry.download_bytes(),
            phase: DownloadPhase::Connecting,
        };
        Self { report, progress, finished_bytes: 0, file_bytes: 0, last_reported: 0 }
    }

    pub(super) fn begin_file(&mut self, file: &ModelFile) {
        self.progress.file.clone_from(&file.name);
        self.file_bytes = file.download_bytes();
    }

    /// Corrects the size of the current file.
    pub(super) fn set_file_size(&mut self, bytes: u64) {
        self.progress.total_bytes = self.progress.total_bytes - self.file_bytes + bytes;
        self.file_bytes = bytes;
    }

    pub(super) fn set_phase(&mut self, phase: DownloadPhase) {
        self.progress.phase = phase;
        self.report();
    }

    /// Sets the downloaded bytes of the current file.
    pub(super) fn set_file_progress(&mut self, bytes: u64) {
        self.progress.done_bytes = self.finished_bytes + bytes;
        let is_step =
            self.progress.done_bytes.abs_diff(self.last_reported) >= STEP_BYTES || bytes == self.file_bytes;
        if self.progress.phase != DownloadPhase::Downloading || is_step {
            self.set_phase(DownloadPhase::Downloading);
        }
    }

    pub(super) fn end_file(&mut self) {
        self.finished_bytes += self.file_bytes;
        self.progress.done_bytes = self.finished_bytes;
    }

    pub(super) fn finish(&mut self) {
        self.set_phase(DownloadPhase::Installed);
    }

    fn report(&mut self) {
        self.last_reported = self.progress.done_bytes;
        (self.report)(self.progress.clone());
    }
}
