//! The log of tool calls.

use std::ops::Range;

use rusqlite::{Connection, Row, params};
use serde::{Deserialize, Serialize};
use vocabulary::Private;

use crate::MemoryError;
use crate::memory::Memory;

/// Calls that are kept, the newest. A call has about 300 bytes, and a busy day has a hundred: that is one and a half
/// megabytes and seven weeks.
pub const MAX_CALLS: usize = 5_000;

/// A call of a tool. The words come in redacted.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LoggedCall {
    /// Its number; ignored when it is added.
    #[serde(default)]
    pub id: i64,
    /// The time of the request that led to it: microseconds since 1970 UTC.
    pub at_micros: i64,
    /// The tool, as it was called.
    pub tool: String,
    /// The effect of the call; empty if there was no such tool.
    pub effect: String,
    /// The arguments in one short line.
    pub arguments: Private<String>,
    /// The decision about it.
    pub decision: String,
    /// The reason of the decision; empty if it came to none.
    pub grounds: String,
    /// The end of it.
    pub outcome: String,
    /// The origin of the request: voice, typed or loopback.
    pub origin: String,
    /// The conversation of the request.
    pub conversation: String,
    /// The duration, in milliseconds.
    pub took_ms: i64,
}

/// The calls to list.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallFilter {
    /// Only calls of this tool.
    pub tool: Option<String>,
    /// Only calls that ended like this.
    pub outcome: Option<String>,
    /// Only calls before the one of this number.
    pub before: Option<i64>,
    /// Only calls of this time: microseconds since 1970 UTC.
    pub span: Option<Range<i64>>,
}

impl Memory {
    /// Adds a call to the log. The oldest one is dropped if there are too many.
    pub async fn log_call(&self, call: LoggedCall) -> Result<(), MemoryError> {
        self.change(move |changing| {
            insert(changing, &call)?;
            let oldest = changing.last_insert_rowid() - MAX_CALLS as i64;
            changing.prepare_cached("DELETE FROM calls WHERE id <= ?1")?.execute([oldest])?;
            Ok(())
        })
        .await
    }

    /// The newest calls that fit, the newest first.
    pub async fn calls(&self, filter: CallFilter, limit: usize) -> Result<Vec<LoggedCall>, MemoryError> {
        self.read(move |connection| {
            let span = filter.span.unwrap_or(i64::MIN..i64::MAX);
            let mut select = connection.prepare_cached(
                "SELECT id, at, tool, effect, arguments, decision, grounds, outcome, origin, conversation, took_ms
                 FROM calls
                 WHERE (?1 IS NULL OR tool = ?1) AND (?2 IS NULL OR outcome = ?2) AND (?3 IS NULL OR id < ?3)
                   AND at >= ?4 AND at < ?5
                 ORDER BY id DESC LIMIT ?6",
            )?;
            let values =
                params![filter.tool, filter.outcome, filter.before, span.start, span.end, limit as i64];
            select.query_map(values, read)?.collect()
        })
        .await
    }
}

fn insert(connection: &Connection, call: &LoggedCall) -> rusqlite::Result<usize> {
    connection
        .prepare_cached(
            "INSERT INTO calls (at, tool, effect, arguments, decision, grounds, outcome, origin, conversation, took_ms)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
        )?
        .execute(params![
            call.at_micros,
            call.tool,
            call.effect,
            *call.arguments,
            call.decision,
            call.grounds,
            call.outcome,
            call.origin,
            call.conversation,
            call.took_ms
        ])
}

fn read(row: &Row<'_>) -> rusqlite::Result<LoggedCall> {
    Ok(LoggedCall {
        id: row.get(0)?,
        at_micros: row.get(1)?,
        tool: row.get(2)?,
        effect: row.get(3)?,
        arguments: Private(row.get(4)?),
        decision: row.get(5)?,
        grounds: row.get(6)?,
        outcome: row.get(7)?,
        origin: row.get(8)?,
        conversation: row.get(9)?,
        took_ms: row.get(10)?,
    })
}

/// The calls of the exchange that a message belongs to. The time of a message is moved on by microseconds while another
/// message has it, so its calls may be a little older.
pub(crate) const CALLS_OF_MESSAGE: &str = "
    SELECT calls.id FROM messages m JOIN calls ON calls.conversation = m.conversation
    WHERE m.id = ?1
      AND calls.at >= -1000 + coalesce((
          SELECT max(said_at) FROM messages
          WHERE conversation = m.conversation AND speaker = 'user' AND said_at <= m.said_at), m.said_at)
      AND calls.at < -1000 + coalesce((
          SELECT min(said_at) FROM messages
          WHERE conversation = m.conversation AND speaker = 'user' AND said_at > m.said_at), 9000000000000000000)";

/// The calls of a time span.
pub(crate) const CALLS_IN_SPAN: &str = "SELECT id FROM calls WHERE at >= ?1 AND at < ?2";

/// All calls with the words that they contain.
pub(crate) fn words_of_calls(connection: &Connection) -> rusqlite::Result<Vec<(i64, String)>> {
    let mut select = connection.prepare_cached("SELECT id, arguments FROM calls WHERE arguments <> ''")?;
    select.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
}
