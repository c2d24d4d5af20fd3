//! Measures how often the right tool is among the first.

use std::collections::BTreeSet;

use llm::{CancellationToken, EmbedRole, Embedder};
use settings::SelectionStrategy;
use tools::Declaration;
use tools::selection::Confidence;

use crate::catalogue::{Query, index};
use crate::figures::Figures;

/// The outcome of a question.
struct Outcome<'a> {
    query: &'a Query,
    /// The place of the first right tool, from 0.
    place: Option<usize>,
    /// The same by words alone.
    place_by_words: Option<usize>,
    is_sure: bool,
    is_selected: bool,
    selected: usize,
}

/// Prints recall for each half and kind of questions.
pub async fn measure(
    tools: &[Declaration],
    queries: &[Query],
    embedder: &dyn Embedder,
    shows_misses: bool,
    figures: &mut Figures,
) {
    let stop = CancellationToken::new();
    let index = index(tools);
    index.embed_new(embedder, &stop).await.unwrap();
    let mut outcomes = Vec::new();
    for query in queries {
        let texts = [query.text.clone()];
        let vector = embedder.embed(&texts, EmbedRole::Query, stop.clone()).await.unwrap().remove(0);
        let place_in = |ranked: &[tools::selection::RankedTool]| {
            ranked.iter().position(|tool| query.tools.contains(&tool.name))
        };
        let ranked = index.ranked(&query.text, Some(&vector), 50);
        let by_words = index.ranked(&query.text, None, 50);
        let selection = index.select(SelectionStrategy::Hybrid, &query.text, Some(&vector));
        let (place, place_by_words) = (place_in(&ranked), place_in(&by_words));
        if shows_misses && place.is_none_or(|place| place >= 5) {
            let first: Vec<String> =
                ranked.iter().take(5).map(|tool| format!("{} {:.2}", tool.name, tool.score)).collect();
            println!(
                "{} {}: {}\n    wants {} at {place:?}, got {}",
                query.half,
                query.kind,
                query.text,
                query.tools.join(" or "),
                first.join(", ")
            );
        }
        outcomes.push(Outcome {
            query,
            place,
            place_by_words,
            is_sure: selection.confidence == Confidence::High,
            is_selected: selection.names.iter().any(|name| query.tools.contains(name)),
            selected: selection.names.len() - 1,
        });
    }
    let groups: BTreeSet<(&str, &str)> = queries.iter().map(|query| (&*query.half, &*query.kind)).collect();
    for (half, kind) in groups {
        let of_group = |outcome: &&Outcome| outcome.query.half == half && outcome.query.kind == kind;
        let group: Vec<&Outcome> = outcomes.iter().filter(of_group).collect();
        note(&format!("{half}, {kind} ({})", group.len()), &group, figures);
    }
}

fn note(name: &str, group: &[&Outcome], figures: &mut Figures) {
    let share = |has: &dyn Fn(&Outcome) -> bool, of: &dyn Fn(&Outcome) -> bool| {
        let of: Vec<&&Outcome> = group.iter().filter(|outcome| of(outcome)).collect();
        of.iter().filter(|outcome| has(outcome)).count() as f64 / of.len().max(1) as f64
    };
    let all = |_: &Outcome| true;
    let within = |limit: usize| move |outcome: &Outcome| outcome.place.is_some_and(|place| place < limit);
    let by_words = |outcome: &Outcome| outcome.place_by_words.is_some_and(|place| place < 5);
    let selected = group.iter().map(|outcome| outcome.selected).sum::<usize>() as f64 / group.len() as f64;
    figures.note(
        name,
        &[
            ("recall@1", share(&within(1), &all)),
            ("recall@5", share(&within(5), &all)),
            ("recall@10", share(&within(10), &all)),
            ("words alone @5", share(&by_words, &all)),
            ("selected", share(&|outcome| outcome.is_selected, &all)),
            ("tools", selected),
            ("sure", share(&|outcome| outcome.is_sure, &all)),
            ("selected when sure", share(&|outcome| outcome.is_selected, &|outcome| outcome.is_sure)),
        ],
    );
}
