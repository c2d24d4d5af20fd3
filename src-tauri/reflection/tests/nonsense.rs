//! Whatever a model answers, nothing that is known is lost and nothing is made up.

use futures::StreamExt;
use jiff::civil::Date;
use llm::CancellationToken;
use memory::NodeId;
use reflection::sweeps::{Cleaning, DiaryRow, Retagging, SweepEvent, clean_deflections, optimise_tags};
use reflection::{
    Chunk, Consolidated, DIARY_LIMIT, DiaryOutcome, DiaryRequest, MergeOutcome, PlaceNode, consolidate,
    extract, meals, merge, place, split, summarise,
};
use testkit::{ScriptedModel, Turn};
use vocabulary::Private;

const TODAY: Date = Date::constant(2025, 9, 15);

/// What models out of their mind answer.
fn nonsense() -> Vec<String> {
    let short = [
        "",
        "  \n\n ",
        "banana",
        "I am sorry, but I cannot help with that.",
        "NONE",
        "null",
        "true",
        "[]",
        "{}",
        "[[[[",
        "{\"facts\": null, \"categories\": null, \"description\": null}",
        "{\"facts\": \"all of them\", \"categories\": 7, \"description\": 3, \"tea\": 4}",
        "{\"facts\": [null, 1, [\"a\"], {\"fact\": \"b\"}], \"categories\": [1, 2]}",
        "{\"facts\": [\"Bananas fly over Helsinki.\"], \"categories\": [{}, {}]}",
        "[null, 1, \"a\", {\"branch\": null, \"fact\": null}, {\"fact\": [\"a\"]}]",
        "{\"facts\": [\"The user likes te",
        "[{\"branch\": \"USER\", \"fact\": \"The user",
        "SUMMARY: The user likes tea and",
        "TOPICS: a, b, c",
        "```json\n```",
        "\u{0}\u{fffd}\u{202e}",
    ];
    let mut answers: Vec<String> = short.map(str::to_owned).to_vec();
    answers.push("banana ".repeat(5_000));
    answers.push("[".repeat(50_000));
    answers.push(format!("{{\"facts\": [{}\"b\"]}}", "\"b\", ".repeat(9_000)));
    answers.push("banana ".repeat(50_000));
    answers
}

/// A model that gives the same answer to everything.
fn model(answer: &str) -> ScriptedModel {
    ScriptedModel::new((0..8).map(|_| Turn::Says(vec![answer.to_owned()])))
}

fn shortened(answer: &str) -> String {
    answer.chars().take(60).collect()
}

fn lines(lines: &[&str]) -> Vec<String> {
    lines.iter().map(|&line| line.to_owned()).collect()
}

fn row() -> DiaryRow {
    DiaryRow {
        id: 1,
        date: TODAY,
        summary: Private("The user likes tea. The user plays chess with Ada.".into()),
        topics: Private("tea, chess".into()),
    }
}

#[tokio::test]
async fn the_diary_stays_as_it_is() {
    for answer in nonsense() {
        let chunks = [Chunk::user("I like tea")];
        let request = DiaryRequest {
            today: TODAY,
            so_far: Some("The user plays chess."),
            chunks: &chunks,
            context_tokens: 8192,
            limit: DIARY_LIMIT,
        };

        let outcome = summarise(&model(&answer), request, &CancellationToken::new(), &mut |_| {}).await;

        assert!(matches!(outcome, Ok(DiaryOutcome::Unusable) | Err(_)), "{}", shortened(&answer));
    }
}

#[tokio::test]
async fn no_fact_is_found() {
    for answer in nonsense() {
        let chunks = [Chunk::user("I like tea")];

        let extraction =
            extract(&model(&answer), &chunks, TODAY, 8192, DIARY_LIMIT, &CancellationToken::new()).await;

        // A list of facts among nonsense is read as one, but nobody has said them.
        let evident = extraction.facts.iter().filter(|fact| fact.quote.is_some()).count();
        assert_eq!(evident, 0, "{}", shortened(&answer));
    }
}

#[tokio::test]
async fn a_fact_stays_in_its_branch() {
    let node = |id: &str, children| PlaceNode {
        id: NodeId(0),
        name: Private(id.into()),
        description: Private(String::new()),
        children,
    };
    let branch = node("user", (1..=9).map(|child| node(&child.to_string(), vec![])).collect());
    // A number in an answer is a pick, whatever stands around it.
    for answer in nonsense().into_iter().filter(|answer| !answer.contains(|c: char| c.is_ascii_digit())) {
        let stop = CancellationToken::new();

        let place = place(&model(&answer), "The user likes tea.", &branch, &stop).await;

        assert_eq!(place.unwrap().name.0, "user", "{}", shortened(&answer));
    }
}

#[tokio::test]
async fn facts_are_neither_merged_nor_tidied_nor_split() {
    let existing = lines(&["The user likes tea.", "The user plays chess.", "Ada bakes."]);
    let new = lines(&["The user has a cat."]);
    for answer in nonsense() {
        let stop = CancellationToken::new();

        let merged = merge(&model(&answer), &existing, &new, &stop).await;
        let tidied = consolidate(&model(&answer), &existing, &stop).await;
        let split = split(&model(&answer), "User", &existing, &stop).await;

        assert!(matches!(merged, MergeOutcome::AppendEach(_)), "{}", shortened(&answer));
        assert!(matches!(tidied, Consolidated::LeftAsItWas(_)), "{}", shortened(&answer));
        assert!(split.is_err(), "{}", shortened(&answer));
    }
}

#[tokio::test]
async fn no_sweep_changes_a_row() {
    for answer in nonsense() {
        let stop = CancellationToken::new();

        let cleaning = model(&answer);
        let cleaned = clean_deflections(&cleaning, vec![row()], &stop)
            .any(async |event| matches!(event, SweepEvent::Row { outcome: Cleaning::Rewritten { .. }, .. }));
        let tagging = model(&answer);
        let retagged = optimise_tags(&tagging, vec![row()], &stop)
            .any(async |event| matches!(event, SweepEvent::Row { outcome: Retagging::Retagged { .. }, .. }));

        assert!(!cleaned.await, "{}", shortened(&answer));
        assert!(!retagged.await, "{}", shortened(&answer));
    }
}

#[tokio::test]
async fn no_meal_is_read() {
    for answer in nonsense() {
        let meal = meals::read_meal(&model(&answer), "I had tea", &CancellationToken::new()).await;

        assert!(matches!(meal, Ok(None) | Err(_)), "{}", shortened(&answer));
    }
}
