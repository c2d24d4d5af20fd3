//! Ranking by meaning: the vectors of the tools' texts.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use llm::EmbedderId;

use super::words::split_name;
use crate::tool::Declaration;

/// Vectors that are kept of tools that are gone: a server that starts again brings the same tools.
const MAX_KEPT: usize = 20_000;

/// A text of a tool that is embedded.
pub(super) struct Passage {
    /// Of the text.
    pub(super) hash: u64,
    /// What the tool is for, or a request that it answers.
    pub(super) text: String,
}

/// The vectors of texts by the hash of the text.
#[derive(Default)]
pub(super) struct VectorCache {
    model: Option<EmbedderId>,
    vectors: HashMap<u64, Arc<[f32]>>,
}

/// The texts of a tool that are embedded: name and description, and each example.
pub(super) fn passages(tool: &Declaration) -> Vec<Passage> {
    let purpose = format!("{}: {}", split_name(&tool.name), tool.description.trim());
    let examples = tool.examples.iter().map(|example| example.request.clone());
    std::iter::once(purpose).chain(examples).map(|text| Passage { hash: hash(&text), text }).collect()
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

/// The similarity of two vectors of length 1; 0 for vectors of different models.
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

fn hash(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
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
