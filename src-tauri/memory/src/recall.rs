//! Finding again what was said and learned: by words and by meaning at once.
//!
//! Words find names and numbers, meaning finds what was put otherwise. Both give their best candidates; every candidate
//! gets both scores, each brought to 0..1, and their weighted sum decides. On conversational questions that finds more
//! than either alone, and more than fusing ranks.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::PoisonError;

use rusqlite::{Connection, OptionalExtension, params};

use crate::item::{ItemId, Kind};
use crate::memory::{Memory, Shared};
use crate::remembered::{Remembered, remembered};
use crate::vectors::{self, Codes};
use crate::{MemoryError, words};

/// What meaning counts for in the sum of both scores; words count for the rest.
///
/// Source: `cargo xtask bench memory --questions`, flat between 0.5 and 0.7.
const WEIGHT_OF_MEANING: f64 = 0.6;

/// Candidates that each side gives, at least.
const CANDIDATES: usize = 100;

/// What to look for.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Recall {
    /// In words.
    pub words: String,
    /// By meaning: a vector of length 1 from the model that the memory is embedded with; without it words decide alone.
    pub vector: Option<Vec<f32>>,
    /// Only what was said, learned or written in this time: microseconds since 1970 UTC.
    pub span: Option<Range<i64>>,
    /// Only these kinds; none is all.
    pub kinds: Vec<Kind>,
    /// At most so many.
    pub limit: usize,
}

/// Something found.
#[derive(Debug, Clone, PartialEq)]
pub struct Recalled {
    /// What.
    pub item: Remembered,
    /// How well it fits, 0 to 1; only good for comparing what one recall found.
    pub score: f64,
    /// How alike question and item are in meaning, -1 to 1; `None` without a vector on both sides.
    pub likeness: Option<f32>,
    /// Does it share a telling word with the question?
    pub shares_words: bool,
}

impl Memory {
    /// What fits best, best first. Without words or a vector to go by: what is newest.
    ///
    /// # Errors
    ///
    /// [`MemoryError`] when the database cannot be read.
    pub async fn recall(&self, recall: Recall) -> Result<Vec<Recalled>, MemoryError> {
        let shared = std::sync::Arc::clone(&self.shared);
        self.store.read(move |connection| find(connection, &shared, &recall)).await
    }

    /// The thing of that name; `None` when there is none.
    ///
    /// # Errors
    ///
    /// [`MemoryError`] when the database cannot be read.
    pub async fn item(&self, id: ItemId) -> Result<Option<Remembered>, MemoryError> {
        self.store.read(move |connection| remembered(connection, id)).await
    }
}

/// Orders what was found by time, the newest first: where entries disagree, the newer one is read first.
pub fn newest_first(found: &mut [Recalled]) {
    found.sort_by(|a, b| b.item.at_micros.cmp(&a.item.at_micros).then(b.score.total_cmp(&a.score)));
}

#[derive(Default, Clone, Copy)]
struct Scores {
    words: f64,
    likeness: Option<f32>,
}

fn find(connection: &Connection, shared: &Shared, recall: &Recall) -> rusqlite::Result<Vec<Recalled>> {
    let terms = words::terms(&recall.words);
    if terms.is_empty() && recall.vector.is_none() {
        return newest(connection, recall);
    }
    let candidates = CANDIDATES.max(3 * recall.limit);
    let mut scores: HashMap<i64, Scores> = HashMap::new();
    for (item, rank) in by_words(connection, recall, &terms, candidates)? {
        scores.entry(item).or_default().words = rank;
    }
    if let Some(vector) = &recall.vector {
        for (item, likeness) in by_meaning(connection, shared, recall, vector, candidates)? {
            scores.entry(item).or_default().likeness = Some(likeness);
        }
        for (item, scores) in &mut scores {
            if scores.likeness.is_none() {
                scores.likeness = likeness_of(connection, *item, vector)?;
            }
        }
    }
    let mut ranked = fuse(&scores);
    ranked.truncate(recall.limit);
    let mut found = Vec::with_capacity(ranked.len());
    for (item, score) in ranked {
        let Some(item_found) = remembered(connection, ItemId::of_number(item))? else { continue };
        let Scores { words, likeness } = scores[&item];
        found.push(Recalled { item: item_found, score, likeness, shares_words: words > 0.0 });
    }
    Ok(found)
}

/// The weighted sum of both scores, best first.
fn fuse(scores: &HashMap<i64, Scores>) -> Vec<(i64, f64)> {
    let best_words = scores.values().fold(0.0, |best: f64, scores| best.max(scores.words));
    let likenesses = || scores.values().filter_map(|scores| scores.likeness).map(f64::from);
    let (least, most) = (likenesses().fold(f64::MAX, f64::min), likenesses().fold(f64::MIN, f64::max));
    let mut ranked: Vec<(i64, f64)> = scores
        .iter()
        .map(|(item, scores)| {
            let words = if best_words > 0.0 { scores.words / best_words } else { 0.0 };
            let meaning = scores.likeness.map_or(0.0, |likeness| {
                if most > least { (f64::from(likeness) - least) / (most - least) } else { 1.0 }
            });
            let weight = if most > f64::MIN { WEIGHT_OF_MEANING } else { 0.0 };
            (*item, (1.0 - weight) * words + weight * meaning)
        })
        .collect();
    // Of equals the newer row first, so that the same question always has the same answer.
    ranked.sort_by(|a, b| b.1.total_cmp(&a.1).then(b.0.cmp(&a.0)));
    ranked
}

fn by_words(
    connection: &Connection,
    recall: &Recall,
    terms: &[String],
    count: usize,
) -> rusqlite::Result<Vec<(i64, f64)>> {
    let Some(expression) = words::expression(connection, terms)? else { return Ok(Vec::new()) };
    let mut select =
        connection.prepare_cached("SELECT rowid, rank FROM words WHERE words MATCH ?1 ORDER BY rank")?;
    let mut rows = select.query([expression])?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        let (item, rank): (i64, f64) = (row.get(0)?, row.get(1)?);
        let is_wanted = match &recall.span {
            None => is_kind_wanted(recall, item),
            Some(span) => {
                is_kind_wanted(recall, item)
                    && time_of(connection, item)?.is_some_and(|at| span.contains(&at))
            }
        };
        if is_wanted {
            // The better, the more negative.
            found.push((item, -rank));
            if found.len() == count {
                break;
            }
        }
    }
    Ok(found)
}

fn by_meaning(
    connection: &Connection,
    shared: &Shared,
    recall: &Recall,
    vector: &[f32],
    count: usize,
) -> rusqlite::Result<Vec<(i64, f32)>> {
    let is_wanted = |item: i64, at: i64| {
        is_kind_wanted(recall, item) && recall.span.as_ref().is_none_or(|span| span.contains(&at))
    };
    let near = with_codes(connection, shared, |codes| {
        codes.nearest(vector, vectors::CANDIDATES.max(4 * count), is_wanted)
    })?;
    let mut found = Vec::with_capacity(near.len());
    for item in near {
        if let Some(likeness) = likeness_of(connection, item, vector)? {
            found.push((item, likeness));
        }
    }
    found.sort_by(|a, b| b.1.total_cmp(&a.1));
    found.truncate(count);
    Ok(found)
}

/// Works with the codes, read first if they are not at hand.
pub(crate) fn with_codes<T>(
    connection: &Connection,
    shared: &Shared,
    work: impl FnOnce(&Codes) -> T,
) -> rusqlite::Result<T> {
    if let Some(codes) = &*shared.codes.read().unwrap_or_else(PoisonError::into_inner) {
        return Ok(work(codes));
    }
    // The lock is held while they are read: what is written meanwhile is noted after.
    let mut codes = shared.codes.write().unwrap_or_else(PoisonError::into_inner);
    if codes.is_none() {
        *codes = Some(Codes::load(connection)?);
    }
    Ok(codes.as_ref().map(work).expect("they were read just now"))
}

fn likeness_of(connection: &Connection, item: i64, vector: &[f32]) -> rusqlite::Result<Option<f32>> {
    let mut select = connection.prepare_cached("SELECT vector FROM vectors WHERE item = ?1")?;
    select.query_row([item], |row| Ok(vectors::likeness(row.get_ref(0)?.as_blob()?, vector))).optional()
}

fn is_kind_wanted(recall: &Recall, item: i64) -> bool {
    recall.kinds.is_empty() || recall.kinds.contains(&ItemId::of_number(item).kind)
}

fn time_of(connection: &Connection, item: i64) -> rusqlite::Result<Option<i64>> {
    let id = ItemId::of_number(item);
    let sql = match id.kind {
        Kind::Message => "SELECT said_at FROM messages WHERE id = ?1",
        Kind::Diary => "SELECT (unixepoch(day) + 43200) * 1000000 FROM diary WHERE id = ?1",
        Kind::Fact => "SELECT valid_from FROM facts WHERE id = ?1",
        Kind::Node => "SELECT updated_at FROM nodes WHERE id = ?1",
    };
    connection.prepare_cached(sql)?.query_row([id.row], |row| row.get(0)).optional()
}

fn newest(connection: &Connection, recall: &Recall) -> rusqlite::Result<Vec<Recalled>> {
    let span = recall.span.clone().unwrap_or(i64::MIN..i64::MAX);
    let mut items: Vec<(i64, i64)> = Vec::new();
    for (kind, sql) in [
        (
            Kind::Message,
            "SELECT id, said_at FROM messages WHERE said_at >= ?1 AND said_at < ?2 ORDER BY said_at DESC LIMIT ?3",
        ),
        (
            Kind::Diary,
            "SELECT id, (unixepoch(day) + 43200) * 1000000 AS at FROM diary WHERE at >= ?1 AND at < ?2 ORDER BY at DESC LIMIT ?3",
        ),
        (
            Kind::Fact,
            "SELECT id, valid_from FROM facts WHERE status = 'current' AND valid_from >= ?1 AND valid_from < ?2 ORDER BY valid_from DESC LIMIT ?3",
        ),
        (
            Kind::Node,
            "SELECT id, updated_at FROM nodes WHERE id > 4 AND updated_at >= ?1 AND updated_at < ?2 ORDER BY updated_at DESC LIMIT ?3",
        ),
    ] {
        if !recall.kinds.is_empty() && !recall.kinds.contains(&kind) {
            continue;
        }
        let mut select = connection.prepare_cached(sql)?;
        let rows = select.query_map(params![span.start, span.end, recall.limit as i64], |row| {
            Ok((row.get(1)?, ItemId::new(kind, row.get(0)?).number()))
        })?;
        items.extend(rows.collect::<rusqlite::Result<Vec<_>>>()?);
    }
    items.sort_unstable_by(|a, b| b.cmp(a));
    items.truncate(recall.limit);
    let found =
        items.into_iter().filter_map(|(_, item)| remembered(connection, ItemId::of_number(item)).transpose());
    found
        .map(|item| item.map(|item| Recalled { item, score: 0.0, likeness: None, shares_words: false }))
        .collect()
}
