//! Vectors with the distribution of real sentences: in clusters of all sizes, in the directions that the model prefers.

use std::path::Path;

use embedding::InstalledEmbedder;
use llm::{CancellationToken, EmbedRole, Embedder};
use models::{Machine, ModelStore};

use crate::questions;
use crate::random::Random;

/// Number of real sentences that the vectors are mixed from. More sentences do not change the results.
const SENTENCES: usize = 2_000;

/// The sentence model, if it is installed.
pub fn installed() -> Option<InstalledEmbedder> {
    let store = ModelStore::with_default_settings().ok()?;
    let embedder = InstalledEmbedder::with_threads(store, Machine::this(), Vec::new(), None, 2);
    embedder.is_installed().then_some(embedder)
}

/// The vectors of texts.
pub async fn embed(embedder: &InstalledEmbedder, texts: &[String], role: EmbedRole) -> Vec<Vec<f32>> {
    embedder.embed(texts, role, CancellationToken::new()).await.unwrap()
}

/// Vectors of the generated sentences.
pub struct Meanings {
    sentences: Vec<Vec<f32>>,
}

impl Meanings {
    /// Embeds the sentences that all vectors are mixed from. Without a model, the vectors are random and a message says so.
    pub async fn new() -> Self {
        let Some(embedder) = installed() else {
            println!(
                "The sentence model is not installed (`cargo xtask models`): the vectors are made-up clusters."
            );
            return Self { sentences: (0..SENTENCES as u64).map(made_up).collect() };
        };
        println!("The vectors are mixed from those of {SENTENCES} sentences, by {}.", embedder.id());
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/recall/questions.json");
        let questions = questions::read(&file);
        let turns = questions.conversations.iter().flat_map(|conversation| &conversation.turns);
        let said: Vec<&str> = turns.map(|turn| turn.text.as_str()).collect();
        let mut random = Random::new(3, 0);
        let mut texts: Vec<String> = said.iter().map(|text| (*text).to_owned()).collect();
        while texts.len() < SENTENCES {
            let mut part = || half(said[random.below(said.len())]);
            texts.push(format!("{} {}", part(), part()));
        }
        Self { sentences: embed(&embedder, &texts, EmbedRole::Passage).await }
    }

    /// The vector of a row: mostly one sentence, part of another one, and a shift.
    pub fn of_row(&self, row: u64) -> Vec<f32> {
        let mut random = Random::new(4, row);
        let mut vector = self.one(&mut random).to_vec();
        let weight = random.between(0.0, 0.8);
        add(&mut vector, weight, self.one(&mut random));
        let weight = random.between(0.2, 0.6);
        add(&mut vector, weight, self.one(&mut random));
        add(&mut vector, -weight, self.one(&mut random));
        unit(vector)
    }

    /// The vector of a question about a row. The similarity of both is about 0.7.
    pub fn of_question(&self, row: u64) -> Vec<f32> {
        let mut random = Random::new(5, row);
        let mut shift = self.one(&mut random).to_vec();
        add(&mut shift, -1.0, self.one(&mut random));
        let mut vector = self.of_row(row);
        add(&mut vector, 1.0, &unit(shift));
        unit(vector)
    }

    fn one(&self, random: &mut Random) -> &[f32] {
        &self.sentences[random.below(self.sentences.len())]
    }
}

/// The scalar product, in lanes the processor adds at once.
pub fn product(a: &[f32], b: &[f32]) -> f32 {
    let mut lanes = [0.0f32; 16];
    for (a, b) in a.chunks_exact(16).zip(b.chunks_exact(16)) {
        for lane in 0..16 {
            lanes[lane] += a[lane] * b[lane];
        }
    }
    lanes.iter().sum()
}

fn add(sum: &mut [f32], weight: f32, vector: &[f32]) {
    sum.iter_mut().zip(vector).for_each(|(sum, value)| *sum += weight * value);
}

fn unit(mut vector: Vec<f32>) -> Vec<f32> {
    let length = product(&vector, &vector).sqrt().max(1e-6);
    vector.iter_mut().for_each(|value| *value /= length);
    vector
}

/// Some of its words, from the first or to the last.
fn half(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let middle = words.len() / 2;
    let half = if text.len().is_multiple_of(2) { &words[..middle] } else { &words[middle..] };
    half.join(" ")
}

fn made_up(number: u64) -> Vec<f32> {
    let mut random = Random::new(6, number);
    let mut spread = || (0..6).map(|_| random.share() as f32 - 0.5).sum::<f32>();
    unit((0..384).map(|_| spread()).collect())
}
