//! A pass over the diary, row by row.

use futures::{Stream, StreamExt, stream};
use jiff::civil::Date;
use llm::{CancellationToken, ChatModel};
use memory::{MemoryError, UndoId};
use vocabulary::Private;

use crate::ReflectionError;

/// A row of the diary before the pass.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiaryRow {
    /// Id in the database.
    pub id: i64,
    /// Day of the entry.
    pub date: Date,
    /// The text.
    pub summary: Private<String>,
    /// The topics, separated by commas.
    pub topics: Private<String>,
}

/// Progress of a pass; `O` is the outcome of a row.
#[derive(Debug)]
pub enum BatchPassEvent<O> {
    /// The first event.
    Started {
        /// Number of rows.
        total: usize,
    },
    /// A row is done.
    Row {
        /// The row before the change.
        row: DiaryRow,
        /// The outcome of one row.
        outcome: O,
        /// Number of rows done, including this one.
        done: usize,
    },
    /// All rows are done.
    Finished {
        /// Number of rows with a change.
        changed: usize,
    },
    /// Stopped by the user; the rows reported so far are done.
    Aborted {
        /// Number of rows with a change.
        changed: usize,
    },
    /// The changes are stored. [`Finished`](Self::Finished) or [`Aborted`](Self::Aborted) follows.
    Stored {
        /// For undoing the changes.
        undo: UndoId,
        /// Number of changed rows. A row that changed meanwhile stays as it is.
        changed: usize,
    },
    /// The pass could not start, or its changes could not be stored: nothing changes. The last event.
    Failed(BatchPassError),
}

/// Why a pass failed.
#[derive(Debug, thiserror::Error)]
pub enum BatchPassError {
    /// The answer contained no usable mapping, or one that would merge most topics.
    #[error("the model's answer contained no usable mapping")]
    Unusable,
    /// The model could not be asked.
    #[error("the model could not be asked")]
    Failed(#[from] ReflectionError),
    /// The diary could not be read or written.
    #[error("the diary could not be read or written")]
    Memory(#[from] MemoryError),
}

impl BatchPassError {
    /// A code for events and logs. It contains nothing of the diary.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Unusable => "unusable_answer",
            Self::Failed(error) => error.code(),
            Self::Memory(_) => "memory_failed",
        }
    }
}

/// A proposed change of a row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RowChange {
    pub(crate) row: DiaryRow,
    pub(crate) summary: String,
    pub(crate) topics: String,
}

/// The steps of one kind of pass. [`run`] calls them.
pub(crate) trait BatchPass: Send + Sync + 'static {
    /// The outcome of a row.
    type Outcome: Send + 'static;
    /// The result of [`prepare`](Self::prepare).
    type Preparation: Send + Sync;

    /// The name under which the changes can be undone.
    const NAME: &'static str;

    /// Runs once before the first row.
    fn prepare(
        model: &dyn ChatModel,
        rows: &[DiaryRow],
        stop: &CancellationToken,
    ) -> impl Future<Output = Result<Self::Preparation, BatchPassError>> + Send;

    /// Examines one row. [`ReflectionError::Stopped`] ends the pass.
    fn examine_row(
        model: &dyn ChatModel,
        preparation: &Self::Preparation,
        row: &DiaryRow,
        stop: &CancellationToken,
    ) -> impl Future<Output = Result<Self::Outcome, ReflectionError>> + Send;

    /// The change proposed by an outcome.
    fn change(row: &DiaryRow, outcome: &Self::Outcome) -> Option<RowChange>;
}

/// Runs a pass over `rows`. The model is asked only while the stream is polled.
pub(crate) fn run<'m, P: BatchPass>(
    model: &'m dyn ChatModel,
    rows: Vec<DiaryRow>,
    stop: &'m CancellationToken,
) -> impl Stream<Item = BatchPassEvent<P::Outcome>> + Send + 'm {
    let started = BatchPassEvent::Started { total: rows.len() };
    let events = async move {
        let preparation = match P::prepare(model, &rows, stop).await {
            Ok(preparation) => preparation,
            Err(BatchPassError::Failed(ReflectionError::Stopped)) => {
                return stream::iter([BatchPassEvent::Aborted { changed: 0 }]).boxed();
            }
            Err(error) => return stream::iter([BatchPassEvent::Failed(error)]).boxed(),
        };
        let state = Some((rows.into_iter(), preparation, 0, 0));
        let steps = stream::unfold(state, async move |state| {
            let (mut rows, preparation, done, changed) = state?;
            if stop.is_cancelled() {
                return Some((BatchPassEvent::Aborted { changed }, None));
            }
            let Some(row) = rows.next() else { return Some((BatchPassEvent::Finished { changed }, None)) };
            let Ok(outcome) = P::examine_row(model, &preparation, &row, stop).await else {
                return Some((BatchPassEvent::Aborted { changed }, None));
            };
            let (done, changed) = (done + 1, changed + usize::from(P::change(&row, &outcome).is_some()));
            Some((BatchPassEvent::Row { row, outcome, done }, Some((rows, preparation, done, changed))))
        });
        steps.boxed()
    };
    stream::iter([started]).chain(stream::once(events).flatten())
}

#[cfg(test)]
pub(super) mod test_support {
    use super::BatchPassEvent;

    /// An event as a short text. `outcome` describes the outcome of a row.
    pub(crate) fn describe<O>(event: &BatchPassEvent<O>, outcome: impl Fn(&O) -> String) -> String {
        match event {
            BatchPassEvent::Started { total } => format!("started {total}"),
            BatchPassEvent::Row { row, outcome: of_row, done } => {
                format!("{done} row {}: {}", row.id, outcome(of_row))
            }
            BatchPassEvent::Finished { changed } => format!("finished {changed}"),
            BatchPassEvent::Aborted { changed } => format!("aborted {changed}"),
            BatchPassEvent::Failed(error) => format!("failed {}", error.code()),
            BatchPassEvent::Stored { .. } => "stores nothing".into(),
        }
    }
}
