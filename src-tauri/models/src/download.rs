//! Downloads of models. Interrupted downloads are resumed, and a file gets its final name only after its checksum
//! has been verified.

mod fetch; // downloads one file from one address
mod file_download;
mod part_writer;
mod published_checksum;
mod install;
mod lock;
mod backoff;
mod disk;
mod progress;
mod error;

use std::fs;
use std::sync::Arc;

use net::{Http, Purpose as ContactPurpose, Url};
use tokio_util::sync::CancellationToken;

use crate::catalogue::{ModelFile, Variant};
use crate::pinned_checksums::PinnedChecksums;
use crate::store::{InstallState, ModelStore};

pub use disk::{Disk, PartFile, SystemDisk};
pub use error::DownloadError;
pub use progress::{DownloadPhase, DownloadProgress};

use backoff::Backoff;
use file_download::FileDownload;
use progress::Reporter;

/// Free space that must remain after a download: on a full disk, the database and the settings cannot be saved.
const RESERVED_BYTES: u64 = 64 * 1024 * 1024;

/// Downloads models into the models folder. Cheap to clone.
///
/// Several tasks and processes may download the same file at the same time: one of them downloads it, and the
/// others wait for it.
#[derive(Clone)]
pub struct Downloader {
    store: ModelStore,
    http: Http,
    disk: Arc<dyn Disk>,
    backoff: Backoff,
}

impl Downloader {
    /// Creates a downloader that stores files in the folder of `store`.
    pub fn new(store: ModelStore, http: Http) -> Self {
        Self::with_disk(store, http, Arc::new(SystemDisk))
    }

    /// As [`Downloader::new`], with another [`Disk`].
    pub fn with_disk(store: ModelStore, http: Http, disk: Arc<dyn Disk>) -> Self {
        let http = http.for_purpose(ContactPurpose::ModelDownload);
        Self { store, http, disk, backoff: Backoff::default() }
    }

    /// Downloads all missing files of model `id`. Existing files are judged by size; delete a model that
    /// [`ModelStore::verify`] reports as corrupt before downloading it again.
    ///
    /// Returns [`DownloadError::Cancelled`] when `stop` is cancelled. After any failure, and after a drop, the
    /// partial files stay on disk, and the next call resumes them.
    ///
    /// # Errors
    ///
    /// [`DownloadError`], with a [`remedy`](DownloadError::remedy).
    pub async fn fetch(
        &self,
        id: &str,
        report: &(dyn Fn(DownloadProgress) + Send + Sync),
        stop: &CancellationToken,
    ) -> Result<(), DownloadError> {
        let entry = self.store.entry(id).map_err(|_| DownloadError::UnknownModel { id: id.to_owned() })?;
        let mut reporter = Reporter::new(report, entry);
        for file in &entry.files {
            reporter.begin_file(file);
            let fetched = stop.run_until_cancelled(self.fetch_file(file, &mut reporter)).await;
            fetched.ok_or(DownloadError::Cancelled)??;
            reporter.end_file();
        }
        reporter.finish();
        Ok(())
    }

    /// Waits until the files of a model are not being written. A cancelled download still finishes its last write.
    ///
    /// # Errors
    ///
    /// [`DownloadError::UnknownModel`], or the models folder cannot be written to.
    pub async fn wait_for_writers(&self, id: &str) -> Result<(), DownloadError> {
        let entry = self.store.entry(id).map_err(|_| DownloadError::UnknownModel { id: id.to_owned() })?;
        let mut reporter = Reporter::new(&|_| {}, entry);
        for file in &entry.files {
            let lock = lock::acquire(&self.store.folder(), &file.name, &mut reporter).await;
            lock.map_err(|source| DownloadError::Unwritable { path: self.store.path_of_file(file), source })?;
        }
        Ok(())
    }

    async fn fetch_file(&self, file: &ModelFile, reporter: &mut Reporter<'_>) -> Result<(), DownloadError> {
        let path = self.store.path_of_file(file);
        let unwritable = |source| DownloadError::Unwritable { path: path.clone(), source };
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).map_err(unwritable)?;
        }
        let lock = lock::acquire(&self.store.folder(), &file.name, reporter).await.map_err(unwritable)?;
        if self.store.state_of_file(file, &PinnedChecksums::from_folder(&self.store.folder()))
            == InstallState::Installed
        {
            return Ok(());
        }
        let mut last_error = DownloadError::NotOffered { file: file.name.clone() };
        for (variant, url) in sources(file) {
            self.check_space(file, variant)?;
            let download = FileDownload { file, variant, url: &url, lock: &lock };
            match self.fetch_from(&download, reporter).await {
                Ok(()) => return Ok(()),
                Err(error) if error.is_local_failure() => return Err(error),
                Err(error) => {
                    tracing::warn!(file = file.name, host = url.host_str(), %error, "download from this host failed");
                    last_error = error;
                }
            }
        }
        Err(last_error)
    }

    /// Checks the free space. If it is unknown, the download may start.
    fn check_space(&self, file: &ModelFile, variant: &Variant) -> Result<(), DownloadError> {
        let path = self.store.path_of_file(file);
        let present = fs::metadata(crate::store::part_of(&path)).map_or(0, |part| part.len());
        let download = variant.size_bytes.saturating_sub(present);
        // The archive and the extracted file exist together for a moment; 4 is a typical compression ratio.
        let unpacked = variant.unpack.as_ref().map_or(0, |_| 4 * variant.size_bytes);
        let needed = download + unpacked + RESERVED_BYTES;
        match self.disk.free_bytes(&self.store.folder()) {
            Ok(free) if free < needed => {
                let folder = self.store.folder();
                Err(DownloadError::NotEnoughSpace { folder, needed, free })
            }
            Ok(_) => Ok(()),
            Err(error) => {
                tracing::debug!(%error, "free disk space is unknown");
                Ok(())
            }
        }
    }
}

/// The download addresses of a file in order of preference.
fn sources(file: &ModelFile) -> impl Iterator<Item = (&Variant, Url)> {
    file.downloadable()
        .flat_map(|variant| variant.urls.iter().filter_map(move |url| Some((variant, Url::parse(url).ok()?))))
}

#[cfg(test)]
mod tests;
