//! Merges spellings of a topic: one question about all topics of the diary, then applied row by row.
//!
//! Source: docs/behaviour/memory.md#clean-diary.

mod mapping;

use std::collections::HashMap;
use std::time::Duration;

use llm::{CancellationToken, ChatModel};
use vocabulary::Private;

pub use mapping::{TopicMapping, apply_topic_mapping};

use super::batch_pass::{BatchPass, BatchPassError, DiaryRow, RowChange};
use crate::ReflectionError;
use crate::asking::{ModelQuestion, ask, tokens_to_repeat};
use crate::fencing::{FENCE_RULE, fenced};
use mapping::topics_of;

/// Time limit of the question. Source: docs/behaviour/memory.md#clean-diary.
const LIMIT: Duration = Duration::from_secs(60);

/// Topics in one question, the most frequent first: with the answer they fill half a context of 8192 tokens.
const MAX_TOPICS: usize = 300;

/// The outcome of a row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TopicOutcome {
    /// The topics stay.
    Unchanged,
    /// The topics are to be replaced.
    Changed {
        /// The new topics, separated by commas.
        after: Private<String>,
        /// Number of topics before.
        old_count: usize,
        /// Number of topics afterwards.
        new_count: usize,
    },
}

/// Asks once which topics of all rows mean the same, then applies the answer row by row.
pub(crate) struct TopicPass;

impl BatchPass for TopicPass {
    type Outcome = TopicOutcome;
    type Preparation = TopicMapping;

    const NAME: &'static str = "topics";

    async fn prepare(
        model: &dyn ChatModel,
        rows: &[DiaryRow],
        stop: &CancellationToken,
    ) -> Result<TopicMapping, BatchPassError> {
        let topics = most_frequent(rows);
        if topics.len() < 2 {
            return Ok(TopicMapping::default());
        }
        let reply = ask(model, question(&topics), stop).await?;
        TopicMapping::read(&reply, &topics).ok_or(BatchPassError::Unusable)
    }

    async fn examine_row(
        _: &dyn ChatModel,
        mapping: &TopicMapping,
        row: &DiaryRow,
        _: &CancellationToken,
    ) -> Result<TopicOutcome, ReflectionError> {
        Ok(outcome_for(&row.topics, mapping))
    }

    fn change(row: &DiaryRow, outcome: &TopicOutcome) -> Option<RowChange> {
        let TopicOutcome::Changed { after, .. } = outcome else { return None };
        Some(RowChange { row: row.clone(), summary: row.summary.0.clone(), topics: after.0.clone() })
    }
}

fn outcome_for(topics: &str, mapping: &TopicMapping) -> TopicOutcome {
    let after = apply_topic_mapping(topics, mapping);
    // A row without topics could no longer be found by topic.
    if after.is_empty() || topics_of(topics).eq(topics_of(&after)) {
        return TopicOutcome::Unchanged;
    }
    TopicOutcome::Changed {
        old_count: topics_of(topics).count(),
        new_count: topics_of(&after).count(),
        after: Private(after),
    }
}

/// Topics as a model wrote them, without secrets.
pub(crate) fn redacted_topics(topics: &str) -> Vec<String> {
    topics_of(&redaction::scrub(topics)).map(str::to_owned).collect()
}

fn most_frequent(rows: &[DiaryRow]) -> Vec<String> {
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for tag in rows.iter().flat_map(|row| topics_of(&row.topics)) {
        *counts.entry(tag).or_default() += 1;
    }
    let mut topics: Vec<(&str, usize)> = counts.into_iter().collect();
    topics.sort_unstable_by(|(one, ones), (other, others)| others.cmp(ones).then(one.cmp(other)));
    topics.into_iter().take(MAX_TOPICS).map(|(tag, _)| tag.to_owned()).collect()
}

fn question(topics: &[String]) -> ModelQuestion {
    let material = fenced("TOPICS", &topics.join("\n"));
    // The answer may contain every topic twice: before and after the change.
    let max_tokens = tokens_to_repeat(2 * material.len());
    ModelQuestion::new(format!("{TASK}\n\n{FENCE_RULE}\n\n{FORM}"), material, LIMIT, max_tokens)
}

const TASK: &str = "\
You tidy the topics of a diary. You are given all of them, one a line, the most frequent first. Find those that mean the \
same and settle on one of them: different spelling, singular and plural, capitals, a synonym, a needless word, the \
same word in another language of the list. Settle on the most frequent one. A topic that names two things may become \
two topics of the list. Topics that are merely related stay apart (tea and coffee, Katze and Hund), and names of people \
and places stay as they are. When in doubt, leave a topic out of your answer: it then stays as it is.";

const FORM: &str = "\
Answer with one JSON object and nothing else: for each topic that changes, the topic and what it becomes. {} when none \
changes.
{\"teas\": \"tea\", \"Tee\": \"tea\", \"tea and cake\": [\"tea\", \"cake\"]}";

#[cfg(test)]
mod tests {
    use futures::StreamExt;
    use rstest::rstest;
    use testkit::{ScriptedModel, Turn};

    use super::super::batch_pass::test_support::describe;
    use super::super::batch_pass::{BatchPassEvent, run};
    use super::*;

    fn rows() -> Vec<DiaryRow> {
        let row = |(id, topics): (i64, &str)| DiaryRow {
            id,
            date: jiff::civil::Date::constant(2025, 9, 15),
            summary: Private("…".into()),
            topics: Private(topics.into()),
        };
        [(1, "tea, cake"), (2, "teas, tea"), (3, "tea and cake, chess")].map(row).to_vec()
    }

    fn described(event: &BatchPassEvent<TopicOutcome>) -> String {
        describe(event, |outcome| match outcome {
            TopicOutcome::Unchanged => "unchanged".into(),
            TopicOutcome::Changed { after, old_count, new_count } => {
                format!("{} ({old_count} -> {new_count})", after.0)
            }
        })
    }

    async fn events_for(answer: &str) -> Vec<String> {
        let model = ScriptedModel::new([Turn::says(answer)]);
        let stop = CancellationToken::new();
        run::<TopicPass>(&model, rows(), &stop).map(|event| described(&event)).collect().await
    }

    #[tokio::test]
    async fn topics_with_the_same_meaning_are_merged() {
        let events =
            events_for("```json\n{\"teas\": \"tea\", \"tea and cake\": [\"tea\", \"cake\"]}\n```").await;

        assert_eq!(
            events,
            [
                "started 3",
                "1 row 1: unchanged",
                "2 row 2: tea (2 -> 1)",
                "3 row 3: tea, cake, chess (2 -> 3)",
                "finished 2"
            ]
        );
    }

    #[rstest]
    #[case::nonsense("banana")]
    #[case::empty("")]
    #[case::cut_off("{\"teas\": \"tea\"")]
    #[case::a_list("[\"tea\"]")]
    #[tokio::test]
    async fn invalid_json_changes_nothing(#[case] answer: &str) {
        assert_eq!(events_for(answer).await, ["started 3", "failed unusable_answer"]);
    }

    #[rstest]
    #[case::nulls("{\"teas\": null, \"tea\": null}")]
    #[case::wrong_types("{\"teas\": 3, \"tea\": {\"a\": \"b\"}}")]
    #[case::emptied("{\"teas\": \"\", \"tea\": [], \"cake\": [\" \"]}")]
    #[case::invented("{\"teas\": \"helicopters\", \"chess\": \"bananas\"}")]
    #[tokio::test]
    async fn unusable_mapping_changes_nothing(#[case] answer: &str) {
        let events = events_for(answer).await;

        assert_eq!(
            events,
            ["started 3", "1 row 1: unchanged", "2 row 2: unchanged", "3 row 3: unchanged", "finished 0"]
        );
    }

    #[tokio::test]
    async fn stopping_ends_the_pass_between_two_rows() {
        let model = ScriptedModel::new([Turn::says("{}")]);
        let stop = CancellationToken::new();
        let mut events = Box::pin(run::<TopicPass>(&model, rows(), &stop));

        let mut seen = Vec::new();
        while let Some(event) = events.next().await {
            seen.push(described(&event));
            if seen.len() == 2 {
                stop.cancel();
            }
        }

        assert_eq!(seen, ["started 3", "1 row 1: unchanged", "aborted 0"]);
    }

    #[test]
    fn prompt_for_topics_matches_its_snapshot() {
        let question = question(&most_frequent(&rows()));

        insta::assert_snapshot!(format!("{}\n=====\n{}", question.task, question.material));
    }
}
