//! A pass over the rows of the diary, row by row.

use futures::{Stream, StreamExt, stream};
use jiff::civil::Date;
use llm::{CancellationToken, ChatModel};
use memory::{MemoryError, UndoId};
use vocabulary::Private;

use crate::ReflectionError;

/// A row of the diary as it is before the sweep.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiaryRow {
    /// Its id in the database.
    pub id: i64,
    /// Its day.
    pub date: Date,
    /// What happened.
    pub summary: Private<String>,
    /// Its topics, separated by commas.
    pub topics: Private<String>,
}

/// What happens during a sweep; `O` is what comes of a row.
#[derive(Debug)]
pub enum SweepEvent<O> {
    /// It begins.
    Started {
        /// How many rows there are.
        total: usize,
    },
    /// A row is done.
    Row {
        /// The row as it was: what to go back to.
        row: DiaryRow,
        /// What came of it.
        outcome: O,
        /// How many rows are done, this one counted.
        done: usize,
    },
    /// All rows are done.
    Finished {
        /// In how many something changed.
        changed: usize,
    },
    /// It was stopped; the rows told of are done.
    Aborted {
        /// In how many something changed.
        changed: usize,
    },
    /// What was done is stored; the end follows.
    Stored {
        /// To undo it.
        undo: UndoId,
        /// How many rows changed: those that others changed meanwhile stay as they are.
        changed: usize,
    },
    /// It could not begin, or not be stored: nothing changes, and this is the end.
    Failed(SweepError),
}

/// Why a sweep came to nothing.
#[derive(Debug, thiserror::Error)]
pub enum SweepError {
    /// The answer held nothing that could be used, or would have emptied or mixed up the topics.
    #[error("the model's answer was no usable mapping")]
    Unusable,
    /// The model could not be asked.
    #[error("the model could not be asked")]
    Failed(#[from] ReflectionError),
    /// The diary could not be read or written.
    #[error("the diary could not be read or written")]
    Memory(#[from] MemoryError),
}

impl SweepError {
    /// A word for it that holds nothing of the diary: for events and logs.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Unusable => "unusable_answer",
            Self::Failed(error) => error.code(),
            Self::Memory(_) => "memory_failed",
        }
    }
}

/// What a row is to become.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RowChange {
    pub(crate) row: DiaryRow,
    pub(crate) summary: String,
    pub(crate) topics: String,
}

/// What one kind of pass does; [`run`] does the rest.
pub(crate) trait BatchPass: Send + Sync + 'static {
    /// What comes of a row.
    type Outcome: Send + 'static;
    /// What is known before the first row.
    type Preparation: Send + Sync;

    /// The name under which the changes can be undone.
    const NAME: &'static str;

    /// Asks once about all rows.
    fn prepare(
        model: &dyn ChatModel,
        rows: &[DiaryRow],
        stop: &CancellationToken,
    ) -> impl Future<Output = Result<Self::Preparation, SweepError>> + Send;

    /// Decides about one row. [`ReflectionError::Stopped`] ends the pass.
    fn pass_over(
        model: &dyn ChatModel,
        preparation: &Self::Preparation,
        row: &DiaryRow,
        stop: &CancellationToken,
    ) -> impl Future<Output = Result<Self::Outcome, ReflectionError>> + Send;

    /// The change that an outcome proposes.
    fn change(row: &DiaryRow, outcome: &Self::Outcome) -> Option<RowChange>;
}

/// Runs a pass over `rows`. The model is asked only while the stream is polled.
pub(super) fn run<'m, P: BatchPass>(
    model: &'m dyn ChatModel,
    rows: Vec<DiaryRow>,
    stop: &'m CancellationToken,
) -> impl Stream<Item = SweepEvent<P::Outcome>> + Send + 'm {
    let started = SweepEvent::Started { total: rows.len() };
    let events = async move {
        let preparation = match P::prepare(model, &rows, stop).await {
            Ok(preparation) => preparation,
            Err(SweepError::Failed(ReflectionError::Stopped)) => {
                return stream::iter([SweepEvent::Aborted { changed: 0 }]).boxed();
            }
            Err(error) => return stream::iter([SweepEvent::Failed(error)]).boxed(),
        };
        let state = Some((rows.into_iter(), preparation, 0, 0));
        let steps = stream::unfold(state, async move |state| {
            let (mut rows, preparation, done, changed) = state?;
            if stop.is_cancelled() {
                return Some((SweepEvent::Aborted { changed }, None));
            }
            let Some(row) = rows.next() else { return Some((SweepEvent::Finished { changed }, None)) };
            let Ok(outcome) = P::pass_over(model, &preparation, &row, stop).await else {
                return Some((SweepEvent::Aborted { changed }, None));
            };
            let (done, changed) = (done + 1, changed + usize::from(P::change(&row, &outcome).is_some()));
            Some((SweepEvent::Row { row, outcome, done }, Some((rows, preparation, done, changed))))
        });
        steps.boxed()
    };
    stream::iter([started]).chain(stream::once(events).flatten())
}
