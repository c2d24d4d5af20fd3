//! Calls that a client of the OpenAI interface has to run: their replies are pending between two requests.

use assistant::ReplyHandle;
use futures::channel::oneshot;
use tokio::time::Instant;
use vocabulary::{CallerResult, Private, ToolCallId};

use crate::pending_items::PendingItems;

/// The pending replies, by the id of the call.
#[derive(Default)]
pub(crate) struct OpenCalls(PendingItems<ToolCallId, (ReplyHandle, oneshot::Sender<CallerResult>)>);

impl OpenCalls {
    /// Keeps a reply until the result of a call comes.
    pub fn keep(
        &self,
        program: &str,
        call: &ToolCallId,
        handle: ReplyHandle,
        result: oneshot::Sender<CallerResult>,
    ) {
        self.0.put(program, call, (handle, result));
    }

    /// Drops the replies whose result does not come.
    pub fn forget_old(&self, now: Instant) {
        self.0.forget_old(now);
    }

    /// Gives a reply the result that it waits for. `None` if no reply of this program waits for it.
    pub fn resume(&self, program: &str, call: &ToolCallId, text: &str) -> Option<ReplyHandle> {
        let (handle, result) = self.0.take(program, call)?;
        // The interface has no sign for a failure: the text says it.
        result.send(CallerResult { success: true, text: Private(text.to_owned()), answer: None }).ok()?;
        Some(handle)
    }
}
