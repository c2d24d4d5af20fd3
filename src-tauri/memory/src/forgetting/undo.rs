//! Undo: bringing back what was forgotten or rewritten.

use rusqlite::{OptionalExtension, params};

use crate::MemoryError;
use crate::error::Refusal;
use crate::forgetting::request::UndoId;
use crate::forgetting::restoring::restore;
use crate::forgetting::since::without_forgotten_since;
use crate::forgetting::undo_records::{CHANGE, Rows, expire, has_expired};
use crate::item::ItemId;
use crate::memory::Memory;

impl Memory {
    /// Undoes the last forgetting or rewriting, or the given one, within ten minutes. What was forgotten since stays forgotten. Returns what came
    /// back.
    ///
    /// # Errors
    ///
    /// [`MemoryError::Refused`] when there is nothing to undo.
    pub async fn undo(&self, id: Option<UndoId>, now_micros: i64) -> Result<Vec<ItemId>, MemoryError> {
        self.change(move |changing| {
            expire(changing, now_micros)?;
            let found: Option<(i64, String)> = changing
                .prepare_cached(
                    "SELECT id, rows FROM undo WHERE id = ?1 OR (?1 IS NULL AND what <> ?2)
                     ORDER BY id DESC LIMIT 1",
                )?
                .query_row(params![id.map(|id| id.0), CHANGE], |row| Ok((row.get(0)?, row.get(1)?)))
                .optional()?;
            let (id, rows) = found.ok_or(Refusal::NothingToUndo)?;
            let rows: Rows = serde_json::from_str(&rows)
                .map_err(|error| Refusal::Unreadable(format!("the undo record is damaged: {error}")))?;
            let rows = without_forgotten_since(changing, UndoId(id), rows)?;
            let items = restore(changing, &rows)?;
            changing.execute("DELETE FROM undo WHERE id = ?1", [id])?;
            Ok(items)
        })
        .await
    }

    /// Deletes expired undo records for good, and completes forgetting in the copies.
    pub async fn expire_undo(&self, now_micros: i64) -> Result<(), MemoryError> {
        // Read before writing: it is called every minute, and there is seldom anything to delete.
        if self.read(move |connection| has_expired(connection, now_micros)).await? {
            self.change(move |changing| Ok(expire(changing, now_micros)?)).await?;
            self.scrub_log().await?;
        }
        self.finish_scrubbing(now_micros).await
    }
}
