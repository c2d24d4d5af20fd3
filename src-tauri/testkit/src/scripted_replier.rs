//! A fake reply engine with a scripted reply.

use parking_lot::Mutex;

use futures::future::BoxFuture;
use futures::{FutureExt, stream};
use vocabulary::{
    ConversationId, DeliveryTrace, Language, OutgoingResponse, Query, Replier, ReplyControls, ReplyEvent,
    ReplyId, ReplyStream, Trouble,
};

type Script = dyn Fn(Query, ReplyControls) -> ReplyStream + Send + Sync;

/// A fake reply engine with a scripted reply. Records the queries.
pub struct ScriptedReplier {
    script: Box<Script>,
    explanation: Option<String>,
    asked: Mutex<Vec<Query>>,
    delivered: Mutex<Vec<(ReplyId, DeliveryTrace)>>,
}

impl ScriptedReplier {
    /// Replies with the stream that `script` returns for a query.
    pub fn new(script: impl Fn(Query, ReplyControls) -> ReplyStream + Send + Sync + 'static) -> Self {
        let (asked, delivered) = (Mutex::default(), Mutex::default());
        Self { script: Box::new(script), explanation: None, asked, delivered }
    }

    /// Explains what went wrong so; else it explains nothing.
    pub fn explaining(self, explanation: &str) -> Self {
        Self { explanation: Some(explanation.to_owned()), ..self }
    }

    /// Replies with the text of the query, in one delta.
    pub fn echo() -> Self {
        Self::new(|query, _| Self::says(&query.text))
    }

    /// A reply that consists of `text` in one delta.
    pub fn says(text: &str) -> ReplyStream {
        let delta = ReplyEvent::Delta { text: text.to_owned() };
        Box::pin(stream::iter([delta, ReplyEvent::Done(OutgoingResponse::text(text))]))
    }

    /// All queries, in order.
    pub fn asked(&self) -> Vec<Query> {
        self.asked.lock().clone()
    }

    /// The parts that arrived of each reply, in the order of their ends.
    pub fn delivered(&self) -> Vec<(ReplyId, DeliveryTrace)> {
        self.delivered.lock().clone()
    }
}

impl Replier for ScriptedReplier {
    fn reply(&self, query: Query, controls: ReplyControls) -> ReplyStream {
        self.asked.lock().push(query.clone());
        (self.script)(query, controls)
    }

    fn explain<'r>(&'r self, _: &'r [Trouble], _: Option<&'r Language>) -> BoxFuture<'r, Option<String>> {
        std::future::ready(self.explanation.clone()).boxed()
    }

    fn note_delivery(&self, _: &ConversationId, reply: ReplyId, delivery: DeliveryTrace) {
        self.delivered.lock().push((reply, delivery));
    }
}
