//! Finds in what was newly said the facts worth knowing for good.
//!
//! Source: behaviour reference, section 3.5, step 1, and section 11, row 30: only new text is read, never the whole
//! day again.

mod prompt;
mod parsing;
mod evidence; // whether the user said it
mod subject; // of whom

use std::collections::HashSet;
use std::time::Duration;

use jiff::civil::Date;
use llm::{CancellationToken, ChatModel};
use memory::{Branch, Participant};
use tokio::time::Instant;
use vocabulary::Private;

pub use parsing::parse_extraction;

use evidence::{has_number_of_assistant, is_far_from, narrates, only_asks, words_said};
use subject::is_of_another;

use crate::ReflectionError;
use crate::asking::{Question, Randomness, ask};
use crate::examples::is_copied;
use crate::folding::normalise_fact;
use crate::talk::{Batch, Chunk, batches, room_beside};

/// Tokens of an answer: some twenty-five facts with their quotes.
const ANSWER_TOKENS: u32 = 1500;

/// The longest text that is one fact, in characters. What is longer is a story, or a model that went astray.
pub(crate) const LONGEST_FACT: usize = 400;

/// A fact found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Extracted {
    /// What it is about.
    pub branch: Branch,
    /// One sentence.
    pub fact: Private<String>,
    /// The user's words that show it. In what [`extract`] returns they were really said; `None` is a fact without
    /// evidence.
    pub quote: Option<Private<String>>,
}

/// The facts found, and how far the reading got.
#[derive(Debug)]
pub struct Extraction {
    /// What was found, each fact once.
    pub facts: Vec<Extracted>,
    /// How many chunks were read; the rest stays to be read.
    pub chunks: usize,
    /// Why not all of them.
    pub error: Option<ReflectionError>,
}

/// Finds facts in `chunks`: what was said since the last time, redacted, oldest first. `today` is where the user is, `limit` is for
/// all of it.
///
/// An answer without readable facts is taken for an answer without facts: what was said stays in the diary.
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
    let (facts, left_out) = sound_facts(extraction.facts, chunks);
    if left_out != LeftOut::default() {
        tracing::debug!(?left_out, "some of what the model found is no fact about the user");
    }
    extraction.facts = facts;
    extraction
}

fn question(today: Date, batch: &Batch, deadline: Instant) -> Question {
    Question {
        task: prompt::task(),
        material: prompt::material(today, &batch.lines),
        limit: deadline.saturating_duration_since(Instant::now()),
        max_tokens: ANSWER_TOKENS,
        randomness: Randomness::None,
        examples: prompt::examples(&batch.lines),
        format: Some(prompt::format(&batch.lines)),
    }
}

/// How many facts of a model were left out, and why.
#[derive(Debug, Default, PartialEq, Eq)]
struct LeftOut {
    too_long: usize,
    narrating: usize,
    of_assistant: usize,
    of_another: usize,
    copied: usize,
}

/// Each fact once, none that is too long or tells of the conversation, and only quotes of what the user really said.
fn sound_facts(found: Vec<Extracted>, chunks: &[Chunk]) -> (Vec<Extracted>, LeftOut) {
    let mut left_out = LeftOut::default();
    let all = found.len();
    let mut found = found;
    found.retain(|found| found.fact.chars().count() <= LONGEST_FACT);
    left_out.too_long = all - found.len();
    let short = found.len();
    found.retain(|found| !narrates(found));
    left_out.narrating = short - found.len();
    let with_evidence = |found: Extracted| {
        let said = found.quote.as_ref().and_then(|quote| words_said(quote, chunks));
        let shows_it = |said: &String| !only_asks(said, chunks) && !is_far_from(&found.fact, said, chunks);
        Extracted { quote: said.filter(shows_it).map(Private), ..found }
    };
    let mut evident: Vec<Extracted> = found.into_iter().map(with_evidence).collect();
    let telling = evident.len();
    evident.retain(|found| found.quote.is_some() || !has_number_of_assistant(&found.fact, chunks));
    left_out.of_assistant = telling - evident.len();
    let of_all = evident.len();
    let is_of_user = |found: &Extracted| {
        let is_order = found.branch == Branch::Directives;
        is_order || !found.quote.as_ref().is_some_and(|quote| is_of_another(&found.fact, quote, chunks))
    };
    evident.retain(is_of_user);
    left_out.of_another = of_all - evident.len();
    // Of a fact that is found twice the one with evidence counts.
    evident.sort_by_key(|found| found.quote.is_none());
    let mut known = HashSet::new();
    evident.retain(|found| known.insert(normalise_fact(&found.fact)));
    // Small models copy the examples; of those nobody has said a word.
    let different = evident.len();
    let by_user = chunks.iter().filter(|chunk| chunk.speaker == Participant::User);
    let said: Vec<&str> = by_user.map(|chunk| &chunk.text[..]).collect();
    evident.retain(|found| found.quote.is_some() || !is_copied(&found.fact, &said));
    left_out.copied = different - evident.len();
    (evident, left_out)
}

#[cfg(test)]
mod tests {
    use llm::LlmError;
    use rstest::rstest;
    use testkit::{ScriptedModel, Turn};

    use super::*;

    const LIMIT: Duration = Duration::from_secs(30);

    async fn extract_with(answer: &str, chunks: &[Chunk]) -> Extraction {
        let model = ScriptedModel::new([Turn::says(answer)]);
        extract(&model, chunks, Date::constant(2025, 9, 15), 8192, LIMIT, &CancellationToken::new()).await
    }

    fn found(branch: Branch, fact: &str, quote: Option<&str>) -> Extracted {
        Extracted { branch, fact: Private(fact.into()), quote: quote.map(|quote| Private(quote.into())) }
    }

    #[tokio::test]
    async fn a_quote_is_evidence_only_when_the_user_said_it() {
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
    async fn a_date_that_the_assistant_reckoned_out_is_no_reason_to_forget() {
        let chunks = [Chunk::user("I'm moving next Friday"), Chunk::assistant("That is 28 November 2025.")];
        let answer =
            r#"[{"branch":"USER","fact":"The user moves on 2025-11-28.","quote":"I'm moving next Friday"}]"#;

        assert_eq!(
            extract_with(answer, &chunks).await.facts,
            [found(Branch::User, "The user moves on 2025-11-28.", Some("I'm moving next Friday"))]
        );
    }

    #[test]
    fn what_is_left_out_is_counted() {
        let chunks = [
            Chunk::user("when is the last train?"),
            Chunk::assistant("At 23:12."),
            Chunk::user("Il a huit ans."),
        ];
        let facts = [
            "The user asked about a train.",
            "The last train leaves at 23:12.",
            "The user cannot digest milk.",
            &"long ".repeat(LONGEST_FACT),
        ];

        let mut facts = facts.map(|fact| found(Branch::User, fact, None)).to_vec();
        facts.push(found(Branch::User, "L'utilisateur a huit ans.", Some("Il a huit ans")));

        let (facts, left_out) = sound_facts(facts, &chunks);

        assert_eq!(facts, []);
        assert_eq!(
            left_out,
            LeftOut { too_long: 1, narrating: 1, of_assistant: 1, of_another: 1, copied: 1 }
        );
    }

    #[tokio::test]
    async fn the_examples_of_the_prompt_are_no_facts() {
        let answer =
            r#"[{"branch":"USER","fact":"The user cannot digest milk.","quote":"I can't digest milk"}]"#;

        assert_eq!(extract_with(answer, &[Chunk::user("I like tea")]).await.facts, []);
    }

    #[rstest]
    #[case::nonsense("banana")]
    #[case::empty("")]
    #[case::cut_off("[{\"branch\":\"USER\",\"fact\":\"The us")]
    #[case::nulls("null")]
    #[case::a_story(&format!("[{{\"fact\":\"{}\"}}]", (0..100).map(|i| format!("and then {i} ")).collect::<String>()))]
    #[tokio::test]
    async fn nonsense_holds_no_fact(#[case] answer: &str) {
        let extraction = extract_with(answer, &[Chunk::user("I like tea")]).await;

        assert_eq!(extraction.facts, []);
        assert!(extraction.error.is_none());
    }

    #[tokio::test]
    async fn what_was_not_read_stays_to_be_read() {
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
