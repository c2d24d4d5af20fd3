//! What came of a case, beside what was wanted.

use std::time::Duration;

use memory::normalise;
use reflection::language_of;

use crate::cases::{Half, Wanted};

/// What came of a case.
#[derive(Debug)]
pub struct Judged {
    /// Which case.
    pub id: String,
    /// Where it belongs.
    pub half: Half,
    /// Could the model's answers be read, and were they accepted?
    pub is_usable: bool,
    /// How many things were to be kept.
    pub wanted: usize,
    /// What of them is missing.
    pub missing: Vec<String>,
    /// What was stored and must not be.
    pub forbidden: Vec<String>,
    /// Texts in the user's language, and in another; those that do not tell count in neither.
    pub language_kept: (usize, usize),
    /// How long it took.
    pub took: Duration,
    /// What was stored.
    pub stored: Vec<String>,
    /// Facts that the model found and the user never said.
    pub without_witness: usize,
    /// What the model answered, word for word.
    pub answers: Vec<String>,
}

/// A case before it is judged.
pub struct Outcome {
    /// Which case.
    pub id: String,
    /// Where it belongs.
    pub half: Half,
    /// The user's language.
    pub language: String,
    /// Could the model's answers be read, and were they accepted?
    pub is_usable: bool,
    /// How long it took.
    pub took: Duration,
    /// What was stored.
    pub stored: Vec<String>,
    /// Facts that the model found and the user never said.
    pub without_witness: usize,
    /// What the model answered, word for word.
    pub answers: Vec<String>,
}

impl Outcome {
    /// Compares what was stored with what was wanted.
    pub fn judged(self, wanted: &Wanted) -> Judged {
        let folded: Vec<String> = self.stored.iter().map(|text| normalise(text)).collect();
        let is_stored = |words: &str| folded.iter().any(|text| text.contains(&normalise(words)));
        let missing = wanted.keep.iter().filter(|wordings| !wordings.iter().any(|words| is_stored(words)));
        let missing = missing.map(|wordings| wordings.join(" / ")).collect();
        let mut forbidden: Vec<String> =
            wanted.avoid.iter().filter(|words| is_stored(words)).cloned().collect();
        let beyond = self.stored.len().saturating_sub(wanted.most.unwrap_or(usize::MAX));
        forbidden.extend(self.stored.iter().take(beyond).map(|text| format!("learned: {text}")));
        let languages: Vec<_> = self.stored.iter().filter_map(|text| language_of(text)).collect();
        let same = languages.iter().filter(|language| **language == self.language).count();
        Judged {
            id: self.id,
            half: self.half,
            is_usable: self.is_usable,
            wanted: wanted.keep.len(),
            missing,
            forbidden,
            language_kept: (same, languages.len() - same),
            took: self.took,
            stored: self.stored,
            without_witness: self.without_witness,
            answers: self.answers,
        }
    }
}
