//! An embedding model that counts words.

use std::collections::{HashMap, VecDeque};

use async_trait::async_trait;
use llm::{CancellationToken, EmbedError, EmbedRole, Embedder, EmbedderId, normalised};
use parking_lot::Mutex;

/// Number of hash buckets: two words of a short text rarely share one.
const DIMENSIONS: usize = 512;

/// Makes vectors of word counts, ignoring order and case. Texts are similar if they share words. The vectors are equal
/// on all machines. Records the requests.
#[derive(Default)]
pub struct BagOfWords {
    errors: Mutex<VecDeque<EmbedError>>,
    asked: Mutex<Vec<(EmbedRole, Vec<String>)>>,
    synonyms: HashMap<&'static str, &'static str>,
}

impl BagOfWords {
    /// A model that never fails.
    pub fn new() -> Self {
        Self::default()
    }

    /// A model whose first calls return these errors.
    pub fn failing(errors: impl IntoIterator<Item = EmbedError>) -> Self {
        Self { errors: Mutex::new(errors.into_iter().collect()), ..Self::default() }
    }

    /// A model that replaces the first word of each pair by the second.
    pub fn with_synonyms(pairs: impl IntoIterator<Item = (&'static str, &'static str)>) -> Self {
        Self { synonyms: pairs.into_iter().collect(), ..Self::default() }
    }

    /// All requests, in order.
    pub fn asked(&self) -> Vec<(EmbedRole, Vec<String>)> {
        self.asked.lock().clone()
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
        self.asked.lock().push((role, texts.to_vec()));
        if stop.is_cancelled() {
            return Err(EmbedError::Cancelled);
        }
        match self.errors.lock().pop_front() {
            Some(error) => Err(error),
            None => texts.iter().map(|text| normalised(word_counts(text, &self.synonyms))).collect(),
        }
    }

    fn id(&self) -> EmbedderId {
        EmbedderId("bag-of-words".into())
    }

    fn dimensions(&self) -> Option<usize> {
        Some(DIMENSIONS)
    }
}

/// The number of occurrences of each word.
fn word_counts(text: &str, synonyms: &HashMap<&str, &str>) -> Vec<f32> {
    let mut counts = vec![0.0; DIMENSIONS];
    let text = text.to_lowercase();
    let mut split_words =
        text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).peekable();
    if split_words.peek().is_none() {
        // Counts the empty word, so that a text without words has a direction.
        counts[dimension_of("")] = 1.0;
    }
    for word in split_words {
        counts[dimension_of(synonyms.get(word).unwrap_or(&word))] += 1.0;
    }
    counts
}

/// The bucket of a word by FNV-1a, which is stable, unlike the hash of the standard library.
fn dimension_of(word: &str) -> usize {
    let mix = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    let hash = word.bytes().fold(0xcbf2_9ce4_8422_2325, mix);
    (hash % DIMENSIONS as u64) as usize
}
