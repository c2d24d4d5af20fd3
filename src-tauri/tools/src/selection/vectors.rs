//! Ranking by meaning: the vectors of the tools' texts.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use llm::EmbedderId;

use super::paraphrases::paraphrases;
use super::words::split_name;
use crate::name::split_tool_name;
use crate::tool::Declaration;

/// Vectors that are kept of tools that are gone: a server that starts again brings the same tools.
const MAX_KEPT: usize = 20_000;

/// The purpose of a tool, or a request that it answers: one vector.
pub(super) struct Passage {
    /// Of the texts.
    pub(super) hash: u64,
    /// The vector is the sum of the vectors of these texts with their weights, which add up to 1.
    pub(super) texts: Vec<(String, f32)>,
}

/// The share of a tool's vector for sentences that people say in place of its name. Source: `cargo xtask bench tools`,
/// tuning half.
const PARAPHRASES: f32 = 0.5;

/// The vectors of texts by the hash of the text.
#[derive(Default)]
pub(super) struct VectorCache {
    model: Option<EmbedderId>,
    vectors: HashMap<u64, Arc<[f32]>>,
}

/// Returns the texts of a tool that are embedded: its purpose, and each example.
pub(super) fn passages(tool: &Declaration) -> Vec<Passage> {
    let examples = tool.examples.iter().map(|example| vec![(example.request.clone(), 1.0)]);
    let passages = std::iter::once(purpose(tool)).chain(examples);
    passages.map(|texts| Passage { hash: hash(&texts), texts }).collect()
}

/// Name and description, the description alone, and what people say instead.
fn purpose(tool: &Declaration) -> Vec<(String, f32)> {
    let description = tool.description.trim();
    let mut described = vec![format!("{}: {description}", split_name(&tool.name))];
    if !description.is_empty() {
        described.push(description.to_owned());
    }
    let own_name = split_tool_name(&tool.name).map_or(&*tool.name, |(_, name)| name);
    let said = paraphrases(&split_name(own_name));
    let share = if said.is_empty() { 0.0 } else { PARAPHRASES };
    let (weight, of_said) = ((1.0 - share) / described.len() as f32, share / said.len().max(1) as f32);
    let described = described.into_iter().map(|text| (text, weight));
    described.chain(said.into_iter().map(|text| (text, of_said))).collect()
}

impl Passage {
    /// Its vector, made of those of its texts in their order.
    pub(super) fn vector(&self, of_texts: &[Vec<f32>]) -> Vec<f32> {
        let mut sum = vec![0.0; of_texts.first().map_or(0, Vec::len)];
        for ((_, weight), vector) in self.texts.iter().zip(of_texts) {
            for (total, number) in sum.iter_mut().zip(vector) {
                *total += weight * number;
            }
        }
        sum
    }
}

impl VectorCache {
    /// The vector of a text.
    pub(super) fn get(&self, hash: u64) -> Option<Arc<[f32]>> {
        self.vectors.get(&hash).cloned()
    }

    /// Makes the cache that of one model: vectors of another one are dropped.
    pub(super) fn use_model(&mut self, model: &EmbedderId) {
        if self.model.as_ref() != Some(model) {
            self.vectors.clear();
            self.model = Some(model.clone());
        }
    }

    /// Keeps the vector of a text.
    pub(super) fn insert(&mut self, hash: u64, vector: Vec<f32>) {
        self.vectors.insert(hash, vector.into());
    }

    /// Drops what no tool needs, if there is too much of it.
    pub(super) fn trim(&mut self, is_needed: impl Fn(u64) -> bool) {
        if self.vectors.len() > MAX_KEPT {
            self.vectors.retain(|hash, _| is_needed(*hash));
        }
    }
}

/// The dot product of two vectors; 0 for vectors of different models.
pub(super) fn similarity(one: &[f32], other: &[f32]) -> f32 {
    if one.len() != other.len() {
        return 0.0;
    }
    // Eight sums side by side: the compiler makes vector instructions of them.
    let mut sums = [0.0_f32; 8];
    let (ones, others) = (one.chunks_exact(8), other.chunks_exact(8));
    let rest: f32 = ones.remainder().iter().zip(others.remainder()).map(|(a, b)| a * b).sum();
    for (a, b) in ones.zip(others) {
        for lane in 0..8 {
            sums[lane] += a[lane] * b[lane];
        }
    }
    sums.iter().sum::<f32>() + rest
}

fn hash(texts: &[(String, f32)]) -> u64 {
    let mut hasher = DefaultHasher::new();
    texts.iter().for_each(|(text, _)| text.hash(&mut hasher));
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn similarity_is_the_dot_product() {
        let one: Vec<f32> = (0..11).map(|n| n as f32).collect();

        assert_eq!(similarity(&one, &one), 385.0);
        assert_eq!(similarity(&one, &one[1..]), 0.0);
    }

    #[test]
    fn vector_of_a_passage_is_the_weighted_sum_of_its_texts() {
        let texts = vec![("a".to_owned(), 0.25), ("b".to_owned(), 0.75)];
        let passage = Passage { hash: hash(&texts), texts };

        assert_eq!(passage.vector(&[vec![1.0, 0.0], vec![0.0, 1.0]]), [0.25, 0.75]);
    }

    #[test]
    fn vectors_of_another_model_are_dropped() {
        let mut cache = VectorCache::default();
        cache.use_model(&EmbedderId("a".into()));
        cache.insert(1, vec![1.0]);

        cache.use_model(&EmbedderId("a".into()));
        assert!(cache.get(1).is_some());

        cache.use_model(&EmbedderId("b".into()));
        assert!(cache.get(1).is_none());
    }
}
