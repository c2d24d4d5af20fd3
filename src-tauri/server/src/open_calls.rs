//! Calls that a client has to run: their replies rest between two requests.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use assistant::ReplyHandle;
use futures::channel::oneshot;
use parking_lot::Mutex;
use vocabulary::{CallerResult, Private};

/// A reply that rests is given up after this time. Source: the life of a conversation of voice nodes.
const PATIENCE: Duration = Duration::from_secs(600);

/// The replies that rest, by the program and the id of the call.
#[derive(Default)]
pub(crate) struct OpenCalls(Mutex<HashMap<(String, String), OpenCall>>);

struct OpenCall {
    handle: ReplyHandle,
    result: oneshot::Sender<CallerResult>,
    since: Instant,
}

impl OpenCalls {
    /// Lets a reply rest until the result of a call comes.
    pub fn rest(
        &self,
        program: &str,
        call: &str,
        handle: ReplyHandle,
        result: oneshot::Sender<CallerResult>,
    ) {
        let mut open = self.0.lock();
        open.retain(|_, other| other.since.elapsed() < PATIENCE);
        let key = (program.to_owned(), call.to_owned());
        open.insert(key, OpenCall { handle, result, since: Instant::now() });
    }

    /// Gives a reply the result that it waits for. `None` if no reply of this program waits for it.
    pub fn resume(&self, program: &str, call: &str, text: &str) -> Option<ReplyHandle> {
        let key = (program.to_owned(), call.to_owned());
        let OpenCall { handle, result, .. } = self.0.lock().remove(&key)?;
        // The interface has no sign for a failure: the text says it.
        result.send(CallerResult { success: true, text: Private(text.to_owned()) }).ok()?;
        Some(handle)
    }
}
