//! What became of every fact in a merged list, and whether the list may be trusted.

use vocabulary::Private;

use super::merged::{Dropped, MergeRejection, Merged, MergedLine, Source};
use super::parsing::MergeAnswer;
use crate::folding::without_ending;
use crate::grounding::{grounded_share, has_new_number, likeness};

/// So much of a line that is worded anew must come from the facts: less is invention. Half leaves room for joining
/// and inflecting words in any language; unrelated sentences of one language share a quarter at most.
const GROUNDED: f64 = 0.5;

/// Facts at least so alike are about one thing: one may have taken the place of the other.
const ALIKE: f64 = 0.5;

/// Facts at least so alike say the same: "the user likes tea" and "the user likes teas".
const NEARLY_THE_SAME: f64 = 0.8;

/// Beside one for each new fact, every fourth existing fact may go, as common knowledge or as narration.
const MAY_VANISH: usize = 4;

/// So many existing facts may one new fact take the place of: the user moved, and neither town nor street is right.
const REPLACED_BY_ONE: usize = 2;

/// Traces every fact to the line it went into. An error says why the list must not take the place of the old one.
pub(super) fn settle(
    existing: &[String],
    new: &[String],
    answer: &MergeAnswer,
) -> Result<Merged, MergeRejection> {
    let mut lines = verbatim_lines(existing, new, &answer.lines);
    let facts: Vec<&String> = existing.iter().chain(new).collect();
    let is_kept = |source: &Source| lines.iter().any(|line| line.is_verbatim && line.stands_for(*source));
    let not_kept: Vec<(Source, &String)> =
        sources(existing, new).filter(|(source, _)| !is_kept(source)).collect();

    let (dropped, losses) = trace(&not_kept, answer, &mut lines);

    let has_sources = |line: &mut Line| line.is_verbatim || line.finds_sources(&not_kept);
    if !lines.iter_mut().all(has_sources) || lines.iter().any(|line| line.is_invented(&facts)) {
        return Err(MergeRejection::Invents);
    }
    if losses.replaced > new.len() * REPLACED_BY_ONE
        || losses.left_out > new.len() + existing.len() / MAY_VANISH
    {
        return Err(MergeRejection::Forgets);
    }
    Ok(Merged { lines: lines.into_iter().map(Line::merged).collect(), dropped })
}

/// How many existing facts went, and how.
#[derive(Default)]
struct Losses {
    replaced: usize,
    left_out: usize,
}

/// Finds for each fact that is in no line as it was what became of it. Lines worded anew learn their sources.
fn trace(facts: &[(Source, &String)], answer: &MergeAnswer, lines: &mut [Line]) -> (Vec<Dropped>, Losses) {
    let mut dropped = Vec::new();
    let mut losses = Losses::default();
    let (old, new): (Vec<_>, Vec<_>) = facts.iter().partition(|(source, _)| source.is_existing());
    // New facts first: what takes the place of an existing one is found by the new fact in it.
    for (source, fact) in new.into_iter().chain(old) {
        let by = match fate(source, fact, answer, lines) {
            Fate::WordedAnew { line } => {
                lines[line].sources.push(source);
                continue;
            }
            Fate::Replaced { line } => {
                losses.replaced += 1;
                Some(line)
            }
            Fate::SaidBetter { line } => Some(line),
            Fate::LeftOut { line } => {
                losses.left_out += usize::from(source.is_existing());
                line
            }
        };
        dropped.push(Dropped { source, by });
    }
    (dropped, losses)
}

/// What became of a fact that is in no line as it was.
enum Fate {
    /// The line says it in other words.
    WordedAnew { line: usize },
    /// The model names the new fact, now in this line, that took its place.
    Replaced { line: usize },
    /// The line says nearly the same.
    SaidBetter { line: usize },
    /// It is gone, perhaps in favour of this line.
    LeftOut { line: Option<usize> },
}

fn fate(source: Source, fact: &str, answer: &MergeAnswer, lines: &[Line]) -> Fate {
    if let Some(line) = replaced_by(source, answer, lines) {
        return Fate::Replaced { line };
    }
    match most_alike(fact, lines) {
        Some((line, likeness)) if likeness >= ALIKE && lines[line].is_rewritten() => {
            Fate::WordedAnew { line }
        }
        Some((line, likeness)) if likeness >= NEARLY_THE_SAME => Fate::SaidBetter { line },
        Some((line, likeness)) if likeness >= ALIKE => Fate::LeftOut { line: Some(line) },
        Some(_) | None => Fate::LeftOut { line: None },
    }
}

struct Line {
    text: String,
    sources: Vec<Source>,
    is_verbatim: bool,
}

impl Line {
    fn is_rewritten(&self) -> bool {
        !self.is_verbatim
    }

    fn stands_for(&self, source: Source) -> bool {
        self.sources.contains(&source)
    }

    /// A fact that became two lines is most like one of them only; the other finds it here. Says whether the line has
    /// any source.
    fn finds_sources(&mut self, facts: &[(Source, &String)]) -> bool {
        if self.sources.is_empty() {
            let says_it = |fact: &str| grounded_share(&self.text, &[fact]) >= GROUNDED;
            let found = facts.iter().filter(|(_, fact)| says_it(fact)).map(|(source, _)| *source);
            self.sources = found.collect();
        }
        !self.sources.is_empty()
    }

    fn is_invented(&self, facts: &[&String]) -> bool {
        let is_grounded =
            || grounded_share(&self.text, facts) >= GROUNDED && !has_new_number(&self.text, facts);
        self.is_rewritten() && !is_grounded()
    }

    fn merged(mut self) -> MergedLine {
        self.sources.sort_unstable();
        MergedLine { text: Private(self.text), sources: self.sources, is_verbatim: self.is_verbatim }
    }
}

fn sources<'f>(existing: &'f [String], new: &'f [String]) -> impl Iterator<Item = (Source, &'f String)> {
    let existing = existing.iter().enumerate().map(|(place, fact)| (Source::Existing(place), fact));
    existing.chain(new.iter().enumerate().map(|(place, fact)| (Source::New(place), fact)))
}

/// Each line once, with the facts that say the same.
fn verbatim_lines(existing: &[String], new: &[String], answered: &[String]) -> Vec<Line> {
    let folded: Vec<(Source, String)> =
        sources(existing, new).map(|(source, fact)| (source, without_ending(fact))).collect();
    let mut seen = Vec::new();
    let mut lines = Vec::new();
    for text in answered {
        let key = without_ending(text);
        if seen.contains(&key) {
            continue;
        }
        let same = folded.iter().filter(|(_, fact)| *fact == key);
        let sources: Vec<Source> = same.map(|(source, _)| *source).collect();
        lines.push(Line { text: text.clone(), is_verbatim: !sources.is_empty(), sources });
        seen.push(key);
    }
    lines
}

/// The line with the new fact that took the place of this one, as far as the model says so.
fn replaced_by(source: Source, answer: &MergeAnswer, lines: &[Line]) -> Option<usize> {
    let mut replacements = answer.replacements.iter().filter(|it| Source::Existing(it.existing) == source);
    replacements.find_map(|it| lines.iter().position(|line| line.stands_for(Source::New(it.new))))
}

/// The line most like this fact, and how alike they are.
fn most_alike(fact: &str, lines: &[Line]) -> Option<(usize, f64)> {
    let by_likeness = lines.iter().map(|line| likeness(fact, &line.text)).enumerate();
    by_likeness.max_by(|(_, one), (_, other)| one.total_cmp(other))
}

#[cfg(test)]
mod tests;
