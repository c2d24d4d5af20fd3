//! The baseline: SQLite's full-text search with default settings, for all words of the question.

use rusqlite::{Connection, params};

/// One conversation.
pub struct Plain(Connection);

impl Plain {
    /// The texts with their numbers.
    pub fn new(texts: impl Iterator<Item = (i64, String)>) -> Self {
        let connection = Connection::open_in_memory().unwrap();
        connection
            .execute_batch("CREATE VIRTUAL TABLE said USING fts5(text, tokenize = 'unicode61')")
            .unwrap();
        for (number, text) in texts {
            let sql = "INSERT INTO said (rowid, text) VALUES (?1, ?2)";
            connection.execute(sql, params![number, text]).unwrap();
        }
        Self(connection)
    }

    /// The numbers of the best matches, best first.
    pub fn best(&self, question: &str, limit: usize) -> Vec<i64> {
        let words = question.split(|char: char| !char.is_alphanumeric()).filter(|word| !word.is_empty());
        let any: Vec<String> = words.map(|word| format!("\"{word}\"")).collect();
        let sql = "SELECT rowid FROM said WHERE said MATCH ?1 ORDER BY bm25(said), rowid LIMIT ?2";
        let mut select = self.0.prepare_cached(sql).unwrap();
        let rows = select.query_map(params![any.join(" OR "), limit as i64], |row| row.get(0)).unwrap();
        rows.collect::<Result<_, _>>().unwrap()
    }
}
