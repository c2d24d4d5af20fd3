//! Search by meaning: embedding vectors, quantised.
//!
//! A vector is stored twice: with one byte per dimension in `vectors`, and with one bit per dimension in `codes`. The bits
//! of all items are held in memory and compared by counting differing bits. They select some hundred candidates, which
//! the bytes rank.

use std::collections::HashMap;

use rusqlite::{Connection, params};

use crate::item::{ItemId, RecordKind};

/// Candidates that the bits select for the bytes to rank.
///
/// Source: `cargo xtask bench memory`; of the ten best of an exact search, 9.7 are found at 10⁶ rows. With 800 it is
/// 9.9, and each recall takes a millisecond longer.
pub(crate) const CANDIDATES: usize = 400;

/// Quantised vectors that one thread scans. Source: as above; 10⁵ take about a millisecond, and speech recognition keeps the
/// other cores busy.
const VECTORS_PER_THREAD: usize = 250_000;

/// A unit vector with one byte per dimension: the scale as `f32`, then the bytes.
pub(crate) fn pack(vector: &[f32]) -> Vec<u8> {
    let largest = vector.iter().fold(0.0f32, |largest, value| largest.max(value.abs()));
    let scale = if largest > 0.0 { largest / 127.0 } else { 1.0 };
    let mut packed = Vec::with_capacity(4 + vector.len());
    packed.extend(scale.to_le_bytes());
    packed.extend(vector.iter().map(|value| (value / scale).round() as i8 as u8));
    packed
}

/// Cosine similarity of a packed vector and a unit vector; 0 if their dimensions differ.
pub(crate) fn similarity(packed: &[u8], vector: &[f32]) -> f32 {
    let Some((scale, bytes)) = packed.split_first_chunk::<4>() else { return 0.0 };
    if bytes.len() != vector.len() {
        return 0.0;
    }
    // Independent sums, so that the processor adds several at once.
    let mut sums = [0.0f32; 8];
    for (bytes, values) in bytes.chunks(8).zip(vector.chunks(8)) {
        for ((sum, byte), value) in sums.iter_mut().zip(bytes).zip(values) {
            *sum += f32::from(*byte as i8) * value;
        }
    }
    sums.iter().sum::<f32>() * f32::from_le_bytes(*scale)
}

/// One bit per dimension: whether it is positive.
pub(crate) fn quantise(vector: &[f32]) -> Vec<u8> {
    vector
        .chunks(8)
        .map(|eight| {
            eight.iter().enumerate().fold(0u8, |byte, (bit, value)| byte | (u8::from(*value > 0.0) << bit))
        })
        .collect()
}

/// Weight of the first vector in a mean, where the others weigh 1: the message itself against the messages around it.
///
/// Source: `cargo xtask bench memory --questions tests/recall/questions.json`, flat between 2 and 4; with 1, search
/// by meaning alone loses 1 point at 10 and 5 at 20.
const WEIGHT_OF_FIRST: f32 = 2.0;

/// The weighted mean of vectors as a unit vector; `None` when the dimensions differ or the mean is zero.
pub(crate) fn mean(vectors: &[Vec<f32>]) -> Option<Vec<f32>> {
    let first = vectors.first()?;
    if vectors.iter().any(|vector| vector.len() != first.len()) {
        return None;
    }
    let mut sum: Vec<f32> = first.iter().map(|value| value * WEIGHT_OF_FIRST).collect();
    for vector in &vectors[1..] {
        sum.iter_mut().zip(vector).for_each(|(sum, value)| *sum += value);
    }
    let length = sum.iter().map(|value| value * value).sum::<f32>().sqrt();
    (length.is_finite() && length > 1e-6).then(|| {
        sum.iter_mut().for_each(|value| *value /= length);
        sum
    })
}

/// The quantised vectors of all items, in memory.
#[derive(Default)]
pub(crate) struct QuantisedVectors {
    items: Vec<i64>,
    /// Index of each item in `items`.
    places: HashMap<i64, usize>,
    /// Time of each item, in microseconds since 1970 UTC.
    at: Vec<i64>,
    /// `words` numbers per item.
    bits: Vec<u64>,
    words: usize,
}

impl QuantisedVectors {
    pub(crate) fn load(connection: &Connection) -> rusqlite::Result<Self> {
        let mut vectors = Self::default();
        let mut select = connection.prepare_cached("SELECT item, at, code FROM codes")?;
        let mut rows = select.query([])?;
        while let Some(row) = rows.next()? {
            vectors.push(row.get(0)?, row.get(1)?, row.get_ref(2)?.as_blob()?);
        }
        Ok(vectors)
    }

    /// Adds or replaces an item.
    pub(crate) fn push(&mut self, item: i64, at: i64, code: &[u8]) {
        self.remove(item);
        let words = code.len().div_ceil(8);
        if self.items.is_empty() {
            self.words = words;
        }
        if words != self.words {
            return;
        }
        self.places.insert(item, self.items.len());
        self.items.push(item);
        self.at.push(at);
        self.bits.extend(numbers(code));
    }

    pub(crate) fn remove(&mut self, item: i64) {
        if let Some(place) = self.places.remove(&item) {
            self.items.swap_remove(place);
            if let Some(moved) = self.items.get(place) {
                self.places.insert(*moved, place);
            }
            self.at.swap_remove(place);
            let last = self.bits.len() - self.words;
            self.bits.copy_within(last.., place * self.words);
            self.bits.truncate(last);
        }
    }

    /// About `count` items nearest to `vector`, in no order, among those that `is_wanted` accepts by item and time.
    pub(crate) fn nearest(
        &self,
        vector: &[f32],
        count: usize,
        is_wanted: impl Fn(i64, i64) -> bool + Sync,
    ) -> Vec<i64> {
        let wanted: Vec<u64> = numbers(&quantise(vector)).collect();
        if self.items.is_empty() || wanted.len() != self.words || count == 0 {
            return Vec::new();
        }
        let mut distances = vec![u16::MAX; self.items.len()];
        let threads = self.items.len().div_ceil(VECTORS_PER_THREAD).min(threads());
        let share = self.items.len().div_ceil(threads);
        std::thread::scope(|scope| {
            let shares = distances.chunks_mut(share).zip(self.bits.chunks(share * self.words));
            for (place, (distances, bits)) in shares.enumerate() {
                let (wanted, is_wanted) = (&wanted, &is_wanted);
                let first = place * share;
                let mut work = move || {
                    measure(bits, wanted, distances);
                    for (offset, distance) in distances.iter_mut().enumerate() {
                        if !is_wanted(self.items[first + offset], self.at[first + offset]) {
                            *distance = u16::MAX;
                        }
                    }
                };
                if threads == 1 {
                    work();
                } else {
                    scope.spawn(work);
                }
            }
        });
        let farthest = cut_off(&distances, count, self.words * 64);
        let near = distances.iter().zip(&self.items).filter(|(distance, _)| **distance <= farthest);
        near.map(|(_, item)| *item).collect()
    }
}

/// The largest distance among the nearest `count`, ties included.
fn cut_off(distances: &[u16], count: usize, bits: usize) -> u16 {
    let mut at_distance = vec![0usize; bits + 1];
    for distance in distances {
        if let Some(number) = at_distance.get_mut(usize::from(*distance)) {
            *number += 1;
        }
    }
    let mut taken = 0;
    for (distance, number) in at_distance.iter().enumerate() {
        taken += number;
        if taken >= count {
            return distance as u16;
        }
    }
    bits as u16
}

fn threads() -> usize {
    std::thread::available_parallelism().map_or(1, |threads| threads.get().min(4))
}

fn numbers(code: &[u8]) -> impl Iterator<Item = u64> {
    code.chunks(8).map(|chunk| {
        let mut eight = [0; 8];
        eight[..chunk.len()].copy_from_slice(chunk);
        u64::from_le_bytes(eight)
    })
}

/// Counts the differing bits of each vector in `bits`.
fn measure(bits: &[u64], wanted: &[u64], distances: &mut [u16]) {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("popcnt") {
        // SAFETY: the processor has the instruction.
        return unsafe { measure_with_popcnt(bits, wanted, distances) };
    }
    measure_plainly(bits, wanted, distances);
}

/// Compiled with the instruction that counts bits: five times as fast.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "popcnt")]
fn measure_with_popcnt(bits: &[u64], wanted: &[u64], distances: &mut [u16]) {
    measure_plainly(bits, wanted, distances);
}

#[inline(always)]
fn measure_plainly(bits: &[u64], wanted: &[u64], distances: &mut [u16]) {
    for (code, distance) in bits.chunks_exact(wanted.len()).zip(distances) {
        let differing: u32 = code.iter().zip(wanted).map(|(a, b)| (a ^ b).count_ones()).sum();
        *distance = differing as u16;
    }
}

/// Stores the vector of an item that has none. A vector that is not final is computed again later.
pub(crate) fn put(
    connection: &Connection,
    item: ItemId,
    at: i64,
    vector: &[f32],
    is_final: bool,
) -> rusqlite::Result<()> {
    let sql = "INSERT INTO vectors (item, vector) VALUES (?1, ?2)";
    connection.prepare_cached(sql)?.execute(params![item.number(), pack(vector)])?;
    let sql = "INSERT INTO codes (item, at, code) VALUES (?1, ?2, ?3)";
    connection.prepare_cached(sql)?.execute(params![item.number(), at, quantise(vector)])?;
    mark(connection, item, is_final)
}

/// Deletes the vector of an item. Returns whether it had one.
pub(crate) fn delete(connection: &Connection, item: ItemId) -> rusqlite::Result<bool> {
    let vectors =
        connection.prepare_cached("DELETE FROM vectors WHERE item = ?1")?.execute([item.number()])?;
    let codes = connection.prepare_cached("DELETE FROM codes WHERE item = ?1")?.execute([item.number()])?;
    mark(connection, item, false)?;
    Ok(vectors + codes > 0)
}

/// There are too many messages to search for those without a vector, so each has a flag.
fn mark(connection: &Connection, item: ItemId, is_embedded: bool) -> rusqlite::Result<()> {
    if item.kind != RecordKind::Message {
        return Ok(());
    }
    let sql = "UPDATE messages SET is_embedded = ?2 WHERE id = ?1 AND is_embedded <> ?2";
    connection.prepare_cached(sql)?.execute(params![item.row, is_embedded]).map(|_| ())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn unit(values: Vec<f32>) -> Vec<f32> {
        mean(&[values]).unwrap_or_else(|| vec![1.0, 0.0, 0.0, 0.0])
    }

    proptest! {
        #[test]
        fn packed_vector_is_similar_to_itself(values in prop::collection::vec(-1.0f32..1.0, 16)) {
            let vector = unit(values);

            let similarity = similarity(&pack(&vector), &vector);

            prop_assert!((similarity - 1.0).abs() < 0.02, "{similarity}");
        }

        #[test]
        fn quantised_vectors_hold_the_last_of_each_item(
            actions in prop::collection::vec((0i64..20, any::<bool>(), any::<u64>()), 0..60)
        ) {
            let mut vectors = QuantisedVectors::default();
            let mut model = std::collections::BTreeMap::new();
            for (item, is_put, bits) in actions {
                if is_put {
                    // Also replaces an earlier vector of the item.
                    vectors.push(item, 0, &bits.to_le_bytes());
                    model.insert(item, bits);
                } else {
                    vectors.remove(item);
                    model.remove(&item);
                }
            }

            let mut held: Vec<(i64, u64)> =
                vectors.items.iter().copied().zip(vectors.bits.iter().copied()).collect();
            held.sort_unstable();

            prop_assert_eq!(held, model.into_iter().collect::<Vec<_>>());
        }
    }

    #[test]
    fn nearest_items_have_the_fewest_differing_bits() {
        let mut vectors = QuantisedVectors::default();
        for (item, vector) in
            [(1, [1.0f32, 1.0, 1.0, 1.0]), (2, [1.0, 1.0, 1.0, -1.0]), (3, [-1.0, -1.0, -1.0, -1.0])]
        {
            vectors.push(item, item, &quantise(&vector));
        }

        let mut near = vectors.nearest(&[1.0, 1.0, 1.0, 1.0], 2, |_, _| true);
        near.sort_unstable();

        assert_eq!(near, [1, 2]);
        assert_eq!(vectors.nearest(&[1.0, 1.0, 1.0, 1.0], 1, |_, at| at > 1), [2]);
        assert!(
            vectors.nearest(&[1.0; 500], 1, |_, _| true).is_empty(),
            "another model has nothing in common"
        );
    }

    #[test]
    fn vectors_of_other_dimensions_have_no_similarity() {
        assert_eq!(similarity(&pack(&[1.0, 0.0]), &[1.0]), 0.0);
        assert_eq!(similarity(&[], &[1.0]), 0.0);
        assert_eq!(mean(&[vec![1.0], vec![1.0, 0.0]]), None);
        assert_eq!(mean(&[vec![0.0, 0.0]]), None);
    }
}
