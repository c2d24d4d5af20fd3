//! Full-text search: tokens of items and terms of questions.
//!
//! SQLite's tokeniser knows the letters of every script, but takes a whole run of Chinese or Thai for one word. Such runs
//! are split into overlapping pairs of characters, in the index and in questions: the usual method without a dictionary.

use icu_normalizer::{ComposingNormalizerBorrowed, DecomposingNormalizerBorrowed};
use rusqlite::{Connection, OptionalExtension, params};

use storage::notes::{note, set_note};

use crate::item::{ItemId, RecordKind};

/// Terms of a question that are searched; further ones add little and cost time.
const MAX_TERMS: usize = 24;

/// A term is common, and not searched, when more rows contain it than this, or than one in [`COMMON_SHARE`].
///
/// Counting and ranking are linear in the rows that contain a term. Source: `cargo xtask bench memory`, 10⁶ rows.
const COMMON_ROWS: i64 = 2_000;
const COMMON_SHARE: i64 = 200;

/// Rows that all terms together may match; the rarest terms come first. Source: as above.
const MATCHING_ROWS: i64 = 10_000;

/// The text as it is indexed.
pub(crate) fn tokens(text: &str) -> String {
    let text = without_accents(text);
    let mut tokens = String::with_capacity(text.len() + text.len() / 8);
    let mut run: Vec<char> = Vec::new();
    for char in text.chars() {
        if is_unspaced(char) {
            run.push(char);
            continue;
        }
        push_pairs(&mut tokens, &mut run);
        // SQLite ends texts at NUL.
        tokens.push(if char.is_control() { ' ' } else { char });
    }
    push_pairs(&mut tokens, &mut run);
    tokens
}

/// The distinct terms of a question in order: words, or pairs of characters in scripts without spaces.
pub fn terms(question: &str) -> Vec<String> {
    let mut terms: Vec<String> = Vec::new();
    let tokens = tokens(question).to_lowercase();
    for term in tokens.split(is_separator).filter(|term| !term.is_empty()) {
        if !terms.iter().any(|known| known == term) {
            terms.push(term.to_owned());
        }
    }
    terms.truncate(MAX_TERMS);
    terms
}

/// The distinct keywords of a question, for substring search: split at spaces, so that `c++` and `100 %` stay intact, without
/// the punctuation around sentences.
pub(crate) fn keywords(question: &str) -> Vec<String> {
    let mut keywords: Vec<String> = Vec::new();
    for word in search_form(question).split_whitespace() {
        let pieces = match word.chars().any(is_unspaced) {
            true => terms(word),
            false => vec![word.trim_matches(['.', ',', ';', ':', '!', '?', '"', '¿', '¡']).to_owned()],
        };
        for piece in pieces {
            if !piece.is_empty() && !keywords.contains(&piece) {
                keywords.push(piece);
            }
        }
    }
    keywords.truncate(MAX_TERMS);
    keywords
}

/// A text for substring search: lower case without accents.
pub(crate) fn search_form(text: &str) -> String {
    without_accents(text).to_lowercase()
}

/// The selective terms of a question.
pub(crate) struct SelectiveTerms {
    /// A full-text expression that matches any of the terms.
    pub expression: String,
    /// Approximate BM25 rank (as SQLite computes it) of a row of average length that contains each term once.
    pub full_rank: f64,
}

/// Selects the rare terms; `None` when all are common or unknown.
pub(crate) fn selective_terms(
    connection: &Connection,
    terms: &[String],
) -> rusqlite::Result<Option<SelectiveTerms>> {
    let rows = number_of_rows(connection)?;
    let common = (rows / COMMON_SHARE).clamp(COMMON_ROWS, MATCHING_ROWS);
    let mut counted = Vec::with_capacity(terms.len());
    let mut count = connection
        .prepare_cached("SELECT count(*) FROM (SELECT 1 FROM words WHERE words MATCH ?1 LIMIT ?2)")?;
    for term in terms {
        let quoted = quoted(term);
        let matching_rows: i64 = count.query_row(params![quoted, common + 1], |row| row.get(0))?;
        if matching_rows <= common {
            counted.push((matching_rows, quoted));
        }
    }
    counted.sort_by_key(|(matching_rows, _)| *matching_rows);
    let (mut searched_terms, mut matching, mut full_rank) = (Vec::new(), 0, 0.0);
    for (matching_rows, quoted) in counted {
        matching += matching_rows;
        if matching > MATCHING_ROWS {
            break;
        }
        // An unknown term counts as well: every result lacks it.
        full_rank += rarity(rows, matching_rows);
        if matching_rows > 0 {
            searched_terms.push(quoted);
        }
    }
    let expression = searched_terms.join(" OR ");
    Ok((!expression.is_empty()).then_some(SelectiveTerms { expression, full_rank: full_rank.max(1.0) }))
}

/// The number of rows, estimated from the highest number, since counting reads all rows: most items are messages with
/// consecutive ids.
pub(crate) fn number_of_rows(connection: &Connection) -> rusqlite::Result<i64> {
    let newest: Option<i64> =
        connection.prepare_cached("SELECT max(id) FROM words_docsize")?.query_row([], |row| row.get(0))?;
    Ok(newest.map_or(0, |newest| ItemId::from_number(newest).row))
}

/// The inverse document frequency of a term, as BM25 has it: from 0 for a common term to the logarithm of all rows.
pub(crate) fn rarity(rows: i64, matching_rows: i64) -> f64 {
    (((rows - matching_rows) as f64 + 0.5) / (matching_rows as f64 + 0.5)).max(1.0).ln()
}

/// The number of words of an item, 0 if it is not in the index. Above 127 it is not exact.
pub(crate) fn length(connection: &Connection, item: ItemId) -> rusqlite::Result<usize> {
    let mut select = connection.prepare_cached("SELECT sz FROM words_docsize WHERE id = ?1")?;
    // A varint: its first byte is the number, or from 128 on the beginning of a larger one. Source: SQLite's documentation
    // of FTS5, "The Document Sizes Table".
    let first = |row: &rusqlite::Row<'_>| Ok(row.get_ref(0)?.as_blob()?.first().copied().unwrap_or_default());
    Ok(select.query_row([item.number()], first).optional()?.map_or(0, usize::from))
}

/// A term as a quoted phrase, so that nothing in it is query syntax. A single character of a script without spaces matches all
/// words that begin with it.
pub(crate) fn quoted(term: &str) -> String {
    let mut chars = term.chars();
    let is_beginning = chars.next().is_some_and(is_unspaced) && chars.next().is_none();
    format!("\"{}\"{}", term.replace('"', "\"\""), if is_beginning { "*" } else { "" })
}

/// The indices of the texts that an expression matches, as the search table would: for texts that are not in the table.
pub(crate) fn matching(texts: &[String], expression: &str) -> rusqlite::Result<Vec<usize>> {
    // In memory only. The tokeniser is that of the schema.
    let table = Connection::open_in_memory()?;
    table.execute_batch(
        "CREATE VIRTUAL TABLE words USING fts5(
             tokens, content = '', tokenize = 'porter unicode61 remove_diacritics 2');",
    )?;
    let mut insert = table.prepare("INSERT INTO words (rowid, tokens) VALUES (?1, ?2)")?;
    for (place, text) in texts.iter().enumerate() {
        insert.execute(params![place as i64, tokens(text)])?;
    }
    let mut select = table.prepare("SELECT rowid FROM words WHERE words MATCH ?1")?;
    let places = select.query_map([expression], |row| row.get::<_, i64>(0))?;
    places.map(|place| place.map(|place| place as usize)).collect()
}

/// Indexes the words of an item.
pub(crate) fn insert(connection: &Connection, item: ItemId, text: &str) -> rusqlite::Result<()> {
    let sql = "INSERT INTO words (rowid, tokens) VALUES (?1, ?2)";
    connection.prepare_cached(sql)?.execute(params![item.number(), tokens(text)]).map(|_| ())
}

/// Removes an item from the index; `text` must be what was indexed.
pub(crate) fn delete(connection: &Connection, item: ItemId, text: &str) -> rusqlite::Result<()> {
    if !is_noted(connection, item)? {
        return Ok(());
    }
    let sql = "INSERT INTO words (words, rowid, tokens) VALUES ('delete', ?1, ?2)";
    connection.prepare_cached(sql)?.execute(params![item.number(), tokens(text)]).map(|_| ())
}

/// Returns `true` if an item is in the index.
pub(crate) fn is_noted(connection: &Connection, item: ItemId) -> rusqlite::Result<bool> {
    connection.prepare_cached("SELECT 1 FROM words_docsize WHERE id = ?1")?.exists([item.number()])
}

/// Set once all messages are in the full-text index.
const WORDS_ARE_NOTED: &str = "words_are_noted";

/// Adds messages to the index that were written before there was one. If it is interrupted, the next start repeats it.
pub(crate) fn index_older_messages(connection: &mut Connection) -> rusqlite::Result<()> {
    if note(connection, WORDS_ARE_NOTED)?.is_some() {
        return Ok(());
    }
    let transaction = connection.transaction()?;
    {
        let mut select = transaction.prepare("SELECT id, text FROM messages")?;
        let mut rows = select.query([])?;
        while let Some(row) = rows.next()? {
            let item = ItemId::new(RecordKind::Message, row.get(0)?);
            if !is_noted(&transaction, item)? {
                insert(&transaction, item, row.get_ref(1)?.as_str()?)?;
            }
        }
    }
    set_note(&transaction, WORDS_ARE_NOTED, "yes")?;
    transaction.commit()
}

/// SQLite removes accents from Latin letters only; people also omit them in Greek and Vietnamese.
fn without_accents(text: &str) -> String {
    let apart = DecomposingNormalizerBorrowed::new_nfkd().normalize(text);
    let bare: String = apart.chars().filter(|char| !matches!(char, '\u{300}'..='\u{36f}')).collect();
    ComposingNormalizerBorrowed::new_nfc().normalize(&bare).into_owned()
}

fn push_pairs(tokens: &mut String, run: &mut Vec<char>) {
    if run.is_empty() {
        return;
    }
    tokens.push(' ');
    for pair in run.windows(2) {
        tokens.extend(pair);
        tokens.push(' ');
    }
    // Now every character begins a word, so that a question of a single character finds it.
    tokens.extend(run.last());
    tokens.push(' ');
    run.clear();
}

/// Characters of scripts without spaces between words.
fn is_unspaced(char: char) -> bool {
    matches!(char,
        '\u{0e00}'..='\u{0eff}'     // Thai, Lao
        | '\u{1000}'..='\u{109f}'   // Burmese
        | '\u{1780}'..='\u{17ff}'   // Khmer
        | '\u{3040}'..='\u{30ff}'   // Hiragana, Katakana
        | '\u{31f0}'..='\u{31ff}'
        | '\u{3400}'..='\u{4dbf}'   // Han
        | '\u{4e00}'..='\u{9fff}'
        | '\u{f900}'..='\u{faff}'
        | '\u{20000}'..='\u{3ffff}')
}

fn is_separator(char: char) -> bool {
    char.is_whitespace()
        || char.is_ascii_punctuation()
        || matches!(char, '\u{a1}' | '\u{ab}' | '\u{b7}' | '\u{bb}' | '\u{bf}')
        || matches!(char, '\u{60c}' | '\u{61b}' | '\u{61f}' | '\u{964}' | '\u{2000}'..='\u{206f}' | '\u{3000}'..='\u{303f}')
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::latin("Ein Café!", "Ein Cafe!")]
    #[case::vietnamese("Việt", "Viet")]
    #[case::full_width("ＡＢＣ", "ABC")]
    #[case::chinese("我喜欢茶 ok", " 我喜 喜欢 欢茶 茶  ok")]
    #[case::one_character("茶", " 茶 ")]
    #[case::nul("a\0b", "a b")]
    fn scripts_without_spaces_are_split_into_pairs(#[case] text: &str, #[case] expected: &str) {
        assert_eq!(tokens(text), expected);
    }

    #[test]
    fn question_is_split_into_distinct_terms() {
        assert_eq!(terms("What's \"Anna's\" tea -- NOT (tea*)?"), ["what", "s", "anna", "tea", "not"]);
    }

    #[rstest]
    #[case::signs_inside("Learn C++!", &["learn", "c++"])]
    #[case::accents("Café, café", &["cafe"])]
    #[case::no_blanks("茶 什么茶", &["茶", "什么", "么茶"])]
    #[case::only_signs("?? !", &[])]
    fn keywords_are_split_at_spaces(#[case] question: &str, #[case] expected: &[&str]) {
        assert_eq!(keywords(question), expected);
    }

    #[test]
    fn quoting_escapes_query_syntax() {
        assert_eq!(quoted("a\"b*"), "\"a\"\"b*\"");
    }
}
