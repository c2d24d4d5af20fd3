//! Learns facts from the entries of an imported diary, whose original messages do not exist.
//!
//! Source: docs/behaviour/memory.md#import.

use std::time::Duration;

use futures::stream::{self, BoxStream};
use futures::{FutureExt, StreamExt};
use jiff::civil::{Date, Time};
use jiff::tz::TimeZone;
use llm::CancellationToken;
use memory::{DiaryFilter, Entry, Evidence};
use vocabulary::Clock;

use crate::chunks::Chunk;
use crate::diary::DIARY_LIMIT;
use crate::facts::extract;
use crate::learning::{LearningOutcome, SupportedFact, add_fact};
use crate::writing::CONVERSATION_SOURCE;
use crate::{Reflection, ReflectionError};

/// Time limit for the search of one entry.
const LIMIT: Duration = DIARY_LIMIT;

/// Progress of the search in an imported diary.
#[derive(Debug)]
pub enum ImportEvent {
    /// The first event.
    Started {
        /// Number of entries.
        total: usize,
    },
    /// An entry is done.
    Entry {
        /// Number of entries done, including this one.
        processed: usize,
        /// Number of entries.
        total: usize,
        /// Day of the entry.
        day: Date,
        /// Number of new facts.
        facts: usize,
        /// Why the search of the entry ended early.
        error: Option<ReflectionError>,
    },
    /// All are done.
    Finished,
    /// Stopped by the user; the entries reported so far are done.
    Aborted,
    /// The database failed. The last event.
    Failed(ReflectionError),
}

impl Reflection {
    /// Searches the imported entries for facts, oldest first, and stores the facts in the graph. A second run recognises the
    /// facts of the first.
    pub fn import_diary<'s>(
        &'s self,
        zone: &'s TimeZone,
        context_tokens: u32,
        clock: &'s dyn Clock,
        stop: &'s CancellationToken,
    ) -> BoxStream<'s, ImportEvent> {
        let import = async move {
            let mut entries = match self.memory.entries(DiaryFilter::default()).await {
                Ok(entries) => entries,
                Err(error) => return stream::iter([ImportEvent::Failed(error.into())]).boxed(),
            };
            entries.retain(|entry| entry.source != CONVERSATION_SOURCE);
            entries.reverse();
            let total = entries.len();
            let state = Some((entries.into_iter(), 0));
            let steps = stream::unfold(state, move |state| async move {
                let (mut entries, processed) = state?;
                let Some(entry) = entries.next() else { return Some((ImportEvent::Finished, None)) };
                let mut learning = LearningOutcome::default();
                let outcome = self.learn_from(&entry, zone, context_tokens, clock, stop, &mut learning).await;
                let error = outcome.err();
                if let Some(ReflectionError::Stopped) = error {
                    return Some((ImportEvent::Aborted, None));
                }
                let processed = processed + 1;
                let facts = learning.learned.len();
                let event = ImportEvent::Entry { processed, total, day: entry.day, facts, error };
                Some((event, Some((entries, processed))))
            });
            stream::iter([ImportEvent::Started { total }]).chain(steps).boxed()
        };
        import.into_stream().flatten().boxed()
    }

    async fn learn_from(
        &self,
        entry: &Entry,
        zone: &TimeZone,
        context_tokens: u32,
        clock: &dyn Clock,
        stop: &CancellationToken,
        learning: &mut LearningOutcome,
    ) -> Result<(), ReflectionError> {
        let _run_lock = self.lock_run().await;
        // The entry is used as if the user had said it: the original words do not exist.
        let chunks = [Chunk::user(entry.summary.clone())];
        let extraction = extract(&*self.model, &chunks, entry.day, context_tokens, LIMIT, stop).await;
        let mut facts: Vec<SupportedFact> = Vec::new();
        for fact in &extraction.facts {
            match &fact.quote {
                Some(quote) => add_fact(&mut facts, fact, evidence(entry, quote, zone)),
                None => learning.unsupported += 1,
            }
        }
        // The user may have deleted the entry while the model worked.
        if self.memory.entry(entry.id).await?.as_ref() == Some(entry) {
            self.store_facts(facts, clock.now().as_microsecond(), stop, learning).await?;
        }
        extraction.error.map_or(Ok(()), Err)
    }
}

fn evidence(entry: &Entry, quote: &str, zone: &TimeZone) -> Evidence {
    // The time of day is unknown; noon is on that day in the user's time zone.
    let noon = entry.day.to_datetime(Time::constant(12, 0, 0, 0)).to_zoned(zone.clone());
    Evidence {
        quote: redaction::redact(quote, redaction::MAX_CHARS),
        observed_at: noon.map_or(entry.written_at, |noon| noon.timestamp().as_microsecond()),
        day: Some(entry.day),
        channel: "import".to_owned(),
        entry: Some(entry.id.0),
        ..Evidence::default()
    }
}
