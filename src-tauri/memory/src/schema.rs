//! The tables, as migrations that only go forward.

use rusqlite::Connection;
use rusqlite_migration::{M, Migrations};

/// What was said.
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

/// All that is made of it, and what finds it again.
const KNOWLEDGE: &str = "
    -- Anew, so that no id is ever given twice: undoing names rows by their ids.
    ALTER TABLE messages RENAME TO messages_before;
    CREATE TABLE messages (
        id           INTEGER PRIMARY KEY AUTOINCREMENT,
        conversation TEXT    NOT NULL,
        -- Microseconds since 1970 UTC, strictly increasing within a conversation.
        said_at      INTEGER NOT NULL,
        speaker      TEXT    NOT NULL CHECK (speaker IN ('user', 'assistant')),
        text         TEXT    NOT NULL,
        -- How it was said: '' where nobody noted it, else voice, typed, loopback, import.
        channel      TEXT    NOT NULL DEFAULT '',
        -- When the diary took it in; NULL awaits the diary.
        digested_at  INTEGER,
        -- When it was searched for facts; NULL awaits that, once the diary has taken it in.
        searched_at  INTEGER,
        -- Is there a vector for it, made with both neighbours?
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
        -- The text as it is compared: compatibility forms and case folded, blanks single.
        folded      TEXT    NOT NULL,
        status      TEXT    NOT NULL CHECK (status IN ('current', 'superseded', 'retracted')),
        -- Since when, and until when, it holds: microseconds since 1970 UTC.
        valid_from  INTEGER NOT NULL,
        valid_to    INTEGER,
        replaced_by INTEGER REFERENCES facts (id) ON DELETE SET NULL,
        -- Its place within the node.
        position    INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX facts_by_node ON facts (node, status, position);
    -- What stands at the end makes no other fact; `fold::bare` is the same.
    CREATE INDEX facts_by_words ON facts (rtrim(folded, '.,;:!?。 '));

    -- Where a fact comes from.
    CREATE TABLE evidence (
        id           INTEGER PRIMARY KEY AUTOINCREMENT,
        fact         INTEGER NOT NULL REFERENCES facts (id) ON DELETE CASCADE,
        -- The very words; '' where only the day is known.
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

    -- Words of every item; its rowid is the item, 4 × id + kind.
    CREATE VIRTUAL TABLE words USING fts5(
        tokens, content = '', tokenize = 'porter unicode61 remove_diacritics 2'
    );
    INSERT INTO words (words, rank) VALUES ('secure-delete', 1);

    -- One byte a dimension, all of one model: the note embedding_model names it.
    CREATE TABLE vectors (
        item   INTEGER PRIMARY KEY,
        vector BLOB    NOT NULL
    ) STRICT;
    -- One bit a dimension: small, so that all of them can be looked through.
    CREATE TABLE codes (
        item INTEGER PRIMARY KEY,
        at   INTEGER NOT NULL,
        code BLOB    NOT NULL
    ) STRICT;

    -- What was forgotten or rewritten, for as long as it can be undone.
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
        -- When it was due the first time: what repeats is counted from there, so that the 31st stays the 31st.
        first_at   INTEGER NOT NULL,
        due_at     INTEGER NOT NULL,
        -- once, daily, weekdays, weekly, monthly, yearly, by the clock of the zone; '' is the system's.
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

    -- Small things to know about the memory itself.
    CREATE TABLE notes (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;";

/// What each witness was taken to say by itself, and when a meal was entered.
const WITNESSES: &str = "
    -- The fact as it was read from this witness alone, before it was joined with others; '' where nobody noted it.
    ALTER TABLE evidence ADD COLUMN wording TEXT NOT NULL DEFAULT '';
    CREATE INDEX facts_by_replacement ON facts (replaced_by) WHERE replaced_by IS NOT NULL;
    -- As the oldest fact of the same witness says it. What came into a merged line without a fact of its own is unknown.
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

/// Every step from an empty file to the newest form. Never change one that was released: add the next.
fn migrations() -> Migrations<'static> {
    Migrations::new(vec![M::up(DIALOGUE), M::up(KNOWLEDGE), M::up(WITNESSES)])
}

/// The form of a file: 0 is empty.
pub(crate) fn form(connection: &Connection) -> rusqlite::Result<i64> {
    connection.query_row("PRAGMA user_version", [], |row| row.get(0))
}

/// The newest form.
pub(crate) const NEWEST: i64 = 3;

/// The number that SQLite itself gives for a file of a form that we do not know.
pub(crate) const NEWER: i32 = rusqlite::ffi::SQLITE_SCHEMA;

/// Brings a file to the newest form. One of a newer program is an error of code [`NEWER`], and left alone.
pub(crate) fn bring_up(connection: &mut Connection) -> rusqlite::Result<()> {
    if form(connection)? > NEWEST {
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

    #[test]
    fn the_steps_lead_to_the_newest_form() {
        let mut connection = Connection::open_in_memory().unwrap();

        migrations().validate().unwrap();
        bring_up(&mut connection).unwrap();

        assert_eq!(form(&connection).unwrap(), NEWEST);
    }

    #[tokio::test]
    async fn a_file_of_form_2_is_backed_up_and_learns_what_each_witness_said() {
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

        let opened = crate::Store::open(&path).unwrap();
        let memory = crate::Memory::new(opened.store);

        assert_eq!(opened.trouble, None);
        let said = memory
            .store()
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
        assert_eq!(memory.meals(0..9, 9).await.unwrap()[0].entered_at, 7);
        let backup = &memory.backups()[0].path;
        assert_eq!(
            form(&Connection::open(backup).unwrap()).unwrap(),
            2,
            "the backup is what was there before"
        );
    }
}
