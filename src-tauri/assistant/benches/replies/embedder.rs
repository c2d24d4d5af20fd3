//! The embedding model of a new installation. All scenarios share one, which is loaded, and each waits until the tools are
//! embedded: a program that runs for a minute has both.

use std::collections::HashMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use embedding::InstalledEmbedder;
use llm::{EmbedError, EmbedRole, Embedder, EmbedderId};
use models::{Machine, ModelStore};
use tokio_util::sync::CancellationToken;

/// No tool has been embedded for so long: all are.
const SETTLED: Duration = Duration::from_millis(300);

/// The embedding model of the models folder. Texts of tools are embedded once for all scenarios.
pub struct SharedEmbedder {
    model: InstalledEmbedder,
    known: Mutex<HashMap<String, Vec<f32>>>,
    passages: AtomicUsize,
}

impl SharedEmbedder {
    /// The model in this folder; `None` if none is installed there.
    pub fn of(folder: std::path::PathBuf) -> Option<Self> {
        let model = InstalledEmbedder::new(ModelStore::new(folder), Machine::this(), Vec::new(), None);
        model.is_installed().then(|| Self { model, known: Mutex::default(), passages: AtomicUsize::new(0) })
    }

    /// Waits until no more tools are being embedded.
    pub async fn settle(&self) {
        let mut before = usize::MAX;
        loop {
            tokio::time::sleep(SETTLED).await;
            let now = self.passages.load(Ordering::SeqCst);
            if now == before {
                return;
            }
            before = now;
        }
    }
}

#[async_trait]
impl Embedder for SharedEmbedder {
    async fn embed(
        &self,
        texts: &[String],
        role: EmbedRole,
        stop: CancellationToken,
    ) -> Result<Vec<Vec<f32>>, EmbedError> {
        if role == EmbedRole::Query {
            return self.model.embed(texts, role, stop).await;
        }
        self.passages.fetch_add(1, Ordering::SeqCst);
        let unknown: Vec<String> = {
            let known = self.known.lock().unwrap();
            texts.iter().filter(|text| !known.contains_key(*text)).cloned().collect()
        };
        if !unknown.is_empty() {
            let vectors = self.model.embed(&unknown, role, stop).await?;
            self.known.lock().unwrap().extend(unknown.into_iter().zip(vectors));
        }
        self.passages.fetch_add(1, Ordering::SeqCst);
        let known = self.known.lock().unwrap();
        Ok(texts.iter().map(|text| known[text].clone()).collect())
    }

    fn id(&self) -> EmbedderId {
        self.model.id()
    }

    fn dimensions(&self) -> Option<usize> {
        self.model.dimensions()
    }
}
