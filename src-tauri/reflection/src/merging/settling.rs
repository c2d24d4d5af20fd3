//! What became of every fact in a merged list, and whether the list may be trusted.

use vocabulary::Private;

use super::{Dropped, MergeAnswer, Merged, MergedLine, Source, WhyNot};
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

/// Traces every fact to the line it went into. An error says why the list must not take the place of the old one.
pub(super) fn settle(existing: &[String], new: &[String], answer: &MergeAnswer) -> Result<Merged, WhyNot> {
    let mut lines = verbatim_lines(existing, new, &answer.lines);
    let facts: Vec<&String> = existing.iter().chain(new).collect();
    if lines.iter().any(|line| line.is_rewritten() && is_invented(&line.text, &facts)) {
        return Err(WhyNot::Invents);
    }
    // New facts first: what takes the place of an existing one is found by the new fact in it.
    let (old, fresh): (Vec<_>, Vec<_>) =
        sources(existing, new).partition(|(source, _)| matches!(source, Source::Existing(_)));
    let is_kept = |source: Source| lines.iter().any(|line| line.is_verbatim && line.stands_for(source));
    let not_kept: Vec<(Source, &String)> =
        fresh.into_iter().chain(old).filter(|(source, _)| !is_kept(*source)).collect();
    let mut dropped = Vec::new();
    let mut vanished = 0;
    for &(source, fact) in &not_kept {
        let fate = fate(source, fact, answer, &lines);
        match fate {
            Fate::WordedAnew { line } => lines[line].sources.push(source),
            Fate::Replaced { line } | Fate::SaidBetter { line } => {
                dropped.push(Dropped { source, by: Some(line) })
            }
            Fate::LeftOut { line } => {
                dropped.push(Dropped { source, by: line });
                vanished += usize::from(matches!(source, Source::Existing(_)));
            }
        }
    }
    let all_have_sources = lines.iter_mut().all(|line| line.is_verbatim || line.finds_sources(&not_kept));
    if !all_have_sources {
        return Err(WhyNot::Invents);
    }
    if vanished > new.len() + existing.len() / MAY_VANISH {
        return Err(WhyNot::Forgets);
    }
    Ok(Merged { lines: lines.into_iter().map(Line::merged).collect(), dropped })
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

fn is_invented(text: &str, facts: &[&String]) -> bool {
    grounded_share(text, facts) < GROUNDED || has_new_number(text, facts)
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
mod tests {
    use rstest::rstest;

    use super::Source::{Existing, New};
    use super::*;
    use crate::merging::read_merge;

    fn owned(facts: &[&str]) -> Vec<String> {
        facts.iter().map(|&fact| fact.to_owned()).collect()
    }

    fn settled(existing: &[&str], new: &[&str], reply: &str) -> Result<Merged, WhyNot> {
        let (existing, new) = (owned(existing), owned(new));
        settle(&existing, &new, &read_merge(&existing, &new, reply).unwrap())
    }

    fn line(text: &str, sources: &[Source], is_verbatim: bool) -> MergedLine {
        MergedLine { text: Private(text.into()), sources: sources.to_vec(), is_verbatim }
    }

    #[test]
    fn lines_left_alone_stand_for_what_they_were() {
        let merged =
            settled(&["Tea.", "Cake."], &["cake", "Scones"], r#"{"facts":["Cake.","Tea","Scones","tea!"]}"#);

        let expected = Merged {
            lines: vec![
                line("Cake.", &[Existing(1), New(0)], true),
                line("Tea", &[Existing(0)], true),
                line("Scones", &[New(1)], true),
            ],
            dropped: vec![],
        };
        assert_eq!(merged.unwrap(), expected);
    }

    #[test]
    fn a_line_worded_anew_stands_for_all_it_was_made_from() {
        let merged = settled(
            &["The user walked on Monday morning.", "The user has a cat."],
            &["The user walked on Tuesday morning."],
            r#"{"facts":["The user has a cat.","The user often walks in the morning."]}"#,
        );

        let merged = merged.unwrap();
        assert_eq!(
            merged.lines[1],
            line("The user often walks in the morning.", &[Existing(0), New(0)], false)
        );
        assert_eq!(merged.dropped, []);
    }

    #[test]
    fn a_fact_that_becomes_two_lines_is_the_source_of_both() {
        let merged = settled(
            &["The user has a cat and plays chess.", "Ada bakes."],
            &[],
            r#"{"facts":["The user has a cat.","The user plays chess.","Ada bakes."]}"#,
        );

        let merged = merged.unwrap();
        assert_eq!(merged.lines[0].sources, [Existing(0)]);
        assert_eq!(merged.lines[1].sources, [Existing(0)]);
        assert_eq!(merged.dropped, []);
    }

    #[rstest]
    #[case::nearly_the_same("The user likes tea a lot.", "The user likes teas a lot.", true)]
    #[case::another_thing("The user has a cat.", "The user has a dog.", false)]
    fn without_a_new_fact_only_a_repetition_goes(
        #[case] one: &str,
        #[case] other: &str,
        #[case] may_go: bool,
    ) {
        let merged = settled(&[one, other], &[], &serde_json::json!({ "facts": [one] }).to_string());

        assert_eq!(merged.is_ok(), may_go, "{merged:?}");
    }

    #[rstest]
    #[case::named(
        r#"{"facts":["The user now calls York home."],"replaces":[{"new":1,"existing":1}]}"#,
        Some(0)
    )]
    #[case::alike(r#"{"facts":["The user now calls York home."]}"#, None)]
    fn a_contradicted_fact_goes_and_leaves_no_evidence_behind(
        #[case] reply: &str,
        #[case] by: Option<usize>,
    ) {
        let merged = settled(&["Lives in Leeds."], &["The user now calls York home."], reply).unwrap();

        assert_eq!(merged.lines, [line("The user now calls York home.", &[New(0)], true)]);
        assert_eq!(merged.dropped, [Dropped { source: Existing(0), by }]);
    }

    #[test]
    fn evidence_of_what_was_replaced_stays_away_from_a_line_worded_anew() {
        let merged = settled(
            &["The user lives in Leeds."],
            &["The user moved to York."],
            r#"{"facts":["The user lives in York now."],"replaces":[{"new":1,"existing":1}]}"#,
        );

        let merged = merged.unwrap();
        assert_eq!(merged.lines, [line("The user lives in York now.", &[New(0)], false)]);
        assert_eq!(merged.dropped, [Dropped { source: Existing(0), by: Some(0) }]);
    }

    #[rstest]
    #[case::banana(r#"{"facts":["Bananas fly over Helsinki."]}"#, "invents")]
    #[case::one_invention_among_facts(r#"{"facts":["The user likes tea.","Helsinki is foggy."]}"#, "invents")]
    #[case::an_invention_in_familiar_words(
        r#"{"facts":["The user likes tea.","Ada bakes.","Works at a mill.","Plays chess.","Has two cats.","Runs.","The user likes Works."]}"#,
        "invents"
    )]
    #[case::a_number(r#"{"facts":["The user likes 3 teas."]}"#, "invents")]
    #[case::almost_everything_gone(r#"{"facts":["The user likes tea."]}"#, "forgets")]
    fn a_list_that_invents_or_forgets_is_refused(#[case] reply: &str, #[case] why: &str) {
        let existing = [
            "The user likes tea.",
            "Ada bakes.",
            "Works at a mill.",
            "Plays chess.",
            "Has two cats.",
            "Runs.",
        ];

        assert_eq!(settled(&existing, &[], reply).unwrap_err().code(), why);
    }
}
