//! `jarvis memory maintain --with …`: upkeep that asks the language model. Ctrl+C ends it; what was done until then is
//! kept, and can be undone for ten minutes.

use std::io::Write;

use ::memory::Memory;
use anyhow::bail;
use assistant::{SystemClock, language_model_of_this_user};
use clap::ValueEnum;
use futures::{Stream, StreamExt};
use llm::CancellationToken;
use reflection::sweeps::{Cleaning, Retagging, SweepEvent};
use reflection::{Consolidated, ConsolidationEvent, ImportEvent, Mode, Reflection};

use super::Desk;
use super::page::counted;

/// What the language model is to go through.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Upkeep {
    /// Take what tells of the assistant's failings out of the diary.
    Deflections,
    /// Make one topic of several spellings.
    Topics,
    /// Join facts that say the same, and drop what is outdated.
    Facts,
    /// Learn facts from a diary that was imported.
    Imported,
}

pub(super) async fn run(
    desk: &Desk,
    memory: &Memory,
    upkeep: Upkeep,
    is_preview: bool,
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    if is_preview && upkeep == Upkeep::Imported {
        bail!("learning from a diary has no preview: each fact can be seen and forgotten afterwards");
    }
    let (model, context_tokens) = language_model_of_this_user(&desk.folders).await?;
    let reflection = Reflection::new(memory.clone(), model);
    let stop = CancellationToken::new();
    let on_interrupt = stop.clone();
    let listening = tokio::spawn(async move {
        if tokio::signal::ctrl_c().await.is_ok() {
            on_interrupt.cancel();
        }
    });
    let mode = if is_preview { Mode::Preview } else { Mode::Apply };
    let clock = SystemClock;
    let outcome = match upkeep {
        Upkeep::Deflections => {
            let words = |outcome: &Cleaning| match outcome {
                Cleaning::Unchanged => None,
                Cleaning::WouldEmpty => Some("nothing would be left, so it stays".to_owned()),
                Cleaning::Rewritten { after } => Some(after.0.clone()),
                Cleaning::Refused(_) => Some("the model changed too much, so it stays".to_owned()),
                Cleaning::Failed(error) => Some(format!("stays: {error}")),
            };
            sweep(reflection.sweep_deflections(mode, &clock, &stop), words, out).await
        }
        Upkeep::Topics => {
            let words = |outcome: &Retagging| match outcome {
                Retagging::Unchanged => None,
                Retagging::Retagged { after, .. } => Some(after.0.clone()),
            };
            sweep(reflection.sweep_tags(mode, &clock, &stop), words, out).await
        }
        Upkeep::Facts => tidy(reflection.consolidate(mode, &clock, &stop), out).await,
        Upkeep::Imported => {
            learn(reflection.import_diary(&desk.zone, context_tokens, &clock, &stop), out).await
        }
    };
    listening.abort();
    outcome
}

const UNDO: &str = "`jarvis memory undo` takes it back, for ten minutes.";

async fn sweep<O>(
    mut events: impl Stream<Item = SweepEvent<O>> + Unpin,
    words: impl Fn(&O) -> Option<String>,
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    let mut total = 0;
    while let Some(event) = events.next().await {
        match event {
            SweepEvent::Started { total: all } => total = all,
            SweepEvent::Row { row, outcome, done } => {
                let what = words(&outcome).unwrap_or_else(|| "as it was".to_owned());
                writeln!(out, "{done} of {total}  {}  {what}", row.date)?;
            }
            SweepEvent::Stored { changed, .. } => writeln!(out, "{changed} changed. {UNDO}")?,
            SweepEvent::Finished { changed } => writeln!(out, "Done: {changed} of {total} to change.")?,
            SweepEvent::Aborted { changed } => writeln!(out, "Stopped: {changed} to change until then.")?,
            SweepEvent::Failed(error) => return Err(error.into()),
        }
    }
    Ok(())
}

async fn tidy(
    mut events: impl Stream<Item = ConsolidationEvent> + Unpin,
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    let mut total = 0;
    while let Some(event) = events.next().await {
        match event {
            ConsolidationEvent::Started { total: all } => total = all,
            ConsolidationEvent::Node { node, outcome, done } => {
                let before = node.lines.len();
                let what = match outcome {
                    Consolidated::Merged(merged) => {
                        format!("{} become {}", counted(before, "fact", "facts"), merged.lines.len())
                    }
                    Consolidated::Unchanged => "as it was".to_owned(),
                    Consolidated::LeftAsItWas(why) => format!("stays: {}", why.code()),
                };
                writeln!(out, "{done} of {total}  {}: {what}", node.name.0)?;
            }
            ConsolidationEvent::Stored { nodes, .. } => {
                writeln!(out, "{} changed. {UNDO}", counted(nodes, "node", "nodes"))?;
            }
            ConsolidationEvent::Finished => writeln!(out, "Done.")?,
            ConsolidationEvent::Aborted => writeln!(out, "Stopped.")?,
            ConsolidationEvent::Failed(error) => return Err(super::told(error)),
        }
    }
    Ok(())
}

async fn learn(
    mut events: impl Stream<Item = ImportEvent> + Unpin,
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    while let Some(event) = events.next().await {
        match event {
            ImportEvent::Started { total: 0 } => writeln!(out, "No diary was imported.")?,
            ImportEvent::Started { .. } => {}
            ImportEvent::Entry { processed, total, day, facts, error } => {
                let trouble = error.map(|error| format!(" ({error})")).unwrap_or_default();
                let facts = counted(facts, "new fact", "new facts");
                writeln!(out, "{processed} of {total}  {day}: {facts}{trouble}")?;
            }
            ImportEvent::Finished => writeln!(out, "Done.")?,
            ImportEvent::Aborted => writeln!(out, "Stopped; what was learned until then is kept.")?,
            ImportEvent::Failed(error) => return Err(error.into()),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
