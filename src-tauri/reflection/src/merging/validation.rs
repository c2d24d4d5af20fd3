//! Traces every fact to its line in a merged list, and rejects lists that invent or lose facts.

use vocabulary::Private;

use super::merged::{DroppedFact, FactSource, MergeRejection, MergedFacts, MergedLine};
use super::parsing::MergeAnswer;
use crate::grounding::{SAME_MEANING, grounded_share, has_new_number, similarity};
use crate::normalising::normalise_without_punctuation;

/// Least grounded share of a rewritten line; with less, the model invented it. One half leaves room for joined and inflected
/// words in any language; unrelated sentences of one language share a quarter at most.
const MIN_GROUNDED_SHARE: f64 = 0.5;

/// From this similarity on, two facts have the same subject: one may replace the other.
const SAME_SUBJECT: f64 = 0.5;

/// The model may omit one fact for each new one, and one in this many existing facts, as common knowledge or narration.
const EXISTING_PER_OMISSION: usize = 4;

/// The number of existing facts that one new fact may replace: after a move, both the town and the street are outdated.
const MAX_REPLACED_BY_ONE: usize = 2;

/// Traces every fact to its line.
///
/// # Errors
///
/// Why the list must not replace the existing facts.
pub(super) fn validate(
    existing: &[String],
    new: &[String],
    answer: &MergeAnswer,
) -> Result<MergedFacts, MergeRejection> {
    let mut lines = verbatim_lines(existing, new, &answer.lines);
    let facts: Vec<&String> = existing.iter().chain(new).collect();
    let is_in_list =
        |source: &FactSource| lines.iter().any(|line| line.is_verbatim && line.has_source(*source));
    let not_in_list: Vec<(FactSource, &String)> =
        sources(existing, new).filter(|(source, _)| !is_in_list(source)).collect();

    let (dropped, losses) = trace_facts(&not_in_list, answer, &mut lines);

    let has_sources = |line: &mut FactLine| line.is_verbatim || line.find_sources(&not_in_list);
    if !lines.iter_mut().all(has_sources) || lines.iter().any(|line| line.is_invented(&facts)) {
        return Err(MergeRejection::Invents);
    }
    if losses.replaced > new.len() * MAX_REPLACED_BY_ONE
        || losses.omitted > new.len() + existing.len() / EXISTING_PER_OMISSION
    {
        return Err(MergeRejection::Forgets);
    }
    Ok(MergedFacts { lines: lines.into_iter().map(FactLine::into_merged).collect(), dropped })
}

/// The number of existing facts that are no longer in the list, by reason.
#[derive(Default)]
struct Losses {
    replaced: usize,
    omitted: usize,
}

/// Traces each fact that no line contains verbatim. Adds the facts to the sources of rewritten lines.
fn trace_facts(
    facts: &[(FactSource, &String)],
    answer: &MergeAnswer,
    lines: &mut [FactLine],
) -> (Vec<DroppedFact>, Losses) {
    let mut dropped = Vec::new();
    let mut losses = Losses::default();
    let (old, new): (Vec<_>, Vec<_>) = facts.iter().partition(|(source, _)| source.is_existing());
    // New facts first: the line that replaces an existing fact is found by the new fact among its sources.
    for (source, fact) in new.into_iter().chain(old) {
        let by = match trace_of(source, fact, answer, lines) {
            FactTrace::Reworded { line } => {
                lines[line].sources.push(source);
                continue;
            }
            FactTrace::Replaced { line } => {
                losses.replaced += 1;
                Some(line)
            }
            FactTrace::Duplicate { line } => Some(line),
            FactTrace::Omitted { line } => {
                losses.omitted += usize::from(source.is_existing());
                line
            }
        };
        dropped.push(DroppedFact { source, by });
    }
    (dropped, losses)
}

/// The trace of a fact that no line contains verbatim.
enum FactTrace {
    /// The line says it in other words.
    Reworded { line: usize },
    /// According to the model, a new fact replaced it; that fact is in this line.
    Replaced { line: usize },
    /// The line says nearly the same.
    Duplicate { line: usize },
    /// The model omitted it, perhaps in favour of this line.
    Omitted { line: Option<usize> },
}

fn trace_of(source: FactSource, fact: &str, answer: &MergeAnswer, lines: &[FactLine]) -> FactTrace {
    if let Some(line) = replaced_by(source, answer, lines) {
        return FactTrace::Replaced { line };
    }
    match most_similar(fact, lines) {
        Some((line, similarity)) if similarity >= SAME_SUBJECT && !lines[line].is_verbatim => {
            FactTrace::Reworded { line }
        }
        Some((line, similarity)) if similarity >= SAME_MEANING => FactTrace::Duplicate { line },
        Some((line, similarity)) if similarity >= SAME_SUBJECT => FactTrace::Omitted { line: Some(line) },
        Some(_) | None => FactTrace::Omitted { line: None },
    }
}

struct FactLine {
    text: String,
    sources: Vec<FactSource>,
    is_verbatim: bool,
}

impl FactLine {
    fn has_source(&self, source: FactSource) -> bool {
        self.sources.contains(&source)
    }

    /// Looks for the sources of a line that has none: a fact split into two lines is traced to the more similar line only.
    /// Returns whether the line has a source.
    fn find_sources(&mut self, facts: &[(FactSource, &String)]) -> bool {
        if self.sources.is_empty() {
            let says_it = |fact: &str| grounded_share(&self.text, &[fact]) >= MIN_GROUNDED_SHARE;
            let found = facts.iter().filter(|(_, fact)| says_it(fact)).map(|(source, _)| *source);
            self.sources = found.collect();
        }
        !self.sources.is_empty()
    }

    fn is_invented(&self, facts: &[&String]) -> bool {
        let is_grounded =
            || grounded_share(&self.text, facts) >= MIN_GROUNDED_SHARE && !has_new_number(&self.text, facts);
        !self.is_verbatim && !is_grounded()
    }

    fn into_merged(mut self) -> MergedLine {
        self.sources.sort_unstable();
        MergedLine { text: Private(self.text), sources: self.sources, is_verbatim: self.is_verbatim }
    }
}

fn sources<'f>(existing: &'f [String], new: &'f [String]) -> impl Iterator<Item = (FactSource, &'f String)> {
    let existing = existing.iter().enumerate().map(|(index, fact)| (FactSource::Existing(index), fact));
    existing.chain(new.iter().enumerate().map(|(index, fact)| (FactSource::New(index), fact)))
}

/// The lines without duplicates, each with the facts that equal it.
fn verbatim_lines(existing: &[String], new: &[String], answered: &[String]) -> Vec<FactLine> {
    let folded: Vec<(FactSource, String)> =
        sources(existing, new).map(|(source, fact)| (source, normalise_without_punctuation(fact))).collect();
    let mut seen = Vec::new();
    let mut lines = Vec::new();
    for text in answered {
        let key = normalise_without_punctuation(text);
        if seen.contains(&key) {
            continue;
        }
        let same = folded.iter().filter(|(_, fact)| *fact == key);
        let sources: Vec<FactSource> = same.map(|(source, _)| *source).collect();
        lines.push(FactLine { text: text.clone(), is_verbatim: !sources.is_empty(), sources });
        seen.push(key);
    }
    lines
}

/// The line with the new fact that replaced this one, according to the model.
fn replaced_by(source: FactSource, answer: &MergeAnswer, lines: &[FactLine]) -> Option<usize> {
    let mut replacements =
        answer.replacements.iter().filter(|it| FactSource::Existing(it.existing) == source);
    replacements.find_map(|it| lines.iter().position(|line| line.has_source(FactSource::New(it.new))))
}

/// The most similar line, with its similarity.
fn most_similar(fact: &str, lines: &[FactLine]) -> Option<(usize, f64)> {
    let by_similarity = lines.iter().map(|line| similarity(fact, &line.text)).enumerate();
    by_similarity.max_by(|(_, one), (_, other)| one.total_cmp(other))
}

#[cfg(test)]
mod tests;
