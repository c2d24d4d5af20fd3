//! Chooses the node of the graph for a fact: the model picks one child per level, starting at the fact's branch.
//!
//! Source: docs/behaviour/memory.md#learning-facts, step 2.

use std::time::Duration;

use llm::{CancellationToken, ChatModel};
use memory::NodeId;
use vocabulary::Private;

use crate::ReflectionError;
use crate::answers::is_nothing;
use crate::asking::{ModelQuestion, ask};
use crate::fencing::{FENCE_RULE, fenced};
use crate::normalising::on_one_line;

/// Time limit of one pick. Source: `intent_judge_timeout_sec` of imported settings, whose model picks.
const LIMIT: Duration = Duration::from_secs(15);

/// Enough for a number and a few words around it.
const ANSWER_TOKENS: u32 = 32;

/// Levels below the branch that are searched. Source: docs/behaviour/memory.md#learning-facts.
const MAX_LEVELS: usize = 8;

/// A node of the graph with its descendants.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NodeTree {
    /// Id in the graph.
    pub id: NodeId,
    /// Name of the node.
    pub name: Private<String>,
    /// Which facts belong into the node.
    pub description: Private<String>,
    /// The child nodes, best first.
    pub children: Vec<NodeTree>,
}

/// The node in the tree of `branch` where `fact` fits best.
///
/// Falls open: when the model fails or picks nothing, the result is the node reached so far, at first the branch itself.
///
/// # Errors
///
/// Only [`ReflectionError::Stopped`].
pub async fn choose_node<'n>(
    model: &dyn ChatModel,
    fact: &str,
    branch: &'n NodeTree,
    stop: &CancellationToken,
) -> Result<&'n NodeTree, ReflectionError> {
    let mut node = branch;
    for _ in 0..MAX_LEVELS {
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
                tracing::warn!(%error, "a fact is stored higher up in the graph, because the model could not choose a node");
                break;
            }
        }
    }
    Ok(node)
}

/// The index of the child that an answer picks: the first number in the answer, counted from 1. `None` when the number is
/// out of range, when there is none, or when the answer contains the word NONE.
pub fn pick_best_child(children: usize, reply: &str) -> Option<usize> {
    let mut words = reply.split(|c: char| !c.is_alphanumeric());
    if is_nothing(reply) || words.any(|word| word.eq_ignore_ascii_case("none")) {
        return None;
    }
    let digits = reply.split(|c: char| !c.is_ascii_digit()).find(|digits| !digits.is_empty())?;
    let number: usize = digits.parse().ok()?;
    (1..=children).contains(&number).then(|| number - 1)
}

fn question(fact: &str, children: &[NodeTree]) -> ModelQuestion {
    ModelQuestion::new(format!("{TASK}\n\n{FENCE_RULE}"), material(fact, children), LIMIT, ANSWER_TOKENS)
}

const TASK: &str = "\
You file facts. You are given a fact and a numbered list of folders, each with what belongs into it. Answer with the \
number of the one folder where somebody would look for this fact, and nothing else. When it fits into none of them, \
answer NONE. Fact and folders may be in different languages: what they mean decides.";

fn material(fact: &str, children: &[NodeTree]) -> String {
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

    fn node(id: &str, children: Vec<NodeTree>) -> NodeTree {
        let description = format!("all about {id}");
        NodeTree { id: NodeId(0), name: Private(id.into()), description: Private(description), children }
    }

    fn branch() -> NodeTree {
        node(
            "user",
            vec![node("work", vec![]), node("food", vec![node("tea", vec![]), node("cake", vec![])])],
        )
    }

    async fn choose_with(turns: impl IntoIterator<Item = Turn>) -> String {
        let model = ScriptedModel::new(turns);
        let branch = branch();
        let stop = CancellationToken::new();
        let node = choose_node(&model, "The user likes scones.", &branch, &stop).await.unwrap();
        node.name.0.clone()
    }

    #[rstest]
    #[case::down_to_a_leaf(&["2", "Number 2."], "cake")]
    #[case::none_of_the_children(&["2", "NONE"], "food")]
    #[case::nonsense(&["banana"], "user")]
    #[case::empty(&[""], "user")]
    #[case::out_of_range(&["7"], "user")]
    #[tokio::test]
    async fn fact_is_placed_as_deep_as_the_model_picks(#[case] answers: &[&str], #[case] expected: &str) {
        assert_eq!(choose_with(answers.iter().map(|answer| Turn::says(answer))).await, expected);
    }

    #[tokio::test]
    async fn failure_of_the_model_keeps_the_node_reached_so_far() {
        assert_eq!(choose_with([Turn::says("2"), Turn::Refuses(LlmError::Busy)]).await, "food");
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
    fn child_is_picked_by_the_first_number(#[case] reply: &str, #[case] expected: Option<usize>) {
        assert_eq!(pick_best_child(3, reply), expected);
    }

    #[test]
    fn prompt_for_placing_matches_its_snapshot() {
        let question = question("The user likes scones.", &branch().children);

        insta::assert_snapshot!(format!("{}\n=====\n{}", question.task, question.material));
    }
}
