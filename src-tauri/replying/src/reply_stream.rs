//! The events of a reply as a stream.

use futures::StreamExt;
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use vocabulary::{ReplyEvent, ReplyStream};

/// Events of a reply that wait to be read. When it is full the model waits, so nothing is lost.
const EVENTS: usize = 64;

/// The stream of the events that `answer` sends. The reply lives in its stream: dropping one ends the other.
pub fn stream_of_reply<A>(answer: impl FnOnce(mpsc::Sender<ReplyEvent>) -> A) -> ReplyStream
where
    A: Future<Output = ()> + Send + 'static,
{
    let (events, stream) = mpsc::channel(EVENTS);
    let mut answering = Box::pin(answer(events));
    let mut stream = ReceiverStream::new(stream);
    let mut is_answered = false;
    Box::pin(futures::stream::poll_fn(move |context| {
        if !is_answered {
            is_answered = answering.as_mut().poll(context).is_ready();
        }
        stream.poll_next_unpin(context)
    }))
}
