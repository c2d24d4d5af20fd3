//! Measures the stages of a reply.

use tokio::time::Instant;
use vocabulary::StageTrace;

/// Times one stage after the other.
pub(crate) struct Stopwatch {
    stage: &'static str,
    began: Instant,
}

impl Stopwatch {
    /// A stage begins.
    pub fn start(stage: &'static str) -> Self {
        Self { stage, began: Instant::now() }
    }

    /// The stage is over.
    pub fn end(&mut self, stages: &mut Vec<StageTrace>) {
        stages.push(StageTrace { stage: self.stage.to_owned(), took: self.began.elapsed() });
    }

    /// The stage is over, and another begins.
    pub fn next(&mut self, stage: &'static str, stages: &mut Vec<StageTrace>) {
        self.end(stages);
        *self = Self::start(stage);
    }
}
