//! The words of models about a conversation, in `words.toml`.

use super::lists::{List, WordList};

/// The words of models about a conversation. The patterns are in the notation of `sequences`. Besides words they have
/// `{user}` and `{assistant}` (their names), `{word}` (one word), `{words}` (some words of the clause or none; up to four
/// characters if the language has no spaces) and `{any}` (some words of the sentence or none).
#[derive(Debug)]
pub struct NarrationWords {
    /// Names of the user, as the subject of a clause.
    pub user: WordList,
    /// Names of the assistant, as the subject of a clause.
    pub assistant: WordList,
    /// Verbs that may stand between a conjunction and the subject.
    pub verbs_before_subject: WordList,
    /// Words between two clauses.
    pub conjunctions: WordList,
    /// Clauses about what the assistant did not know or could not do.
    pub inabilities: List<&'static str>,
    /// Beginnings of clauses about what the assistant offered.
    pub offers: List<&'static str>,
    /// Beginnings of sentences that tell what the user said instead of what is so.
    pub narrations: List<&'static str>,
}
