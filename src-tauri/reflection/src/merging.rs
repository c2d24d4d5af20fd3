//! Merges new facts into the facts of a node, and tells what became of each.
//!
//! Source: behaviour reference, section 3.5, step 4.

mod merged; // the new list
mod prompt;
mod parsing;
mod settling;

use std::time::Duration;

use llm::{CancellationToken, ChatModel};

pub use merged::{Dropped, MergeRejection, Merged, MergedLine, Source};
pub use parsing::{MergeAnswer, Replacement, extract_facts_object, read_merge};

use crate::asking::{Question, Randomness, ask, tokens_to_repeat};

/// How long a merge may take. Source: behaviour reference, section 3.5.
const LIMIT: Duration = Duration::from_secs(20);

/// What came of a merge.
#[derive(Debug)]
pub enum MergeOutcome {
    /// This list takes the place of the node's.
    Merged(Merged),
    /// Nothing is merged: append each new fact to the node, whose facts stay as they are.
    AppendEach(MergeRejection),
}

/// Merges `new` facts into the `existing` ones of a node.
///
/// Falls open: whatever goes wrong, each new fact is to be appended and none of the existing ones is lost.
pub async fn merge(
    model: &dyn ChatModel,
    existing: &[String],
    new: &[String],
    stop: &CancellationToken,
) -> MergeOutcome {
    if existing.is_empty() || new.is_empty() {
        return MergeOutcome::AppendEach(MergeRejection::NothingToMerge);
    }
    match rewrite(model, existing, new, stop).await {
        Ok(merged) => MergeOutcome::Merged(merged),
        Err(why) => MergeOutcome::AppendEach(why),
    }
}

/// The list that a model makes of these facts.
pub(crate) async fn rewrite(
    model: &dyn ChatModel,
    existing: &[String],
    new: &[String],
    stop: &CancellationToken,
) -> Result<Merged, MergeRejection> {
    let material = prompt::material(existing, new);
    let question = Question {
        task: prompt::task(),
        max_tokens: tokens_to_repeat(material.len()),
        material,
        limit: LIMIT,
        randomness: Randomness::None,
        examples: Vec::new(),
        format: None,
    };
    let reply = ask(model, question, stop).await.map_err(MergeRejection::Failed)?;
    let answer = read_merge(existing, new, &reply).ok_or(MergeRejection::Unreadable)?;
    settling::settle(existing, new, &answer)
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use testkit::{ScriptedModel, Turn};

    use super::*;

    async fn merge_with(existing: &[&str], new: &[&str], answer: &str) -> MergeOutcome {
        let owned = |facts: &[&str]| facts.iter().map(|&fact| fact.to_owned()).collect::<Vec<_>>();
        let model = ScriptedModel::new([Turn::says(answer)]);
        merge(&model, &owned(existing), &owned(new), &CancellationToken::new()).await
    }

    #[tokio::test]
    async fn new_facts_join_the_existing_ones() {
        let outcome = merge_with(
            &["The user likes tea."],
            &["The user has a cat."],
            r#"{"facts":["The user has a cat.","The user likes tea."]}"#,
        )
        .await;

        let MergeOutcome::Merged(merged) = outcome else { panic!("{outcome:?}") };
        let lines: Vec<&str> = merged.lines.iter().map(|line| &line.text[..]).collect();
        assert_eq!(lines, ["The user has a cat.", "The user likes tea."]);
        assert_eq!(merged.incorporated(), [0]);
    }

    #[rstest]
    #[case::nonsense("banana", "unreadable")]
    #[case::empty("", "unreadable")]
    #[case::cut_off(r#"{"facts":["The user likes tea."#, "unreadable")]
    #[case::nulls(r#"{"facts":[null,null]}"#, "unreadable")]
    #[case::wrong_type(r#"{"facts":{"a":1}}"#, "unreadable")]
    #[case::readable_nonsense(r#"{"facts":["Bananas fly over Helsinki."]}"#, "invents")]
    #[case::circling(&format!("{{\"facts\":[{}\"a\"]}}", "\"a\",".repeat(5000)), "unusable_answer")]
    #[case::huge(&format!("{{\"facts\":[{}\"a\"]}}", (0..5000).map(|i| format!("\"{i}\",")).collect::<String>()), "unreadable")]
    #[tokio::test]
    async fn when_the_answer_makes_no_sense_each_new_fact_is_appended(
        #[case] answer: &str,
        #[case] why: &str,
    ) {
        let outcome = merge_with(&["The user likes tea."], &["The user has a cat."], answer).await;

        assert!(matches!(&outcome, MergeOutcome::AppendEach(found) if found.code() == why), "{outcome:?}");
    }

    #[rstest]
    #[case::empty_node(&[], &["The user has a cat."])]
    #[case::nothing_new(&["The user has a cat."], &[])]
    #[tokio::test]
    async fn without_two_sides_no_model_is_asked(#[case] existing: &[&str], #[case] new: &[&str]) {
        let outcome = merge_with(existing, new, "never said").await;

        assert!(matches!(outcome, MergeOutcome::AppendEach(MergeRejection::NothingToMerge)));
    }
}
