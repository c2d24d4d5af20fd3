//! Unusable answers of a model neither lose nor invent anything.

use jiff::civil::Date;
use llm::CancellationToken;
use memory::NodeId;
use reflection::{
    Chunk, ConsolidationOutcome, DIARY_LIMIT, DiaryOutcome, DiaryRequest, MergeOutcome, NodeTree,
    choose_node, consolidate, extract, meals, merge, split, summarise,
};
use testkit::{ScriptedModel, Turn};
use vocabulary::Private;

const TODAY: Date = Date::constant(2025, 9, 15);

/// Unusable answers.
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

/// A model that always gives the same answer.
fn model(answer: &str) -> ScriptedModel {
    ScriptedModel::new((0..8).map(|_| Turn::Says(vec![answer.to_owned()])))
}

fn shortened(answer: &str) -> String {
    answer.chars().take(60).collect()
}

fn lines(lines: &[&str]) -> Vec<String> {
    lines.iter().map(|&line| line.to_owned()).collect()
}

#[tokio::test]
async fn unusable_answers_do_not_change_the_diary() {
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
async fn unusable_answers_contain_no_fact_with_evidence() {
    for answer in nonsense() {
        let chunks = [Chunk::user("I like tea")];

        let extraction =
            extract(&model(&answer), &chunks, TODAY, 8192, DIARY_LIMIT, &CancellationToken::new()).await;

        // A list of facts among other text is read, but the user did not say these facts.
        let supported = extraction.facts.iter().filter(|fact| fact.quote.is_some()).count();
        assert_eq!(supported, 0, "{}", shortened(&answer));
    }
}

#[tokio::test]
async fn unusable_answers_leave_a_fact_in_its_branch() {
    let node = |id: &str, children| NodeTree {
        id: NodeId(0),
        name: Private(id.into()),
        description: Private(String::new()),
        children,
    };
    let branch = node("user", (1..=9).map(|child| node(&child.to_string(), vec![])).collect());
    // A number in an answer counts as a pick, with any text around it.
    for answer in nonsense().into_iter().filter(|answer| !answer.contains(|c: char| c.is_ascii_digit())) {
        let stop = CancellationToken::new();

        let node = choose_node(&model(&answer), "The user likes tea.", &branch, &stop).await;

        assert_eq!(node.unwrap().name.0, "user", "{}", shortened(&answer));
    }
}

#[tokio::test]
async fn unusable_answers_do_not_merge_or_split_facts() {
    let existing = lines(&["The user likes tea.", "The user plays chess.", "Ada bakes."]);
    let new = lines(&["The user has a cat."]);
    for answer in nonsense() {
        let stop = CancellationToken::new();

        let merged = merge(&model(&answer), &existing, &new, &stop).await;
        let consolidated = consolidate(&model(&answer), &existing, &stop).await;
        let split = split(&model(&answer), "User", &existing, &stop).await;

        assert!(matches!(merged, MergeOutcome::AppendEach(_)), "{}", shortened(&answer));
        assert!(matches!(consolidated, ConsolidationOutcome::Rejected(_)), "{}", shortened(&answer));
        assert!(split.is_err(), "{}", shortened(&answer));
    }
}

#[tokio::test]
async fn unusable_answers_contain_no_meal() {
    for answer in nonsense() {
        let meal = meals::read_meal(&model(&answer), "I had tea", &CancellationToken::new()).await;

        assert!(matches!(meal, Ok(None) | Err(_)), "{}", shortened(&answer));
    }
}
