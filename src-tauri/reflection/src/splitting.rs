//! Splits a long node into children. The model only sorts line numbers into categories, so no fact can be lost or changed.
//!
//! Source: docs/behaviour/memory.md#learning-facts.

use std::time::Duration;

use llm::{CancellationToken, ChatModel};
use serde_json::Value;
use vocabulary::Private;

use crate::ReflectionError;
use crate::answers::{json_values, list_index};
use crate::asking::{ModelQuestion, ask};
use crate::fencing::{FENCE_RULE, fenced};
use crate::normalising::{normalise_fact, on_one_line};

/// A node with more tokens than this is split. Source: docs/behaviour/memory.md#learning-facts.
pub(crate) const SPLIT_ABOVE_TOKENS: usize = 1500;

/// Time limit of a split. Source: docs/behaviour/memory.md#learning-facts.
const LIMIT: Duration = Duration::from_secs(45);

/// Enough for five categories with a sentence each, and the numbers of some hundred lines.
const ANSWER_TOKENS: u32 = 1500;

/// Allowed number of categories. Source: docs/behaviour/memory.md#learning-facts.
const CATEGORIES: std::ops::RangeInclusive<usize> = 2..=5;

/// Length limit of a node's description, in characters. Source: docs/behaviour/memory.md#learning-facts.
const MAX_DESCRIPTION_CHARS: usize = 300;

/// Length limit of a node's name, in characters: what fits into the tree on the memory page.
const MAX_NAME_CHARS: usize = 60;

/// The way a node is split.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Split {
    /// The new description of the node as a whole.
    pub summary: Private<String>,
    /// The new children, two to five.
    pub categories: Vec<Category>,
    /// Indices of the lines that stay in the node.
    pub remaining: Vec<usize>,
}

/// A new child.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Category {
    /// A name that no other category has.
    pub name: Private<String>,
    /// Which facts belong into it.
    pub description: Private<String>,
    /// Indices of the lines that move into it, at least one. No line is in two categories.
    pub lines: Vec<usize>,
}

/// Why a node is not split.
#[derive(Debug, thiserror::Error)]
pub enum SplitRejection {
    /// The answer contained no usable categories.
    #[error("the model's answer contained no usable categories")]
    Unreadable,
    /// Most lines fit into no category.
    #[error("most facts fit into no category")]
    FitsNowhere,
    /// The model could not be asked.
    #[error("the model could not be asked")]
    Failed(#[from] ReflectionError),
}

/// Sorts the lines of the node `name` into children.
///
/// # Errors
///
/// When the node must stay as it is.
pub async fn split(
    model: &dyn ChatModel,
    name: &str,
    lines: &[String],
    stop: &CancellationToken,
) -> Result<Split, SplitRejection> {
    let reply = ask(model, question(name, lines), stop).await?;
    let split = parse_split(&reply, lines).ok_or(SplitRejection::Unreadable)?;
    if split.remaining.len() * 2 > lines.len() {
        return Err(SplitRejection::FitsNowhere);
    }
    Ok(split)
}

/// Reads how the model sorted `lines`. `None` when a part is missing, when a category is empty, or when there are not two to
/// five categories.
///
/// A line that is named twice belongs to the first category. Instead of its number, a line may be written out.
fn parse_split(reply: &str, lines: &[String]) -> Option<Split> {
    let object =
        json_values(reply, '{').find(|value| value.get("categories").is_some_and(Value::is_array))?;
    let summary = text(&object, "summary", MAX_DESCRIPTION_CHARS)?;
    let named = object.get("categories")?.as_array()?;
    if !CATEGORIES.contains(&named.len()) {
        return None;
    }
    let mut is_taken = vec![false; lines.len()];
    let mut categories: Vec<Category> = Vec::new();
    for category in named {
        let category = read_category(category, lines, &mut is_taken)?;
        let is_known = |other: &Category| normalise_fact(&other.name) == normalise_fact(&category.name);
        if categories.iter().any(is_known) {
            return None;
        }
        categories.push(category);
    }
    let remaining = (0..lines.len()).filter(|&index| !is_taken[index]).collect();
    Some(Split { summary, categories, remaining })
}

fn read_category(category: &Value, lines: &[String], is_taken: &mut [bool]) -> Option<Category> {
    let mut indices = Vec::new();
    for item in category.get("facts")?.as_array()? {
        let written_out = || {
            let fact = normalise_fact(item.as_str()?);
            lines.iter().position(|line| normalise_fact(line) == fact)
        };
        let Some(index) = list_index(item, lines.len()).or_else(written_out) else { continue };
        if !std::mem::replace(&mut is_taken[index], true) {
            indices.push(index);
        }
    }
    let is_empty = indices.is_empty();
    let name = text(category, "name", MAX_NAME_CHARS)?;
    let description = text(category, "description", MAX_DESCRIPTION_CHARS)?;
    (!is_empty).then_some(Category { name, description, lines: indices })
}

fn text(object: &Value, key: &str, max_chars: usize) -> Option<Private<String>> {
    let text = on_one_line(object.get(key)?.as_str()?);
    let cut: String = text.chars().take(max_chars).collect();
    (!cut.is_empty()).then_some(Private(cut))
}

fn question(name: &str, lines: &[String]) -> ModelQuestion {
    let facts = lines.iter().zip(1..).map(|(line, number)| format!("{number}. {}", on_one_line(line)));
    let facts = facts.collect::<Vec<_>>().join("\n");
    let task = format!("{TASK}\n\n{FENCE_RULE}\n\n{FORM}");
    let material = format!("{}\n\n{}", fenced("FOLDER", name), fenced("FACTS", &facts));
    ModelQuestion::new(task, material, LIMIT, ANSWER_TOKENS)
}

const TASK: &str = "\
You tidy a folder of facts that has grown too long. Sort its facts into two to five new folders by what they are \
about. Every fact goes into exactly one folder and no folder stays empty; folders are neither so narrow that they hold \
a single fact nor so wide that they say nothing. Name and describe them in the language of the facts.";

const FORM: &str = "\
Answer with one JSON object and nothing else. \"facts\" are the numbers of the facts, \"summary\" is one sentence on what \
the old folder as a whole is about:
{\"summary\": \"…\", \"categories\": [{\"name\": \"…\", \"description\": \"…\", \"facts\": [1, 4]}]}";

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use testkit::{ScriptedModel, Turn};

    use super::*;

    fn lines() -> Vec<String> {
        ["Likes tea.", "Runs.", "Likes cake.", "Swims."].map(str::to_owned).to_vec()
    }

    async fn split_with(answer: &str) -> Result<Split, SplitRejection> {
        let model = ScriptedModel::new([Turn::says(answer)]);
        split(&model, "User", &lines(), &CancellationToken::new()).await
    }

    fn category(name: &str, lines: &[usize]) -> Category {
        Category { name: Private(name.into()), description: Private("d".into()), lines: lines.to_vec() }
    }

    #[tokio::test]
    async fn lines_are_sorted_by_number_or_text_and_none_is_lost() {
        let answer = r#"Here: {"summary": "Habits", "categories": [
            {"name": "Food", "description": "d", "facts": [1, "3", 1, 99]},
            {"name": "Sport", "description": "d", "facts": ["runs.", 1, null, "Flies."]}]}"#;

        let split = split_with(answer).await.unwrap();

        let expected = Split {
            summary: Private("Habits".into()),
            categories: vec![category("Food", &[0, 2]), category("Sport", &[1])],
            remaining: vec![3],
        };
        assert_eq!(split, expected);
    }

    #[rstest]
    #[case::nonsense("banana")]
    #[case::empty("")]
    #[case::cut_off(r#"{"summary": "s", "categories": [{"name": "a""#)]
    #[case::nulls(r#"{"summary": null, "categories": null}"#)]
    #[case::one_folder(r#"{"summary":"s","categories":[{"name":"a","description":"d","facts":[1,2,3,4]}]}"#)]
    #[case::an_empty_folder(
        r#"{"summary":"s","categories":[{"name":"a","description":"d","facts":[1,2,3,4]},{"name":"b","description":"d","facts":[]}]}"#
    )]
    #[case::two_of_a_name(
        r#"{"summary":"s","categories":[{"name":"a","description":"d","facts":[1,2]},{"name":"A","description":"d","facts":[3,4]}]}"#
    )]
    #[case::no_summary(
        r#"{"categories":[{"name":"a","description":"d","facts":[1,2]},{"name":"b","description":"d","facts":[3,4]}]}"#
    )]
    #[tokio::test]
    async fn unusable_answer_does_not_split_the_node(#[case] answer: &str) {
        assert!(matches!(split_with(answer).await, Err(SplitRejection::Unreadable)));
    }

    #[tokio::test]
    async fn node_is_not_split_when_most_facts_fit_nowhere() {
        let lines: Vec<String> = (0..9).map(|i| format!("Fact {i}.")).collect();
        let answer = r#"{"summary":"s","categories":[{"name":"a","description":"d","facts":[1,2]},{"name":"b","description":"d","facts":[3]}]}"#;
        let model = ScriptedModel::new([Turn::says(answer)]);

        let outcome = split(&model, "User", &lines, &CancellationToken::new()).await;

        assert!(matches!(outcome, Err(SplitRejection::FitsNowhere)));
    }

    #[test]
    fn prompt_for_splitting_matches_its_snapshot() {
        let question = question("User", &lines());

        insta::assert_snapshot!(format!("{}\n=====\n{}", question.task, question.material));
    }
}
