//! Merges new facts into the facts of a node, and traces what happened to each fact.
//!
//! Source: docs/behaviour/memory.md#learning-facts, step 4.

mod merged; // the new list
mod prompt;
mod parsing;
mod validation; // traces every fact and rejects bad lists

use std::time::Duration;

use llm::{CancellationToken, ChatModel};

pub use merged::{DroppedFact, FactSource, MergeRejection, MergedFacts, MergedLine};
pub use parsing::{MergeAnswer, Replacement, extract_facts_object, read_merge};

use crate::asking::{ModelQuestion, ask, tokens_to_repeat};

/// Time limit of a merge. Source: docs/behaviour/memory.md#learning-facts.
const LIMIT: Duration = Duration::from_secs(20);

/// The outcome of a merge.
#[derive(Debug)]
pub enum MergeOutcome {
    /// The new list replaces the facts of the node.
    Merged(MergedFacts),
    /// The facts of the node stay as they are; append each new fact.
    AppendEach(MergeRejection),
}

/// Merges `new` facts into the `existing` ones of a node.
///
/// Falls open: after any failure each new fact is to be appended, and no existing fact is lost.
pub async fn merge(
    model: &dyn ChatModel,
    existing: &[String],
    new: &[String],
    stop: &CancellationToken,
) -> MergeOutcome {
    if existing.is_empty() || new.is_empty() {
        return MergeOutcome::AppendEach(MergeRejection::NothingToMerge);
    }
    match ask_for_merge(model, existing, new, stop).await {
        Ok(merged) => MergeOutcome::Merged(merged),
        Err(why) => MergeOutcome::AppendEach(why),
    }
}

/// Asks the model for the merged list and validates it.
pub(crate) async fn ask_for_merge(
    model: &dyn ChatModel,
    existing: &[String],
    new: &[String],
    stop: &CancellationToken,
) -> Result<MergedFacts, MergeRejection> {
    let material = prompt::material(existing, new);
    let max_tokens = tokens_to_repeat(material.len());
    let question = ModelQuestion::new(prompt::task(), material, LIMIT, max_tokens);
    let reply = ask(model, question, stop).await.map_err(MergeRejection::Failed)?;
    let answer = read_merge(existing, new, &reply).ok_or(MergeRejection::Unreadable)?;
    validation::validate(existing, new, &answer)
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
    async fn new_facts_are_merged_into_the_existing_ones() {
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
    async fn unusable_answer_appends_each_new_fact(#[case] answer: &str, #[case] why: &str) {
        let outcome = merge_with(&["The user likes tea."], &["The user has a cat."], answer).await;

        assert!(matches!(&outcome, MergeOutcome::AppendEach(reason) if reason.code() == why), "{outcome:?}");
    }

    #[rstest]
    #[case::empty_node(&[], &["The user has a cat."])]
    #[case::nothing_new(&["The user has a cat."], &[])]
    #[tokio::test]
    async fn nothing_to_merge_does_not_ask_the_model(#[case] existing: &[&str], #[case] new: &[&str]) {
        let outcome = merge_with(existing, new, "never said").await;

        assert!(matches!(outcome, MergeOutcome::AppendEach(MergeRejection::NothingToMerge)));
    }
}
