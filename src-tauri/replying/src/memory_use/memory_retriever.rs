//! Additions of memory to a prompt: the profile of the user, and search hits that fit the query.
//!
//! Falls open: while memory is slow, broken or not open yet, it adds nothing and the reply goes on without it.
//!
//! Source: docs/behaviour/replying.md#memory-in-the-prompt and docs/behaviour/memory.md#profile.

use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use llm::{EmbedRole, Embedder};
use memory::{GraphChange, Memory, Recall, RecordKind, SearchHit, newest_first};
use parking_lot::Mutex;
use tokio::sync::{broadcast, watch};
use tokio_util::sync::CancellationToken;
use tools::recall::{dated_line, is_relevant, time_named};
use vocabulary::Private;

use crate::memory_use::evidence::{is_statement, may_answer};
use crate::memory_use::personal_question::asks_for_what_was_told;
use crate::roles::{SearchTerms, question_answered_by};

/// The time that recall waits for the query's embedding. Some milliseconds are enough, but a busy model takes longer; then
/// words decide.
const EMBEDDING_TIMEOUT: Duration = Duration::from_millis(80);

/// The time that it waits if the model is loaded first, which takes half a second: the first request after a pause
/// needs the right tools too.
const LOADING_TIMEOUT: Duration = Duration::from_secs(1);

/// The most search hits in a prompt: more of them hide what matters.
const MAX_HITS: usize = 6;

/// The number of search hits that are examined for relevance.
const EXAMINED: usize = 12;

/// The lowest cosine similarity of a search hit that may answer a question with which it shares no content word.
///
/// Unrelated short sentences of one speaker reach 0.3.
const MIN_SIMILARITY_OF_EVIDENCE: f32 = 0.4;

/// The longest text of one hit in a prompt, in characters.
const MAX_CHARS: usize = 320;

/// Searches memory for replies. Clones share it.
#[derive(Clone)]
pub struct MemoryRetriever {
    memory: watch::Receiver<Option<Memory>>,
    embedder: Option<Arc<dyn Embedder>>,
    /// Changes of the graph since the profile was last read; `None` until memory is open.
    changes: Arc<Mutex<Option<broadcast::Receiver<GraphChange>>>>,
}

/// The additions of memory to one prompt.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RetrievedContext {
    /// The search hits as lines, newest first; empty when nothing fits.
    pub found: Vec<RetrievedLine>,
    /// The question asks for something the user once said, and nothing was found that may hold it.
    pub is_unknown: bool,
}

/// A search hit as a line of a prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RetrievedLine {
    /// The line.
    pub text: Private<String>,
    /// It comes from the knowledge graph; else from the diary or the dialogue.
    pub is_of_graph: bool,
}

/// The inputs of a search.
#[derive(Debug, Clone)]
pub struct Search<'a> {
    /// The words of the user.
    pub question: &'a str,
    /// Further words to look for.
    pub terms: &'a SearchTerms,
    /// The embedding of the question, if the memory's embeddings are of the same model.
    pub vector: Option<Vec<f32>>,
    /// Newer messages are in the dialogue and are left out.
    pub before: Timestamp,
    /// The user's time zone.
    pub zone: &'a TimeZone,
}

impl MemoryRetriever {
    /// Searches `memory` once it is open; by meaning too if there is an embedder.
    pub fn new(memory: watch::Receiver<Option<Memory>>, embedder: Option<Arc<dyn Embedder>>) -> Self {
        Self { memory, embedder, changes: Arc::default() }
    }

    /// The memory, once it is open.
    pub fn memory(&self) -> Option<Memory> {
        self.memory.borrow().clone()
    }

    /// Returns the profile under its headings; empty when nothing is known. `None` when it could not be read within
    /// `limit`.
    pub async fn profile(&self, now: Timestamp, limit: Duration) -> Option<String> {
        let memory = self.memory.borrow().clone()?;
        let reading = memory.warm_profile(now.as_microsecond());
        match tokio::time::timeout(limit, reading).await {
            Ok(Ok(profile)) => Some(profile.render()),
            Ok(Err(error)) => {
                tracing::warn!(%error, "the profile could not be read");
                None
            }
            Err(_) => {
                tracing::warn!("the profile was not read in time");
                None
            }
        }
    }

    /// Returns `true` if the profile may have changed since this was last asked.
    pub fn has_profile_changed(&self) -> bool {
        let Some(memory) = self.memory.borrow().clone() else { return false };
        let mut changes = self.changes.lock();
        let Some(changes) = changes.as_mut() else {
            *changes = Some(memory.graph_changes());
            return true;
        };
        let mut has_changed = false;
        loop {
            match changes.try_recv() {
                Ok(change) => has_changed |= change.touches_profile(),
                Err(broadcast::error::TryRecvError::Lagged(_)) => has_changed = true,
                Err(_) => return has_changed,
            }
        }
    }

    /// The search hits that fit the question and are found within `limit`.
    pub async fn recall(&self, search: Search<'_>, limit: Duration) -> RetrievedContext {
        let Some(memory) = self.memory.borrow().clone() else { return RetrievedContext::default() };
        let search = Search { vector: self.comparable(&memory, search.vector).await, ..search };
        let question = search.question;
        let zone = search.zone;
        let questions = search.terms.questions.clone();
        let found = match tokio::time::timeout(limit, find(&memory, search)).await {
            Ok(Ok(found)) => found,
            Ok(Err(error)) => {
                tracing::warn!(%error, "memory could not be searched");
                return RetrievedContext::default();
            }
            Err(_) => {
                tracing::warn!("memory was not searched in time");
                return RetrievedContext::default();
            }
        };
        for hit in &found {
            let answers = question_answered_by(&hit.item.text, &questions).is_some();
            tracing::debug!(item = %hit.item.id, similarity = hit.similarity, answers, "memory found something");
        }
        let is_unknown =
            asks_for_what_was_told(question) && !found.iter().any(|hit| may_be_evidence(question, hit));
        let found = found.iter().map(|found| RetrievedLine {
            text: Private(dated_line(&found.item, zone, MAX_CHARS)),
            is_of_graph: matches!(found.item.id.kind, RecordKind::Fact | RecordKind::Node),
        });
        RetrievedContext { found: found.collect(), is_unknown }
    }

    /// The vector, if the memory's embeddings are of the same model.
    async fn comparable(&self, memory: &Memory, vector: Option<Vec<f32>>) -> Option<Vec<f32>> {
        let of_memory = memory.embedding_model().await.ok()?;
        let of_question = self.embedder.as_ref()?.id().0;
        vector.filter(|_| of_memory.as_deref() == Some(of_question.as_str()))
    }

    /// The embedding of a question: memory and tools are searched with the same one.
    pub async fn vector(&self, question: &str) -> Option<Vec<f32>> {
        let embedder = self.embedder.as_ref()?;
        let texts = [question.to_owned()];
        let embedding = embedder.embed(&texts, EmbedRole::Query, CancellationToken::new());
        let timeout = if embedder.is_unloaded() { LOADING_TIMEOUT } else { EMBEDDING_TIMEOUT };
        match tokio::time::timeout(timeout, embedding).await {
            Ok(Ok(mut vectors)) => vectors.pop(),
            Ok(Err(error)) => {
                tracing::debug!(%error, "the query has no embedding; only words are searched");
                None
            }
            Err(_) => {
                tracing::debug!("the query was not embedded in time; only words are searched");
                None
            }
        }
    }
}

impl RetrievedContext {
    /// All lines.
    pub fn text(&self) -> String {
        self.found.iter().map(|line| line.text.as_str()).collect::<Vec<_>>().join("\n")
    }

    /// The lines of diary and dialogue, and those of the knowledge graph.
    pub fn by_source(&self) -> (Vec<String>, Vec<String>) {
        let (graph, diary): (Vec<_>, Vec<_>) = self.found.iter().partition(|line| line.is_of_graph);
        let texts = |lines: Vec<&RetrievedLine>| lines.into_iter().map(|line| line.text.0.clone()).collect();
        (texts(diary), texts(graph))
    }
}

async fn find(memory: &Memory, search: Search<'_>) -> Result<Vec<SearchHit>, memory::MemoryError> {
    let Search { question, terms, vector, before, zone } = search;
    let recall = Recall {
        words: [question]
            .into_iter()
            .chain(terms.keywords.iter().map(String::as_str))
            .collect::<Vec<_>>()
            .join(" "),
        vector,
        span: Some(i64::MIN..before.as_microsecond()),
        preferred: time_in(terms).or_else(|| time_named(question, before, zone)),
        kinds: Vec::new(),
        limit: EXAMINED,
    };
    let words = recall.words.clone();
    let mut found = memory.recall(recall).await?;
    found.retain(|found| is_relevant(&words, None, found));
    found.truncate(MAX_HITS);
    // Where entries disagree, the model reads the newer one first.
    newest_first(&mut found);
    Ok(found)
}

/// The time that the terms name: microseconds since 1970 UTC.
fn time_in(terms: &SearchTerms) -> Option<std::ops::Range<i64>> {
    let moment = |text: &Option<String>| text.as_ref()?.parse::<Timestamp>().ok();
    let (from, to) = (moment(&terms.from), moment(&terms.to));
    let is_named = from.is_some() || to.is_some();
    let from = from.map_or(i64::MIN, Timestamp::as_microsecond);
    let to = to.map_or(i64::MAX, Timestamp::as_microsecond);
    (is_named && from < to).then_some(from..to)
}

/// Returns `true` if a hit may answer the question: no earlier question, none of our own sentences about knowing
/// nothing.
fn may_be_evidence(question: &str, found: &SearchHit) -> bool {
    let text = &found.item.text;
    let is_similar = found.similarity.is_none_or(|it| it >= MIN_SIMILARITY_OF_EVIDENCE);
    may_answer(question, text) || (is_similar && is_statement(text))
}
