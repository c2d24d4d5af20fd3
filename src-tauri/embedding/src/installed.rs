//! The embedder that runs the installed sentence model: choice, loading and scheduling.

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use async_trait::async_trait;
use llm::{EmbedError, EmbedRole, Embedder, EmbedderId};
use models::{CatalogueEntry, LazyModel, Machine, ModelGuard, ModelStore, Purpose, trim_heap};
use tokio::sync::Mutex;
use tokio_util::sync::CancellationToken;
use vocabulary::Language;

use crate::model::SentenceModel;

/// Number of texts that are embedded at a time. Between two batches, a cancellation takes effect and other callers
/// get their turn, so that a question does not wait for a thousand diary entries. Source: the bench of this crate;
/// four of the longest texts take about 0.1 s.
const BATCH_SIZE: usize = 4;

/// Runs the best installed sentence model for the user's languages. Loads it on first use and unloads it when idle.
pub struct InstalledEmbedder {
    selection: ModelSelection,
    model: LazyModel<LoadedEncoder>,
    /// Held during a batch. Fair: callers get it in the order in which they asked.
    batch_lock: Mutex<()>,
    dimensions: OnceLock<usize>,
}

/// Selects the model. Evaluated anew for each call, because a model may be downloaded at any time.
#[derive(Debug, Clone)]
struct ModelSelection {
    store: ModelStore,
    machine: Machine,
    choice: Choice,
    threads: usize,
}

/// Which model is wanted.
#[derive(Debug, Clone)]
enum Choice {
    /// The best one that knows these languages.
    ForLanguages(Vec<Language>),
    /// This one.
    Only(&'static CatalogueEntry),
}

/// A loaded model and its id.
struct LoadedEncoder {
    id: EmbedderId,
    model: Arc<SentenceModel>,
}

/// Why a model could not be loaded; cloned for all callers that waited for the load.
#[derive(Debug, Clone, thiserror::Error)]
#[error(transparent)]
struct SharedEmbedError(Arc<EmbedError>);

impl InstalledEmbedder {
    /// An embedder for the models of `store`. Selects a model that suits `machine` and knows `languages`, if one is
    /// installed, and unloads it after `idle_timeout` without use (`None`: never).
    ///
    /// The model runs on one thread: a short text takes a few milliseconds, and speech recognition and the language
    /// model need the other cores.
    pub fn new(
        store: ModelStore,
        machine: Machine,
        languages: Vec<Language>,
        idle_timeout: Option<Duration>,
    ) -> Self {
        Self::with_threads(store, machine, languages, idle_timeout, 1)
    }

    /// As [`InstalledEmbedder::new`], with a number of threads.
    pub fn with_threads(
        store: ModelStore,
        machine: Machine,
        languages: Vec<Language>,
        idle_timeout: Option<Duration>,
        threads: usize,
    ) -> Self {
        let choice = Choice::ForLanguages(languages);
        Self::with_selection(ModelSelection { store, machine, choice, threads }, idle_timeout)
    }

    /// An embedder that runs this model alone, on one thread.
    pub fn with_model(store: ModelStore, machine: Machine, model: &'static CatalogueEntry) -> Self {
        Self::with_selection(ModelSelection { store, machine, choice: Choice::Only(model), threads: 1 }, None)
    }

    fn with_selection(selection: ModelSelection, idle_timeout: Option<Duration>) -> Self {
        let selection_to_load = selection.clone();
        let load = move || selection_to_load.load().map_err(|error| SharedEmbedError(Arc::new(error)));
        Self {
            model: LazyModel::new("the embedding model", idle_timeout, load),
            selection,
            batch_lock: Mutex::new(()),
            dimensions: OnceLock::new(),
        }
    }

    /// Returns `true` if a model and the ONNX Runtime are installed.
    pub fn is_installed(&self) -> bool {
        self.selection.files().is_ok()
    }

    /// Returns `true` if the model is in memory.
    pub fn is_loaded(&self) -> bool {
        self.model.is_loaded()
    }

    /// Loads the model, so that the first text does not wait for it.
    ///
    /// # Errors
    ///
    /// [`EmbedError`] if the model is not installed or cannot be loaded.
    pub async fn preload(&self) -> Result<(), EmbedError> {
        self.acquire().await.map(drop)
    }

    async fn acquire(&self) -> Result<ModelGuard<LoadedEncoder>, EmbedError> {
        // Reports a missing model as such, not as a failed load.
        self.selection.files()?;
        let acquire = || async { self.model.acquire().await.map_err(embed_error_of) };
        let guard = acquire().await?;
        if guard.id == self.selection.id() {
            return Ok(guard);
        }
        // Another model was installed since the last load.
        drop(guard);
        self.model.unload();
        acquire().await
    }
}

#[async_trait]
impl Embedder for InstalledEmbedder {
    async fn embed(
        &self,
        texts: &[String],
        role: EmbedRole,
        stop: CancellationToken,
    ) -> Result<Vec<Vec<f32>>, EmbedError> {
        let work = async {
            let guard = self.acquire().await?;
            let mut vectors = Vec::with_capacity(texts.len());
            for batch in texts.chunks(BATCH_SIZE) {
                let _lock = self.batch_lock.lock().await;
                let (model, batch) = (Arc::clone(&guard.model), batch.to_vec());
                let embed =
                    move || batch.iter().map(|text| model.embed(text, role)).collect::<Result<Vec<_>, _>>();
                let embedded = tokio::task::spawn_blocking(embed).await;
                vectors.extend(embedded.map_err(|panic| EmbedError::Engine(panic.into()))??);
            }
            if role == EmbedRole::Passage {
                // Frees the working memory of long passages. A separate task, so that the caller does not wait for it.
                drop(tokio::task::spawn_blocking(trim_heap));
            }
            if let Some(vector) = vectors.first() {
                self.dimensions.get_or_init(|| Vec::len(vector));
            }
            Ok(vectors)
        };
        tokio::select! {
            biased;
            () = stop.cancelled() => Err(EmbedError::Cancelled),
            vectors = work => vectors,
        }
    }

    fn id(&self) -> EmbedderId {
        self.selection.id()
    }

    fn is_unloaded(&self) -> bool {
        !self.is_loaded() && self.is_installed()
    }

    fn dimensions(&self) -> Option<usize> {
        self.dimensions.get().copied()
    }
}

impl ModelSelection {
    /// The wanted model; of several the best installed one, else the recommended download.
    fn entry(&self) -> Option<&'static CatalogueEntry> {
        let Self { store, machine, .. } = self;
        let languages = match &self.choice {
            Choice::ForLanguages(languages) => languages,
            Choice::Only(model) => return Some(model),
        };
        let best = store.best_installed_for_languages(Purpose::Embedding, machine, languages);
        best.or_else(|| store.catalogue().default_for_languages(Purpose::Embedding, machine, languages))
    }

    /// The id contains the file size, because differently quantised files of the same model produce slightly different
    /// vectors.
    fn id(&self) -> EmbedderId {
        let Some(entry) = self.entry() else { return EmbedderId("none".into()) };
        let network = entry.files.first().map(|file| self.store.path_of_file(file));
        let bytes = network.and_then(|path| std::fs::metadata(path).ok()).map_or(0, |found| found.len());
        EmbedderId(format!("{}/{bytes}", entry.id))
    }

    /// Paths of the ONNX Runtime library and of the model files, if all are installed.
    fn files(&self) -> Result<(PathBuf, Vec<PathBuf>), EmbedError> {
        let missing = |id: &str| EmbedError::NotInstalled { id: id.to_owned() };
        let entry = self.entry().ok_or_else(|| missing("all-minilm-l6-v2-int8"))?;
        if !self.store.is_installed(&entry.id) {
            return Err(missing(&entry.id));
        }
        let runtime = self.store.best_installed(Purpose::Runtime, &self.machine);
        let runtime = runtime.or_else(|| self.store.catalogue().for_purpose(Purpose::Runtime).next());
        let runtime = runtime.ok_or_else(|| missing("onnxruntime"))?;
        if !self.store.is_installed(&runtime.id) {
            return Err(missing(&runtime.id));
        }
        let path_of = |file| self.store.path_of_file(file);
        let library = runtime.files.first().map(path_of).ok_or_else(|| missing(&runtime.id))?;
        Ok((library, entry.files.iter().map(path_of).collect()))
    }

    /// Loads the model. Blocks while the files are read.
    fn load(&self) -> Result<LoadedEncoder, EmbedError> {
        let id = self.id();
        let (library, files) = self.files()?;
        let (Some(entry), [network, tokeniser]) = (self.entry(), files.as_slice()) else {
            return Err(EmbedError::NotBuiltIn { id: id.0 });
        };
        let model = SentenceModel::load(&library, network, tokeniser, self.threads, entry.engine)?;
        Ok(LoadedEncoder { id, model: Arc::new(model) })
    }
}

/// Restores the [`EmbedError`] of a failed load for one of the waiting callers.
fn embed_error_of(error: models::LoadError) -> EmbedError {
    match error.source.downcast_ref::<SharedEmbedError>().map(|failed| &*failed.0) {
        Some(EmbedError::File { path, source }) => {
            EmbedError::File { path: path.clone(), source: Arc::clone(source) }
        }
        Some(EmbedError::NotInstalled { id }) => EmbedError::NotInstalled { id: id.clone() },
        Some(EmbedError::NotBuiltIn { id }) => EmbedError::NotBuiltIn { id: id.clone() },
        _ => EmbedError::Engine(error.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn missing_model_is_reported_with_its_id() {
        let folder = tempfile::tempdir().unwrap();
        let embedder =
            InstalledEmbedder::new(ModelStore::new(folder.path()), Machine::this(), Vec::new(), None);

        let result = embedder.embed(&["rain".into()], EmbedRole::Query, CancellationToken::new()).await;

        let error = result.unwrap_err();
        assert!(
            matches!(&error, EmbedError::NotInstalled { id } if id == "all-minilm-l6-v2-int8"),
            "{error}"
        );
        assert!(!embedder.is_installed());
        assert_eq!(embedder.id().to_string(), "all-minilm-l6-v2-int8/0");
    }

    #[tokio::test]
    async fn cancelled_call_returns_stopped() {
        let folder = tempfile::tempdir().unwrap();
        let embedder =
            InstalledEmbedder::new(ModelStore::new(folder.path()), Machine::this(), Vec::new(), None);
        let stop = CancellationToken::new();
        stop.cancel();

        let result = embedder.embed(&["rain".into()], EmbedRole::Query, stop).await;

        assert!(matches!(result, Err(EmbedError::Cancelled)), "{result:?}");
    }
}
