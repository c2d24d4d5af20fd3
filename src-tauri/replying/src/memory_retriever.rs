//! What memory adds to a reply: what is always known of the user, and what was found that fits the question.
//!
//! Falls open: a memory that is slow, broken or not open yet adds nothing, and the reply goes on without it.
//!
//! Source: behaviour reference, sections 2.8 and 3.6.

use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use llm::{EmbedRole, Embedder};
use memory::{Kind, Memory, Recall, SearchHit, newest_first};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use vocabulary::Private;

use crate::function_words::{shares_telling_word, speaks_of_self};

/// So much of the time for memory goes into the question's vector: some milliseconds are enough, but a model that is being loaded or busy
/// takes longer. Then words decide.
const PATIENCE_WITH_THE_MODEL: Duration = Duration::from_millis(80);

/// Found things that the model is told at most: more of them bury what matters.
const MOST: usize = 6;

/// Found things looked at, of which the relevant ones are told.
const LOOKED_AT: usize = 12;

/// What is less alike in meaning is not told: it would only distract.
///
/// Not a sign that the question is answered. Source: `cargo xtask bench memory --questions`: the best finding is as alike for
/// questions without an answer (median 0.45) as for those with one (0.42), so the model is asked to judge that.
pub const RELEVANT_LIKENESS: f32 = 0.28;

/// The same for what also shares a telling word with it.
const RELEVANT_LIKENESS_WITH_WORDS: f32 = 0.20;

/// Longest piece of one thing that is told, in characters.
const MAX_CHARS: usize = 320;

/// The memory as replies use it. Clones share it.
#[derive(Clone)]
pub struct MemoryRetriever {
    memory: watch::Receiver<Option<Memory>>,
    embedder: Option<Arc<dyn Embedder>>,
}

/// What memory has to say to one question.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RetrievedContext {
    /// What was found, one thing a line, newest first; empty when nothing fits.
    pub found: Private<String>,
    /// The question is about the user, and nothing is known that answers it.
    pub is_unknown: bool,
}

impl MemoryRetriever {
    /// Searches `memory` once it is open; by meaning too if there is an embedder.
    pub fn new(memory: watch::Receiver<Option<Memory>>, embedder: Option<Arc<dyn Embedder>>) -> Self {
        Self { memory, embedder }
    }

    /// What is always told, under its headings; empty when nothing is known, or not within `patience`.
    pub async fn profile(&self, now: Timestamp, patience: Duration) -> String {
        let Some(memory) = self.memory.borrow().clone() else { return String::new() };
        let reading = memory.warm_profile(now.as_microsecond());
        match tokio::time::timeout(patience, reading).await {
            Ok(Ok(profile)) => profile.render(),
            Ok(Err(error)) => {
                tracing::warn!(%error, "the profile could not be read");
                String::new()
            }
            Err(_) => {
                tracing::warn!("the profile was not there in time");
                String::new()
            }
        }
    }

    /// What fits the question and is found within `patience`. What was said since `before` is in the dialogue, and is not
    /// told again.
    pub async fn recall(
        &self,
        question: &str,
        before: Timestamp,
        zone: &TimeZone,
        patience: Duration,
    ) -> RetrievedContext {
        let Some(memory) = self.memory.borrow().clone() else { return RetrievedContext::default() };
        let finding = self.find(&memory, question, before, zone);
        let found = match tokio::time::timeout(patience, finding).await {
            Ok(Ok(found)) => found,
            Ok(Err(error)) => {
                tracing::warn!(%error, "nothing could be recalled");
                return RetrievedContext::default();
            }
            Err(_) => {
                tracing::warn!("nothing was recalled in time");
                return RetrievedContext::default();
            }
        };
        let is_unknown = found.is_empty() && speaks_of_self(question);
        let lines: Vec<String> = found.iter().map(|found| line(found, zone)).collect();
        RetrievedContext { found: Private(lines.join("\n")), is_unknown }
    }

    async fn find(
        &self,
        memory: &Memory,
        question: &str,
        before: Timestamp,
        zone: &TimeZone,
    ) -> Result<Vec<SearchHit>, memory::MemoryError> {
        let recall = Recall {
            words: question.to_owned(),
            vector: self.vector(memory, question).await,
            span: Some(i64::MIN..before.as_microsecond()),
            preferred: time_named(question, before, zone),
            kinds: Vec::new(),
            limit: LOOKED_AT,
        };
        let mut found = memory.recall(recall).await?;
        found.retain(|found| is_relevant(question, found));
        found.truncate(MOST);
        // Where entries disagree, the newer one is read first.
        newest_first(&mut found);
        Ok(found)
    }

    /// The question's vector, if the memory's vectors are of the same model.
    async fn vector(&self, memory: &Memory, question: &str) -> Option<Vec<f32>> {
        let embedder = self.embedder.as_ref()?;
        if memory.embedding_model().await.ok()?.as_deref() != Some(embedder.id().0.as_str()) {
            return None;
        }
        let texts = [question.to_owned()];
        let embedding = embedder.embed(&texts, EmbedRole::Query, CancellationToken::new());
        match tokio::time::timeout(PATIENCE_WITH_THE_MODEL, embedding).await {
            Ok(Ok(mut vectors)) => vectors.pop(),
            Ok(Err(error)) => {
                tracing::debug!(%error, "the question has no vector; words decide alone");
                None
            }
            Err(_) => {
                tracing::debug!("the question has no vector in time; words decide alone");
                None
            }
        }
    }
}

/// Does it belong to the question? Without vectors a word decides that says something by itself.
fn is_relevant(question: &str, found: &SearchHit) -> bool {
    match found.likeness {
        Some(likeness) if found.shares_words => likeness >= RELEVANT_LIKENESS_WITH_WORDS,
        Some(likeness) => likeness >= RELEVANT_LIKENESS,
        None => found.shares_words && shares_telling_word(question, &found.item.text),
    }
}

/// The time that a question names, up to `before`: microseconds since 1970 UTC.
pub fn time_named(question: &str, before: Timestamp, zone: &TimeZone) -> Option<std::ops::Range<i64>> {
    let today = before.to_zoned(zone.clone()).date();
    let found = dates::span_of(question, &dates::Calendar::looking_back(today))?;
    let first = found.first.to_zoned(zone.clone()).ok()?.timestamp().as_microsecond();
    let end = found.last.tomorrow().ok()?.to_zoned(zone.clone()).ok()?.timestamp().as_microsecond();
    Some(first..end.min(before.as_microsecond()))
}

/// One found thing, as the model reads it.
fn line(found: &SearchHit, zone: &TimeZone) -> String {
    let item = &found.item;
    let day = Timestamp::from_microsecond(item.at_micros)
        .map(|at| at.to_zoned(zone.clone()).strftime("%Y-%m-%d").to_string())
        .unwrap_or_default();
    let text: String = item.text.split_whitespace().collect::<Vec<_>>().join(" ");
    let text = memory::joined([text.as_str()], MAX_CHARS);
    match item.id.kind {
        Kind::Message if item.context.as_str() == "user" => format!("- {day}, the user said: {text}"),
        Kind::Message => format!("- {day}, you said: {text}"),
        Kind::Diary => format!("- {day}, diary: {text}"),
        Kind::Fact => format!("- known since {day}: {text}"),
        Kind::Node | Kind::Meal | Kind::Appointment | Kind::Todo => format!("- {text}"),
    }
}
