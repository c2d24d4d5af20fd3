//! Compares the result of a case with the expectations.

use std::time::Duration;

use memory::normalise;
use reflection::detect_language;

use crate::cases::{Half, Wanted};

/// The result of a case, compared with the expectations.
#[derive(Debug)]
pub struct Judged {
    /// Id of the case.
    pub id: String,
    /// Tuning or held out.
    pub half: Half,
    /// `true` if all answers could be read and were accepted.
    pub is_usable: bool,
    /// Number of expected things.
    pub wanted: usize,
    /// Expected things that are missing.
    pub missing: Vec<String>,
    /// Stored texts that are forbidden.
    pub forbidden: Vec<String>,
    /// Number of texts in the user's language, and in another one. Texts of unknown language are not counted.
    pub language_kept: (usize, usize),
    /// Duration of the case.
    pub took: Duration,
    /// The stored texts.
    pub stored: Vec<String>,
    /// Number of facts that the user never said.
    pub unsupported: usize,
    /// The answers of the model, word for word.
    pub answers: Vec<String>,
}

/// The result of a case before the comparison.
pub struct Outcome {
    /// Id of the case.
    pub id: String,
    /// Tuning or held out.
    pub half: Half,
    /// The user's language.
    pub language: String,
    /// `true` if all answers could be read and were accepted.
    pub is_usable: bool,
    /// Duration of the case.
    pub took: Duration,
    /// The stored texts.
    pub stored: Vec<String>,
    /// Number of facts that the user never said.
    pub unsupported: usize,
    /// The answers of the model, word for word.
    pub answers: Vec<String>,
}

impl Outcome {
    /// Compares the stored texts with the expectations.
    pub fn judged(self, wanted: &Wanted) -> Judged {
        let folded: Vec<String> = self.stored.iter().map(|text| normalise(text)).collect();
        let is_stored = |words: &str| folded.iter().any(|text| text.contains(&normalise(words)));
        let missing = wanted.keep.iter().filter(|wordings| !wordings.iter().any(|words| is_stored(words)));
        let missing = missing.map(|wordings| wordings.join(" / ")).collect();
        let mut forbidden: Vec<String> =
            wanted.avoid.iter().filter(|words| is_stored(words)).cloned().collect();
        let beyond = self.stored.len().saturating_sub(wanted.most.unwrap_or(usize::MAX));
        forbidden.extend(self.stored.iter().take(beyond).map(|text| format!("learned: {text}")));
        let languages: Vec<_> = self.stored.iter().filter_map(|text| detect_language(text)).collect();
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
            unsupported: self.unsupported,
            answers: self.answers,
        }
    }
}
