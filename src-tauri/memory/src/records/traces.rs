//! The way replies were made, for those that are stored.

use rusqlite::{Connection, OptionalExtension, params};
use serde::Serialize;
use vocabulary::{ConversationId, DeliveryTrace, ReplyTrace};

/// Replies whose traces are kept, the newest. A trace has about one kilobyte.
const MAX_TRACES: i64 = 1_000;

/// Stores how the message of a conversation at this time was made, and drops the oldest traces beyond the limit.
pub(crate) fn put_trace(
    connection: &Connection,
    conversation: &ConversationId,
    at_micros: i64,
    trace: &ReplyTrace,
) -> rusqlite::Result<()> {
    let json = in_json(trace)?;
    connection
        .prepare_cached(
            "INSERT OR REPLACE INTO traces (message, trace)
                 SELECT id, ?3 FROM messages WHERE conversation = ?1 AND said_at = ?2",
        )?
        .execute(params![conversation.0, at_micros, json])?;
    connection
        .prepare_cached(
            "DELETE FROM traces WHERE message <=
                 (SELECT message FROM traces ORDER BY message DESC LIMIT 1 OFFSET ?1)",
        )?
        .execute([MAX_TRACES])?;
    Ok(())
}

/// Adds to a stored trace which parts of the reply arrived.
pub(crate) fn put_delivery(
    connection: &Connection,
    conversation: &ConversationId,
    at_micros: i64,
    delivery: &DeliveryTrace,
) -> rusqlite::Result<()> {
    let json = in_json(delivery)?;
    connection
        .prepare_cached(
            "UPDATE traces SET trace = json_set(trace, '$.delivery', json(?3)) WHERE message =
                 (SELECT id FROM messages WHERE conversation = ?1 AND said_at = ?2)",
        )?
        .execute(params![conversation.0, at_micros, json])?;
    Ok(())
}

/// The way the message of a conversation at this time was made, if known.
pub(crate) fn trace_of(
    connection: &Connection,
    conversation: &str,
    at_micros: i64,
) -> rusqlite::Result<Option<ReplyTrace>> {
    let json: Option<String> = connection
        .prepare_cached(
            "SELECT trace FROM traces JOIN messages ON messages.id = traces.message
                 WHERE conversation = ?1 AND said_at = ?2",
        )?
        .query_row(params![conversation, at_micros], |row| row.get(0))
        .optional()?;
    // A trace that another version wrote in another form is as good as none.
    Ok(json.and_then(|json| serde_json::from_str(&json).ok()))
}

fn in_json(value: &impl Serialize) -> rusqlite::Result<String> {
    serde_json::to_string(value).map_err(|error| rusqlite::Error::ToSqlConversionFailure(Box::new(error)))
}
