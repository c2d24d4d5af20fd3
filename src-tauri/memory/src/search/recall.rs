//! Recall: search by words and by meaning at once.
//!
//! Words find names and numbers, meaning finds paraphrases. Both yield their best candidates; every candidate gets both
//! scores, and their weighted sum decides. The score by words is the share of the terms of the question that an item
//! contains, weighted by rarity: for a paraphrase it is low, and meaning decides. Messages of a few words lose a little, and
//! items that share a rare name with one of the first results gain something.

use std::collections::HashMap;
use std::ops::Range;

use rusqlite::{Connection, OptionalExtension, params};

use crate::MemoryError;
use crate::item::{ItemId, MemoryItem, RecordKind};
use crate::memory::{Memory, MemoryState};
use crate::search::items::memory_item;
use crate::search::second_hop::{READ_FOR_NAMES, gains_by_name};
use crate::search::vectors::{self, QuantisedVectors};
use crate::search::words::{self, SelectiveTerms};

/// Weight of meaning in the sum of both scores; words have the rest.
///
/// Source: `cargo xtask bench memory --questions tests/recall/questions.json`, flat between 0.7 and 0.83. With both
/// scores normalised to 0..1 among the candidates, the same questions lose 8 points at 10.
const WEIGHT_OF_MEANING: f64 = 0.75;

/// Bonus for an item of the preferred time.
///
/// Source: as above, flat between 0.15 and 0.35. For questions that name a time, the first ten contain 96 % of the evidence with
/// it, and 46 % without.
const BONUS_OF_TIME: f64 = 0.25;

/// The loss of a message of no words; one of [`FULL_LENGTH`] words or more loses nothing, others in proportion.
///
/// "What did she say?" is like every question, and answers none. Source: `cargo xtask bench memory --questions` with both
/// files of tests/recall, tuning halves: 5 and 12 points more at 10, still more with 0.2. Less is taken, since the short
/// remarks of both files are their authors' idea of talk.
const LOSS_BY_BREVITY: f64 = 0.15;

/// Number of words from which a message loses nothing. Source: as above, flat between 12 and 20.
const FULL_LENGTH: usize = 16;

/// Minimum number of candidates of each kind of search.
const CANDIDATES: usize = 100;

/// Results of the word search that are checked for the preferred time: lower ranks share little with the question.
const LOOKED_THROUGH: usize = 10 * CANDIDATES;

/// A search request.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Recall {
    /// The question in words.
    pub words: String,
    /// The question as a unit vector of the model that the memory is embedded with. Without it, only words count.
    pub vector: Option<Vec<f32>>,
    /// Only items of this time: microseconds since 1970 UTC.
    pub span: Option<Range<i64>>,
    /// Prefers items of this time, such as the days that a question names. Other items are still found, because people also
    /// name the time of an event that they mentioned later.
    pub preferred: Option<Range<i64>>,
    /// Only these kinds; empty means all.
    pub kinds: Vec<RecordKind>,
    /// Maximum number of results.
    pub limit: usize,
}

/// A search result.
#[derive(Debug, Clone, PartialEq)]
pub struct SearchHit {
    /// The item found.
    pub item: MemoryItem,
    /// Relevance from 0 to 1, plus gains for the preferred time and for names shared with the first results, less a little for
    /// messages of a few words. Only comparable between results of the same kind of search: by words, by meaning, or both.
    pub score: f64,
    /// Cosine similarity of question and item; `None` unless both have a vector.
    pub similarity: Option<f32>,
    /// `true` if it shares a rare word with the question.
    pub shares_words: bool,
}

impl Memory {
    /// The best results, best first. Without words and vector: the newest items.
    pub async fn recall(&self, recall: Recall) -> Result<Vec<SearchHit>, MemoryError> {
        let shared = std::sync::Arc::clone(&self.shared);
        self.read(move |connection| find(connection, &shared, &recall)).await
    }

    /// Loads the caches of recall, so that the first question need not wait.
    pub async fn prepare_recall(&self) -> Result<(), MemoryError> {
        let shared = std::sync::Arc::clone(&self.shared);
        self.read(move |connection| with_quantised_vectors(connection, &shared, |_| ())).await
    }
}

/// Sorts results by time, newest first: where entries disagree, the newer one is read first.
pub fn newest_first(found: &mut [SearchHit]) {
    found.sort_by(|a, b| b.item.at_micros.cmp(&a.item.at_micros).then(b.score.total_cmp(&a.score)));
}

#[derive(Default, Clone, Copy)]
struct Scores {
    words: f64,
    similarity: Option<f32>,
    is_preferred: bool,
    /// [`LOSS_BY_BREVITY`] in proportion.
    loss: f64,
    /// See [`gains_by_name`].
    gain: f64,
}

fn find(connection: &Connection, shared: &MemoryState, recall: &Recall) -> rusqlite::Result<Vec<SearchHit>> {
    let terms = words::terms(&recall.words);
    if terms.is_empty() && recall.vector.is_none() {
        return newest(connection, recall);
    }
    let selective_terms = words::selective_terms(connection, &terms)?;
    let by_words =
        selective_terms.map_or(Ok(Vec::new()), |selective_terms| by_words(connection, &selective_terms))?;
    let mut scores = HashMap::new();
    gather(connection, shared, recall, &by_words, &mut scores)?;
    if let Some(preferred) = &recall.preferred {
        let (start, end) = recall.span.as_ref().map_or((i64::MIN, i64::MAX), |span| (span.start, span.end));
        let span = preferred.start.max(start)..preferred.end.min(end);
        let recall = Recall { span: Some(span), ..recall.clone() };
        let looked_through = &by_words[..by_words.len().min(LOOKED_THROUGH)];
        gather(connection, shared, &recall, looked_through, &mut scores)?;
    }
    let gathered = scores.keys().copied().collect();
    complete(connection, recall, gathered, &mut scores)?;
    // A search for words alone finds what contains them.
    if recall.vector.is_some() {
        let first_results: Vec<(i64, f64)> = fuse(&scores).into_iter().take(READ_FOR_NAMES).collect();
        let mut added = Vec::new();
        for (item, gain) in gains_by_name(connection, &first_results, &terms)? {
            if !scores.contains_key(&item) {
                if !is_wanted(connection, recall, item)? {
                    continue;
                }
                added.push(item);
            }
            scores.entry(item).or_default().gain = gain;
        }
        complete(connection, recall, added, &mut scores)?;
    }
    let mut ranked = fuse(&scores);
    ranked.truncate(recall.limit);
    let mut found = Vec::with_capacity(ranked.len());
    for (item, score) in ranked {
        let Some(item_found) = memory_item(connection, ItemId::from_number(item))? else { continue };
        let Scores { words, similarity, .. } = scores[&item];
        found.push(SearchHit { item: item_found, score, similarity, shares_words: words > 0.0 });
    }
    Ok(found)
}

/// Adds the candidates by words and by meaning.
fn gather(
    connection: &Connection,
    shared: &MemoryState,
    recall: &Recall,
    by_words: &[(i64, f64)],
    scores: &mut HashMap<i64, Scores>,
) -> rusqlite::Result<()> {
    let candidates = CANDIDATES.max(3 * recall.limit);
    for (item, share) in wanted(connection, recall, by_words, candidates)? {
        scores.entry(item).or_default().words = share;
    }
    if let Some(vector) = &recall.vector {
        for (item, similarity) in by_meaning(connection, shared, recall, vector, candidates)? {
            scores.entry(item).or_default().similarity = Some(similarity);
        }
    }
    Ok(())
}

/// Adds what the searches did not yield: similarity, time and length of these items.
fn complete(
    connection: &Connection,
    recall: &Recall,
    items: Vec<i64>,
    scores: &mut HashMap<i64, Scores>,
) -> rusqlite::Result<()> {
    for item in &items {
        let scores = scores.entry(*item).or_default();
        let id = ItemId::from_number(*item);
        if let Some(preferred) = &recall.preferred {
            scores.is_preferred = time_of(connection, *item)?.is_some_and(|at| preferred.contains(&at));
        }
        if id.kind == RecordKind::Message {
            let length = words::length(connection, id)?.min(FULL_LENGTH);
            scores.loss = LOSS_BY_BREVITY * (1.0 - length as f64 / FULL_LENGTH as f64);
        }
    }
    if let Some(vector) = &recall.vector {
        let unknown = items.into_iter().filter(|item| scores[item].similarity.is_none()).collect();
        for (item, similarity) in similarities(connection, unknown, vector)? {
            scores.entry(item).or_default().similarity = Some(similarity);
        }
    }
    Ok(())
}

/// The weighted sum of both scores with its gains and losses, best first.
fn fuse(scores: &HashMap<i64, Scores>) -> Vec<(i64, f64)> {
    let is_by_meaning = scores.values().any(|scores| scores.similarity.is_some());
    let weight = if is_by_meaning { WEIGHT_OF_MEANING } else { 0.0 };
    let mut ranked: Vec<(i64, f64)> = scores
        .iter()
        .map(|(item, scores)| {
            let similarity = scores.similarity.map_or(0.0, |similarity| f64::from(similarity.max(0.0)));
            let bonus = if scores.is_preferred { BONUS_OF_TIME } else { 0.0 };
            let relevance = (1.0 - weight) * scores.words + weight * similarity;
            (*item, relevance + bonus + scores.gain - scores.loss)
        })
        .collect();
    // Equal scores: the newer row first, so that results are deterministic.
    ranked.sort_by(|a, b| b.1.total_cmp(&a.1).then(b.0.cmp(&a.0)));
    ranked
}

/// The word search: items with the share of terms they contain, 0 to 1, best first.
fn by_words(connection: &Connection, selective_terms: &SelectiveTerms) -> rusqlite::Result<Vec<(i64, f64)>> {
    // Sorted here: with ORDER BY rank, SQLite carries the positions of every word through its sorter. At 10⁵ rows that
    // took a tenth of the 95th percentile.
    let mut select = connection.prepare_cached("SELECT rowid, rank FROM words WHERE words MATCH ?1")?;
    let rows = select.query_map([&selective_terms.expression], |row| {
        let rank: f64 = row.get(1)?;
        // A better rank is more negative.
        Ok((row.get(0)?, -rank / selective_terms.full_rank))
    })?;
    let mut found = rows.collect::<rusqlite::Result<Vec<(i64, f64)>>>()?;
    found.sort_unstable_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    found.iter_mut().for_each(|(_, share)| *share = share.min(1.0));
    Ok(found)
}

/// The first `count` results of the wanted kinds and time.
fn wanted(
    connection: &Connection,
    recall: &Recall,
    found: &[(i64, f64)],
    count: usize,
) -> rusqlite::Result<Vec<(i64, f64)>> {
    let mut wanted = Vec::with_capacity(count.min(found.len()));
    for (item, share) in found {
        if is_wanted(connection, recall, *item)? {
            wanted.push((*item, *share));
            if wanted.len() == count {
                break;
            }
        }
    }
    Ok(wanted)
}

fn by_meaning(
    connection: &Connection,
    shared: &MemoryState,
    recall: &Recall,
    vector: &[f32],
    count: usize,
) -> rusqlite::Result<Vec<(i64, f32)>> {
    let is_wanted = |item: i64, at: i64| {
        is_kind_wanted(recall, item) && recall.span.as_ref().is_none_or(|span| span.contains(&at))
    };
    let near = with_quantised_vectors(connection, shared, |loaded| {
        loaded.nearest(vector, vectors::CANDIDATES.max(4 * count), is_wanted)
    })?;
    let mut found = similarities(connection, near, vector)?;
    found.sort_by(|a, b| b.1.total_cmp(&a.1));
    found.truncate(count);
    Ok(found)
}

/// Uses the quantised vectors, which are loaded first if necessary.
pub(crate) fn with_quantised_vectors<T>(
    connection: &Connection,
    shared: &MemoryState,
    work: impl FnOnce(&QuantisedVectors) -> T,
) -> rusqlite::Result<T> {
    if let Some(loaded) = &*shared.vectors.read() {
        return Ok(work(loaded));
    }
    // The lock is held during the load: vectors written meanwhile are added after it.
    let mut loaded = shared.vectors.write();
    if loaded.is_none() {
        *loaded = Some(QuantisedVectors::load(connection)?);
    }
    Ok(loaded.as_ref().map(work).expect("they were loaded just now"))
}

/// The similarities of items to a vector, without items that have no vector.
fn similarities(
    connection: &Connection,
    mut items: Vec<i64>,
    vector: &[f32],
) -> rusqlite::Result<Vec<(i64, f32)>> {
    // In file order: neighbours share a page.
    items.sort_unstable();
    let mut select = connection.prepare_cached("SELECT vector FROM vectors WHERE item = ?1")?;
    let mut found = Vec::with_capacity(items.len());
    for item in items {
        let similarity =
            |row: &rusqlite::Row<'_>| Ok(vectors::similarity(row.get_ref(0)?.as_blob()?, vector));
        if let Some(similarity) = select.query_row([item], similarity).optional()? {
            found.push((item, similarity));
        }
    }
    Ok(found)
}

fn is_wanted(connection: &Connection, recall: &Recall, item: i64) -> rusqlite::Result<bool> {
    Ok(is_kind_wanted(recall, item)
        && match &recall.span {
            None => true,
            Some(span) => time_of(connection, item)?.is_some_and(|at| span.contains(&at)),
        })
}

fn is_kind_wanted(recall: &Recall, item: i64) -> bool {
    recall.kinds.is_empty() || recall.kinds.contains(&ItemId::from_number(item).kind)
}

fn time_of(connection: &Connection, item: i64) -> rusqlite::Result<Option<i64>> {
    let id = ItemId::from_number(item);
    let sql = match id.kind {
        RecordKind::Message => "SELECT said_at FROM messages WHERE id = ?1",
        RecordKind::Diary => "SELECT (unixepoch(day) + 43200) * 1000000 FROM diary WHERE id = ?1",
        RecordKind::Fact => "SELECT valid_from FROM facts WHERE id = ?1",
        RecordKind::Node => "SELECT updated_at FROM nodes WHERE id = ?1",
        RecordKind::Meal | RecordKind::Appointment | RecordKind::Todo => return Ok(None),
    };
    connection.prepare_cached(sql)?.query_row([id.row], |row| row.get(0)).optional()
}

fn newest(connection: &Connection, recall: &Recall) -> rusqlite::Result<Vec<SearchHit>> {
    let span = recall.span.clone().unwrap_or(i64::MIN..i64::MAX);
    let mut items: Vec<(i64, i64)> = Vec::new();
    for (kind, sql) in [
        (
            RecordKind::Message,
            "SELECT id, said_at FROM messages WHERE said_at >= ?1 AND said_at < ?2 ORDER BY said_at DESC LIMIT ?3",
        ),
        (
            RecordKind::Diary,
            "SELECT id, (unixepoch(day) + 43200) * 1000000 AS at FROM diary WHERE at >= ?1 AND at < ?2 ORDER BY at DESC LIMIT ?3",
        ),
        (
            RecordKind::Fact,
            "SELECT id, valid_from FROM facts WHERE status = 'current' AND valid_from >= ?1 AND valid_from < ?2 ORDER BY valid_from DESC LIMIT ?3",
        ),
        (
            RecordKind::Node,
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
    let found = items
        .into_iter()
        .filter_map(|(_, item)| memory_item(connection, ItemId::from_number(item)).transpose());
    found
        .map(|item| item.map(|item| SearchHit { item, score: 0.0, similarity: None, shares_words: false }))
        .collect()
}
