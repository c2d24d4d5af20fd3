//! Maintenance of memory in the background: embeddings, backups, and the end of the time for undo.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use jiff::tz::TimeZone;
use llm::{EmbedError, EmbedRole, Embedder};
use memory::{Backup, EmbeddedPassage, ItemId, Memory, MemoryError, Passage};
use settings::Settings;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use vocabulary::Clock;
use vocabulary::{AssistantState, Private};

use crate::models_in_use::active_embedder::ActiveEmbedder;
use crate::state::is_quiet;

/// The number of items that are embedded at a time: about a second of one core with the local model.
const BATCH: usize = 16;

/// The time to wait before a new message is embedded: the reply to it comes first.
const SETTLE: Duration = Duration::from_secs(3);

/// The time to wait before a missing or failing model is tried again.
const TRY_AGAIN: Duration = Duration::from_secs(60);

/// The pause between two checks whether something is due.
const LOOK_EVERY: Duration = Duration::from_secs(60);

/// The age of the newest backup after which another is made: a day, in seconds.
const BACKUP_AFTER_SECS: i64 = 24 * 60 * 60;

/// The text that a model must embed before it replaces another one.
const PROBE: &str = "memory";

/// Items that a model cannot embed. It is not asked again before the next start; another model is asked at once.
#[derive(Debug, Default, PartialEq)]
struct Without {
    model: String,
    items: HashSet<ItemId>,
}

/// The inputs of maintenance.
#[derive(Clone)]
pub(crate) struct Upkeep {
    pub memory: watch::Receiver<Option<Memory>>,
    pub embedder: Arc<ActiveEmbedder>,
    pub clock: Arc<dyn Clock>,
    pub settings: watch::Receiver<Settings>,
    /// The state of the assistant: embedding waits while it is talked to.
    pub state: watch::Receiver<AssistantState>,
}

impl Upkeep {
    /// Runs until `stop` is cancelled.
    pub async fn run(self, stop: CancellationToken) {
        let mut opened = self.memory.clone();
        let waited = stop.run_until_cancelled(opened.wait_for(Option::is_some)).await;
        let Some(Ok(memory)) = waited.map(|opened| opened.map(|memory| memory.clone())) else { return };
        let Some(memory) = memory else { return };
        // The first question must not wait for the model to be loaded.
        if self.embedder.current().is_some() {
            let loading = self.embedder.embed(&[], EmbedRole::Query, CancellationToken::new());
            if let Some(Err(error)) = stop.run_until_cancelled(loading).await {
                tracing::info!(%error, "semantic search is not available now; search goes by words");
            }
        }
        if let Err(error) = memory.prepare_recall().await {
            tracing::warn!(%error, "recall could not be prepared; the first question waits for it");
        }
        // Cut off at any moment: every step is one transaction.
        let working = async { tokio::join!(self.embed_all(&memory), self.look_after(&memory)) };
        let _ = stop.run_until_cancelled(working).await;
    }

    /// Embeds items without a vector, whenever there are some.
    async fn embed_all(&self, memory: &Memory) {
        let mut changes = memory.changes();
        let mut state = self.state.clone();
        let mut without = Without::default();
        loop {
            // It fails only when the assistant has ended.
            let _ = state.wait_for(|state| is_quiet(*state)).await;
            changes.mark_unchanged();
            let wait = match self.embed_some(memory, &mut without).await {
                Ok(0) => {
                    // Nothing to embed until something changes; the limit lets a new model be noticed.
                    let _ = tokio::time::timeout(TRY_AGAIN, changes.changed()).await;
                    SETTLE
                }
                Ok(_) => Duration::ZERO,
                Err(reason) => {
                    tracing::info!(reason, "nothing can be embedded for now");
                    TRY_AGAIN
                }
            };
            tokio::time::sleep(wait).await;
        }
    }

    /// Returns how many items were processed, or why none can be. Items that the model cannot embed are added to `without`
    /// and do not hold up the others.
    async fn embed_some(&self, memory: &Memory, without: &mut Without) -> Result<usize, String> {
        let Some(_) = self.embedder.current() else { return Ok(0) };
        let failed = |error: MemoryError| error.to_string();
        let model = self.embedder.id().0;
        if without.model != model {
            *without = Without { model, items: HashSet::new() };
        }
        self.switch_model(memory).await?;
        let waiting = memory.passages(BATCH + without.items.len()).await.map_err(failed)?;
        let mut passages: Vec<Passage> =
            waiting.into_iter().filter(|passage| !without.items.contains(&passage.item)).collect();
        passages.truncate(BATCH);
        if passages.is_empty() {
            return Ok(0);
        }
        let count = passages.len();
        let embedded = match self.embed(&passages).await {
            Ok(embedded) => embedded,
            Err(EmbedError::InvalidVector { .. }) => {
                let mut embedded = Vec::new();
                for passage in &passages {
                    match self.embed(std::slice::from_ref(passage)).await {
                        Ok(one) => embedded.extend(one),
                        Err(EmbedError::InvalidVector { what }) => {
                            tracing::warn!(item = %passage.item, what, "an item has no vector: words alone find it");
                            without.items.insert(passage.item);
                        }
                        Err(error) => return Err(error.to_string()),
                    }
                }
                embedded
            }
            Err(error) => return Err(error.to_string()),
        };
        // The first model is noted only now, when it is known to work. It may also have changed meanwhile.
        let model = self.embedder.id().0;
        memory.use_embeddings_of(&model).await.map_err(failed)?;
        memory.keep_embeddings(&model, embedded).await.map_err(failed)?;
        Ok(count)
    }

    /// Drops the vectors of another model, so that all items wait for new ones. A model that does not work does not cost the
    /// vectors of one that did.
    async fn switch_model(&self, memory: &Memory) -> Result<(), String> {
        let failed = |error: MemoryError| error.to_string();
        let model = self.embedder.id().0;
        let Some(noted) = memory.embedding_model().await.map_err(failed)? else { return Ok(()) };
        if noted == model {
            return Ok(());
        }
        let probe = [PROBE.to_owned()];
        let probed = self.embedder.embed(&probe, EmbedRole::Passage, CancellationToken::new()).await;
        probed.map_err(|error| error.to_string())?;
        tracing::info!(from = noted, to = model, "another embedding model: everything is embedded anew");
        memory.use_embeddings_of(&self.embedder.id().0).await.map_err(failed)
    }

    async fn embed(&self, passages: &[Passage]) -> Result<Vec<EmbeddedPassage>, EmbedError> {
        let texts: Vec<String> =
            passages.iter().flat_map(|passage| &passage.texts).map(|Private(text)| text.clone()).collect();
        let vectors = self.embedder.embed(&texts, EmbedRole::Passage, CancellationToken::new()).await?;
        let mut vectors = vectors.into_iter();
        let with_vectors = |passage: &Passage| {
            let vectors = vectors.by_ref().take(passage.texts.len()).collect();
            EmbeddedPassage { passage: passage.clone(), vectors }
        };
        Ok(passages.iter().map(with_vectors).collect())
    }

    async fn look_after(&self, memory: &Memory) {
        let mut look = tokio::time::interval(LOOK_EVERY);
        loop {
            look.tick().await;
            let now = self.clock.now();
            if let Err(error) = memory.expire_undo(now.as_microsecond()).await {
                tracing::warn!(%error, "what was forgotten could not be dropped for good");
            }
            self.back_up_if_due(memory).await;
        }
    }

    async fn back_up_if_due(&self, memory: &Memory) {
        let now = self.clock.now();
        let is_wanted = self.settings.borrow().memory.backups;
        if is_wanted && is_backup_due(&memory.backups(), now.as_second()) {
            match memory.back_up(now.as_microsecond()).await {
                Ok(_) => tracing::info!("the memory was backed up"),
                Err(error) => tracing::warn!(%error, "the memory could not be backed up"),
            }
        }
    }
}

/// Returns `true` if a backup is due. Backups dated in the future, after a clock was set back, do not count.
fn is_backup_due(backups: &[Backup], now_secs: i64) -> bool {
    let made = backups.iter().filter_map(|backup| TimeZone::UTC.to_timestamp(backup.made_at).ok());
    let newest = made.map(|made| made.as_second()).filter(|made| *made <= now_secs).max();
    newest.is_none_or(|newest| now_secs - newest >= BACKUP_AFTER_SECS)
}

#[cfg(test)]
mod tests;
