//! Batch passes of the language model over diary and graph. Stopping one keeps what it stored.

use futures::{Stream, StreamExt};
use llm::CancellationToken;
use reflection::batch_passes::{BatchPassEvent, CleaningOutcome, TopicOutcome};
use reflection::{ConsolidationEvent, ConsolidationOutcome, ImportEvent, Mode, Reflection};
use vocabulary::{Stage, Trouble};

use super::failure::Failure;
use super::parts::DataService;
use super::responder::Responder;
use crate::data_access::requests::{DayOutcome, MemoryAnswer, NodeOutcome, PassAnswer, PassKind};

impl DataService {
    pub(super) async fn run_pass(
        &self,
        kind: PassKind,
        is_preview: bool,
        responder: &Responder,
        stop: &CancellationToken,
    ) -> Result<(), Failure> {
        if is_preview && kind == PassKind::Imported {
            let message =
                "learning from a diary has no preview: each fact can be seen and forgotten afterwards";
            return Err(Failure::refused(message));
        }
        let [model, helper] = self.language_models().await?;
        let opened = self.open(responder).await?;
        let reflection = Reflection::new((*opened).clone(), model).with_helper(helper);
        let mode = if is_preview { Mode::Preview } else { Mode::Apply };
        let outcome = self.pass(&reflection, kind, mode, responder, stop).await;
        opened.close().await;
        outcome
    }

    async fn pass(
        &self,
        reflection: &Reflection,
        kind: PassKind,
        mode: Mode,
        responder: &Responder,
        stop: &CancellationToken,
    ) -> Result<(), Failure> {
        let clock = &*self.parts.clock;
        match kind {
            PassKind::Deflections => {
                let outcome = |outcome: CleaningOutcome| match outcome {
                    CleaningOutcome::Unchanged => DayOutcome::Unchanged,
                    CleaningOutcome::WouldEmpty => DayOutcome::WouldBeEmpty,
                    CleaningOutcome::Rewritten { after } => DayOutcome::Changed(after),
                    CleaningOutcome::Refused(_) => DayOutcome::Refused,
                    CleaningOutcome::Failed(error) => DayOutcome::Failed(error.to_string()),
                };
                diary_pass(reflection.remove_deflections(mode, clock, stop), outcome, responder).await
            }
            PassKind::Topics => {
                let outcome = |outcome: TopicOutcome| match outcome {
                    TopicOutcome::Unchanged => DayOutcome::Unchanged,
                    TopicOutcome::Changed { after, .. } => DayOutcome::Changed(after),
                };
                diary_pass(reflection.merge_topics(mode, clock, stop), outcome, responder).await
            }
            PassKind::Facts => graph_pass(reflection.consolidate(mode, clock, stop), responder).await,
            PassKind::Imported => {
                let context_tokens = self.parts.settings.current().llm.context_tokens;
                let context_tokens = u32::try_from(context_tokens).unwrap_or(u32::MAX);
                let zone = self.zone();
                learning_pass(reflection.import_diary(&zone, context_tokens, clock, stop), responder).await
            }
        }
    }
}

async fn diary_pass<O>(
    mut events: impl Stream<Item = BatchPassEvent<O>> + Unpin,
    outcome_of: impl Fn(O) -> DayOutcome,
    responder: &Responder,
) -> Result<(), Failure> {
    while let Some(event) = events.next().await {
        let answer = match event {
            BatchPassEvent::Started { total } => PassAnswer::Started { total },
            BatchPassEvent::Row { row, outcome, done } => {
                PassAnswer::Day { day: row.date, outcome: outcome_of(outcome), done }
            }
            BatchPassEvent::Stored { changed, .. } => PassAnswer::Stored { changed },
            BatchPassEvent::Finished { changed } => PassAnswer::Finished { changed },
            BatchPassEvent::Aborted { changed } => PassAnswer::Stopped { changed },
            BatchPassEvent::Failed(error) => return Err(failed(&error)),
        };
        responder.memory(MemoryAnswer::Pass(answer)).await?;
    }
    Ok(())
}

async fn graph_pass(
    mut events: impl Stream<Item = ConsolidationEvent> + Unpin,
    responder: &Responder,
) -> Result<(), Failure> {
    while let Some(event) = events.next().await {
        let answer = match event {
            ConsolidationEvent::Started { total } => PassAnswer::Started { total },
            ConsolidationEvent::Node { node, outcome, done } => PassAnswer::Node {
                facts_before: node.lines.len(),
                name: node.name,
                outcome: match outcome {
                    ConsolidationOutcome::Merged(merged) => NodeOutcome::Merged(merged.lines.len()),
                    ConsolidationOutcome::Unchanged => NodeOutcome::Unchanged,
                    ConsolidationOutcome::Rejected(reason) => NodeOutcome::Kept(reason.code().to_owned()),
                },
                done,
            },
            ConsolidationEvent::Stored { nodes, .. } => PassAnswer::Stored { changed: nodes },
            ConsolidationEvent::Finished => PassAnswer::Finished { changed: 0 },
            ConsolidationEvent::Aborted => PassAnswer::Stopped { changed: 0 },
            ConsolidationEvent::Failed(error) => return Err(error.into()),
        };
        responder.memory(MemoryAnswer::Pass(answer)).await?;
    }
    Ok(())
}

async fn learning_pass(
    mut events: impl Stream<Item = ImportEvent> + Unpin,
    responder: &Responder,
) -> Result<(), Failure> {
    while let Some(event) = events.next().await {
        let answer = match event {
            ImportEvent::Started { total } => PassAnswer::Started { total },
            ImportEvent::Entry { processed, day, facts, error, .. } => PassAnswer::Learned {
                day,
                facts,
                error: error.map(|error| error.to_string()),
                done: processed,
            },
            ImportEvent::Finished => PassAnswer::Finished { changed: 0 },
            ImportEvent::Aborted => PassAnswer::Stopped { changed: 0 },
            ImportEvent::Failed(error) => return Err(failed(&error)),
        };
        responder.memory(MemoryAnswer::Pass(answer)).await?;
    }
    Ok(())
}

fn failed(error: &dyn std::error::Error) -> Failure {
    let remedy = "`jarvis doctor` tells whether a language model answers.";
    Failure::Trouble(Trouble::from_error(Stage::LanguageModel, error, remedy))
}
