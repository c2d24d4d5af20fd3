//! The tables, as migrations. There is no way back to an older version.

use rusqlite::Connection;
use rusqlite_migration::{M, Migrations};

const DIALOGUE: &str = "
    CREATE TABLE messages (
        id           INTEGER PRIMARY KEY,
        conversation TEXT    NOT NULL,
        -- Microseconds since 1970 UTC, strictly increasing within a conversation.
        said_at      INTEGER NOT NULL,
        speaker      TEXT    NOT NULL CHECK (speaker IN ('user', 'assistant')),
        text         TEXT    NOT NULL,
        UNIQUE (conversation, said_at)
    ) STRICT;";

const KNOWLEDGE: &str = "
    -- Recreated with AUTOINCREMENT: undo records name rows by id, so no id may be used twice.
    ALTER TABLE messages RENAME TO messages_before;
    CREATE TABLE messages (
        id           INTEGER PRIMARY KEY AUTOINCREMENT,
        conversation TEXT    NOT NULL,
        -- Microseconds since 1970 UTC, strictly increasing within a conversation.
        said_at      INTEGER NOT NULL,
        speaker      TEXT    NOT NULL CHECK (speaker IN ('user', 'assistant')),
        text         TEXT    NOT NULL,
        -- voice, typed, loopback or import; '' is unknown.
        channel      TEXT    NOT NULL DEFAULT '',
        -- When it was added to the diary; NULL is pending.
        digested_at  INTEGER,
        -- When it was searched for facts; NULL is pending, once it is in the diary.
        searched_at  INTEGER,
        -- Whether it has a vector that was made with both neighbours.
        is_embedded  INTEGER NOT NULL DEFAULT 0,
        UNIQUE (conversation, said_at)
    ) STRICT;
    INSERT INTO messages (id, conversation, said_at, speaker, text)
        SELECT id, conversation, said_at, speaker, text FROM messages_before;
    DROP TABLE messages_before;
    CREATE INDEX messages_awaiting_the_diary ON messages (said_at) WHERE digested_at IS NULL;
    CREATE INDEX messages_awaiting_the_search ON messages (said_at)
        WHERE searched_at IS NULL AND digested_at IS NOT NULL;
    CREATE INDEX messages_by_time ON messages (said_at);
    CREATE INDEX messages_to_embed ON messages (id) WHERE is_embedded = 0;

    CREATE TABLE diary (
        id         INTEGER PRIMARY KEY AUTOINCREMENT,
        -- The local date, YYYY-MM-DD.
        day        TEXT    NOT NULL,
        source     TEXT    NOT NULL,
        summary    TEXT    NOT NULL,
        -- Comma separated.
        topics     TEXT    NOT NULL,
        written_at INTEGER NOT NULL,
        UNIQUE (day, source)
    ) STRICT;
    CREATE TABLE diary_sources (
        entry   INTEGER NOT NULL REFERENCES diary (id) ON DELETE CASCADE,
        message INTEGER NOT NULL REFERENCES messages (id) ON DELETE CASCADE,
        PRIMARY KEY (entry, message)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX diary_sources_by_message ON diary_sources (message);

    -- The first four are fixed: root, user, directives, world.
    CREATE TABLE nodes (
        id            INTEGER PRIMARY KEY AUTOINCREMENT,
        name          TEXT    NOT NULL,
        description   TEXT    NOT NULL DEFAULT '',
        parent        INTEGER REFERENCES nodes (id) ON DELETE RESTRICT,
        access_count  INTEGER NOT NULL DEFAULT 0,
        last_accessed INTEGER NOT NULL,
        created_at    INTEGER NOT NULL,
        updated_at    INTEGER NOT NULL,
        CHECK (parent IS NOT id)
    ) STRICT;
    CREATE INDEX nodes_by_parent ON nodes (parent);
    INSERT INTO nodes (id, name, description, parent, last_accessed, created_at, updated_at) VALUES
        (1, 'Root', 'Everything that is known.', NULL, 0, 0, 0),
        (2, 'User', 'Who the user is: identity, tastes, habits, people, history.', 1, 0, 0, 0),
        (3, 'Directives', 'How the user wants to be served, in every reply.', 1, 0, 0, 0),
        (4, 'World', 'What was learned about things, places and people beyond the user.', 1, 0, 0, 0);

    CREATE TABLE facts (
        id          INTEGER PRIMARY KEY AUTOINCREMENT,
        node        INTEGER NOT NULL REFERENCES nodes (id) ON DELETE RESTRICT,
        text        TEXT    NOT NULL,
        -- The text normalised for comparison: compatibility forms and case folded, single spaces.
        folded      TEXT    NOT NULL,
        status      TEXT    NOT NULL CHECK (status IN ('current', 'superseded', 'retracted')),
        -- From when until when it holds: microseconds since 1970 UTC.
        valid_from  INTEGER NOT NULL,
        valid_to    INTEGER,
        replaced_by INTEGER REFERENCES facts (id) ON DELETE SET NULL,
        -- Order within the node.
        position    INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX facts_by_node ON facts (node, status, position);
    -- Punctuation at the end does not make another fact; `normalise_sentence` strips the same characters.
    CREATE INDEX facts_by_words ON facts (rtrim(folded, '.,;:!?。 '));

    -- Where a fact comes from.
    CREATE TABLE evidence (
        id           INTEGER PRIMARY KEY AUTOINCREMENT,
        fact         INTEGER NOT NULL REFERENCES facts (id) ON DELETE CASCADE,
        -- The exact words; '' where only the day is known.
        quote        TEXT    NOT NULL,
        observed_at  INTEGER NOT NULL,
        day          TEXT    NOT NULL,
        conversation TEXT    NOT NULL,
        speaker      TEXT    NOT NULL,
        channel      TEXT    NOT NULL,
        message      INTEGER REFERENCES messages (id) ON DELETE SET NULL,
        entry        INTEGER REFERENCES diary (id) ON DELETE SET NULL
    ) STRICT;
    CREATE INDEX evidence_by_fact ON evidence (fact);
    CREATE INDEX evidence_by_message ON evidence (message);
    CREATE INDEX evidence_by_entry ON evidence (entry);

    -- Words of every item; the rowid is the item number, 4 × id + kind.
    CREATE VIRTUAL TABLE words USING fts5(
        tokens, content = '', tokenize = 'porter unicode61 remove_diacritics 2'
    );
    INSERT INTO words (words, rank) VALUES ('secure-delete', 1);

    -- One byte per dimension, all from one model: the note embedding_model names it.
    CREATE TABLE vectors (
        item   INTEGER PRIMARY KEY,
        vector BLOB    NOT NULL
    ) STRICT;
    -- Vectors quantised to one bit per dimension: small enough to scan all of them.
    CREATE TABLE codes (
        item INTEGER PRIMARY KEY,
        at   INTEGER NOT NULL,
        code BLOB    NOT NULL
    ) STRICT;

    -- What was forgotten or rewritten, as long as it can be undone.
    CREATE TABLE undo (
        id      INTEGER PRIMARY KEY AUTOINCREMENT,
        done_at INTEGER NOT NULL,
        what    TEXT    NOT NULL,
        -- JSON: the rows as they were, by table.
        rows    TEXT    NOT NULL
    ) STRICT;

    CREATE TABLE meals (
        id            INTEGER PRIMARY KEY AUTOINCREMENT,
        eaten_at      INTEGER NOT NULL,
        source        TEXT    NOT NULL,
        description   TEXT    NOT NULL,
        calories_kcal REAL, protein_g REAL, carbs_g REAL, fat_g REAL, fiber_g REAL, sugar_g REAL,
        sodium_mg     REAL, potassium_mg REAL,
        micros        TEXT,
        confidence    REAL
    ) STRICT;
    CREATE INDEX meals_by_time ON meals (eaten_at);

    -- Timers, alarms and reminders.
    CREATE TABLE appointments (
        id         INTEGER PRIMARY KEY AUTOINCREMENT,
        kind       TEXT    NOT NULL CHECK (kind IN ('timer', 'alarm', 'reminder')),
        label      TEXT    NOT NULL,
        -- When it was due the first time: repetitions are counted from there, so that the 31st stays the 31st.
        first_at   INTEGER NOT NULL,
        due_at     INTEGER NOT NULL,
        -- once, daily, weekdays, weekly, monthly, yearly, in local time of the zone; '' is the zone of the system.
        repeats    TEXT    NOT NULL,
        zone       TEXT    NOT NULL,
        status     TEXT    NOT NULL CHECK (status IN ('waiting', 'rung', 'done', 'cancelled')),
        created_at INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX appointments_waiting ON appointments (due_at) WHERE status = 'waiting';

    CREATE TABLE todos (
        id         INTEGER PRIMARY KEY AUTOINCREMENT,
        list       TEXT    NOT NULL,
        text       TEXT    NOT NULL,
        created_at INTEGER NOT NULL,
        done_at    INTEGER
    ) STRICT;
    CREATE INDEX todos_by_list ON todos (list, done_at);

    -- Small values about the file itself.
    CREATE TABLE notes (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;";

const EVIDENCE_WORDING: &str = "
    -- The fact as this evidence alone states it, before it was merged with others; '' is unknown.
    ALTER TABLE evidence ADD COLUMN wording TEXT NOT NULL DEFAULT '';
    CREATE INDEX facts_by_replacement ON facts (replaced_by) WHERE replaced_by IS NOT NULL;
    -- The wording of the oldest fact with the same evidence. Unknown for evidence that entered a merged line directly.
    UPDATE evidence SET wording = coalesce((
        WITH RECURSIVE before (id) AS (
            SELECT evidence.fact UNION SELECT f.id FROM facts f JOIN before ON f.replaced_by = before.id
        )
        SELECT f.text FROM evidence e JOIN before ON e.fact = before.id JOIN facts f ON f.id = e.fact
        WHERE e.quote = evidence.quote AND e.observed_at = evidence.observed_at
          AND (f.id <> evidence.fact OR NOT EXISTS (SELECT 1 FROM facts p WHERE p.replaced_by = f.id))
        ORDER BY e.fact LIMIT 1), '');
    ALTER TABLE meals ADD COLUMN entered_at INTEGER NOT NULL DEFAULT 0;
    UPDATE meals SET entered_at = eaten_at;";

const TRACES: &str = "
    -- How the newest replies were made.
    CREATE TABLE traces (
        message INTEGER PRIMARY KEY REFERENCES messages (id) ON DELETE CASCADE,
        -- JSON: a ReplyTrace.
        trace   TEXT NOT NULL
    ) STRICT;";

const PAUSES: &str = "
    -- When a timer was paused: what was left on it then is left now. NULL while it runs.
    ALTER TABLE appointments ADD COLUMN paused_at INTEGER;";

const CALLS: &str = "
    -- The newest calls of tools, and why they might run or not.
    CREATE TABLE calls (
        id           INTEGER PRIMARY KEY AUTOINCREMENT,
        -- The time of the request that led to the call: microseconds since 1970 UTC.
        at           INTEGER NOT NULL,
        tool         TEXT    NOT NULL,
        effect       TEXT    NOT NULL,
        -- One short line, redacted.
        arguments    TEXT    NOT NULL,
        decision     TEXT    NOT NULL,
        grounds      TEXT    NOT NULL,
        outcome      TEXT    NOT NULL,
        origin       TEXT    NOT NULL,
        conversation TEXT    NOT NULL,
        took_ms      INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX calls_by_conversation ON calls (conversation, at);";

const CHANGES: &str = "
    -- The request that made a change: its conversation and its time. Empty and 0 for what was forgotten or rewritten.
    ALTER TABLE undo ADD COLUMN conversation TEXT NOT NULL DEFAULT '';
    ALTER TABLE undo ADD COLUMN asked_at INTEGER NOT NULL DEFAULT 0;
    CREATE INDEX undo_by_request ON undo (conversation, asked_at);";

const VOICES: &str = "
    -- The voices that people enrolled.
    CREATE TABLE voices (
        name      TEXT PRIMARY KEY,
        -- 32-bit numbers, the lowest byte first.
        embedding BLOB NOT NULL
    ) STRICT, WITHOUT ROWID;";

/// Every step from an empty file to the newest version. Never change a released step: add another.
fn migrations() -> Migrations<'static> {
    Migrations::new(vec![
        M::up(DIALOGUE),
        M::up(KNOWLEDGE),
        M::up(EVIDENCE_WORDING),
        M::up(TRACES),
        M::up(PAUSES),
        M::up(CALLS),
        M::up(CHANGES),
        M::up(VOICES),
    ])
}

/// The schema version of a file: its `user_version`. An empty file has 0.
pub(crate) fn version(connection: &Connection) -> rusqlite::Result<i64> {
    connection.query_row("PRAGMA user_version", [], |row| row.get(0))
}

/// The schema version that this program writes.
pub const NEWEST_VERSION: i64 = 8;

/// The version of the first databases. A file of version 0 is empty, even if SQLite finds all of its pages in order.
pub(crate) const OLDEST_VERSION: i64 = 1;

/// The SQLite error code for a file of a newer version.
const NEWER: i32 = rusqlite::ffi::SQLITE_SCHEMA;

/// Migrates a file to [`NEWEST_VERSION`]. A file of a newer program is left unchanged; the error has the code
/// `SQLITE_SCHEMA`.
pub(crate) fn migrate(connection: &mut Connection) -> rusqlite::Result<()> {
    if version(connection)? > NEWEST_VERSION {
        return Err(rusqlite::Error::SqliteFailure(rusqlite::ffi::Error::new(NEWER), None));
    }
    migrations().to_latest(connection).map_err(|error| match error {
        rusqlite_migration::Error::RusqliteError { err, .. } => err,
        other => rusqlite::Error::ToSqlConversionFailure(Box::new(other)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::{OpenedStore, Store, no_preparation};

    #[test]
    fn migrations_lead_to_the_newest_version() {
        let mut connection = Connection::open_in_memory().unwrap();

        migrations().validate().unwrap();
        migrate(&mut connection).unwrap();

        assert_eq!(version(&connection).unwrap(), NEWEST_VERSION);
    }

    #[tokio::test]
    async fn version_2_file_is_backed_up_and_gets_evidence_wordings() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("jarvis.db");
        let rows = "
            INSERT INTO messages (id, conversation, said_at, speaker, text) VALUES
                (1, 'main', 1, 'user', 'I keep bees'), (2, 'main', 2, 'user', 'I live by the mill'),
                (3, 'main', 3, 'user', 'I like tea');
            INSERT INTO facts (id, node, text, folded, status, valid_from, valid_to, replaced_by, position) VALUES
                (2, 2, 'Keeps bees by the mill.', 'keeps bees by the mill.', 'current', 2, NULL, NULL, 1),
                (1, 2, 'Keeps bees.', 'keeps bees.', 'superseded', 1, 2, 2, 1),
                (3, 2, 'Likes tea.', 'likes tea.', 'current', 3, NULL, NULL, 2);
            INSERT INTO evidence (fact, quote, observed_at, day, conversation, speaker, channel, message) VALUES
                (1, 'I keep bees', 1, '', 'main', 'user', '', 1), (2, 'I keep bees', 1, '', 'main', 'user', '', 1),
                (2, 'I live by the mill', 2, '', 'main', 'user', '', 2), (3, 'I like tea', 3, '', 'main', 'user', '', 3);
            INSERT INTO meals (id, eaten_at, source, description) VALUES (1, 7, 'voice', 'honey');
            PRAGMA user_version = 2;";
        Connection::open(&path).unwrap().execute_batch(&[DIALOGUE, KNOWLEDGE, rows].concat()).unwrap();

        let OpenedStore { store, trouble } = Store::open(&path, no_preparation).unwrap();

        assert_eq!(trouble, None);
        let said = store
            .read(|connection| {
                let mut select =
                    connection.prepare("SELECT fact, quote, wording FROM evidence ORDER BY id")?;
                let rows = select.query_map([], |row| {
                    Ok((row.get::<_, i64>(0)?, row.get::<_, String>(1)?, row.get::<_, String>(2)?))
                })?;
                rows.collect::<rusqlite::Result<Vec<_>>>()
            })
            .await
            .unwrap();
        let expected = [
            (1, "I keep bees", "Keeps bees."),
            (2, "I keep bees", "Keeps bees."),
            (2, "I live by the mill", ""),
            (3, "I like tea", "Likes tea."),
        ];
        let said: Vec<_> =
            said.iter().map(|(fact, quote, wording)| (*fact, quote.as_str(), wording.as_str())).collect();
        assert_eq!(said, expected);
        let entered_at = "SELECT entered_at FROM meals";
        let entered_at: i64 = store
            .read(move |connection| connection.query_row(entered_at, [], |row| row.get(0)))
            .await
            .unwrap();
        assert_eq!(entered_at, 7);
        let backup = &crate::copies::backups(&path)[0].path;
        assert_eq!(
            version(&Connection::open(backup).unwrap()).unwrap(),
            2,
            "the backup is what was there before"
        );
    }
}
