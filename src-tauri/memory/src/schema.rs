//! The tables, as migrations that only go forward.

use rusqlite_migration::{M, Migrations};

/// Every step from an empty file to the newest form. Never change one that was released: add the next.
pub(crate) fn migrations() -> Migrations<'static> {
    Migrations::new(vec![M::up(
        "CREATE TABLE messages (
             id           INTEGER PRIMARY KEY,
             conversation TEXT    NOT NULL,
             -- Microseconds since 1970 UTC, strictly increasing within a conversation.
             said_at      INTEGER NOT NULL,
             speaker      TEXT    NOT NULL CHECK (speaker IN ('user', 'assistant')),
             text         TEXT    NOT NULL,
             UNIQUE (conversation, said_at)
         ) STRICT;",
    )])
}
