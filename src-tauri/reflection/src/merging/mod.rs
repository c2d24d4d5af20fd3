//! Merges new facts into the facts of a node, and tells what became of each.
//!
//! Source: behaviour reference, section 3.5, step 4.

mod prompt;
mod parsing;
mod settling;

use std::time::Duration;

use llm::{CancellationToken, ChatModel};
use vocabulary::Private;

pub use parsing::{MergeAnswer, Replacement, extract_facts_object, read_merge};

use crate::ReflectionError;
use crate::asking::{Question, Randomness, ask, tokens_to_repeat};

/// How long a merge may take. Source: behaviour reference, section 3.5.
const LIMIT: Duration = Duration::from_secs(20);

/// A fact that went into a merge, by its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Source {
    /// One that the node held.
    Existing(usize),
    /// One that was to be added.
    New(usize),
}

impl Source {
    fn is_existing(&self) -> bool {
        matches!(self, Self::Existing(_))
    }
}

/// A line of the merged list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MergedLine {
    /// The fact.
    pub text: Private<String>,
    /// The facts it stands for: their evidence is its evidence. For a line worded anew they are those most like it,
    /// and may be none.
    pub sources: Vec<Source>,
    /// Does it say the same as its sources but for case, blanks and punctuation at the end? If not, it is worded anew.
    pub is_verbatim: bool,
}

/// A fact that no line stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Dropped {
    /// The fact.
    pub source: Source,
    /// The line that took its place, where one did: it contradicts the fact or says it better. `None` when the model
    /// left the fact out without a trace.
    pub by: Option<usize>,
}

/// A merged list, to take the place of the old one as a whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Merged {
    /// Its lines, enduring facts first.
    pub lines: Vec<MergedLine>,
    /// What is no longer there. A [`Source::New`] among them was judged not worth keeping.
    pub dropped: Vec<Dropped>,
}

impl Merged {
    /// Which of the new facts are in the list word for word, by their place: those count as learned.
    pub fn incorporated(&self) -> Vec<usize> {
        let verbatim = self.lines.iter().filter(|line| line.is_verbatim);
        let mut places: Vec<usize> = verbatim
            .flat_map(|line| &line.sources)
            .filter_map(|source| match source {
                Source::New(place) => Some(*place),
                Source::Existing(_) => None,
            })
            .collect();
        places.sort_unstable();
        places
    }
}

/// What came of a merge.
#[derive(Debug)]
pub enum MergeOutcome {
    /// This list takes the place of the node's.
    Merged(Merged),
    /// Nothing is merged: append each new fact to the node, whose facts stay as they are.
    AppendEach(WhyNot),
}

/// Why facts were not merged.
#[derive(Debug, thiserror::Error)]
pub enum WhyNot {
    /// The node is empty, or there is nothing new: the model was not asked.
    #[error("there is nothing to merge")]
    NothingToMerge,
    /// The answer held no list of facts, an empty one, or one that is far too long.
    #[error("the model's answer held no usable list")]
    Unreadable,
    /// A line of the list comes from none of the facts.
    #[error("the model invented a fact")]
    Invents,
    /// Too many facts are gone from the list without a trace.
    #[error("the model left out too many facts")]
    Forgets,
    /// The model could not be asked.
    #[error("the model could not be asked")]
    Failed(#[source] ReflectionError),
}

impl WhyNot {
    /// A word for it that holds nothing of what was said: for events and logs.
    pub fn code(&self) -> &'static str {
        match self {
            Self::NothingToMerge => "nothing_to_merge",
            Self::Unreadable => "unreadable",
            Self::Invents => "invents",
            Self::Forgets => "forgets",
            Self::Failed(error) => error.code(),
        }
    }
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
        return MergeOutcome::AppendEach(WhyNot::NothingToMerge);
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
) -> Result<Merged, WhyNot> {
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
    let reply = ask(model, question, stop).await.map_err(WhyNot::Failed)?;
    let answer = read_merge(existing, new, &reply).ok_or(WhyNot::Unreadable)?;
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

        assert!(matches!(outcome, MergeOutcome::AppendEach(WhyNot::NothingToMerge)));
    }
}
