//! How a model gets here: resumed where it broke off, checked while it arrives, and only then given its name.

mod fetch; // one file from one address
mod staging;
mod published;
mod install;
mod lock;
mod patience;
mod disk;
mod progress;
mod error;

use std::fs;
use std::sync::Arc;

use net::{Http, Url};
use tokio_util::sync::CancellationToken;

use crate::catalogue::{ModelFile, Variant};
use crate::pins::Pins;
use crate::store::{State, Store};

pub use disk::{Disk, StagedFile, SystemDisk};
pub use error::DownloadError;
pub use progress::{Phase, Progress};

use patience::Patience;
use progress::Reporter;

/// Free space that a download must leave: a full disk takes the database and the settings with it.
const SPACE_TO_LEAVE: u64 = 64 * 1024 * 1024;

/// Downloads models into the models folder. Clones are cheap.
///
/// Several tasks and several programs may download at once: a file is fetched by one of them, the others wait and
/// find it there.
#[derive(Clone)]
pub struct Downloader {
    store: Store,
    http: Http,
    disk: Arc<dyn Disk>,
    patience: Patience,
}

impl Downloader {
    /// Downloads with `http` into the folder of `store`.
    pub fn new(store: Store, http: Http) -> Self {
        Self::with_disk(store, http, Arc::new(SystemDisk))
    }

    /// The same on another disk.
    pub fn with_disk(store: Store, http: Http, disk: Arc<dyn Disk>) -> Self {
        Self { store, http, disk, patience: Patience::default() }
    }

    /// Fetches all files of model `id` that are not here yet. A model whose checksums are wrong though its sizes are
    /// right ([`Store::verify`]) has to be deleted first.
    ///
    /// Ends early with [`DownloadError::Cancelled`] when `stop` is cancelled. However it ends, also by being dropped,
    /// the parts stay, and the next call goes on from there.
    ///
    /// # Errors
    ///
    /// [`DownloadError`]; its [`remedy`](DownloadError::remedy) says what to do.
    pub async fn fetch(
        &self,
        id: &str,
        report: &(dyn Fn(Progress) + Send + Sync),
        stop: &CancellationToken,
    ) -> Result<(), DownloadError> {
        let entry = self.store.entry(id).map_err(|_| DownloadError::UnknownModel { id: id.to_owned() })?;
        let mut reporter = Reporter::new(report, entry);
        for file in &entry.files {
            reporter.begin(file);
            let fetched = stop.run_until_cancelled(self.fetch_file(file, &mut reporter)).await;
            fetched.ok_or(DownloadError::Cancelled)??;
            reporter.end();
        }
        reporter.finish();
        Ok(())
    }

    /// Waits until nobody writes the files of a model any more: a download that was called off ends its last write first.
    ///
    /// # Errors
    ///
    /// [`DownloadError::UnknownModel`], or the models folder cannot be written to.
    pub async fn settle(&self, id: &str) -> Result<(), DownloadError> {
        let entry = self.store.entry(id).map_err(|_| DownloadError::UnknownModel { id: id.to_owned() })?;
        let mut reporter = Reporter::new(&|_| {}, entry);
        for file in &entry.files {
            let held = lock::of(&self.store.folder(), &file.name, &mut reporter).await;
            held.map_err(|source| DownloadError::Unwritable { path: self.store.path_of_file(file), source })?;
        }
        Ok(())
    }

    async fn fetch_file(&self, file: &ModelFile, reporter: &mut Reporter<'_>) -> Result<(), DownloadError> {
        let path = self.store.path_of_file(file);
        let unwritable = |source| DownloadError::Unwritable { path: path.clone(), source };
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).map_err(unwritable)?;
        }
        let lock = lock::of(&self.store.folder(), &file.name, reporter).await.map_err(unwritable)?;
        if self.store.state_of_file(file, &Pins::of(&self.store.folder())) == State::Installed {
            return Ok(());
        }
        let mut last_error = DownloadError::NotOffered { file: file.name.clone() };
        for (variant, url) in addresses(file) {
            self.check_space(file, variant)?;
            match self.fetch_from(file, variant, &url, &lock, reporter).await {
                Ok(()) => return Ok(()),
                Err(error) if error.is_about_us() => return Err(error),
                Err(error) => {
                    tracing::warn!(file = file.name, host = url.host_str(), %error, "not to be had from there");
                    last_error = error;
                }
            }
        }
        Err(last_error)
    }

    /// Falls open: a system that does not tell its free space does not stop a download.
    fn check_space(&self, file: &ModelFile, variant: &Variant) -> Result<(), DownloadError> {
        let path = self.store.path_of_file(file);
        let have = fs::metadata(crate::store::part_of(&path)).map_or(0, |part| part.len());
        let download = variant.size_bytes.saturating_sub(have);
        // An archive and what comes out of it lie beside each other for a moment.
        let unpacked = variant.unpack.as_ref().map_or(0, |_| 4 * variant.size_bytes);
        let needed = download + unpacked + SPACE_TO_LEAVE;
        match self.disk.free_bytes(&self.store.folder()) {
            Ok(free) if free < needed => {
                let folder = self.store.folder();
                Err(DownloadError::NotEnoughSpace { folder, needed, free })
            }
            Ok(_) => Ok(()),
            Err(error) => {
                tracing::debug!(%error, "the free space is not known");
                Ok(())
            }
        }
    }
}

/// Where a file can be had, in order of preference.
fn addresses(file: &ModelFile) -> impl Iterator<Item = (&Variant, Url)> {
    file.downloadable()
        .flat_map(|variant| variant.urls.iter().filter_map(move |url| Some((variant, Url::parse(url).ok()?))))
}

#[cfg(test)]
mod tests;
