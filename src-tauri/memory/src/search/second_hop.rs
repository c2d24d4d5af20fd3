//! A second search, by the names found in the first results.
//!
//! "Where does the woman who lent me the tent work?" finds the tent, and with it her name. What was said about her later
//! shares nothing with the question but that name.

use std::collections::HashMap;

use rusqlite::{Connection, params};

use crate::item::ItemId;
use crate::search::indexed_text::indexed;
use crate::search::names::names;
use crate::search::words;

/// The number of first results that are read for names.
///
/// Source of this and the following numbers: `cargo xtask bench memory --questions tests/recall/questions-2.json`, its
/// tuning half.
pub(crate) const READ_FOR_NAMES: usize = 3;

/// The gain of an item from a name that occurs nowhere else: this share of the score of the result that holds the name.
///
/// Flat between 0.25 and 0.6.
const WEIGHT_OF_NAME: f64 = 0.4;

/// A name is followed when at most one row in this many contains it: what everybody talks about leads nowhere.
const COMMON_SHARE: i64 = 50;

/// The fewest and the most rows that a name is followed to. The most bounds the time, as each row needs its vector.
const FEWEST_ROWS: i64 = 6;
const MOST_ROWS: i64 = 50;

/// Names that are followed, the first ones of the best results: bounds the time.
const MOST_NAMES: usize = 8;

/// Returns the gains of the items that share a rare name with one of the first results, given best first with their
/// scores. Names in the question itself are not followed: the first search did that.
pub(crate) fn gains_by_name(
    connection: &Connection,
    first_results: &[(i64, f64)],
    question: &[String],
) -> rusqlite::Result<HashMap<i64, f64>> {
    let rows = words::number_of_rows(connection)?.max(2);
    let most_rows = (rows / COMMON_SHARE).clamp(FEWEST_ROWS, MOST_ROWS);
    let mut select = connection.prepare_cached("SELECT rowid FROM words WHERE words MATCH ?1 LIMIT ?2")?;
    let mut followed: Vec<String> = Vec::new();
    let mut gains = HashMap::new();
    for (origin, score) in first_results {
        let Some(text) = indexed(connection, ItemId::from_number(*origin))? else { continue };
        for name in names(&text.text) {
            if followed.len() == MOST_NAMES {
                return Ok(gains);
            }
            if question.contains(&name) || followed.contains(&name) {
                continue;
            }
            let found = select.query_map(params![words::quoted(&name), most_rows + 1], |row| row.get(0))?;
            let found = found.collect::<rusqlite::Result<Vec<i64>>>()?;
            followed.push(name);
            let matching_rows = found.len() as i64;
            if matching_rows > most_rows {
                continue;
            }
            let rarity = words::rarity(rows, matching_rows) / (rows as f64).ln();
            for item in found.into_iter().filter(|item| item != origin) {
                let gain: &mut f64 = gains.entry(item).or_default();
                *gain = gain.max(WEIGHT_OF_NAME * score.max(0.0) * rarity.min(1.0));
            }
        }
    }
    Ok(gains)
}
