//! The model files of this user: which there are, which are being downloaded, and which are in use.

mod downloads; // downloads under way
mod error;
mod pulls; // models that servers fetch
mod model_view; // an entry of the catalogue as doors show it

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use llm::OllamaPuller;
use models::{CatalogueEntry, Downloader, Machine, ModelStore, Purpose};
use net::Http;
use serde_json::Value;
use settings::{Provider, SecretStore, Settings};
use sysinfo::{Disks, MemoryRefreshKind, RefreshKind, System};
use tokio::sync::{Notify, broadcast, watch};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use vocabulary::{Stage, Trouble};

pub use self::error::ModelLibraryError;
pub use self::pulls::PullHandle;

use self::downloads::{Download, Downloads};
use self::pulls::{Pull, Pulls};
use crate::models_in_use::language_model::{LanguageModelChoice, provider_reports};
use crate::models_in_use::model_check::try_model;
use crate::secrets::provider_key::api_key;
use crate::user::user_languages::user_languages;
use crate::views::{ChoiceView, ModelStatus, ModelView, ModelsView, ProviderView, PullView};

/// The time that a download that was cancelled may take for its last write.
const LAST_WRITE_LIMIT: Duration = Duration::from_secs(5);

/// The model files of this user, and the models that servers fetch. Clones share their downloads and pulls.
#[derive(Clone)]
pub struct ModelLibrary {
    parts: Arc<ModelLibraryParts>,
    downloads: Arc<Downloads>,
    pulls: Arc<Pulls>,
}

/// The parts of a [`ModelLibrary`].
pub(crate) struct ModelLibraryParts {
    pub store: ModelStore,
    pub http: Http,
    pub machine: Machine,
    pub settings: watch::Receiver<Settings>,
    pub secrets: Arc<dyn SecretStore>,
    /// Notified when a model was downloaded or deleted.
    pub changed: Arc<Notify>,
    /// The number of models that servers have fetched. Another one may make another server the best.
    pub pulled: Arc<AtomicU64>,
    pub tasks: TaskTracker,
    /// Ends every download.
    pub stop: CancellationToken,
}

impl ModelLibrary {
    pub(crate) fn new(parts: ModelLibraryParts) -> Self {
        let downloads = Downloads::new(parts.store.clone(), parts.machine, parts.settings.clone());
        Self { parts: Arc::new(parts), downloads: Arc::new(downloads), pulls: Arc::new(Pulls::new()) }
    }

    /// Models whose download goes on or ended, from now on.
    pub fn subscribe(&self) -> broadcast::Receiver<ModelView> {
        self.downloads.subscribe()
    }

    /// The models folder.
    pub fn folder(&self) -> std::path::PathBuf {
        self.parts.store.folder()
    }

    /// The model files.
    pub(crate) fn store(&self) -> &ModelStore {
        &self.parts.store
    }

    /// Every model of the catalogue with its state.
    ///
    /// # Errors
    ///
    /// [`ModelLibraryError`] when the models folder cannot be read.
    pub fn models(&self) -> Result<Vec<ModelView>, ModelLibraryError> {
        let settings = self.settings();
        let is_used = |entry: &CatalogueEntry| self.is_recogniser_or_voice(entry, &settings);
        self.models_used_as(is_used)
    }

    /// Models, providers, memory and disk space.
    ///
    /// # Errors
    ///
    /// [`ModelLibraryError`] when the models folder cannot be read.
    pub async fn overview(&self) -> Result<ModelsView, ModelLibraryError> {
        let settings = self.settings();
        let providers = self.providers(&settings).await;
        let embedded =
            providers.iter().find(|provider| provider.is_chosen && provider.provider == Provider::Embedded);
        let language_model = embedded.and_then(|provider| provider.models.first());
        let models = self.models_used_as(|entry| {
            self.is_recogniser_or_voice(entry, &settings)
                || language_model.is_some_and(|name| self.is_language_model(entry, name))
        })?;
        let memory = RefreshKind::nothing().with_memory(MemoryRefreshKind::nothing().with_ram());
        // Zero if the system does not report its memory.
        let (memory_total, memory_free) = System::new_with_specifics(memory)
            .map_or((0, 0), |system| (system.total_memory(), system.available_memory()));
        let folder = self.folder();
        Ok(ModelsView {
            memory_total,
            memory_free,
            disk_free: disk_free(&folder),
            folder: folder.display().to_string(),
            models,
            providers,
            pulls: self.pulls(),
        })
    }

    /// The values of the setting `speaking.voice` that work now.
    pub fn voices(&self) -> Vec<ChoiceView> {
        let fixed = [("auto", "The best one installed"), ("system", "The operating system's")];
        let fixed = fixed.map(|(id, label)| ChoiceView { id: id.to_owned(), label: label.to_owned() });
        let store = &self.parts.store;
        let installed = store.catalogue().for_purpose(Purpose::Voice);
        let installed = installed.filter(|entry| store.is_installed(&entry.id));
        let installed =
            installed.map(|entry| ChoiceView { id: entry.id.clone(), label: entry.label.clone() });
        fixed.into_iter().chain(installed).collect()
    }

    /// A model with its state.
    ///
    /// # Errors
    ///
    /// [`ModelLibraryError`] when there is no such model, or its files cannot be read.
    pub fn model(&self, id: &str) -> Result<ModelView, ModelLibraryError> {
        Ok(self.downloads.view_of(self.parts.store.entry(id)?)?)
    }

    /// Starts or continues a download. [`ModelLibrary::subscribe`] reports its progress.
    ///
    /// # Errors
    ///
    /// [`ModelLibraryError`] when there is no such model.
    pub fn download(&self, id: &str) -> Result<ModelView, ModelLibraryError> {
        let entry = self.parts.store.entry(id)?;
        if let Some(download) = Download::start(&self.downloads, entry, self.parts.stop.child_token()) {
            // The download stays in the folder where it started, whatever the settings name later.
            let downloader = Downloader::new(self.parts.store.with_fixed_folder(), self.parts.http.clone());
            let changed = Arc::clone(&self.parts.changed);
            self.parts.tasks.spawn(async move {
                download.run(&downloader).await;
                changed.notify_one();
            });
        }
        self.model(id)
    }

    /// Returns `true` if a model is being downloaded.
    pub fn is_downloading(&self, id: &str) -> bool {
        self.downloads.is_under_way(id)
    }

    /// Pauses a download; what it has written stays.
    ///
    /// # Errors
    ///
    /// [`ModelLibraryError`] when there is no such model.
    pub fn pause(&self, id: &str) -> Result<ModelView, ModelLibraryError> {
        self.downloads.pause(id);
        self.model(id)
    }

    /// Pauses every download, because the models folder is another one now. What they have written stays.
    pub(crate) fn pause_all(&self) {
        self.downloads.pause_all();
    }

    /// Lets an Ollama server fetch a model: the one at the address `server`, else the one of the settings, else the one at the
    /// usual address. With `ollama` as `server` another program at the address of the settings is passed over. Joins a
    /// pull of the same model that is under way.
    ///
    /// # Errors
    ///
    /// [`ModelLibraryError`] when the name or the address is none, or Jarvis works offline. What goes wrong later is in the
    /// [`PullView`].
    pub async fn pull(&self, model: &str, server: Option<&str>) -> Result<PullHandle, ModelLibraryError> {
        let settings = self.settings();
        let model = OllamaPuller::model_name(model).map_err(|error| error.trouble())?;
        if settings.web.offline {
            let message = "Jarvis is set to work offline, and the server would download the model.";
            let remedy = "Switch off Work offline (web.offline) in the settings, or pull it with the server's own program.";
            return Err(Trouble::new(Stage::Download, message, remedy).into());
        }
        let key = api_key(&self.parts.secrets, &settings).await;
        let finder = LanguageModelChoice::new(&settings, &self.parts.store, key).finder(&self.parts.http);
        let puller = match PullServer::read(server)? {
            PullServer::OfSettings => finder.ollama_puller(None),
            PullServer::Ollama => finder.named_ollama_puller().await,
            PullServer::At(address) => finder.ollama_puller(Some(address)),
        };
        let puller = puller.map_err(|error| error.trouble())?;
        let (handle, pull) = Pull::start(&self.pulls, puller, model, self.parts.stop.child_token());
        if let Some(pull) = pull {
            let parts = Arc::clone(&self.parts);
            self.parts.tasks.spawn(async move {
                if pull.run().await {
                    parts.pulled.fetch_add(1, Ordering::Relaxed);
                    parts.changed.notify_one();
                }
            });
        }
        Ok(handle)
    }

    /// Ends the pull of a model by the server at `address`; what the server has of it stays there.
    pub fn cancel_pull(&self, model: &str, address: &str) {
        self.pulls.cancel(model, address);
    }

    /// The pulls under way, and those that failed.
    pub fn pulls(&self) -> Vec<PullView> {
        self.pulls.views()
    }

    /// Pulls that go on or ended, from now on.
    pub fn subscribe_pulls(&self) -> broadcast::Receiver<PullView> {
        self.pulls.subscribe()
    }

    /// Deletes the files of a model.
    ///
    /// # Errors
    ///
    /// [`ModelLibraryError`] when there is no such model, or a file cannot be removed.
    pub async fn delete(&self, id: &str) -> Result<ModelView, ModelLibraryError> {
        self.pause(id)?;
        // A write after the deletion would bring the file back. Another process may download for hours, so the wait is
        // limited.
        let downloader = Downloader::new(self.parts.store.clone(), self.parts.http.clone());
        let settled = tokio::time::timeout(LAST_WRITE_LIMIT, downloader.wait_for_writers(id)).await;
        if !matches!(settled, Ok(Ok(()))) {
            tracing::warn!(id, "a model is deleted while its download may still write");
        }
        self.parts.store.delete(id)?;
        self.parts.changed.notify_one();
        self.model(id)
    }

    /// Compares the files of a model with their checksums.
    ///
    /// # Errors
    ///
    /// [`ModelLibraryError`] when there is no such model, or a file cannot be read.
    pub async fn verify(&self, id: &str) -> Result<ModelView, ModelLibraryError> {
        let state = self.parts.store.verify(id).await?;
        let entry = self.parts.store.entry(id)?;
        let status = model_view::status_of(&state, entry);
        let languages = user_languages(&self.settings());
        Ok(model_view::of(entry, &self.parts.store, self.parts.machine, &languages, status))
    }

    /// Gives an installed model a small task, and returns the result as a sentence.
    ///
    /// # Errors
    ///
    /// [`ModelLibraryError`] when there is no such model, it is not installed, or it does not work.
    pub async fn test(&self, id: &str) -> Result<String, ModelLibraryError> {
        let entry = self.installed(id)?;
        Ok(try_model(entry, &self.parts.store, &self.settings()).await?)
    }

    /// The models that this machine needs and that are not installed. A sentence model that does not know the languages of
    /// the user counts as none if another one does.
    pub(crate) fn missing(&self) -> Vec<String> {
        let ModelLibraryParts { store, machine, .. } = &*self.parts;
        let purposes = [
            Purpose::SpeechToText,
            Purpose::Voice,
            Purpose::Runtime,
            Purpose::LanguageModel,
            Purpose::Embedding,
        ];
        let languages = user_languages(&self.settings());
        let missing = purposes.into_iter().filter_map(|purpose| {
            let recommended = model_view::recommended(store, purpose, machine, &languages)?;
            let is_here = match purpose {
                Purpose::Embedding => store
                    .best_installed_for_languages(purpose, machine, &languages)
                    .is_some_and(|best| best.knows(&languages) || !recommended.knows(&languages)),
                _ => store.best_installed(purpose, machine).is_some(),
            };
            (!is_here).then(|| recommended.id.clone())
        });
        missing.collect()
    }

    /// The settings that select an installed model.
    ///
    /// # Errors
    ///
    /// [`ModelLibraryError`] when there is no such model, it is not installed, or there is nothing to choose.
    pub(crate) fn settings_for(&self, id: &str) -> Result<Vec<(&'static str, Value)>, ModelLibraryError> {
        let entry = self.installed(id)?;
        match entry.purpose {
            Purpose::SpeechToText => Ok(vec![("hearing.speech_model", id.into())]),
            Purpose::Endpoint => Ok(vec![("hearing.endpoint_model", id.into())]),
            Purpose::Voice => Ok(vec![("speaking.voice", id.into())]),
            Purpose::LanguageModel => Ok(vec![
                ("llm.provider", Provider::Embedded.value().into()),
                ("llm.base_url", "".into()),
                ("llm.chat_model", id.into()),
            ]),
            Purpose::KeywordSpotting => Ok(vec![("hearing.name_in_sound", true.into())]),
            Purpose::VoiceActivity | Purpose::Embedding | Purpose::SpeakerEmbedding | Purpose::Runtime => {
                Err(ModelLibraryError::NothingToChoose { model: entry.label.clone() })
            }
        }
    }

    /// The language model in this file.
    pub(crate) fn id_of_file(&self, path: &str) -> Option<String> {
        let store = &self.parts.store;
        let is_it =
            |entry: &&CatalogueEntry| store.path_of(&entry.id).is_ok_and(|file| file == Path::new(path));
        store.catalogue().for_purpose(Purpose::LanguageModel).find(is_it).map(|entry| entry.id.clone())
    }

    fn settings(&self) -> Settings {
        self.parts.settings.borrow().clone()
    }

    fn installed(&self, id: &str) -> Result<&'static CatalogueEntry, ModelLibraryError> {
        let entry = self.parts.store.entry(id)?;
        match self.parts.store.is_installed(id) {
            true => Ok(entry),
            false => Err(ModelLibraryError::NotInstalled { model: entry.label.clone() }),
        }
    }

    fn models_used_as(
        &self,
        is_used: impl Fn(&CatalogueEntry) -> bool,
    ) -> Result<Vec<ModelView>, ModelLibraryError> {
        let mut models = Vec::new();
        for entry in self.parts.store.catalogue().entries() {
            let mut model = self.downloads.view_of(entry)?;
            if model.status == ModelStatus::Ready && is_used(entry) {
                model.status = ModelStatus::InUse;
            }
            models.push(model);
        }
        Ok(models)
    }

    /// Returns `true` if this is the language model of this name. The embedded engine calls a model by its file.
    fn is_language_model(&self, entry: &CatalogueEntry, name: &str) -> bool {
        let path = self.parts.store.path_of(&entry.id);
        entry.purpose == Purpose::LanguageModel
            && path.is_ok_and(|path| path.file_stem().is_some_and(|stem| *stem == *name))
    }

    /// Returns `true` if the settings choose this model to hear or to speak.
    fn is_recogniser_or_voice(&self, entry: &CatalogueEntry, settings: &Settings) -> bool {
        let chosen = match entry.purpose {
            Purpose::SpeechToText => &settings.hearing.speech_model,
            Purpose::Endpoint => &settings.hearing.endpoint_model,
            Purpose::Voice => &settings.speaking.voice,
            Purpose::KeywordSpotting => return settings.hearing.name_in_sound,
            Purpose::SpeakerEmbedding => return settings.listening.only_enrolled_voices,
            _ => return false,
        };
        match chosen.as_str() {
            "auto" => self
                .parts
                .store
                .best_installed(entry.purpose, &self.parts.machine)
                .is_some_and(|best| best.id == entry.id),
            id => id == entry.id,
        }
    }

    /// Every provider that could run the language model. When they cannot be listed, the one of the settings says why.
    async fn providers(&self, settings: &Settings) -> Vec<ProviderView> {
        match provider_reports(settings, &self.parts.store, &self.parts.secrets, &self.parts.http).await {
            Ok(reports) => {
                let is_any_chosen = reports.iter().any(|report| report.is_chosen);
                let is_shown = |provider: &ProviderView| {
                    let is_named =
                        provider.address.trim_end_matches('/') == settings.llm.base_url.trim_end_matches('/');
                    // Usual addresses that do not answer are hidden, except Ollama's while nothing else is chosen.
                    let is_suggested = provider.provider == Provider::Ollama && !is_any_chosen;
                    provider.is_ready
                        || provider.can_pull
                        || is_named
                        || is_suggested
                        || provider.provider == Provider::Embedded
                };
                reports.into_iter().map(ProviderView::from).filter(is_shown).collect()
            }
            Err(trouble) => vec![ProviderView {
                provider: settings.llm.provider,
                label: "The one in the settings".to_owned(),
                address: settings.llm.base_url.clone(),
                models: Vec::new(),
                is_ready: false,
                is_chosen: false,
                can_pull: false,
                detail: format!("{} {}", trouble.message, trouble.remedy),
            }],
        }
    }
}

/// The server that a caller names for a pull.
enum PullServer<'a> {
    /// None: the one of the settings.
    OfSettings,
    /// Ollama, by this name.
    Ollama,
    /// The one at this address.
    At(&'a str),
}

impl<'a> PullServer<'a> {
    fn read(server: Option<&'a str>) -> Result<Self, Trouble> {
        let server = server.map(str::trim).unwrap_or_default();
        let is = |provider: Provider| server == provider.value();
        if server.is_empty() || is(Provider::Auto) {
            return Ok(Self::OfSettings);
        }
        if is(Provider::Ollama) {
            return Ok(Self::Ollama);
        }
        if is(Provider::OpenAi) || is(Provider::Anthropic) || is(Provider::Embedded) {
            let message = format!("The provider {server} fetches no models by name.");
            let remedy = "Name `ollama` or the address of an Ollama server; `jarvis models fetch` downloads models for Jarvis itself.";
            return Err(Trouble::new(Stage::Download, message, remedy));
        }
        Ok(Self::At(server))
    }
}

/// Free bytes of the disk that holds `folder`; zero when the system does not tell.
fn disk_free(folder: &Path) -> u64 {
    let Ok(disks) = Disks::new_with_refreshed_list() else { return 0 };
    let holds = |disk: &&sysinfo::Disk| folder.starts_with(disk.mount_point());
    let innermost = disks.iter().filter(holds).max_by_key(|disk| disk.mount_point().as_os_str().len());
    innermost.map_or(0, sysinfo::Disk::available_space)
}
