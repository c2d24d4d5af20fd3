//! The sentence model of the models folder: which one it is, when it is loaded, who uses it now.

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use async_trait::async_trait;
use llm::{EmbedError, EmbedRole, Embedder, EmbedderId};
use models::{Entry, Lending, Loan, Machine, Purpose, Store, give_back_free_pages};
use tokio::sync::Mutex;
use tokio_util::sync::CancellationToken;

use crate::model::SentenceModel;

/// Texts that are embedded at a stretch, before a stop is looked for and whoever else waits gets a turn: a question
/// must not wait for a thousand memories. Source: our bench; four of the longest take some 0.1 s.
const AT_A_STRETCH: usize = 4;

/// The best sentence model that is installed. It is loaded when it is first needed, and given back when idle.
///
/// Queries and passages are the same to it.
pub struct InstalledEmbedder {
    choice: Choice,
    lending: Lending<Loaded>,
    /// First come, first served.
    turn: Mutex<()>,
    dimensions: OnceLock<usize>,
}

/// Which model it is, looked up anew each time: one may be downloaded at any moment.
#[derive(Debug, Clone)]
struct Choice {
    store: Store,
    machine: Machine,
    threads: usize,
}

/// A model, and where it came from.
struct Loaded {
    id: EmbedderId,
    model: Arc<SentenceModel>,
}

/// Why a model could not be loaded; one for everybody who waited for it.
#[derive(Debug, Clone, thiserror::Error)]
#[error(transparent)]
struct NotLoaded(Arc<EmbedError>);

impl InstalledEmbedder {
    /// The models of `store` on a machine such as `machine`, given back when idle for so long (`None`: never).
    ///
    /// One thread runs them: a short text takes a few milliseconds, and the other cores are needed for speech and the
    /// language model.
    pub fn new(store: Store, machine: Machine, idle: Option<Duration>) -> Self {
        Self::with_threads(store, machine, idle, 1)
    }

    /// The same, run by so many threads.
    pub fn with_threads(store: Store, machine: Machine, idle: Option<Duration>, threads: usize) -> Self {
        let choice = Choice { store, machine, threads };
        let loads = choice.clone();
        let load = move || loads.load().map_err(|error| NotLoaded(Arc::new(error)));
        Self {
            lending: Lending::new("the embedding model", idle, load),
            choice,
            turn: Mutex::new(()),
            dimensions: OnceLock::new(),
        }
    }

    /// Changes the idle time, also for a model that is loaded already.
    pub fn set_idle(&self, idle: Option<Duration>) {
        self.lending.set_idle(idle);
    }

    /// Is there a model to embed with?
    pub fn is_installed(&self) -> bool {
        self.choice.files().is_ok()
    }

    /// Is it in memory?
    pub fn is_loaded(&self) -> bool {
        self.lending.is_loaded()
    }

    /// Loads the model now, so that the first question need not wait for it.
    ///
    /// # Errors
    ///
    /// Why it cannot be used.
    pub async fn preload(&self) -> Result<(), EmbedError> {
        self.borrow().await.map(drop)
    }

    async fn borrow(&self) -> Result<Loan<Loaded>, EmbedError> {
        // What is missing is told as such, and not as a load that failed.
        self.choice.files()?;
        let borrow = || async { self.lending.borrow().await.map_err(unusable) };
        let loan = borrow().await?;
        if loan.id == self.choice.id() {
            return Ok(loan);
        }
        // Another model was downloaded since.
        drop(loan);
        self.lending.unload_now();
        borrow().await
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
            let loan = self.borrow().await?;
            let mut vectors = Vec::with_capacity(texts.len());
            for stretch in texts.chunks(AT_A_STRETCH) {
                let _turn = self.turn.lock().await;
                let (model, stretch) = (Arc::clone(&loan.model), stretch.to_vec());
                let embed =
                    move || stretch.iter().map(|text| model.embed(text)).collect::<Result<Vec<_>, _>>();
                let embedded = tokio::task::spawn_blocking(embed).await;
                vectors.extend(embedded.map_err(|panic| EmbedError::Engine(panic.into()))??);
            }
            if role == EmbedRole::Passage {
                // Long ones took memory that questions never need; whoever reads the vectors need not wait for that.
                drop(tokio::task::spawn_blocking(give_back_free_pages));
            }
            if let Some(vector) = vectors.first() {
                self.dimensions.get_or_init(|| Vec::len(vector));
            }
            Ok(vectors)
        };
        tokio::select! {
            biased;
            () = stop.cancelled() => Err(EmbedError::Stopped),
            vectors = work => vectors,
        }
    }

    fn id(&self) -> EmbedderId {
        self.choice.id()
    }

    fn dimensions(&self) -> Option<usize> {
        self.dimensions.get().copied()
    }
}

impl Choice {
    /// The best model that is here, else the one this machine should fetch.
    fn entry(&self) -> Option<&'static Entry> {
        let best = self.store.best_installed(Purpose::Embedding, &self.machine);
        best.or_else(|| self.store.catalogue().default_for(Purpose::Embedding, &self.machine))
    }

    /// The same weights were made smaller by different people, and their vectors are not quite the same: the size of
    /// the file tells them apart.
    fn id(&self) -> EmbedderId {
        let Some(entry) = self.entry() else { return EmbedderId("none".into()) };
        let network = entry.files.first().map(|file| self.store.path_of_file(file));
        let bytes = network.and_then(|path| std::fs::metadata(path).ok()).map_or(0, |found| found.len());
        EmbedderId(format!("{}/{bytes}", entry.id))
    }

    /// The library and the model's own files, all of them here.
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

    /// Blocks for as long as the files take to load.
    fn load(&self) -> Result<Loaded, EmbedError> {
        let id = self.id();
        let (library, files) = self.files()?;
        let [network, tokeniser] = files.as_slice() else {
            return Err(EmbedError::NotBuiltIn { id: id.0 });
        };
        let model = SentenceModel::load(&library, network, tokeniser, self.threads)?;
        Ok(Loaded { id, model: Arc::new(model) })
    }
}

/// What a load that failed means to one of those who waited for it.
fn unusable(error: models::LoadError) -> EmbedError {
    match error.source.downcast_ref::<NotLoaded>().map(|failed| &*failed.0) {
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
    async fn without_its_files_it_says_which_model_to_fetch() {
        let folder = tempfile::tempdir().unwrap();
        let embedder = InstalledEmbedder::new(Store::new(folder.path()), Machine::this(), None);

        let asked = embedder.embed(&["rain".into()], EmbedRole::Query, CancellationToken::new()).await;

        let error = asked.unwrap_err();
        assert!(
            matches!(&error, EmbedError::NotInstalled { id } if id == "all-minilm-l6-v2-int8"),
            "{error}"
        );
        assert!(!embedder.is_installed());
        assert_eq!(embedder.id().to_string(), "all-minilm-l6-v2-int8/0");
    }

    #[tokio::test]
    async fn who_has_stopped_gets_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let embedder = InstalledEmbedder::new(Store::new(folder.path()), Machine::this(), None);
        let stop = CancellationToken::new();
        stop.cancel();

        let asked = embedder.embed(&["rain".into()], EmbedRole::Query, stop).await;

        assert!(matches!(asked, Err(EmbedError::Stopped)), "{asked:?}");
    }
}
