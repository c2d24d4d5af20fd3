//! Days of the diary that hold one of several keywords.
//!
//! Source: docs/behaviour/memory.md#search.

use jiff::civil::Date;

use super::recall::{Recall, newest_first};
use crate::MemoryError;
use crate::item::RecordKind;
use crate::memory::Memory;
use crate::records::diary::EntryId;

/// The number of keywords that are searched for.
const KEYWORDS: usize = 5;

/// At least this many of the best hits are candidates for the newest days.
const CANDIDATES: usize = 50;

impl Memory {
    /// The newest days with an entry that contains a keyword, at most `max_days` of them.
    pub async fn diary_days_with(
        &self,
        keywords: &[String],
        max_days: usize,
    ) -> Result<Vec<Date>, MemoryError> {
        let recall = Recall {
            words: keywords.iter().take(KEYWORDS).cloned().collect::<Vec<_>>().join(" "),
            kinds: vec![RecordKind::Diary],
            limit: CANDIDATES.max(3 * max_days),
            ..Recall::default()
        };
        let mut hits = self.recall(recall).await?;
        newest_first(&mut hits);
        hits.truncate(max_days);
        let mut days = Vec::new();
        for hit in hits {
            days.extend(self.entry(EntryId(hit.item.id.row)).await?.map(|entry| entry.day));
        }
        Ok(days)
    }
}
