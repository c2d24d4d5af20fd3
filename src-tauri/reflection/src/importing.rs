//! Learns from the entries of a diary that was imported: nobody knows any more which words they were made of.
//!
//! Source: behaviour reference, section 3.7, "import diary".

use std::time::Duration;

use futures::stream::{self, BoxStream};
use futures::{FutureExt, StreamExt};
use jiff::civil::{Date, Time};
use jiff::tz::TimeZone;
use llm::CancellationToken;
use memory::{DiaryFilter, Entry, Evidence};
use vocabulary::Clock;

use crate::diary::DIARY_LIMIT;
use crate::facts::extract;
use crate::learning::{Found, Learning, add};
use crate::talk::Chunk;
use crate::writing::CONVERSATION;
use crate::{Reflection, ReflectionError};

/// How long the search of an entry may take.
const LIMIT: Duration = DIARY_LIMIT;

/// What happens while an imported diary is searched for facts.
#[derive(Debug)]
pub enum ImportEvent {
    /// It begins.
    Started {
        /// How many entries there are.
        total: usize,
    },
    /// An entry is done.
    Entry {
        /// How many are done, this one counted.
        processed: usize,
        /// How many there are.
        total: usize,
        /// Its day.
        day: Date,
        /// How many facts are new.
        facts: usize,
        /// Why it was not searched to its end.
        error: Option<ReflectionError>,
    },
    /// All are done.
    Finished,
    /// It was stopped; the entries told of are done.
    Aborted,
    /// The memory failed, and this is the end.
    Failed(ReflectionError),
}

impl Reflection {
    /// Searches the entries that were imported for facts, the oldest first, and keeps them in the graph. Done again, it
    /// finds the same facts and recognises them.
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
            entries.retain(|entry| entry.source != CONVERSATION);
            entries.reverse();
            let total = entries.len();
            let state = Some((entries.into_iter(), 0));
            let steps = stream::unfold(state, move |state| async move {
                let (mut entries, processed) = state?;
                let Some(entry) = entries.next() else { return Some((ImportEvent::Finished, None)) };
                let mut learning = Learning::default();
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
        learning: &mut Learning,
    ) -> Result<(), ReflectionError> {
        let _turn = self.turn().await;
        // The entry stands for the user: it is all that is left of what they said.
        let chunks = [Chunk::user(entry.summary.clone())];
        let extraction = extract(&*self.model, &chunks, entry.day, context_tokens, LIMIT, stop).await;
        let mut found: Vec<Found> = Vec::new();
        for fact in &extraction.facts {
            match &fact.quote {
                Some(quote) => add(&mut found, fact, evidence(entry, quote, zone)),
                None => learning.without_witness += 1,
            }
        }
        // While the model was at work, somebody may have forgotten it.
        if self.memory.entry(entry.id).await?.as_ref() == Some(entry) {
            self.keep(found, clock.now().as_microsecond(), stop, learning).await?;
        }
        extraction.error.map_or(Ok(()), Err)
    }
}

fn evidence(entry: &Entry, quote: &str, zone: &TimeZone) -> Evidence {
    // Nobody noted the time of day; noon is in the day wherever the user is.
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
