//! A reply engine that does what a test says.

use std::sync::{Mutex, PoisonError};

use futures::stream;
use vocabulary::{OutgoingResponse, Query, Replier, ReplyControls, ReplyEvent, ReplyStream};

type Script = dyn Fn(Query, ReplyControls) -> ReplyStream + Send + Sync;

/// Replies as its script says, and remembers what it was asked.
pub struct ScriptedReplier {
    script: Box<Script>,
    asked: Mutex<Vec<Query>>,
}

impl ScriptedReplier {
    /// Replies with the stream that `script` makes of each query.
    pub fn new(script: impl Fn(Query, ReplyControls) -> ReplyStream + Send + Sync + 'static) -> Self {
        Self { script: Box::new(script), asked: Mutex::default() }
    }

    /// Repeats each query as its answer, in one delta.
    pub fn echo() -> Self {
        Self::new(|query, _| Self::says(&query.text))
    }

    /// A stream that says `text` and is done.
    pub fn says(text: &str) -> ReplyStream {
        let delta = ReplyEvent::Delta { text: text.to_owned() };
        Box::pin(stream::iter([delta, ReplyEvent::Done(OutgoingResponse::text(text))]))
    }

    /// The queries so far.
    pub fn asked(&self) -> Vec<Query> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Replier for ScriptedReplier {
    fn reply(&self, query: Query, controls: ReplyControls) -> ReplyStream {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).push(query.clone());
        (self.script)(query, controls)
    }
}
