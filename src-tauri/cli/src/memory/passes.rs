//! `jarvis memory maintain --with …`: batch passes of the language model. Ctrl-C ends one; what was done until then is
//! kept, and can be undone for ten minutes.

use std::io::Write;

use assistant::{DayOutcome, MemoryAnswer, MemoryRequest, NodeOutcome, PassAnswer, PassKind};
use clap::ValueEnum;

use super::layout::counted;
use super::session::{Session, unexpected};

/// The records that the language model goes through.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Pass {
    /// Remove what the diary says about failures of the assistant.
    Deflections,
    /// Join topics that differ in spelling only.
    Topics,
    /// Join facts that say the same, and drop outdated ones.
    Facts,
    /// Learn facts from imported diary entries.
    Imported,
}

impl Pass {
    fn kind(self) -> PassKind {
        match self {
            Self::Deflections => PassKind::Deflections,
            Self::Topics => PassKind::Topics,
            Self::Facts => PassKind::Facts,
            Self::Imported => PassKind::Imported,
        }
    }
}

const UNDO: &str = "`jarvis memory undo` takes it back, for ten minutes.";

pub(super) async fn run(
    session: &Session,
    pass: Pass,
    is_preview: bool,
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    let mut total = 0;
    let print = |answer| {
        let MemoryAnswer::Pass(step) = answer else { return unexpected(&answer) };
        if let PassAnswer::Started { total: all } = step {
            total = all;
        }
        if let Some(line) = in_words(pass, &step, total) {
            writeln!(out, "{line}")?;
            out.flush()?;
        }
        Ok(())
    };
    session.answers(MemoryRequest::RunPass { kind: pass.kind(), is_preview }, print).await
}

/// A step as a line of text, if it is worth one.
fn in_words(pass: Pass, step: &PassAnswer, total: usize) -> Option<String> {
    let is_of_diary = matches!(pass, Pass::Deflections | Pass::Topics);
    Some(match step {
        PassAnswer::Started { total: 0 } if pass == Pass::Imported => "No diary was imported.".to_owned(),
        PassAnswer::Started { .. } => return None,
        PassAnswer::Day { day, outcome, done } => {
            let outcome = match outcome {
                DayOutcome::Unchanged => "as it was".to_owned(),
                DayOutcome::WouldBeEmpty => "nothing would be left, so it stays".to_owned(),
                DayOutcome::Changed(after) => after.0.clone(),
                DayOutcome::Refused => "the model changed too much, so it stays".to_owned(),
                DayOutcome::Failed(reason) => format!("stays: {reason}"),
            };
            format!("{done} of {total}  {day}  {outcome}")
        }
        PassAnswer::Node { name, facts_before, outcome, done } => {
            let outcome = match outcome {
                NodeOutcome::Merged(facts) => {
                    format!("{} become {facts}", counted(*facts_before, "fact", "facts"))
                }
                NodeOutcome::Unchanged => "as it was".to_owned(),
                NodeOutcome::Kept(reason) => format!("stays: {reason}"),
            };
            format!("{done} of {total}  {}: {outcome}", name.0)
        }
        PassAnswer::Learned { day, facts, error, done } => {
            let error = error.as_ref().map(|error| format!(" ({error})")).unwrap_or_default();
            format!("{done} of {total}  {day}: {}{error}", counted(*facts, "new fact", "new facts"))
        }
        PassAnswer::Stored { changed } if is_of_diary => format!("{changed} changed. {UNDO}"),
        PassAnswer::Stored { changed } => {
            format!("{} changed. {UNDO}", counted(*changed, "node", "nodes"))
        }
        PassAnswer::Finished { changed } if is_of_diary => format!("Done: {changed} of {total} to change."),
        PassAnswer::Finished { .. } => "Done.".to_owned(),
        PassAnswer::Stopped { changed } if is_of_diary => format!("Stopped: {changed} to change until then."),
        PassAnswer::Stopped { .. } if pass == Pass::Imported => {
            "Stopped; what was learned until then is kept.".to_owned()
        }
        PassAnswer::Stopped { .. } => "Stopped.".to_owned(),
    })
}

#[cfg(test)]
mod tests;
