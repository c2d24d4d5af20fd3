//! Ranking by words: BM25 over the fields of a declaration.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::words::words;
use crate::tool::Declaration;

/// The saturation of repeated words, and the discount of long texts. Source: the usual values of BM25 are 1.2
/// and 0.75; descriptions of tools are short, so their length says less.
const K1: f32 = 1.2;
const B: f32 = 0.4;

/// The weight of a word by the field it stands in. Source: `cargo xtask bench tools`, tuning half.
const NAME: f32 = 2.0;
const KEYWORD: f32 = 2.0;
const DESCRIPTION: f32 = 1.0;
const EXAMPLE: f32 = 1.0;
const PARAMETER: f32 = 0.5;

/// The words of a tool with their weights.
pub(super) struct Document {
    words: HashMap<String, f32>,
    length: f32,
}

/// The words of all tools.
#[derive(Default)]
pub(super) struct Lexical {
    postings: HashMap<String, Vec<(u32, f32)>>,
    documents: Vec<Arc<Document>>,
    mean_length: f32,
}

impl Document {
    /// Reads the declaration of a tool.
    pub(super) fn new(tool: &Declaration) -> Self {
        let mut document = Self { words: HashMap::new(), length: 0.0 };
        document.add(&tool.name, NAME);
        document.add(&tool.description, DESCRIPTION);
        for keyword in &tool.keywords {
            document.add(keyword, KEYWORD);
        }
        for example in &tool.examples {
            document.add(&example.request, EXAMPLE);
        }
        if let Some(parameters) = tool.parameters.get("properties").and_then(serde_json::Value::as_object) {
            for (name, parameter) in parameters {
                document.add(name, PARAMETER);
                if let Some(description) = parameter.get("description").and_then(serde_json::Value::as_str) {
                    document.add(description, PARAMETER);
                }
            }
        }
        document
    }

    fn add(&mut self, text: &str, weight: f32) {
        for word in words(text) {
            *self.words.entry(word).or_default() += weight;
            self.length += weight;
        }
    }
}

impl Lexical {
    /// The index of these documents.
    pub(super) fn new(documents: Vec<Arc<Document>>) -> Self {
        let mut postings: HashMap<String, Vec<(u32, f32)>> = HashMap::new();
        for (number, document) in (0..).zip(&documents) {
            for (word, weight) in &document.words {
                match postings.get_mut(word) {
                    Some(list) => list.push((number, *weight)),
                    None => drop(postings.insert(word.clone(), vec![(number, *weight)])),
                }
            }
        }
        let total: f32 = documents.iter().map(|document| document.length).sum();
        let mean_length = (total / documents.len().max(1) as f32).max(1.0);
        Self { postings, documents, mean_length }
    }

    /// The scores of all documents in order, from 0 to 1: 1 would be a document that has every word of the query often. Words
    /// of `codes` that no document has do not count: they are values for a tool.
    pub(super) fn scores(&self, query: &[String], codes: &HashSet<String>) -> Vec<f32> {
        let mut scores = vec![0.0; self.documents.len()];
        let mut best_possible = 0.0;
        for word in query {
            let list = self.postings.get(word).map_or(&[][..], Vec::as_slice);
            if list.is_empty() && codes.contains(word) {
                continue;
            }
            let rarity = self.rarity(list.len());
            best_possible += rarity * (K1 + 1.0);
            for (number, weight) in list {
                let length = self.documents[*number as usize].length / self.mean_length;
                let saturation = weight * (K1 + 1.0) / (weight + K1 * (1.0 - B + B * length));
                scores[*number as usize] += rarity * saturation;
            }
        }
        if best_possible > 0.0 {
            scores.iter_mut().for_each(|score| *score /= best_possible);
        }
        scores
    }

    /// Returns the weight of a word that this many documents have.
    fn rarity(&self, documents: usize) -> f32 {
        let all = self.documents.len() as f32;
        let having = documents as f32;
        (1.0 + (all - having + 0.5) / (having + 0.5)).ln()
    }
}
