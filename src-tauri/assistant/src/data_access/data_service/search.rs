//! Search by words and by meaning.

use std::time::Duration;

use llm::{EmbedRole, Embedder};
use memory::{Memory, MemoryError, Recall, RecordKind, newest_first};
use tokio_util::sync::CancellationToken;
use tools::recall::{MIN_SIMILARITY, time_named};

use super::failure::Failure;
use super::parts::DataService;
use super::responder::Responder;
use crate::data_access::requests::{DayBound, DayRange, MemoryAnswer};

/// Time limit of the embedding model, loading included: half a second with the local one, longer with a server that
/// loads a large one.
const EMBEDDING_PATIENCE: Duration = Duration::from_secs(20);

impl DataService {
    pub(super) async fn search(
        &self,
        memory: &Memory,
        words: String,
        kinds: Vec<RecordKind>,
        days: DayRange,
        limit: usize,
        responder: &Responder,
    ) -> Result<(), Failure> {
        let embedder = if words.trim().is_empty() { None } else { self.embedder().await };
        let vector = match query_vector(&words, embedder.as_deref(), memory).await {
            Ok(vector) => vector,
            Err(reason) => {
                responder.notice(format!("Words alone decide what is found: {reason}")).await?;
                None
            }
        };
        let zone = self.zone();
        let preferred = time_named(&words, self.parts.clock.now(), &zone);
        let span = self.days(days).span(&zone);
        let recall = Recall { vector, preferred: preferred.clone(), span, kinds, limit, words };
        let mut hits = memory.recall(recall).await?;
        // Every text has some similarity with the query.
        hits.retain(|hit| {
            hit.shares_words || hit.similarity.is_none_or(|similarity| similarity >= MIN_SIMILARITY)
        });
        // Of entries that disagree, the newer comes first; what is of the time that the query names, before both.
        newest_first(&mut hits);
        hits.sort_by_key(|hit| !preferred.as_ref().is_some_and(|span| span.contains(&hit.item.at_micros)));
        for hit in hits {
            responder.memory(MemoryAnswer::Hit(hit.into())).await?;
        }
        Ok(())
    }

    /// Days of the user's calendar.
    pub(super) fn days(&self, range: DayRange) -> memory::Days {
        use jiff::ToSpan;
        let today = self.today();
        let date = |bound: DayBound| match bound {
            DayBound::On(date) => date,
            DayBound::DaysAgo(days) => today.saturating_sub(days.days()),
        };
        memory::Days { from: range.from.map(date), to: range.to.map(date) }
    }
}

/// The vector of the query; `None` without an embedding model.
///
/// # Errors
///
/// Why there is none, and what can be done about it.
pub(super) async fn query_vector(
    words: &str,
    embedder: Option<&dyn Embedder>,
    memory: &Memory,
) -> Result<Option<Vec<f32>>, String> {
    let Some(embedder) = embedder.filter(|_| !words.trim().is_empty()) else { return Ok(None) };
    let failed = |error: MemoryError| error.to_string();
    // Without stored vectors to compare with, no model needs to be loaded.
    let Some(model) = memory.embedding_model().await.map_err(failed)? else {
        return Err(
            "no embedding model was used so far. A running Jarvis uses one, once it is installed.".into()
        );
    };
    // Nor if the stored vectors are of another model.
    if embedder.id().0 != model {
        return Err(
            "the stored vectors are of another embedding model than the one that is set or installed. A \
                    running Jarvis replaces them."
                .into(),
        );
    }
    let words = [words.to_owned()];
    let embedding = embedder.embed(&words, EmbedRole::Query, CancellationToken::new());
    let Ok(vectors) = tokio::time::timeout(EMBEDDING_PATIENCE, embedding).await else {
        return Err(format!(
            "the embedding model took longer than {EMBEDDING_PATIENCE:?}. `jarvis doctor` tells more."
        ));
    };
    let mut vectors = vectors.map_err(|error| format!("{error}. {}", error.remedy()))?;
    Ok(vectors.pop())
}
