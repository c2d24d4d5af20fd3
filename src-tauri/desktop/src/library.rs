//! The models page: what is here, what is on its way, who answers.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use assistant::{Assistant, try_model};
use models::{CatalogueEntry, Downloader, InstallState, Machine, ModelStore, Purpose};
use net::Http;
use serde_json::Value;
use settings::Settings;
use sysinfo::{Disks, MemoryRefreshKind, RefreshKind, System};
use tokio_util::sync::CancellationToken;

use crate::error::CommandError;
use crate::news::News;
use crate::tasks::Tasks;
use crate::views::{ChoiceView, EventView, ModelStatus, ModelView, ModelsView, ProviderView};

/// The last write of a download that was called off is given so long.
const LAST_WRITE: Duration = Duration::from_secs(5);

/// The models folder, and the downloads under way.
pub struct Library {
    assistant: Assistant,
    store: ModelStore,
    http: Http,
    machine: Machine,
    under_way: Arc<Mutex<HashMap<String, UnderWay>>>,
    news: News,
    tasks: Tasks,
}

/// A download, and how it stands.
struct UnderWay {
    stop: CancellationToken,
    status: ModelStatus,
}

impl Library {
    /// Tells `news` how downloads go on, which are among the `tasks`, and the assistant what came and went.
    pub fn new(assistant: Assistant, store: ModelStore, http: Http, news: News, tasks: Tasks) -> Self {
        Self { assistant, store, http, machine: Machine::this(), under_way: Arc::default(), news, tasks }
    }

    /// Everything the page shows.
    ///
    /// # Errors
    ///
    /// The models folder cannot be read.
    pub async fn view(&self) -> Result<ModelsView, CommandError> {
        let settings = &self.assistant.settings().current();
        let mut models = Vec::new();
        let providers = self.providers(settings).await;
        let answers = providers.iter().find(|provider| provider.is_chosen && provider.provider == "embedded");
        let answering = answers.and_then(|provider| provider.models.first());
        for entry in self.store.catalogue().entries() {
            let mut model = self.of(entry)?;
            let answers = || answering.is_some_and(|name| self.is_named(entry, name));
            if model.status == ModelStatus::Ready && (self.is_in_use(entry, settings) || answers()) {
                model.status = ModelStatus::InUse;
            }
            models.push(model);
        }
        let memory = RefreshKind::nothing().with_memory(MemoryRefreshKind::nothing().with_ram());
        // A system that does not tell its memory shows none.
        let (memory_total, memory_free) = System::new_with_specifics(memory)
            .map_or((0, 0), |system| (system.total_memory(), system.available_memory()));
        Ok(ModelsView {
            memory_total,
            memory_free,
            disk_free: self.disk_free(),
            folder: self.store.folder().display().to_string(),
            models,
            providers,
        })
    }

    /// The voices there are: what can be set as `speaking.voice`.
    pub fn voices(&self) -> Vec<ChoiceView> {
        let fixed = [("auto", "The best one installed"), ("system", "The operating system's")];
        let fixed = fixed.map(|(id, label)| ChoiceView { id: id.to_owned(), label: label.to_owned() });
        let installed = self.store.catalogue().for_purpose(Purpose::Voice);
        let installed = installed.filter(|entry| self.store.is_installed(&entry.id));
        let installed =
            installed.map(|entry| ChoiceView { id: entry.id.clone(), label: entry.label.clone() });
        fixed.into_iter().chain(installed).collect()
    }

    /// Starts a download, or goes on with it.
    ///
    /// # Errors
    ///
    /// There is no such model.
    pub fn download(&self, id: &str) -> Result<ModelView, CommandError> {
        let entry = self.store.entry(id)?;
        let stop = CancellationToken::new();
        {
            let mut under_way = lock(&self.under_way);
            if under_way.get(id).is_some_and(|download| !download.stop.is_cancelled()) {
                drop(under_way);
                return self.of(entry);
            }
            let total = entry.download_bytes();
            let status = ModelStatus::Downloading { bytes: 0, total, bytes_per_sec: 0 };
            under_way.insert(id.to_owned(), UnderWay { stop: stop.clone(), status });
        }
        let teller = Teller {
            entry,
            machine: self.machine,
            store: self.store.clone(),
            under_way: Arc::clone(&self.under_way),
            news: self.news.clone(),
            stop,
        };
        let assistant = self.assistant.clone();
        // It goes on where it began.
        let downloader = Downloader::new(self.store.with_fixed_folder(), self.http.clone());
        self.tasks.spawn(async move {
            let began = Instant::now();
            let first = std::sync::OnceLock::new();
            let report = |progress: models::DownloadProgress| {
                let from = *first.get_or_init(|| progress.done_bytes);
                let rate =
                    progress.done_bytes.saturating_sub(from) as f64 / began.elapsed().as_secs_f64().max(0.1);
                teller.goes_on(match progress.phase {
                    models::DownloadPhase::Checking => ModelStatus::Checking,
                    _ => ModelStatus::Downloading {
                        bytes: progress.done_bytes,
                        total: progress.total_bytes,
                        bytes_per_sec: rate as u64,
                    },
                });
            };
            let failure = match downloader.fetch(teller.entry.id.as_str(), &report, &teller.stop).await {
                Ok(()) | Err(models::DownloadError::Cancelled) => None,
                Err(error) => {
                    let trouble = error.trouble();
                    Some(ModelStatus::Failed { what: trouble.message, remedy: trouble.remedy })
                }
            };
            teller.ended(failure);
            assistant.models_changed();
        });
        self.of(entry)
    }

    /// Pauses a download; its parts stay.
    ///
    /// # Errors
    ///
    /// There is no such model.
    pub fn pause(&self, id: &str) -> Result<ModelView, CommandError> {
        let entry = self.store.entry(id)?;
        if let Some(download) = lock(&self.under_way).remove(id) {
            download.stop.cancel();
        }
        self.of(entry)
    }

    /// Pauses every download: the models folder is another one now. Their parts stay where they are.
    pub fn pause_all(&self) {
        lock(&self.under_way).drain().for_each(|(_, download)| download.stop.cancel());
    }

    /// Deletes the files of a model.
    ///
    /// # Errors
    ///
    /// There is no such model, or a file cannot be removed.
    pub async fn delete(&self, id: &str) -> Result<ModelView, CommandError> {
        self.pause(id)?;
        // What is being written would come back after it was deleted. Another Jarvis may write for hours: not waited for.
        let downloader = Downloader::new(self.store.clone(), self.http.clone());
        let settled = tokio::time::timeout(LAST_WRITE, downloader.wait_for_writers(id)).await;
        if !matches!(settled, Ok(Ok(()))) {
            tracing::warn!(id, "the files of a model are deleted while somebody may write them");
        }
        self.store.delete(id)?;
        self.assistant.models_changed();
        self.of(self.store.entry(id)?)
    }

    fn of(&self, entry: &CatalogueEntry) -> Result<ModelView, CommandError> {
        let known = lock(&self.under_way).get(&entry.id).map(|download| download.status.clone());
        view_of(entry, &self.store, self.machine, known)
    }

    /// The settings that take an installed model into use.
    ///
    /// # Errors
    ///
    /// There is no such model, it is not here, or nothing uses it by itself.
    pub fn use_of(&self, id: &str) -> Result<Vec<(&'static str, Value)>, CommandError> {
        let entry = self.installed(id)?;
        match entry.purpose {
            Purpose::SpeechToText => Ok(vec![("hearing.speech_model", id.into())]),
            Purpose::Voice => Ok(vec![("speaking.voice", id.into())]),
            Purpose::LanguageModel => Ok(vec![
                ("llm.provider", "embedded".into()),
                ("llm.base_url", "".into()),
                ("llm.chat_model", id.into()),
            ]),
            Purpose::VoiceActivity | Purpose::Embedding | Purpose::Runtime => Err(CommandError::new(
                "bad_value",
                format!("{} is used wherever it is needed; there is nothing to choose.", entry.label),
            )),
        }
    }

    /// Tries an installed model, and says how it did.
    ///
    /// # Errors
    ///
    /// There is no such model, it is not here, or it does not work.
    pub async fn test(&self, id: &str, settings: &Settings) -> Result<String, CommandError> {
        let entry = self.installed(id)?;
        Ok(try_model(entry, &self.store, settings).await?)
    }

    /// The language model that this file is.
    pub fn id_of_file(&self, path: &str) -> Option<String> {
        let models = self.store.catalogue().for_purpose(Purpose::LanguageModel);
        let is_it =
            |entry: &&CatalogueEntry| self.store.path_of(&entry.id).is_ok_and(|file| file == Path::new(path));
        models.into_iter().find(is_it).map(|entry| entry.id.clone())
    }

    fn installed(&self, id: &str) -> Result<&'static CatalogueEntry, CommandError> {
        let entry = self.store.entry(id)?;
        match self.store.is_installed(id) {
            true => Ok(entry),
            false => Err(CommandError::new(
                "not_found",
                format!("{} is not here. Download it first.", entry.label),
            )),
        }
    }

    /// Is this the language model of this name? The embedded engine calls it by its file.
    fn is_named(&self, entry: &CatalogueEntry, name: &str) -> bool {
        entry.purpose == Purpose::LanguageModel
            && self
                .store
                .path_of(&entry.id)
                .is_ok_and(|path| path.file_stem().is_some_and(|stem| *stem == *name))
    }

    /// Is this what hears, or what speaks?
    fn is_in_use(&self, entry: &CatalogueEntry, settings: &Settings) -> bool {
        let set = match entry.purpose {
            Purpose::SpeechToText => &settings.hearing.speech_model,
            Purpose::Voice => &settings.speaking.voice,
            _ => return false,
        };
        match set.as_str() {
            "auto" => self
                .store
                .best_installed(entry.purpose, &self.machine)
                .is_some_and(|best| best.id == entry.id),
            id => id == entry.id,
        }
    }

    fn disk_free(&self) -> u64 {
        let Ok(disks) = Disks::new_with_refreshed_list() else { return 0 };
        let holds = |disk: &&sysinfo::Disk| self.store.folder().starts_with(disk.mount_point());
        let innermost = disks.iter().filter(holds).max_by_key(|disk| disk.mount_point().as_os_str().len());
        innermost.map_or(0, sysinfo::Disk::available_space)
    }

    /// Everybody who could answer, and the trouble of finding out as one of them.
    async fn providers(&self, settings: &Settings) -> Vec<ProviderView> {
        match self.assistant.provider_reports(&self.store).await {
            Ok(reports) => {
                let somebody_answers = reports.iter().any(|report| report.is_chosen);
                let is_worth_showing = |provider: &ProviderView| {
                    let is_named =
                        provider.address.trim_end_matches('/') == settings.llm.base_url.trim_end_matches('/');
                    // Of usual places where nobody is, only that of Ollama is offered, and only if it is needed.
                    let is_offered = provider.provider == "ollama" && !somebody_answers;
                    provider.is_ready || is_named || is_offered || provider.provider == "embedded"
                };
                reports.into_iter().map(ProviderView::from).filter(is_worth_showing).collect()
            }
            Err(trouble) => vec![ProviderView {
                provider: settings.llm.provider.clone(),
                label: "The one in the settings".to_owned(),
                address: settings.llm.base_url.clone(),
                models: Vec::new(),
                is_ready: false,
                is_chosen: false,
                detail: format!("{} {}", trouble.message, trouble.remedy),
            }],
        }
    }
}

/// Tells the pages how one download goes on.
struct Teller {
    entry: &'static CatalogueEntry,
    machine: Machine,
    store: ModelStore,
    under_way: Arc<Mutex<HashMap<String, UnderWay>>>,
    news: News,
    /// Cancelled when it was paused: what is under way then is another download, begun since.
    stop: CancellationToken,
}

impl Teller {
    fn goes_on(&self, status: ModelStatus) {
        {
            let mut under_way = lock(&self.under_way);
            if self.stop.is_cancelled() {
                return;
            }
            if let Some(download) = under_way.get_mut(&self.entry.id) {
                download.status = status.clone();
            }
        }
        self.tell(Some(status));
    }

    /// It is over; without a `failure` the files tell how.
    fn ended(&self, failure: Option<ModelStatus>) {
        let failure = {
            let mut under_way = lock(&self.under_way);
            let was_paused = self.stop.is_cancelled();
            if was_paused && under_way.contains_key(&self.entry.id) {
                return;
            }
            let failure = failure.filter(|_| !was_paused);
            match under_way.get_mut(&self.entry.id).zip(failure.clone()) {
                Some((download, failure)) => download.status = failure,
                None => drop(under_way.remove(&self.entry.id)),
            }
            // What failed may be begun again.
            self.stop.cancel();
            failure
        };
        self.tell(failure);
    }

    fn tell(&self, known: Option<ModelStatus>) {
        if let Ok(model) = view_of(self.entry, &self.store, self.machine, known) {
            self.news.tell(EventView::Model { model });
        }
    }
}

fn lock(
    under_way: &Mutex<HashMap<String, UnderWay>>,
) -> std::sync::MutexGuard<'_, HashMap<String, UnderWay>> {
    under_way.lock().unwrap_or_else(PoisonError::into_inner)
}

fn view_of(
    entry: &CatalogueEntry,
    store: &ModelStore,
    machine: Machine,
    known: Option<ModelStatus>,
) -> Result<ModelView, CommandError> {
    let bytes = entry.download_bytes();
    let too_large = entry.ram_bytes > machine.ram_bytes && machine.ram_bytes > 0;
    let status = match (known, store.install_state(&entry.id)?) {
        (Some(known), _) => known,
        (None, InstallState::Installed) => ModelStatus::Ready,
        (None, InstallState::Partial { bytes: here }) => ModelStatus::Paused { bytes: here, total: bytes },
        (None, InstallState::Corrupt) => ModelStatus::Failed {
            what: "A file of it is damaged.".to_owned(),
            remedy: "Delete it and download it again.".to_owned(),
        },
        (None, InstallState::Missing) if too_large => ModelStatus::TooLarge {
            why: format!(
                "Needs {:.1} GB of memory; this machine has {:.1} GB.",
                entry.ram_bytes as f64 / 1e9,
                machine.ram_bytes as f64 / 1e9
            ),
        },
        (None, InstallState::Missing) => ModelStatus::Absent,
    };
    let recommended = store.catalogue().default_for(entry.purpose, &machine);
    Ok(ModelView {
        id: entry.id.clone(),
        name: entry.label.clone(),
        purpose: match entry.purpose {
            Purpose::SpeechToText => "speech",
            Purpose::VoiceActivity => "voice_activity",
            Purpose::Voice => "voice",
            Purpose::LanguageModel => "language",
            Purpose::Embedding => "embedding",
            Purpose::Runtime => "runtime",
        }
        .to_owned(),
        summary: entry.description.clone(),
        languages: entry.languages.clone(),
        licence: entry.licence.clone(),
        bytes,
        ram_bytes: entry.ram_bytes,
        is_recommended: recommended.is_some_and(|best| best.id == entry.id),
        status,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_download_that_was_paused_says_nothing_of_the_one_begun_since() {
        let folder = tempfile::tempdir().unwrap();
        let store = ModelStore::new(folder.path());
        let entry = &store.catalogue().entries()[0];
        let status = ModelStatus::Downloading { bytes: 0, total: 1, bytes_per_sec: 0 };
        let begun_since = UnderWay { stop: CancellationToken::new(), status: status.clone() };
        let under_way = Arc::new(Mutex::new(HashMap::from([(entry.id.clone(), begun_since)])));
        let news = News::new();
        let mut told = news.subscribe();
        let machine = Machine::this();
        let stop = CancellationToken::new();
        stop.cancel();
        let paused = Teller { entry, machine, store, under_way: Arc::clone(&under_way), news, stop };

        paused.goes_on(ModelStatus::Checking);
        paused.ended(None);

        assert_eq!(lock(&under_way).get(&entry.id).map(|download| &download.status), Some(&status));
        assert!(told.try_recv().is_err());
    }
}
