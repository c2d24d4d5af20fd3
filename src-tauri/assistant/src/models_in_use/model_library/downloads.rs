//! Downloads under way, and their progress.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use models::{
    CatalogueEntry, DownloadError, DownloadPhase, DownloadProgress, Downloader, Machine, ModelStore,
    ModelStoreError,
};
use parking_lot::{Mutex, MutexGuard};
use settings::Settings;
use tokio::sync::{broadcast, watch};
use tokio_util::sync::CancellationToken;

use super::model_view;
use crate::user::user_languages::user_languages;
use crate::views::{ModelStatus, ModelView};

/// Progress reports that a subscriber may fall behind by before it misses some: a download sends a few a second.
const REPORTS: usize = 64;

/// The downloads under way and those that failed.
pub(super) struct Downloads {
    store: ModelStore,
    machine: Machine,
    settings: watch::Receiver<Settings>,
    under_way: Mutex<HashMap<String, UnderWay>>,
    progress: broadcast::Sender<ModelView>,
}

struct UnderWay {
    stop: CancellationToken,
    status: ModelStatus,
}

impl Downloads {
    pub fn new(store: ModelStore, machine: Machine, settings: watch::Receiver<Settings>) -> Self {
        let (progress, _) = broadcast::channel(REPORTS);
        Self { store, machine, settings, under_way: Mutex::default(), progress }
    }

    pub fn subscribe(&self) -> broadcast::Receiver<ModelView> {
        self.progress.subscribe()
    }

    pub fn is_under_way(&self, id: &str) -> bool {
        self.lock().get(id).is_some_and(|download| !download.stop.is_cancelled())
    }

    pub fn pause(&self, id: &str) {
        if let Some(download) = self.lock().remove(id) {
            download.stop.cancel();
        }
    }

    pub fn pause_all(&self) {
        self.lock().drain().for_each(|(_, download)| download.stop.cancel());
    }

    /// A model with the status of its download, else of its files.
    pub fn view_of(&self, entry: &CatalogueEntry) -> Result<ModelView, ModelStoreError> {
        let of_download = self.lock().get(&entry.id).map(|download| download.status.clone());
        let status = match of_download {
            Some(status) => Some(status),
            None => model_view::status_of(&self.store.install_state(&entry.id)?, entry),
        };
        let languages = user_languages(&self.settings.borrow());
        Ok(model_view::of(entry, &self.store, self.machine, &languages, status))
    }

    fn report(&self, entry: &CatalogueEntry) {
        if let Ok(model) = self.view_of(entry) {
            // Without a subscriber there is no receiver.
            let _ = self.progress.send(model);
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, UnderWay>> {
        self.under_way.lock()
    }
}

/// One download.
pub(super) struct Download {
    downloads: Arc<Downloads>,
    entry: &'static CatalogueEntry,
    /// Cancelled when it was paused. The map may then hold a newer download of the same model.
    stop: CancellationToken,
}

impl Download {
    /// Registers a download; `None` while one of the same model is under way.
    pub fn start(
        downloads: &Arc<Downloads>,
        entry: &'static CatalogueEntry,
        stop: CancellationToken,
    ) -> Option<Self> {
        let mut under_way = downloads.lock();
        if under_way.get(&entry.id).is_some_and(|download| !download.stop.is_cancelled()) {
            return None;
        }
        let status = ModelStatus::Downloading { bytes: 0, total: entry.download_bytes(), bytes_per_sec: 0 };
        under_way.insert(entry.id.clone(), UnderWay { stop: stop.clone(), status });
        Some(Self { downloads: Arc::clone(downloads), entry, stop })
    }

    /// Downloads until the files are complete, it fails, or it is paused.
    pub async fn run(self, downloader: &Downloader) {
        let began = Instant::now();
        let first = OnceLock::new();
        let report = |progress: DownloadProgress| {
            let from = *first.get_or_init(|| progress.done_bytes);
            let rate =
                progress.done_bytes.saturating_sub(from) as f64 / began.elapsed().as_secs_f64().max(0.1);
            self.advanced(match progress.phase {
                DownloadPhase::Checking => ModelStatus::Checking,
                _ => ModelStatus::Downloading {
                    bytes: progress.done_bytes,
                    total: progress.total_bytes,
                    bytes_per_sec: rate as u64,
                },
            });
        };
        let failure = match downloader.fetch(self.entry.id.as_str(), &report, &self.stop).await {
            Ok(()) | Err(DownloadError::Cancelled) => None,
            Err(error) => {
                let trouble = error.trouble();
                Some(ModelStatus::Failed { what: trouble.message, remedy: trouble.remedy })
            }
        };
        self.ended(failure);
    }

    fn advanced(&self, status: ModelStatus) {
        {
            let mut under_way = self.downloads.lock();
            if self.stop.is_cancelled() {
                return;
            }
            if let Some(download) = under_way.get_mut(&self.entry.id) {
                download.status = status;
            }
        }
        self.downloads.report(self.entry);
    }

    /// Without a `failure`, the files on disk show how it ended.
    fn ended(&self, failure: Option<ModelStatus>) {
        {
            let mut under_way = self.downloads.lock();
            let was_paused = self.stop.is_cancelled();
            if was_paused && under_way.contains_key(&self.entry.id) {
                return;
            }
            let failure = failure.filter(|_| !was_paused);
            match under_way.get_mut(&self.entry.id).zip(failure) {
                Some((download, failure)) => download.status = failure,
                None => drop(under_way.remove(&self.entry.id)),
            }
            // A failed download may be started again.
            self.stop.cancel();
        }
        self.downloads.report(self.entry);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paused_download_does_not_report_for_the_one_started_after_it() {
        let folder = tempfile::tempdir().unwrap();
        let downloads = {
            let settings = watch::channel(Settings::default()).1;
            Arc::new(Downloads::new(ModelStore::new(folder.path()), Machine::this(), settings))
        };
        let entry = &downloads.store.catalogue().entries()[0];
        let paused = Download::start(&downloads, entry, CancellationToken::new()).unwrap();
        downloads.pause(&entry.id);
        let newer = Download::start(&downloads, entry, CancellationToken::new()).unwrap();
        let before = downloads.view_of(entry).unwrap();
        let mut progress = downloads.subscribe();

        paused.advanced(ModelStatus::Checking);
        paused.ended(None);

        assert_eq!(downloads.view_of(entry).unwrap(), before);
        assert!(progress.try_recv().is_err());
        assert!(!newer.stop.is_cancelled());
    }
}
