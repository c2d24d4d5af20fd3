//! An embedding model that counts words.

use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, PoisonError};

use async_trait::async_trait;
use llm::{CancellationToken, EmbedError, EmbedRole, Embedder, EmbedderId, normalised};

/// Words are told apart by their hash; in so many places, two of a short text rarely share one.
const DIMENSIONS: usize = 512;

/// Makes vectors of the words of a text alone, whatever their order and case: texts with many words in common are
/// alike, those with none are not. The same on every machine. Remembers what it was asked.
#[derive(Default)]
pub struct BagOfWords {
    errors: Mutex<VecDeque<EmbedError>>,
    asked: Mutex<Vec<(EmbedRole, Vec<String>)>>,
    same: HashMap<&'static str, &'static str>,
}

impl BagOfWords {
    /// A model that never fails.
    pub fn new() -> Self {
        Self::default()
    }

    /// A model that fails in these ways first, once each.
    pub fn failing(errors: impl IntoIterator<Item = EmbedError>) -> Self {
        Self { errors: Mutex::new(errors.into_iter().collect()), ..Self::default() }
    }

    /// A model to which the words of each pair mean the same.
    pub fn to_which_are_the_same(pairs: impl IntoIterator<Item = (&'static str, &'static str)>) -> Self {
        Self { same: pairs.into_iter().collect(), ..Self::default() }
    }

    /// What it was asked, in order.
    pub fn asked(&self) -> Vec<(EmbedRole, Vec<String>)> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

#[async_trait]
impl Embedder for BagOfWords {
    async fn embed(
        &self,
        texts: &[String],
        role: EmbedRole,
        stop: CancellationToken,
    ) -> Result<Vec<Vec<f32>>, EmbedError> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).push((role, texts.to_vec()));
        if stop.is_cancelled() {
            return Err(EmbedError::Stopped);
        }
        match self.errors.lock().unwrap_or_else(PoisonError::into_inner).pop_front() {
            Some(error) => Err(error),
            None => texts.iter().map(|text| normalised(counted(text, &self.same))).collect(),
        }
    }

    fn id(&self) -> EmbedderId {
        EmbedderId("bag-of-words".into())
    }

    fn dimensions(&self) -> Option<usize> {
        Some(DIMENSIONS)
    }
}

/// How often each word is there.
fn counted(text: &str, same: &HashMap<&str, &str>) -> Vec<f32> {
    let mut counts = vec![0.0; DIMENSIONS];
    let text = text.to_lowercase();
    let mut words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).peekable();
    if words.peek().is_none() {
        // The empty word: a text without words has a direction as well.
        counts[place_of("")] = 1.0;
    }
    for word in words {
        counts[place_of(same.get(word).unwrap_or(&word))] += 1.0;
    }
    counts
}

/// FNV-1a, which unlike the standard library's hash never changes.
fn place_of(word: &str) -> usize {
    let mix = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    let hash = word.bytes().fold(0xcbf2_9ce4_8422_2325, mix);
    (hash % DIMENSIONS as u64) as usize
}
