//! Extracts lasting facts from new dialogue.
//!
//! Source: docs/behaviour/memory.md#learning-facts, step 1: only new text is read, never the whole
//! day again.

mod extracted;
mod prompt;
mod parsing;
mod evidence; // whether the user said a fact

use std::collections::HashSet;
use std::time::Duration;

use jiff::civil::Date;
use llm::{CancellationToken, ChatModel};
use tokio::time::Instant;
use vocabulary::Private;

pub use extracted::ExtractedFact;
pub(crate) use extracted::MAX_FACT_CHARS;
pub use parsing::parse_extraction;

use evidence::{find_user_words, is_only_a_question, is_unrelated, narrates_conversation};
use prompt::ANSWER_TOKENS;

use crate::ReflectionError;
use crate::asking::{ModelQuestion, ask};
use crate::chunks::{Batch, Chunk, batches, room_beside};
use crate::normalising::normalise_fact;

/// The facts found, and how many chunks were read.
#[derive(Debug)]
pub struct Extraction {
    /// The facts, without duplicates.
    pub facts: Vec<ExtractedFact>,
    /// Number of chunks that were read, from the first.
    pub chunks: usize,
    /// Why the other chunks were not read.
    pub error: Option<ReflectionError>,
}

/// Extracts facts from `chunks`: redacted, oldest first. `today` is the date in the user's time zone, `limit` is the time
/// limit of all questions together.
///
/// An unreadable answer counts as an answer without facts: the dialogue is still in the diary.
pub async fn extract(
    model: &dyn ChatModel,
    chunks: &[Chunk],
    today: Date,
    context_tokens: u32,
    limit: Duration,
    stop: &CancellationToken,
) -> Extraction {
    let deadline = Instant::now() + limit;
    let examples: String =
        prompt::examples(&[]).into_iter().flat_map(|(material, answer)| [material, answer]).collect();
    let room = room_beside(context_tokens, ANSWER_TOKENS, &[&prompt::task(), &examples]);
    let mut extraction = Extraction { facts: Vec::new(), chunks: 0, error: None };
    let shown: Vec<Chunk> = chunks.iter().map(prompt::shown).collect();
    for batch in batches(&shown, room) {
        match ask(model, question(today, &batch, deadline), stop).await {
            Ok(reply) => {
                extraction.facts.extend(parse_extraction(&reply));
                extraction.chunks = batch.chunks_complete;
            }
            Err(error) => {
                extraction.error = Some(error);
                break;
            }
        }
    }
    if extraction.error.is_none() {
        extraction.chunks = chunks.len();
    }
    let (facts, rejected) = valid_facts(extraction.facts, chunks);
    if rejected != RejectionCounts::default() {
        tracing::debug!(?rejected, "some facts of the model were rejected");
    }
    extraction.facts = facts;
    extraction
}

fn question(today: Date, batch: &Batch, deadline: Instant) -> ModelQuestion {
    let material = prompt::material(today, &batch.lines);
    let limit = deadline.saturating_duration_since(Instant::now());
    ModelQuestion {
        examples: prompt::examples(&batch.lines),
        format: Some(prompt::format(&batch.lines)),
        ..ModelQuestion::new(prompt::task(), material, limit, ANSWER_TOKENS)
    }
}

/// Number of rejected facts, by reason.
#[derive(Debug, Default, PartialEq, Eq)]
struct RejectionCounts {
    too_long: usize,
    narrating: usize,
}

/// The facts without duplicates, without too long ones, and without narration of the conversation. A quote stays only when the
/// user said it.
fn valid_facts(mut found: Vec<ExtractedFact>, chunks: &[Chunk]) -> (Vec<ExtractedFact>, RejectionCounts) {
    let mut rejected = RejectionCounts::default();
    found.retain(|found| {
        let is_too_long = found.fact.chars().count() > MAX_FACT_CHARS;
        let is_narrating = !is_too_long && narrates_conversation(found);
        rejected.too_long += usize::from(is_too_long);
        rejected.narrating += usize::from(is_narrating);
        !is_too_long && !is_narrating
    });
    let with_evidence = |found: ExtractedFact| {
        let quoted = found.quote.as_ref().and_then(|quote| find_user_words(quote, chunks));
        let is_evidence =
            |quote: &String| !is_only_a_question(quote, chunks) && !is_unrelated(&found.fact, quote, chunks);
        ExtractedFact { quote: quoted.filter(is_evidence).map(Private), ..found }
    };
    let mut facts: Vec<ExtractedFact> = found.into_iter().map(with_evidence).collect();
    // Of duplicates, keep the one with evidence.
    facts.sort_by_key(|fact| fact.quote.is_none());
    let mut known = HashSet::new();
    facts.retain(|fact| known.insert(normalise_fact(&fact.fact)));
    (facts, rejected)
}

#[cfg(test)]
mod tests {
    use llm::LlmError;
    use memory::Branch;
    use rstest::rstest;
    use testkit::{ScriptedModel, Turn};

    use super::*;

    const LIMIT: Duration = Duration::from_secs(30);

    async fn extract_with(answer: &str, chunks: &[Chunk]) -> Extraction {
        let model = ScriptedModel::new([Turn::says(answer)]);
        extract(&model, chunks, Date::constant(2025, 9, 15), 8192, LIMIT, &CancellationToken::new()).await
    }

    fn found(branch: Branch, fact: &str, quote: Option<&str>) -> ExtractedFact {
        ExtractedFact { branch, fact: Private(fact.into()), quote: quote.map(|quote| Private(quote.into())) }
    }

    #[tokio::test]
    async fn quote_is_evidence_only_when_the_user_said_it() {
        let chunks = [Chunk::user("Well, I LIKE\u{a0}tea a lot"), Chunk::assistant("You have a cat.")];
        let answer = r#"[{"branch":"USER","fact":"The user likes tea.","quote":"You like tea"},
                         {"branch":"USER","fact":"The user likes tea.","quote":"i like tea"},
                         {"branch":"USER","fact":"The user has a cat.","quote":"You have a cat"},
                         {"branch":"WORLD","fact":"Ada bakes.","quote":"Ada bakes"},
                         {"branch":"USER","fact":"the user likes TEA."}]"#;

        let extraction = extract_with(answer, &chunks).await;

        assert_eq!(
            extraction.facts,
            [
                found(Branch::User, "The user likes tea.", Some("I LIKE\u{a0}tea")),
                found(Branch::User, "The user has a cat.", None),
                found(Branch::World, "Ada bakes.", None),
            ]
        );
        assert_eq!(extraction.chunks, 2);
    }

    #[tokio::test]
    async fn date_calculated_by_the_assistant_keeps_the_evidence() {
        let chunks = [Chunk::user("I'm moving next Friday"), Chunk::assistant("That is 28 November 2025.")];
        let answer =
            r#"[{"branch":"USER","fact":"The user moves on 2025-11-28.","quote":"I'm moving next Friday"}]"#;

        assert_eq!(
            extract_with(answer, &chunks).await.facts,
            [found(Branch::User, "The user moves on 2025-11-28.", Some("I'm moving next Friday"))]
        );
    }

    #[test]
    fn rejected_facts_are_counted_by_reason() {
        let facts = ["The user asked about a train.", &"long ".repeat(MAX_FACT_CHARS)];
        let facts = facts.map(|fact| found(Branch::User, fact, None)).to_vec();

        let (facts, rejected) = valid_facts(facts, &[Chunk::user("when is the last train?")]);

        assert_eq!(facts, []);
        assert_eq!(rejected, RejectionCounts { too_long: 1, narrating: 1 });
    }

    #[tokio::test]
    async fn fact_copied_from_the_prompt_has_no_evidence() {
        let answer =
            r#"[{"branch":"USER","fact":"The user cannot digest milk.","quote":"I can't digest milk"}]"#;

        let extraction = extract_with(answer, &[Chunk::user("I like tea")]).await;

        assert_eq!(extraction.facts, [found(Branch::User, "The user cannot digest milk.", None)]);
    }

    #[rstest]
    #[case::nonsense("banana")]
    #[case::empty("")]
    #[case::cut_off("[{\"branch\":\"USER\",\"fact\":\"The us")]
    #[case::nulls("null")]
    #[case::a_story(&format!("[{{\"fact\":\"{}\"}}]", (0..100).map(|i| format!("and then {i} ")).collect::<String>()))]
    #[tokio::test]
    async fn unusable_answer_contains_no_fact(#[case] answer: &str) {
        let extraction = extract_with(answer, &[Chunk::user("I like tea")]).await;

        assert_eq!(extraction.facts, []);
        assert!(extraction.error.is_none());
    }

    #[tokio::test]
    async fn chunks_after_a_failure_are_not_counted_as_read() {
        let chunks: Vec<Chunk> = (0..40).map(|_| Chunk::user("word ".repeat(100))).collect();
        let first = r#"[{"branch":"USER","fact":"The user repeats words."}]"#;
        let model = ScriptedModel::new([Turn::says(first), Turn::Refuses(LlmError::Busy)]);

        let extraction =
            extract(&model, &chunks, Date::constant(2025, 9, 15), 4096, LIMIT, &CancellationToken::new())
                .await;

        assert_eq!(extraction.facts.len(), 1);
        assert!((1..40).contains(&extraction.chunks));
        assert_eq!(extraction.error.unwrap().code(), "model_failed");
    }
}
