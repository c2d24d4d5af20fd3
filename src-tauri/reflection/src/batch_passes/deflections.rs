//! Removes deflections from the diary: sentences that narrate failures of the assistant. A model that reads them later
//! repeats the failures.
//!
//! Source: docs/behaviour/memory.md#clean-diary.

mod validation; // whether a rewritten row may be stored

use std::time::Duration;

use llm::{CancellationToken, ChatModel};

pub use validation::{CleaningOutcome, RewriteRejection, clean_rewrite_reply};

use super::batch_pass::{BatchPass, BatchPassError, DiaryRow, RowChange};
use crate::ReflectionError;
use crate::asking::{ModelQuestion, ask, tokens_to_repeat};
use crate::fencing::{FENCE_RULE, fenced};
use validation::validate_rewrite;

/// Time limit of a row. Source: `llm_chat_timeout_sec` of imported settings.
const LIMIT: Duration = Duration::from_secs(180);

/// Asks one question for each row.
pub(crate) struct DeflectionPass;

impl BatchPass for DeflectionPass {
    type Outcome = CleaningOutcome;
    type Preparation = ();

    const NAME: &'static str = "deflections";

    async fn prepare(_: &dyn ChatModel, _: &[DiaryRow], _: &CancellationToken) -> Result<(), BatchPassError> {
        Ok(())
    }

    async fn examine_row(
        model: &dyn ChatModel,
        _: &(),
        row: &DiaryRow,
        stop: &CancellationToken,
    ) -> Result<CleaningOutcome, ReflectionError> {
        match ask(model, question(&row.summary), stop).await {
            Ok(reply) => Ok(validate_rewrite(&row.summary, &clean_rewrite_reply(&reply))),
            Err(ReflectionError::Stopped) => Err(ReflectionError::Stopped),
            Err(error) => Ok(CleaningOutcome::Failed(error)),
        }
    }

    fn change(row: &DiaryRow, outcome: &CleaningOutcome) -> Option<RowChange> {
        let CleaningOutcome::Rewritten { after } = outcome else { return None };
        Some(RowChange { row: row.clone(), summary: after.0.clone(), topics: row.topics.0.clone() })
    }
}

fn question(summary: &str) -> ModelQuestion {
    let material = fenced("DIARY", summary);
    let max_tokens = tokens_to_repeat(material.len());
    ModelQuestion::new(format!("{TASK}\n\n{FENCE_RULE}\n\n{EXAMPLES}"), material, LIMIT, max_tokens)
}

const TASK: &str = "\
You clean a diary that a voice assistant keeps about its user. Take out everything that narrates failings of the \
assistant: that it did not know, could not do or find something, was unsure, apologised, asked back or offered further \
help. Where that was all there is about a topic, keep that the user wanted to know or do it. Where the answer came in \
the end, keep the answer. Leave every other sentence word for word as it is, in its language and in its place, above \
all what the user said and what the assistant claimed or found. Add nothing.

Answer with the cleaned text alone. When there is nothing to take out, repeat the text unchanged. When nothing at all is \
left, answer NONE.";

const EXAMPLES: &str = "\
Examples:
The user asked for trains to York, but the assistant had no timetable and offered to search. The user likes tea.
-> The user asked for trains to York. The user likes tea.
Der Assistent entschuldigte sich, weil er den Termin zuerst nicht fand. Der Zahnarzttermin ist am 4. Mai.
-> Der Zahnarzttermin ist am 4. Mai.
L'assistant n'a pas pu dire s'il pleuvra à Brest.
-> L'utilisateur voulait savoir s'il pleuvra à Brest.
アシスタントは曲名がわからないと述べた。ユーザーは犬を飼っている。
-> ユーザーは曲名を知りたがった。ユーザーは犬を飼っている。";

#[cfg(test)]
mod tests {
    use futures::StreamExt;
    use llm::LlmError;
    use testkit::{ScriptedModel, Turn};
    use vocabulary::Private;

    use super::super::batch_pass::test_support::describe;
    use super::super::batch_pass::{BatchPassEvent, run};
    use super::*;

    const BEFORE: &str =
        "The user asked for trains to York, but the assistant could not look them up. The user likes tea.";

    fn row(id: i64) -> DiaryRow {
        DiaryRow {
            id,
            date: jiff::civil::Date::constant(2025, 9, 15),
            summary: Private(BEFORE.into()),
            topics: Private("trains".into()),
        }
    }

    fn described(event: &BatchPassEvent<CleaningOutcome>) -> String {
        describe(event, |outcome| match outcome {
            CleaningOutcome::Rewritten { after } => after.0.clone(),
            outcome => format!("{outcome:?}"),
        })
    }

    #[tokio::test]
    async fn each_row_is_cleaned_or_stays_unchanged_after_a_failure() {
        let model = ScriptedModel::new([
            Turn::says("```\nThe user asked for trains to York. The user likes tea.\n```"),
            Turn::Refuses(LlmError::Busy),
            Turn::says(BEFORE),
            Turn::says("NONE"),
        ]);

        let stop = CancellationToken::new();
        let rows = (1..=4).map(row).collect();
        let events: Vec<String> =
            run::<DeflectionPass>(&model, rows, &stop).map(|event| described(&event)).collect().await;

        assert_eq!(
            events,
            [
                "started 4",
                "1 row 1: The user asked for trains to York. The user likes tea.",
                "2 row 2: Failed(Model(Busy))",
                "3 row 3: Unchanged",
                "4 row 4: WouldEmpty",
                "finished 1"
            ]
        );
    }

    #[tokio::test]
    async fn stopping_ends_the_pass_in_the_middle_of_a_row() {
        let model = ScriptedModel::new([Turn::says(BEFORE), Turn::hangs_after("The")]);
        let stop = CancellationToken::new();
        let mut events = Box::pin(run::<DeflectionPass>(&model, vec![row(1), row(2), row(3)], &stop));

        let mut seen =
            vec![described(&events.next().await.unwrap()), described(&events.next().await.unwrap())];
        let (last, ()) = tokio::join!(events.next(), async { stop.cancel() });
        seen.push(described(&last.unwrap()));

        assert_eq!(seen, ["started 3", "1 row 1: Unchanged", "aborted 0"]);
        assert!(events.next().await.is_none());
    }

    #[test]
    fn prompt_for_cleaning_matches_its_snapshot() {
        let question = question(BEFORE);

        insta::assert_snapshot!(format!("{}\n=====\n{}", question.task, question.material));
    }
}
