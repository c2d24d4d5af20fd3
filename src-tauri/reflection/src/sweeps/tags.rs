//! Makes one topic of several spellings: one question for all topics of the diary, applied row by row.
//!
//! Source: behaviour reference, section 3.3, "Tag optimisation".

mod mapping;

use std::collections::HashMap;
use std::time::Duration;

use futures::Stream;
use llm::{CancellationToken, ChatModel};
use vocabulary::Private;

pub use mapping::{TagMapping, apply_topic_mapping};

use super::batch_pass::{BatchPass, DiaryRow, RowChange, SweepError, SweepEvent, run};
use crate::ReflectionError;
use crate::asking::{Question, Randomness, ask, tokens_to_repeat};
use crate::fencing::{FENCE_RULE, fenced};
use mapping::tags_of;

/// How long the question may take. Source: behaviour reference, section 3.3.
const LIMIT: Duration = Duration::from_secs(60);

/// Topics asked about, the most frequent first: with their answer they fill half a context of 8192 tokens.
const MOST_TAGS: usize = 300;

/// What came of a row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Retagging {
    /// Its topics stay.
    Unchanged,
    /// Its topics are to become these.
    Retagged {
        /// The new topics, separated by commas.
        after: Private<String>,
        /// How many there were.
        old_count: usize,
        /// How many there are.
        new_count: usize,
    },
}

/// Asks once how the topics of all `rows` belong together, then applies the answer row by row.
pub fn optimise_tags<'m>(
    model: &'m dyn ChatModel,
    rows: Vec<DiaryRow>,
    stop: &'m CancellationToken,
) -> impl Stream<Item = SweepEvent<Retagging>> + Send + 'm {
    run::<TagPass>(model, rows, stop)
}

/// The pass behind [`optimise_tags`].
pub(crate) struct TagPass;

impl BatchPass for TagPass {
    type Outcome = Retagging;
    type Preparation = TagMapping;

    const NAME: &'static str = "topics";

    async fn prepare(
        model: &dyn ChatModel,
        rows: &[DiaryRow],
        stop: &CancellationToken,
    ) -> Result<TagMapping, SweepError> {
        let tags = most_frequent(rows);
        if tags.len() < 2 {
            return Ok(TagMapping::default());
        }
        let reply = ask(model, question(&tags), stop).await?;
        TagMapping::read(&reply, &tags).ok_or(SweepError::Unusable)
    }

    async fn pass_over(
        _: &dyn ChatModel,
        mapping: &TagMapping,
        row: &DiaryRow,
        _: &CancellationToken,
    ) -> Result<Retagging, ReflectionError> {
        Ok(retag(&row.topics, mapping))
    }

    fn change(row: &DiaryRow, outcome: &Retagging) -> Option<RowChange> {
        let Retagging::Retagged { after, .. } = outcome else { return None };
        Some(RowChange { row: row.clone(), summary: row.summary.0.clone(), topics: after.0.clone() })
    }
}

fn retag(topics: &str, mapping: &TagMapping) -> Retagging {
    let after = apply_topic_mapping(topics, mapping);
    // A row without topics is found by nobody who looks for one.
    if after.is_empty() || tags_of(topics).eq(tags_of(&after)) {
        return Retagging::Unchanged;
    }
    Retagging::Retagged {
        old_count: tags_of(topics).count(),
        new_count: tags_of(&after).count(),
        after: Private(after),
    }
}

fn most_frequent(rows: &[DiaryRow]) -> Vec<String> {
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for tag in rows.iter().flat_map(|row| tags_of(&row.topics)) {
        *counts.entry(tag).or_default() += 1;
    }
    let mut tags: Vec<(&str, usize)> = counts.into_iter().collect();
    tags.sort_unstable_by(|(one, ones), (other, others)| others.cmp(ones).then(one.cmp(other)));
    tags.into_iter().take(MOST_TAGS).map(|(tag, _)| tag.to_owned()).collect()
}

fn question(tags: &[String]) -> Question {
    let material = fenced("TOPICS", &tags.join("\n"));
    Question {
        task: format!("{TASK}\n\n{FENCE_RULE}\n\n{FORM}"),
        // Every topic comes twice: as it is, and as it is to be.
        max_tokens: tokens_to_repeat(2 * material.len()),
        material,
        limit: LIMIT,
        randomness: Randomness::None,
        examples: Vec::new(),
        format: None,
    }
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

    fn told(event: &SweepEvent<Retagging>) -> String {
        match event {
            SweepEvent::Started { total } => format!("started {total}"),
            SweepEvent::Row { row, outcome, .. } => match outcome {
                Retagging::Unchanged => format!("{} unchanged", row.id),
                Retagging::Retagged { after, old_count, new_count } => {
                    format!("{} {}: {old_count} -> {new_count}", row.id, after.0)
                }
            },
            SweepEvent::Finished { changed } => format!("finished {changed}"),
            SweepEvent::Aborted { changed } => format!("aborted {changed}"),
            SweepEvent::Failed(error) => format!("failed {}", error.code()),
            SweepEvent::Stored { .. } => "stores nothing".into(),
        }
    }

    async fn sweep(answer: &str) -> Vec<String> {
        let model = ScriptedModel::new([Turn::says(answer)]);
        let stop = CancellationToken::new();
        optimise_tags(&model, rows(), &stop).map(|event| told(&event)).collect().await
    }

    #[tokio::test]
    async fn topics_that_mean_the_same_become_one() {
        let events = sweep("```json\n{\"teas\": \"tea\", \"tea and cake\": [\"tea\", \"cake\"]}\n```").await;

        assert_eq!(
            events,
            ["started 3", "1 unchanged", "2 tea: 2 -> 1", "3 tea, cake, chess: 2 -> 3", "finished 2"]
        );
    }

    #[rstest]
    #[case::nonsense("banana")]
    #[case::empty("")]
    #[case::cut_off("{\"teas\": \"tea\"")]
    #[case::a_list("[\"tea\"]")]
    #[tokio::test]
    async fn bad_json_changes_nothing(#[case] answer: &str) {
        assert_eq!(sweep(answer).await, ["started 3", "failed unusable_answer"]);
    }

    #[rstest]
    #[case::nulls("{\"teas\": null, \"tea\": null}")]
    #[case::wrong_types("{\"teas\": 3, \"tea\": {\"a\": \"b\"}}")]
    #[case::emptied("{\"teas\": \"\", \"tea\": [], \"cake\": [\" \"]}")]
    #[case::invented("{\"teas\": \"helicopters\", \"chess\": \"bananas\"}")]
    #[tokio::test]
    async fn a_mapping_to_nowhere_changes_nothing(#[case] answer: &str) {
        let events = sweep(answer).await;

        assert_eq!(events, ["started 3", "1 unchanged", "2 unchanged", "3 unchanged", "finished 0"]);
    }

    #[tokio::test]
    async fn stopping_ends_it_between_two_rows() {
        let model = ScriptedModel::new([Turn::says("{}")]);
        let stop = CancellationToken::new();
        let mut events = Box::pin(optimise_tags(&model, rows(), &stop));

        let mut seen = Vec::new();
        while let Some(event) = events.next().await {
            seen.push(told(&event));
            if seen.len() == 2 {
                stop.cancel();
            }
        }

        assert_eq!(seen, ["started 3", "1 unchanged", "aborted 0"]);
    }

    #[test]
    fn the_prompt_for_topics_reads_so() {
        let question = question(&most_frequent(&rows()));

        insta::assert_snapshot!(format!("{}\n=====\n{}", question.task, question.material));
    }
}
