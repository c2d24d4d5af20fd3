//! Finds the node of the graph where a fact belongs: from its branch downwards, one picked number at a time.
//!
//! Source: behaviour reference, section 3.5, step 2.

use std::time::Duration;

use llm::{CancellationToken, ChatModel};
use memory::NodeId;
use vocabulary::Private;

use crate::ReflectionError;
use crate::asking::{Question, Randomness, ask};
use crate::fencing::{FENCE_RULE, fenced};
use crate::folding::on_one_line;
use crate::reading::is_nothing;

/// How long one pick may take. Source: behaviour reference, `intent_judge_timeout_sec`, whose model picks.
const LIMIT: Duration = Duration::from_secs(15);

/// Room for a number and a few words a talkative model puts around it.
const ANSWER_TOKENS: u32 = 32;

/// So many levels below the branch are gone down. Source: behaviour reference, section 3.5.
const MOST_LEVELS: usize = 8;

/// A node of the graph with all that is below it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlaceNode {
    /// Its id in the graph.
    pub id: NodeId,
    /// Its name.
    pub name: Private<String>,
    /// What belongs into it.
    pub description: Private<String>,
    /// The nodes below, best first.
    pub children: Vec<PlaceNode>,
}

/// The node in the tree of `branch` where `fact` fits best.
///
/// Falls open: when the model fails or picks nothing, the fact belongs to the node reached so far, in the end to the
/// branch itself.
///
/// # Errors
///
/// [`ReflectionError::Stopped`] alone.
pub async fn place<'n>(
    model: &dyn ChatModel,
    fact: &str,
    branch: &'n PlaceNode,
    stop: &CancellationToken,
) -> Result<&'n PlaceNode, ReflectionError> {
    let mut node = branch;
    for _ in 0..MOST_LEVELS {
        if node.children.is_empty() {
            break;
        }
        match ask(model, question(fact, &node.children), stop).await {
            Ok(reply) => match pick_best_child(node.children.len(), &reply) {
                Some(picked) => node = &node.children[picked],
                None => break,
            },
            Err(ReflectionError::Stopped) => return Err(ReflectionError::Stopped),
            Err(error) => {
                tracing::warn!(%error, "a fact stays higher up in the graph than it could");
                break;
            }
        }
    }
    Ok(node)
}

/// The place of the child that an answer picks: the first number in it, counted from 1. `None` when that is none of
/// the children, when there is no number, or when the word NONE is there.
pub fn pick_best_child(children: usize, reply: &str) -> Option<usize> {
    let mut words = reply.split(|c: char| !c.is_alphanumeric());
    if is_nothing(reply) || words.any(|word| word.eq_ignore_ascii_case("none")) {
        return None;
    }
    let digits = reply.split(|c: char| !c.is_ascii_digit()).find(|digits| !digits.is_empty())?;
    let number: usize = digits.parse().ok()?;
    (1..=children).contains(&number).then(|| number - 1)
}

fn question(fact: &str, children: &[PlaceNode]) -> Question {
    Question {
        task: format!("{TASK}\n\n{FENCE_RULE}"),
        material: material(fact, children),
        limit: LIMIT,
        max_tokens: ANSWER_TOKENS,
        randomness: Randomness::None,
        examples: Vec::new(),
        format: None,
    }
}

const TASK: &str = "\
You file facts. You are given a fact and a numbered list of folders, each with what belongs into it. Answer with the \
number of the one folder where somebody would look for this fact, and nothing else. When it fits into none of them, \
answer NONE. Fact and folders may be in different languages: what they mean decides.";

fn material(fact: &str, children: &[PlaceNode]) -> String {
    let folders = children.iter().zip(1..).map(|(child, number)| {
        format!("{number}. {}: {}", on_one_line(&child.name), on_one_line(&child.description))
    });
    let folders = folders.collect::<Vec<_>>().join("\n");
    format!("{}\n\n{}", fenced("FACT", fact), fenced("FOLDERS", &folders))
}

#[cfg(test)]
mod tests {
    use llm::LlmError;
    use rstest::rstest;
    use testkit::{ScriptedModel, Turn};

    use super::*;

    fn node(id: &str, children: Vec<PlaceNode>) -> PlaceNode {
        let description = format!("all about {id}");
        PlaceNode { id: NodeId(0), name: Private(id.into()), description: Private(description), children }
    }

    fn branch() -> PlaceNode {
        node(
            "user",
            vec![node("work", vec![]), node("food", vec![node("tea", vec![]), node("cake", vec![])])],
        )
    }

    async fn place_with(turns: impl IntoIterator<Item = Turn>) -> String {
        let model = ScriptedModel::new(turns);
        let branch = branch();
        let stop = CancellationToken::new();
        let place = place(&model, "The user likes scones.", &branch, &stop).await.unwrap();
        place.name.0.clone()
    }

    #[rstest]
    #[case::down_to_a_leaf(&["2", "Number 2."], "cake")]
    #[case::none_of_the_children(&["2", "NONE"], "food")]
    #[case::nonsense(&["banana"], "user")]
    #[case::empty(&[""], "user")]
    #[case::out_of_range(&["7"], "user")]
    #[tokio::test]
    async fn a_fact_goes_down_as_far_as_the_model_picks(#[case] answers: &[&str], #[case] expected: &str) {
        assert_eq!(place_with(answers.iter().map(|answer| Turn::says(answer))).await, expected);
    }

    #[tokio::test]
    async fn when_the_model_fails_the_fact_stays_where_it_is() {
        assert_eq!(place_with([Turn::says("2"), Turn::Refuses(LlmError::Busy)]).await, "food");
    }

    #[rstest]
    #[case::number("2", Some(1))]
    #[case::first_of_two("3 or 1", Some(2))]
    #[case::in_words("I choose [1].", Some(0))]
    #[case::zero("0", None)]
    #[case::too_large("99999999999999999999999", None)]
    #[case::none("none", None)]
    #[case::none_beside_a_number("NONE (2 is close)", None)]
    #[case::a_longer_word("Nonetheless 2", Some(1))]
    fn picks_a_child(#[case] reply: &str, #[case] expected: Option<usize>) {
        assert_eq!(pick_best_child(3, reply), expected);
    }

    #[test]
    fn the_prompt_for_placing_reads_so() {
        let question = question("The user likes scones.", &branch().children);

        insta::assert_snapshot!(format!("{}\n=====\n{}", question.task, question.material));
    }
}
